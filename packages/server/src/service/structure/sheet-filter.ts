import {
  areaText,
  type ColumnCondition,
  columnIndex,
  columnName,
  type DisplayedValue,
  type FilteredRows,
  filterRows,
  findFilter,
  findSheetByName,
  listDisplayedValues,
  MAX_ROWS,
  moveFilter,
  parseArea,
  type SheetFilter,
  type Snapshot,
} from '@cellwire/engine';
import { runInSlices } from '@cellwire/event-loop';
import {
  commitMoves,
  commitSummaries,
  deletePersonalFilter,
  personalFilter,
  setPersonalFilter,
} from '@cellwire/store/documents';
import { parseAreas, parseStoredJson } from '@cellwire/store/stored-forms';
import type { DocumentAccess } from '../../access/access.ts';
import { MAX_FILTER_VALUES } from '../../limits/display.ts';
import type { ServiceContext } from '../context.ts';
import { appendIndex, type IndexRun } from '../index-runs.ts';
import { openReading } from '../open-table.ts';
import type { SnapshotSheet } from '../ranges.ts';
import { INVALID_RANGE, invalidRequest, isRefusal, type Refusal, SHEET_NOT_FOUND, VALUES_HIDDEN } from '../refusal.ts';
import { ConditionProblem, parseColumns } from './filter-condition.ts';

/** A sheet's filter, and the rows that it shows at one revision. */
interface ShownFilter {
  readonly revisionId: string;
  /** True if only the caller uses the filter. */
  readonly isPersonal: boolean;
  /** True if the filter replaces the sheet's own filter for the caller. */
  readonly isOverShared: boolean;
  /** A1 without the sheet; the first row is the header. */
  readonly range: string;
  /** Conditions by column letter. */
  readonly columns: Readonly<Record<string, ColumnCondition>>;
  /** The last row that the filter covers, zero-based. */
  readonly bottom: number;
  /**
   * One bit for each row from below the header to `bottom`, 1 for a visible row; lowest bit of each byte first, base64.
   */
  readonly shown: string;
}

/** The filter that applies to the caller, with its visible rows: the personal one if it exists. Null: none. */
export async function readSheetFilter(
  context: ServiceContext,
  access: DocumentAccess,
  name: string,
): Promise<ShownFilter | null | Refusal> {
  const found = await openReadableSheet(context, access, name);
  if (isRefusal(found)) return found;
  const { snapshot, sheet } = found;
  const own = await readPersonalFilter(context, access, snapshot, sheet);
  const filter = own ?? findFilter(sheet.layout);
  if (filter === null) return null;
  const rows = await runInSlices(filterRows(snapshot, sheet, filter));
  const isOverShared = own !== null && findFilter(sheet.layout) !== null;
  return { ...toShownFilter(snapshot, filter, rows), isPersonal: own !== null, isOverShared };
}

/** A user's personal filter of a sheet, moved with its cells. Null: none, or the log does not reach back to it. */
export async function readPersonalFilter(
  { database }: Pick<ServiceContext, 'database'>,
  { documentId: id, caller }: DocumentAccess,
  { revision: to }: Snapshot,
  sheet: SnapshotSheet,
): Promise<SheetFilter | null> {
  const row = await database.readOne(personalFilter({ document_id: id, user_id: caller.userId, sheet_id: sheet.id }));
  if (row === null) return null;
  const filter = parseStoredJson<SheetFilter>(row.filter, 'The conditions of a personal filter');
  const { revision: after } = row;
  if (after >= to) return filter;
  const [[first], moved] = await database.readAll([
    commitSummaries({ id, after, limit: 1 }),
    commitMoves({ id, after, to }),
  ]);
  if (first?.revision !== after + 1) return null;
  const moves = moved.flatMap(({ areas }) => parseAreas(areas).moves ?? []);
  return moveFilter(sheet.id, filter, moves);
}

/**
 * Runs of the rows that the caller's filter shows or does not cover; null: no filter has conditions.
 */
export async function readRowsShownByFilter(
  context: Pick<ServiceContext, 'database'>,
  access: DocumentAccess,
  snapshot: Snapshot,
  sheet: SnapshotSheet,
): Promise<readonly Readonly<IndexRun>[] | null> {
  const filter = (await readPersonalFilter(context, access, snapshot, sheet)) ?? findFilter(sheet.layout);
  if (filter === null || filter.columns.length === 0) return null;
  const { area, shown } = await runInSlices(filterRows(snapshot, sheet, filter));
  const runs: IndexRun[] = [[0, area.top]];
  for (const [i, flag] of shown.entries()) {
    if (flag === 1) appendIndex(runs, area.top + 1 + i);
  }
  const below = Math.max(area.bottom, area.top) + 1;
  if (below < MAX_ROWS) runs.push([below, MAX_ROWS - 1]);
  return runs;
}

/** A personal filter, as sent by the caller. */
interface PersonalFilterInput {
  /** The revision that the range refers to. */
  readonly revisionId: string;
  /** A1 without the sheet. */
  readonly range: string;
  readonly columns: unknown;
}

/**
 * Stores a personal filter, which replaces the sheet's filter for the caller; null: the sheet's filter applies again.
 */
export async function storePersonalFilter(
  context: ServiceContext,
  access: DocumentAccess,
  name: string,
  filterInput: PersonalFilterInput | null,
): Promise<Refusal | null> {
  const found = await openReadableSheet(context, access, name);
  if (isRefusal(found)) return found;
  const key = { document_id: access.documentId, user_id: access.caller.userId, sheet_id: found.sheet.id };
  if (filterInput === null) {
    await context.database.write({ document: access.documentId, statements: [deletePersonalFilter(key)] });
    return null;
  }
  const area = parseArea(filterInput.range);
  if (area === null) return INVALID_RANGE;
  const columns = parseColumns(filterInput.columns);
  if (columns instanceof ConditionProblem) return invalidRequest(`columns.${columns.field}`, columns.message);
  const { top, left, bottom, right } = area;
  if (columns.some(({ column }) => column < left || column > right)) {
    return invalidRequest('columns', 'columns must lie in the range');
  }
  const revision = Number(filterInput.revisionId);
  if (revision > found.snapshot.revision) return invalidRequest('revisionId', 'The document has no such revision');
  const filter: SheetFilter = { area: { top, left, bottom, right }, columns };
  const statement = setPersonalFilter({ ...key, revision, filter: JSON.stringify(filter) });
  await context.database.write({ document: access.documentId, statements: [statement] });
  return null;
}

/** The filter with its column letters and the rows that it shows, as the console gets it. */
function toShownFilter(
  { revision }: Snapshot,
  filter: SheetFilter,
  { area, shown }: FilteredRows,
): Omit<ShownFilter, 'isPersonal' | 'isOverShared'> {
  const { top, left, bottom, right } = filter.area;
  const columns = filter.columns.map(({ column, condition }) => [columnName(column), condition] as const);
  return {
    revisionId: String(revision),
    range: areaText({ top, left, bottom, right }),
    columns: Object.fromEntries(columns),
    bottom: area.bottom,
    shown: packBits(shown),
  };
}

/** Packs flags of 0 or 1 into bits, the first in the lowest bit, as base64. */
function packBits(flags: Uint8Array): string {
  const bytes = new Uint8Array((flags.length + 7) >> 3);
  for (let i = 0; i < flags.length; i++) {
    if (flags[i] === 1) bytes[i >> 3] = (bytes[i >> 3] as number) | (1 << (i & 7));
  }
  return Buffer.from(bytes).toString('base64');
}

/** The distinct texts of a column below a range's header, with their counts. */
interface ColumnValues {
  /** Distinct values in sort order. */
  readonly values: readonly DisplayedValue[];
  /** True if some values are omitted. */
  readonly isCut: boolean;
}

/** The values to choose from for a filter column, without rows that the filter's other columns hide. */
export async function listFilterValues(
  context: ServiceContext,
  access: DocumentAccess,
  name: string,
  { range, column: letters, search }: { readonly range: string; readonly column: string; readonly search: string },
): Promise<ColumnValues | Refusal> {
  const found = await openReadableSheet(context, access, name);
  if (isRefusal(found)) return found;
  const area = parseArea(range);
  const column = columnIndex(letters);
  if (area === null || column < 0) return INVALID_RANGE;
  const { snapshot, sheet } = found;
  const filter = (await readPersonalFilter(context, access, snapshot, sheet)) ?? findFilter(sheet.layout);
  const { top, left, bottom, right } = area;
  const request = { area: { top, left, bottom, right }, columns: filter?.columns ?? [] };
  const { values, isCut } = await runInSlices(collectColumnValues(snapshot, sheet, request, column, search));
  const order = new Intl.Collator(snapshot.settings.locale, { numeric: true });
  return { values: [...values].sort((a, b) => order.compare(a.text, b.text)), isCut };
}

/** The distinct values of a column in rows that the other conditions show, as far as they contain the text. */
function* collectColumnValues(
  snapshot: Snapshot,
  sheet: SnapshotSheet,
  filter: SheetFilter,
  column: number,
  search: string,
) {
  const { area, columns } = filter;
  const others = columns.filter((one) => one.column !== column);
  const rows = yield* filterRows(snapshot, sheet, { area, columns: others });
  const own = yield* filterRows(snapshot, sheet, { area, columns: columns.filter((one) => one.column === column) });
  return yield* listDisplayedValues(snapshot, sheet, rows, { column, limit: MAX_FILTER_VALUES, search, own });
}

/** Opens a sheet if the caller may see its values. */
export async function openReadableSheet(
  context: ServiceContext,
  access: DocumentAccess,
  name: string,
): Promise<{ readonly snapshot: Snapshot; readonly sheet: SnapshotSheet } | Refusal> {
  const reading = await openReading(context, access);
  if (isRefusal(reading)) return reading;
  const { snapshot } = reading;
  const sheet = findSheetByName(snapshot.sheets, name);
  if (sheet === undefined) return SHEET_NOT_FOUND;
  return access.hiddenSheets.has(sheet.id) ? VALUES_HIDDEN : { snapshot, sheet };
}
