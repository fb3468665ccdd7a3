import type { Snapshot } from '../sheet/snapshot.ts';
import type { CandidateRows } from './candidate-rows.ts';
import { type ColumnTypes, toMomentKind } from './cell-values.ts';
import type { ColumnOrder, ValueBound } from './column-order.ts';
import { countContentsInSteps } from './column-type.ts';
import type { CellTest } from './conditions.ts';
import type { MomentKind } from './dates.ts';
import { isConverted, MIN_INDEXED_ROWS } from './equal-rows.ts';
import type { PreparedTest } from './prepared-filter.ts';
import type { DocumentIndexes } from './record-indexes.ts';
import { findColumn, type Region } from './region.ts';
import { sortDistinctRows } from './row-list.ts';

interface IndexAccess {
  readonly types: ColumnTypes;
  readonly indexes: DocumentIndexes;
}

/** Returns the index of a column's order, for all rows below the header; null if this request cannot use one. */
export function* findColumnOrder(
  snapshot: Snapshot,
  region: Region,
  columnIndex: number,
  { types, indexes }: IndexAccess,
): Generator<void, ColumnOrder | null> {
  const column = findColumn(snapshot, region, columnIndex);
  const first = region.header + 1;
  if (column === undefined || region.end - first <= MIN_INDEXED_ROWS) return null;
  const type = types.get(columnIndex) ?? null;
  if (type !== null && isConverted(type, yield* countContentsInSteps(snapshot, column, first, region.end))) return null;
  const { sheet } = region;
  const { locale } = snapshot.settings;
  return yield* indexes.requestColumnOrder(
    { sheet, at: region.columns[columnIndex]?.column ?? -1, first, locale },
    column,
  );
}

/** The comparisons of a column that bound values of the same type, or a comparison with a list of numbers. */
interface BoundGroup {
  readonly at: number;
  readonly kind: BoundKind;
  readonly tests: readonly PreparedTest[];
}

type BoundKind = 'number' | 'text' | 'list' | MomentKind;

/** Maximum number of numbers in a list that are looked up in an order. */
const MAX_LISTED_NUMBERS = 1_024;

/** The bounds of values among comparisons that every record must satisfy, by column and type. */
export function listBoundGroups(tests: readonly PreparedTest[]): readonly BoundGroup[] {
  const groups = new Map<string | PreparedTest, { at: number; kind: BoundKind; tests: PreparedTest[] }>();
  for (const prepared of tests) {
    const kind = findBoundKind(prepared);
    if (kind === null) continue;
    const { at } = prepared;
    const key = kind === 'list' ? prepared : `${at} ${kind}`;
    const group = groups.get(key) ?? { at, kind, tests: [] };
    groups.set(key, group);
    group.tests.push(prepared);
  }
  return [...groups.values()];
}

function findBoundKind({ test }: PreparedTest): BoundKind | null {
  const { numberOrder, momentOrder, textOrder } = test;
  if (isNumberList(test)) return 'list';
  if (numberOrder !== undefined) return 'number';
  if (momentOrder !== undefined) return momentOrder.kind;
  return textOrder === undefined ? null : 'text';
}

/** True if a test matches exactly the cells with the numbers of a short list. */
export function isNumberList(test: CellTest): boolean {
  return listNumbers(test) !== null;
}

/** The numbers of a short list if no other cells match; else null. */
function listNumbers({ numberSet }: CellTest): readonly number[] | null {
  if (numberSet === undefined || !numberSet.isIn || numberSet.numbers.size > MAX_LISTED_NUMBERS) return null;
  const numbers: number[] = [];
  for (const number of numberSet.numbers) {
    if (typeof number !== 'number') return null;
    numbers.push(number);
  }
  return numbers;
}

/**
 * Returns the rows within the bounds of one column: the column with the fewest such rows. Null if each column has more
 * than a limit, or has no index. The limit of texts is greater, because testing texts takes long. Pauses regularly.
 */
export function* findBoundedRows(
  snapshot: Snapshot,
  region: Region,
  groups: readonly BoundGroup[],
  indexAccess: IndexAccess,
  limits: { readonly numbers: number; readonly texts: number },
): Generator<void, CandidateRows | null> {
  let fewest = null as (CandidateRows & { readonly at: number }) | null;
  for (const { at, kind, tests } of groups) {
    if (!(yield* isOrderedByKind(snapshot, region, at, kind, indexAccess.types))) continue;
    const index = yield* findColumnOrder(snapshot, region, at, indexAccess);
    const most: number = fewest?.rows.length ?? (kind === 'text' ? limits.texts : limits.numbers);
    const rows: Uint32Array | null = index && findRows(index, { kind, tests }, most);
    if (rows !== null) fewest = { at, rows, tests };
  }
  if (fewest === null) return null;
  const { at, rows, tests } = fewest;
  // The index contains all rows below the header, also rows after the end of the region.
  const isWhole = (findColumn(snapshot, region, at)?.filledRows() ?? 0) <= region.end;
  // Reading rows in order is several times as fast as in the order of the values.
  return { rows: sortDistinctRows(isWhole ? rows : rows.filter((row) => row < region.end)), tests };
}

/**
 * True if the order of a column's values decides bounds of a kind. For moments, all cells of the column must be moments
 * of this kind. Pauses regularly.
 */
function* isOrderedByKind(
  snapshot: Snapshot,
  region: Region,
  columnIndex: number,
  kind: BoundKind,
  types: ColumnTypes,
): Generator<void, boolean> {
  if (kind !== 'date' && kind !== 'time') return true;
  const column = findColumn(snapshot, region, columnIndex);
  const contents = yield* countContentsInSteps(snapshot, column, region.header + 1, region.end);
  const type = types.get(columnIndex) ?? null;
  if (type !== null) return toMomentKind(type) === kind && contents.text === 0;
  return contents.text + contents.number + (kind === 'date' ? contents.time : contents.date) === 0;
}

/** Finds the rows that pass comparisons by an index; null if there are more than `limit`. */
function findRows(
  index: ColumnOrder,
  { kind, tests }: Pick<BoundGroup, 'kind' | 'tests'>,
  limit: number,
): Uint32Array | null {
  if (kind === 'list') {
    const numbers = tests.flatMap(({ test }) => listNumbers(test) ?? []);
    return index.findRowsOf(numbers, limit);
  }
  const bounds = tests.map((prepared) => toValueBound(prepared, kind));
  return index.findRowsWithin(kind === 'text' ? 'text' : 'number', bounds, limit);
}

/** The bound of a test for values of a kind. */
function toValueBound({ test }: PreparedTest, kind: BoundKind): ValueBound {
  const sign = (test.numberOrder ?? test.momentOrder ?? test.textOrder)!.sign;
  const momentKind = () => (kind === 'date' || kind === 'time' ? kind : null);
  return { sign, isWithin: (value) => test.matches(value, momentKind) };
}
