import {
  columnIndex,
  findNamedArea,
  type OpenArea,
  type Region,
  readRegionInSteps,
  type Snapshot,
  type Table,
} from '@cellwire/engine';
import { runSynchronously } from '@cellwire/event-loop';
import type { DocumentAccess } from '../../access/access.ts';
import { createSheetFinder, locateRange, parseRange, type SnapshotSheet } from '../ranges.ts';
import { INVALID_RANGE, invalidRequest, isRefusal, type Refusal, VALUES_HIDDEN } from '../refusal.ts';

/** The position of records in a sheet, and the names of their columns. */
export interface RecordsPlace {
  readonly sheet: SnapshotSheet;
  readonly area: OpenArea;
  /** The table that holds the records; null: none. */
  readonly table: Table | null;
  readonly region: Region;
}

type ResolvedRecordRange = Omit<RecordsPlace, 'region'>;

/** Names that replace the header's names, with the column letters of the request. */
export type ColumnLetters = ReadonlyMap<string, string>;

/**
 * Resolves the range of records: a bare word is A1, then a sheet, a table, a defined name. Headers are cell values, so
 * a sheet that is hidden from the caller is refused.
 */
export function resolveRecords(...question: Parameters<typeof resolveRecordsInSteps>): RecordsPlace | Refusal {
  return runSynchronously(resolveRecordsInSteps(...question));
}

/** Like `resolveRecords`, but yields regularly: a header may have 16,384 columns. */
export function* resolveRecordsInSteps(
  snapshot: Snapshot,
  { hiddenSheets }: Pick<DocumentAccess, 'hiddenSheets'>,
  range: string | ResolvedRecordRange,
  letters: ColumnLetters,
): Generator<void, RecordsPlace | Refusal> {
  const target = typeof range === 'string' ? resolveNamedRange(snapshot, range) : range;
  if (isRefusal(target)) return target;
  const { sheet, area, table } = target;
  if (hiddenSheets.has(sheet.id)) return VALUES_HIDDEN;
  const columns = resolveColumnNames(area, sheet, letters, listTableNames(table, area));
  if (isRefusal(columns)) return columns;
  const region = yield* readRegionInSteps(snapshot, sheet, area, columns);
  if (!('kind' in region)) return { ...target, region };
  const [first, second] = region.letters;
  const message = `Columns ${first} and ${second} are both called "${region.name}": map them by columns, such as { "${region.name} 2": "${second}" }`;
  return invalidRequest('columns', message);
}

/** The cells that a range names; the range may also be a table or a defined name. */
export function resolveNamedRange(snapshot: Snapshot, text: string): ResolvedRecordRange | Refusal {
  const range = parseRange(text);
  const target = isRefusal(range) ? range : locateRange(createSheetFinder(snapshot.sheets), range);
  if (!isRefusal(target)) return { ...target, table: null };
  if (target !== INVALID_RANGE) return target;
  const place = findNamedArea(snapshot, text);
  const sheet = place && snapshot.sheetById(place.sheet);
  return sheet ? { sheet, area: place.area, table: place.table } : invalidRequest('range', 'Invalid range');
}

/** Column names of a table without a header row. */
function listTableNames(table: Table | null, area: OpenArea): Map<number, string> {
  if (table === null || table.headerRow) return new Map();
  const shown = table.columns.map((name, i) => [table.area.left + i, name] as const);
  return new Map(shown.filter(([column]) => column >= area.left && column <= area.right));
}

/** Adds the names that the request gives to columns by letter to `named`; refused for letters outside the range. */
function resolveColumnNames(
  area: OpenArea,
  sheet: SnapshotSheet,
  letters: ColumnLetters,
  named: Map<number, string>,
): ReadonlyMap<number, string> | Refusal {
  const right = area.openColumns ? sheet.extent().columns - 1 : area.right;
  for (const [name, letter] of letters) {
    const column = columnIndex(letter);
    if (column < area.left || column > right) {
      return invalidRequest('columns', `columns."${name}" must be the letter of a column of the range`);
    }
    named.set(column, name.trim());
  }
  return named;
}
