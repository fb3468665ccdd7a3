import { type Area, type ColumnCondition, columnIndex, parseArea } from '@cellwire/engine';
import { callApi, formatSheetPath, type Result } from '../../data/http.ts';
import type { VisibleFilterRows } from '../selection/visible-rows.ts';

/** The filter through which a person sees a sheet, with its visible rows. */
export interface GridFilter extends VisibleFilterRows {
  readonly sheet: string;
  /** Range of the filter; its first row is the header. */
  readonly area: Area;
  readonly columns: ReadonlyMap<number, ColumnCondition>;
  /** True if only this person uses the filter. */
  readonly isPersonal: boolean;
  /** True if the filter replaces a shared filter for this person. */
  readonly isOverShared: boolean;
  /** Revision of the range. */
  readonly revision: string;
}

/** The service's answer. */
interface FilterResponse {
  readonly filter: {
    readonly revisionId: string;
    readonly isPersonal: boolean;
    readonly isOverShared: boolean;
    readonly range: string;
    readonly columns: Readonly<Record<string, ColumnCondition>>;
    readonly bottom: number;
    readonly shown: string;
  } | null;
}

export function createFilterPath(
  document: string,
  sheet: string,
  resource: 'filter' | 'filter-values' = 'filter',
): string {
  return formatSheetPath(document, sheet, resource);
}

/** Evaluates the filter of a sheet; null if it has none. */
export async function readFilter(document: string, sheet: string): Promise<Result<GridFilter | null>> {
  const answer = await callApi<FilterResponse>('GET', createFilterPath(document, sheet));
  if (!answer.ok) return answer;
  const { filter } = answer.value;
  const area = filter === null ? null : parseArea(filter.range);
  if (filter === null || area === null) return { ...answer, value: null };
  const { top, left, bottom, right } = area;
  const columns = Object.entries(filter.columns).map(([name, condition]) => [columnIndex(name), condition] as const);
  const value: GridFilter = {
    sheet,
    area: { top, left, bottom, right },
    columns: new Map(columns),
    isPersonal: filter.isPersonal,
    isOverShared: filter.isOverShared,
    revision: filter.revisionId,
    top,
    rows: decodeRowBits(filter.shown, top + 1, filter.bottom),
    count: filter.bottom + 1,
  };
  return { ...answer, value };
}

/** Decodes a bit mask of visible rows from `first` to `last`, lowest bit first. */
function decodeRowBits(base64: string, first: number, last: number): readonly number[] {
  const bytes = atob(base64);
  const rows: number[] = [];
  for (let row = first; row <= last; row++) {
    const at = row - first;
    if ((bytes.charCodeAt(at >> 3) >> (at & 7)) & 1) rows.push(row);
  }
  return rows;
}

/** True if a filter has conditions. */
export function hasConditions(filter: GridFilter | null): filter is GridFilter {
  return filter !== null && filter.columns.size > 0;
}
