import { type Area, areaText } from '@cellwire/engine';
import { call, OWN } from '../../data/http.ts';
import type { Desk } from './grid-controller.ts';

/** Areas of a selection that the service counts at most. */
export const MAX_COUNTED_AREAS = 100;

/** What the shown cells of a selection hold. */
export interface Statistics {
  readonly filled: number;
  /** Without dates and times. */
  readonly numbers: number;
  /** Absent: there are no numbers. */
  readonly sum?: number;
  readonly least?: number;
  readonly greatest?: number;
  /** As people see them. Absent: there are none, or other numbers beside them. */
  readonly dates?: { readonly least: string; readonly greatest: string };
  readonly times?: {
    readonly sum: string;
    readonly average: string;
    readonly least: string;
    readonly greatest: string;
  };
  /** Different values; absent: not counted (yet). */
  readonly distinct?: number;
}

/** Counts cells by the service, which leaves out the rows that the person's filter hides. Null: it could not be asked. */
export async function readStatistics(desk: Desk, areas: readonly Area[]): Promise<Statistics | null> {
  const answer = await ask<{ readonly statistics: Statistics }>(desk, 'statistics', areas);
  return answer?.statistics ?? null;
}

/** How many different values there are: this takes longer, and comes by itself. */
export async function readDistinct(desk: Desk, areas: readonly Area[]): Promise<number | null> {
  const answer = await ask<{ readonly distinct: number }>(desk, 'distinct', areas);
  return answer?.distinct ?? null;
}

async function ask<T>(desk: Desk, what: string, areas: readonly Area[]): Promise<T | null> {
  const ranges = areas.map((area) => `ranges[]=${areaText(area)}`).join('&');
  const sheet = encodeURIComponent(desk.state.sheet);
  const answer = await call<T>('GET', `${OWN}/documents/${desk.book.id}/sheets/${sheet}/${what}?${ranges}`);
  return answer.ok ? answer.value : null;
}
