import {
  areaText,
  type ColumnCondition,
  columnIndex,
  columnName,
  type FilteredRows,
  filteredRows,
  filterOf,
  parseArea,
  type SheetFilter,
  type ShownValue,
  type Snapshot,
  sheetNamed,
  shownValues,
} from '@cellwire/engine';
import type { DocumentAccess } from '../access/access.ts';
import { inSlices } from '../event-loop/slices.ts';
import { MAX_FILTER_VALUES } from '../limits/limits.ts';
import type { ServiceContext } from './context.ts';
import { openReading } from './open-table.ts';
import type { Sheet } from './ranges.ts';
import { INVALID_RANGE, isRefusal, type Refusal, SHEET_NOT_FOUND, VALUES_HIDDEN } from './refusal.ts';

/** A sheet's filter, and what it shows at one revision. */
export interface ShownFilter {
  readonly revisionId: string;
  /** A1 without the sheet; the first row is the header. */
  readonly range: string;
  /** By the letters of the columns. */
  readonly columns: Readonly<Record<string, ColumnCondition>>;
  /** The last row that the filter decides about, from 0. */
  readonly bottom: number;
  /** A bit for each row below the header up to `bottom`, 1 for those that are shown: the lowest of a byte first, base64. */
  readonly shown: string;
}

/** The sheet's filter with the rows that it shows; null: it has none. */
export async function sheetFilter(
  context: ServiceContext,
  access: DocumentAccess,
  name: string,
): Promise<ShownFilter | null | Refusal> {
  const found = await readableSheet(context, access, name);
  if (isRefusal(found)) return found;
  const { snapshot, sheet } = found;
  const filter = filterOf(sheet.layout);
  if (filter === null) return null;
  return shownFilter(snapshot, filter, await inSlices(filteredRows(snapshot, sheet, filter)));
}

function shownFilter({ revision }: Snapshot, filter: SheetFilter, { area, shown }: FilteredRows): ShownFilter {
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

function packBits(flags: Uint8Array): string {
  const bytes = new Uint8Array((flags.length + 7) >> 3);
  for (let i = 0; i < flags.length; i++) {
    if (flags[i] === 1) bytes[i >> 3] = (bytes[i >> 3] as number) | (1 << (i & 7));
  }
  return Buffer.from(bytes).toString('base64');
}

/** The texts that a column shows below the header of a range, with how often. */
export interface ColumnValues {
  /** In the order of people's lists. */
  readonly values: readonly ShownValue[];
  /** Whether there are more than are listed. */
  readonly isCut: boolean;
}

/** The values to choose among for a column of a filter, without the rows that its other columns hide. */
export async function filterValues(
  context: ServiceContext,
  access: DocumentAccess,
  name: string,
  { range, column: letters, search }: { readonly range: string; readonly column: string; readonly search: string },
): Promise<ColumnValues | Refusal> {
  const found = await readableSheet(context, access, name);
  if (isRefusal(found)) return found;
  const area = parseArea(range);
  const column = columnIndex(letters);
  if (area === null || column < 0) return INVALID_RANGE;
  const { snapshot, sheet } = found;
  const columns = (filterOf(sheet.layout)?.columns ?? []).filter((one) => one.column !== column);
  const { top, left, bottom, right } = area;
  const others = { area: { top, left, bottom, right }, columns };
  const { values, isCut } = await inSlices(valuesSteps(snapshot, sheet, column, others, search));
  const order = new Intl.Collator(snapshot.settings.locale, { numeric: true });
  return { values: [...values].sort((a, b) => order.compare(a.text, b.text)), isCut };
}

function* valuesSteps(snapshot: Snapshot, sheet: Sheet, column: number, others: SheetFilter, search: string) {
  const rows = yield* filteredRows(snapshot, sheet, others);
  return yield* shownValues(snapshot, sheet, column, rows, { limit: MAX_FILTER_VALUES, search });
}

async function readableSheet(
  context: ServiceContext,
  access: DocumentAccess,
  name: string,
): Promise<{ readonly snapshot: Snapshot; readonly sheet: Sheet } | Refusal> {
  const reading = await openReading(context, access);
  if (isRefusal(reading)) return reading;
  const { snapshot } = reading;
  const sheet = sheetNamed(snapshot.sheets, name);
  if (sheet === undefined) return SHEET_NOT_FOUND;
  return access.hiddenSheets.has(sheet.id) ? VALUES_HIDDEN : { snapshot, sheet };
}
