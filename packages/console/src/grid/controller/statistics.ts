import { type Area, areaText } from '@cellwire/engine';
import { CONSOLE_API, call } from '../../data/http.ts';
import type { GridModel } from './grid-model.ts';
import type { Statistics } from './grid-state.ts';

/** Areas of a selection that the service counts at most. */
export const MAX_COUNTED_AREAS = 100;

/** Counts cells by the service, which leaves out the rows that the person's filter hides. Null: it could not be asked. */
export async function readStatistics(model: GridModel, areas: readonly Area[]): Promise<Statistics | null> {
  const answer = await requestStatistics<{ readonly statistics: Statistics }>(model, 'statistics', areas);
  return answer?.statistics ?? null;
}

/** How many different values there are: this takes longer, and comes by itself. */
export async function readDistinct(model: GridModel, areas: readonly Area[]): Promise<number | null> {
  const answer = await requestStatistics<{ readonly distinct: number }>(model, 'distinct', areas);
  return answer?.distinct ?? null;
}

async function requestStatistics<T>(model: GridModel, what: string, areas: readonly Area[]): Promise<T | null> {
  const ranges = areas.map((area) => `ranges[]=${areaText(area)}`).join('&');
  const sheet = encodeURIComponent(model.state.sheet);
  const answer = await call<T>('GET', `${CONSOLE_API}/documents/${model.session.id}/sheets/${sheet}/${what}?${ranges}`);
  return answer.ok ? answer.value : null;
}
