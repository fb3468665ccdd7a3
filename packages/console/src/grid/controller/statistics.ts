import { type Area, areaText } from '@cellwire/engine';
import { callApi, formatSheetPath } from '../../data/http.ts';
import type { GridModel } from './grid-model.ts';
import type { Statistics } from './grid-state.ts';

/** Maximum number of areas that the service counts. */
export const MAX_COUNTED_AREAS = 100;

/** Reads statistics from the service, which skips the rows that the person's filter hides. Null on failure. */
export async function readStatistics(model: GridModel, areas: readonly Area[]): Promise<Statistics | null> {
  const answer = await requestStatistics<{ readonly statistics: Statistics }>(model, 'statistics', areas);
  return answer?.statistics ?? null;
}

/** Reads the number of distinct values. It is a separate request because it takes longer than the other statistics. */
export async function readDistinct(model: GridModel, areas: readonly Area[]): Promise<number | null> {
  const answer = await requestStatistics<{ readonly distinct: number }>(model, 'distinct', areas);
  return answer?.distinct ?? null;
}

async function requestStatistics<T>(model: GridModel, path: string, areas: readonly Area[]): Promise<T | null> {
  const ranges = areas.map((area) => `ranges[]=${areaText(area)}`).join('&');
  const answer = await callApi<T>('GET', `${formatSheetPath(model.session.id, model.state.sheet, path)}?${ranges}`);
  return answer.ok ? answer.value : null;
}
