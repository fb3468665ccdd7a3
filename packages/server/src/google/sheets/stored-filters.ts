import { isDeepStrictEqual } from 'node:util';
import { type Area, type ColumnCondition, findFilter, type Sheet, type Snapshot } from '@cellwire/engine';
import type { RequestObject } from '../json.ts';
import { toFilterCriteria } from './filter-conditions.ts';
import { toGridRange } from './filters.ts';
import { readStoredRules } from './rules.ts';
import { KINDS, readSheetId, readStoredObjects } from './state.ts';
import { addRange } from './stored-objects.ts';

/** Google's settings for one column of a filter. Stored at the column's cells, so that it follows when cells move. */
export interface FilterColumn {
  readonly column: number;
  readonly criteria?: RequestObject;
  /** The document's filter condition for the criteria; absent: none. Only for the basic filter. */
  readonly condition?: ColumnCondition;
  /** `rank`: position of the column in the filter's sort specs. */
  readonly sort?: { readonly rank: number; readonly sortOrder: string };
}

/** The key of the basic filter's columns. Columns of filter views have the view's id. */
export const BASIC = 'basic';

/** The stored columns of a filter within its range. */
export function readFilterColumns(
  snapshot: Snapshot,
  sheet: Sheet,
  key: string,
  { left, right }: Area,
): readonly FilterColumn[] {
  const columns = readStoredRules(snapshot, sheet, KINDS.filterColumn).flatMap(({ key: own, value, areas: [area] }) => {
    const isIn = own === key && area !== undefined && area.left >= left && area.left <= right;
    return isIn ? [{ ...value, column: area.left } as FilterColumn] : [];
  });
  return columns.sort((a, b) => a.column - b.column);
}

/** The members of a filter that are derived from its columns. */
export function toFilterMembers(columns: readonly FilterColumn[]): RequestObject {
  const sorts = columns.flatMap(({ column, sort }) => (sort === undefined ? [] : [{ column, ...sort }]));
  const sortSpecs = sorts
    .sort((a, b) => a.rank - b.rank)
    .map(({ column, sortOrder }) => ({ ...(column === 0 ? {} : { dimensionIndex: column }), sortOrder }));
  const criteria = columns.flatMap((one) => (one.criteria === undefined ? [] : [[one.column, one.criteria] as const]));
  const filterSpecs = criteria.map(([columnIndex, filterCriteria]) => ({
    ...(columnIndex === 0 ? {} : { columnIndex }),
    filterCriteria,
  }));
  return {
    ...(sortSpecs.length > 0 && { sortSpecs }),
    ...(criteria.length > 0 && { criteria: Object.fromEntries(criteria), filterSpecs }),
  };
}

/**
 * The filter of a sheet as a `BasicFilter`. Criteria are returned as sent, unless the document's filter was changed
 * since.
 */
export function readBasicFilter(snapshot: Snapshot, sheet: Sheet): object | undefined {
  const filter = findFilter(sheet.layout);
  if (filter === null) return undefined;
  const { area } = filter;
  const conditions = new Map(filter.columns.map(({ column, condition }) => [column, condition]));
  const stored = new Map(readFilterColumns(snapshot, sheet, BASIC, area).map((one) => [one.column, one]));
  const columns = [...new Set([...conditions.keys(), ...stored.keys()])].sort((a, b) => a - b);
  const shown = columns.map((column): FilterColumn => {
    const condition = conditions.get(column);
    const { criteria: sent, condition: set, sort } = stored.get(column) ?? { column };
    const isAsSent = isDeepStrictEqual(set, condition);
    const criteria = isAsSent ? sent : condition && toFilterCriteria(condition);
    return { column, ...(criteria ? { criteria } : {}), ...(sort && { sort }) };
  });
  return { range: toGridRange(readSheetId(sheet), area), ...toFilterMembers(shown) };
}

/** The filter views of a sheet, as Google's API answers them. */
export function readFilterViews(snapshot: Snapshot, sheet: Sheet): readonly object[] {
  const sheetId = readSheetId(sheet);
  return readStoredObjects(sheet, KINDS.filterView).map((stored) => {
    const [area] = stored.areas;
    const columns = area === undefined ? [] : readFilterColumns(snapshot, sheet, stored.key, area);
    return { ...addRange(stored, sheetId), ...toFilterMembers(columns) };
  });
}
