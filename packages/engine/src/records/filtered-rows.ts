import { compileWildcard, matchesWildcard } from '../functions/wildcard.ts';
import type { Area } from '../grid/area.ts';
import { formatForDisplay } from '../locale/index.ts';
import { EMPTY, NUMBER, TEXT, TYPE_MASK } from '../sheet/cell-kind.ts';
import { CHUNK_MASK, CHUNK_ROWS, CHUNK_SHIFT, type Chunk } from '../sheet/chunk.ts';
import { type ColumnCondition, type FilterTest, filtersByFile, type SheetFilter } from '../sheet/filter.ts';
import type { Sheet, Snapshot } from '../sheet/snapshot.ts';
import { foldName } from '../value/fold.ts';
import { isError } from '../value/scalar.ts';
import { ColumnReader } from './cell-values.ts';
import { type CellTest, type ConditionTest, compileTest } from './conditions.ts';
import { formatIsoDate, parseIsoDate } from './dates.ts';
import { filterByTest } from './filter-by-test.ts';

/** Which rows of a filtered range are shown, at one revision. */
export interface FilteredRows {
  /** The filter's range, extended by the filled rows directly below it, and clipped to the used rows. */
  readonly area: Area;
  /** A byte per row of the area below its header: 1 for shown rows. */
  readonly shown: Uint8Array;
}

/** Clears the bytes of rows that do not match. */
type FilterBlock = (rowMarks: Uint8Array, chunk: Chunk | undefined) => void;

interface PreparedColumn {
  readonly column: number;
  readonly filterBlock: FilterBlock;
  /** Identifies the condition: the same key selects the same rows of a chunk. */
  readonly key: string;
}

/** Cells between two pauses. */
const CELLS_PER_STEP = 8_192;

/** Results for published chunks, which never change. Each chunk has the result of the last condition only. */
const resultByChunk = new WeakMap<Chunk, { readonly key: string; readonly kept: Uint8Array }>();

/** Evaluates a filter on a snapshot. Pauses after each block of rows. */
export function* filterRows(snapshot: Snapshot, sheet: Sheet, filter: SheetFilter): Generator<void, FilteredRows> {
  const bottom = yield* findLastRow(sheet, filter.area);
  const area = { ...filter.area, bottom };
  const first = area.top + 1;
  const shown = new Uint8Array(Math.max(0, bottom - area.top)).fill(1);
  const columns: PreparedColumn[] = [];
  for (const { column, condition } of filter.columns) {
    if (!('file' in condition)) columns.push(yield* prepareColumn(snapshot, column, condition));
  }
  for (let block = first >> CHUNK_SHIFT; block << CHUNK_SHIFT <= bottom && columns.length > 0; block++) {
    const start = block << CHUNK_SHIFT;
    const from = Math.max(first, start);
    const end = Math.min(bottom + 1, start + CHUNK_ROWS);
    for (const { column, filterBlock: siftBlock, key } of columns) {
      const chunk = sheet.columns[column]?.chunks.at(block);
      if (chunk !== undefined && resultByChunk.get(chunk)?.key !== key) yield;
      const kept = filterBlockRows(chunk, siftBlock, key);
      for (let row = from; row < end; row++) if (kept[row - start] === 0) shown[row - first] = 0;
    }
    yield;
  }
  if (filter.columns.some(({ condition }) => filtersByFile(condition))) {
    for (const row of sheet.hiddenRows) if (row >= first && row <= bottom) shown[row - first] = 0;
  }
  return { area, shown };
}

/**
 * Returns 1 for each row of a chunk that satisfies a condition, else 0. `key` identifies the condition in the cache.
 */
function filterBlockRows(chunk: Chunk | undefined, filterBlock: FilterBlock, key: string): Uint8Array {
  const cached = chunk && resultByChunk.get(chunk);
  if (cached?.key === key) return cached.kept;
  const kept = new Uint8Array(CHUNK_ROWS).fill(1);
  filterBlock(kept, chunk);
  if (chunk !== undefined) resultByChunk.set(chunk, { key, kept });
  return kept;
}

/** Returns the last used row of a range, which includes the filled rows directly below it. */
function* findLastRow(sheet: Sheet, { top, left, bottom, right }: Area): Generator<void, number> {
  const { rows } = sheet.extent();
  if (bottom >= rows - 1) return Math.max(top, rows - 1);
  const lastColumn = Math.min(right, sheet.columns.length - 1);
  let last = bottom;
  for (let visited = 0; last + 1 < rows; last++) {
    let column = left;
    while (column <= lastColumn && sheet.kind(last + 1, column) === EMPTY) column++;
    if (column > lastColumn) break;
    visited += column - left + 1;
    if (visited < CELLS_PER_STEP) continue;
    visited = 0;
    yield;
  }
  return last;
}

/** Prepares the condition of a column for testing blocks of rows. */
function* prepareColumn(
  snapshot: Snapshot,
  column: number,
  condition: Exclude<ColumnCondition, { readonly file: string }>,
): Generator<void, PreparedColumn> {
  const { locale, dateSystem } = snapshot.settings;
  const key = JSON.stringify([locale, dateSystem, condition]);
  const reader = new ColumnReader(snapshot, column, null);
  if ('values' in condition) return { column, key, filterBlock: createValuesFilter(snapshot, reader, condition) };
  const sifts: FilterBlock[] = [];
  for (const test of condition.tests) sifts.push(yield* prepareTestFilter(snapshot, reader, test));
  return { column, key, filterBlock: condition.match === 'all' ? requireAll(sifts) : requireAny(sifts) };
}

/** A filter for rows that pass every filter. */
function requireAll(filters: readonly FilterBlock[]): FilterBlock {
  return (kept, chunk) => {
    for (const one of filters) one(kept, chunk);
  };
}

/** A filter for rows that pass at least one filter. */
function requireAny(filters: readonly FilterBlock[]): FilterBlock {
  return (kept, chunk) => {
    const some = new Uint8Array(kept.length);
    for (const one of filters) {
      const rows = kept.slice();
      one(rows, chunk);
      for (let at = 0; at < rows.length; at++) if (rows[at] === 1) some[at] = 1;
    }
    kept.set(some);
  };
}

/** Creates the filter for selected displayed texts and dates. `except`: selects all other texts instead. */
function createValuesFilter(
  snapshot: Snapshot,
  reader: ColumnReader,
  { values, dates = [], except }: Extract<ColumnCondition, { readonly values: readonly string[] }>,
): FilterBlock {
  const wanted = new Set(values.map(foldName));
  const { dateSystem } = snapshot.settings;
  const isWantedDate = (chunk: Chunk, blockRow: number) => {
    if (
      dates.length === 0 ||
      (chunk.kind(blockRow) & TYPE_MASK) !== NUMBER ||
      reader.findMomentKind(chunk, blockRow) !== 'date'
    ) {
      return false;
    }
    const iso = formatIsoDate(chunk.number(blockRow), dateSystem) ?? '';
    return dates.some((beginning) => iso.startsWith(beginning));
  };
  return createTextsFilter(
    snapshot,
    (text) => wanted.has(foldName(text)) !== (except ?? false),
    dates.length === 0 ? null : isWantedDate,
  );
}

/**
 * Tests the displayed texts of cells; each text of a chunk is tested once. `alsoMatches`: cells that match regardless
 * of their text.
 */
function createTextsFilter(
  snapshot: Snapshot,
  matches: (text: string) => boolean,
  alsoMatches: ((chunk: Chunk, blockRow: number) => boolean) | null = null,
): FilterBlock {
  const matchesEmpty = matches('');
  return (kept, chunk) => {
    if (chunk === undefined) {
      if (!matchesEmpty) kept.fill(0);
      return;
    }
    const resultsByText = new Map<number, boolean>();
    for (let blockRow = 0; blockRow < kept.length; blockRow++) {
      if (kept[blockRow] === 1 && !isShown(chunk, blockRow, resultsByText) && alsoMatches?.(chunk, blockRow) !== true)
        kept[blockRow] = 0;
    }
  };
  function isShown(chunk: Chunk, blockRow: number, resultsByText: Map<number, boolean>): boolean {
    const type = chunk.kind(blockRow) & TYPE_MASK;
    if (type === EMPTY) return matchesEmpty;
    if (type !== TEXT) return matches(displayedText(snapshot, chunk, blockRow));
    const key = chunk.number(blockRow) * MAX_FORMATS + chunk.format(blockRow);
    const known = resultsByText.get(key) ?? matches(displayedText(snapshot, chunk, blockRow));
    resultsByText.set(key, known);
    return known;
  }
}

/** Greater than the maximum number of formats of a document. */
const MAX_FORMATS = 65_536;

/** Returns the displayed text of a cell. */
export function displayedText({ settings, formats }: Snapshot, chunk: Chunk, blockRow: number): string {
  const value = chunk.value(blockRow);
  if (value === null) return '';
  if (isError(value)) return value.code;
  return formatForDisplay(value, formats.code(chunk.format(blockRow)), settings.locale, settings.dateSystem);
}

/** Compiles a test of a filter. Pauses regularly. */
function* prepareTestFilter(snapshot: Snapshot, reader: ColumnReader, test: FilterTest): Generator<void, FilterBlock> {
  const textTest = compileTextTest(test);
  if (textTest !== null) return createTextsFilter(snapshot, textTest);
  const { locale, dateSystem: system } = snapshot.settings;
  const compiled: CellTest[] = [];
  for (const one of createCellTests(test, system)) {
    compiled.push(yield* compileTest(one, null, { caseSensitive: false, system, locale }));
  }
  const all = requireAll(compiled.map((one) => (kept, chunk) => filterByTest(kept, reader, one, chunk)));
  if (test.op === 'eq')
    return typeof test.value === 'string'
      ? requireAny([all, createTextsFilter(snapshot, createTextTest(test.value))])
      : all;
  if (test.op !== 'ne') return all;
  const equal = yield* prepareTestFilter(snapshot, reader, { ...test, op: 'eq' });
  return (kept, chunk) => {
    const rows = kept.slice();
    equal(rows, chunk);
    for (let at = 0; at < rows.length; at++) if (rows[at] === 1) kept[at] = 0;
  };
}

/** Creates a test for texts that equal a text in any letter case. */
function createTextTest(text: string): (text: string) => boolean {
  const folded = foldName(text);
  return (candidate) => foldName(candidate) === folded;
}

/** Compiles a test of displayed texts; null if the test compares values. */
function compileTextTest({ op, value = '' }: FilterTest): ((text: string) => boolean) | null {
  const part = foldName(String(value));
  switch (op) {
    case 'contains':
      return (text) => foldName(text).includes(part);
    case 'notContains':
      return (text) => !foldName(text).includes(part);
    case 'startsWith':
      return (text) => foldName(text).startsWith(part);
    case 'endsWith':
      return (text) => foldName(text).endsWith(part);
    case 'matches':
    case 'notMatches': {
      const pattern = compileWildcard(String(value), foldName);
      return (text) => matchesWildcard(pattern, foldName(text)) === (op === 'matches');
    }
    case 'empty':
      return (text) => text === '';
    case 'filled':
      return (text) => text !== '';
    default:
      return null;
  }
}

/**
 * Converts a filter test to tests of the cell's value. A date means the whole day: “after” a date begins with the next
 * day.
 */
function createCellTests(
  { op, value = '', to = '' }: FilterTest,
  system: Snapshot['settings']['dateSystem'],
): readonly ConditionTest[] {
  const nextDay = (bound: string | number) => {
    const moment = typeof bound === 'string' ? parseIsoDate(bound, system) : null;
    return moment === null || moment.timed ? null : formatIsoDate(moment.serial + 1, system);
  };
  const upTo = (bound: string | number): ConditionTest => {
    const next = nextDay(bound);
    return next === null ? { op: 'lte', value: bound } : { op: 'lt', value: next };
  };
  switch (op) {
    case 'eq': {
      const next = nextDay(value);
      if (next === null) return [{ op: 'in', values: [value] }];
      return [
        { op: 'gte', value },
        { op: 'lt', value: next },
      ];
    }
    case 'gt': {
      const next = nextDay(value);
      return [next === null ? { op: 'gt', value } : { op: 'gte', value: next }];
    }
    case 'gte':
    case 'lt':
      return [{ op, value }];
    case 'lte':
      return [upTo(value)];
    case 'between':
      return [{ op: 'gte', value }, upTo(to)];
    default:
      return [];
  }
}

/** A displayed text that occurs in a column. */
export interface DisplayedValue {
  readonly text: string;
  /** Number of cells with this text. */
  readonly count: number;
  /** True if the column's own condition shows at least one of these cells. */
  readonly isKept: boolean;
}

/** A query for the texts of a column. */
interface ValuesQuery {
  readonly column: number;
  /** Maximum number of listed texts. */
  readonly limit: number;
  /** The listed texts must contain this text. */
  readonly search: string;
  /** The rows that the condition of this column shows, in the same area as the rows that the other columns show. */
  readonly own?: FilteredRows;
}

/**
 * Lists the distinct displayed texts of a column in the rows of a filtered area, in no order. Pauses after each block
 * of rows.
 */
export function* listDisplayedValues(
  snapshot: Snapshot,
  sheet: Sheet,
  { area, shown }: FilteredRows,
  { column, limit, search, own }: ValuesQuery,
): Generator<void, { readonly values: readonly DisplayedValue[]; readonly isCut: boolean }> {
  const valueByText = new Map<string, { text: string; count: number; isKept: boolean }>();
  const part = foldName(search);
  let isCut = false;
  const first = area.top + 1;
  for (let row = first; row <= area.bottom; row++) {
    if ((row & CHUNK_MASK) === 0) yield;
    if (shown[row - first] === 0) continue;
    const chunk = sheet.columns[column]?.chunks.at(row >> CHUNK_SHIFT);
    const text = chunk === undefined ? '' : displayedText(snapshot, chunk, row & CHUNK_MASK);
    const isKept = own?.shown[row - first] !== 0;
    const key = foldName(text);
    const value = valueByText.get(key);
    if (value !== undefined) {
      value.count++;
      value.isKept ||= isKept;
    } else if (key.includes(part)) {
      if (valueByText.size < limit) valueByText.set(key, { text, count: 1, isKept });
      else isCut = true;
    }
  }
  return { values: [...valueByText.values()], isCut };
}
