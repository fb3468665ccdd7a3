import { CHUNK_MASK, CHUNK_ROWS, CHUNK_SHIFT } from '../sheet/chunk.ts';
import type { Snapshot } from '../sheet/snapshot.ts';
import { BlockReader, type RecordCell, ValueNumbers } from './block-reader.ts';
import type { ColumnTypes } from './cell-values.ts';
import { type Aggregation, createAggregator, type GroupAggregator } from './group-aggregators.ts';
import { PairNumbers } from './pair-numbers.ts';
import type { DocumentIndexes } from './record-indexes.ts';
import { findColumn, type Region } from './region.ts';

/** An aggregate of each group. `at`: index of the column in the region; null to count the records themselves. */
export interface Measure {
  readonly kind: Aggregation;
  readonly at: number | null;
}

export interface GroupQuery {
  readonly groupBy: readonly number[];
  readonly measures: readonly Measure[];
  readonly caseSensitive: boolean;
  /** Maximum number of groups. Also the maximum number of distinct values that `countDistinct` counts. */
  readonly limit: number;
}

/** A group's values in the order of `groupBy`, and its aggregates in the order of `measures`. */
export interface RecordGroup {
  readonly values: readonly RecordCell[];
  readonly figures: readonly RecordCell[];
}

const RECORDS_PER_STEP = 4_096;
/** The cost of starting to read a block, in records. */
const BLOCK_COST = 32;
/** Minimum number of rows for which texts are numbered in an index, so that later requests are faster. */
const MIN_CODED_ROWS = 4_096;

/** Groups records in the order of their first records. Null if there are more groups than the limit. */
export function* groupRows(
  snapshot: Snapshot,
  region: Region,
  rows: ArrayLike<number>,
  {
    grouping,
    types,
    indexes = null,
  }: { readonly grouping: GroupQuery; readonly types: ColumnTypes; readonly indexes?: DocumentIndexes | null },
): Generator<void, readonly RecordGroup[] | null> {
  const { groupBy, measures, caseSensitive, limit } = grouping;
  const rules = { types, caseSensitive };
  const codesIndexes = rows.length >= MIN_CODED_ROWS ? indexes : null;
  const groups = new GroupNumbers(yield* createAll(groupBy, createNumbers));
  const readers = groupBy.map((at) => new BlockReader(snapshot, region, types, at));
  const figures = yield* createAll(measures, function* ({ kind, at }): Generator<void, GroupAggregator> {
    if (at === null) return createAggregator(kind, null);
    const isDistinct = kind === 'countDistinct';
    return createAggregator(
      kind,
      isDistinct ? yield* createNumbers(at) : new BlockReader(snapshot, region, types, at),
    );
  });
  function* createNumbers(at: number): Generator<void, ValueNumbers> {
    const column = findColumn(snapshot, region, at);
    // With a type, other cells may be converted to texts.
    const isCoded = codesIndexes !== null && column !== undefined && !types.has(at);
    const place = region.columns[at]?.column ?? -1;
    const codes = isCoded ? yield* codesIndexes.requestTextCodes(region.sheet, place, column) : null;
    return new ValueNumbers(snapshot, region, rules, at, codes);
  }
  const places = new Uint8Array(CHUNK_ROWS);
  const keptValues = () =>
    figures.reduce((sum, { storedValueCount }) => sum + storedValueCount, groupBy.length > 0 ? groups.count : 0);
  let steps = 0;
  for (let i = 0; i < rows.length; ) {
    const block = rows[i]! >> CHUNK_SHIFT;
    let count = 0;
    // Reads block by block and column by column. If rows are not in order, a block may be read several times.
    for (; i < rows.length && rows[i]! >> CHUNK_SHIFT === block && count < CHUNK_ROWS; i++) {
      places[count++] = rows[i]! & CHUNK_MASK;
    }
    const ids = groups.assignGroupNumbers(block, places, count);
    for (const figure of figures) {
      figure.setGroupCount(groups.count);
      figure.add({ block, places, ids, count });
    }
    if (keptValues() > limit) return null;
    steps += count + BLOCK_COST;
    if (steps < RECORDS_PER_STEP) continue;
    steps = 0;
    yield;
  }
  for (const figure of figures) figure.setGroupCount(groups.count);
  return groups.firstRows.map((row, number) => new LazyGroup(number, row, readers, figures));
}

/** Creates an object for each element. Pauses as `create` does. */
function* createAll<A, B>(elements: readonly A[], create: (one: A) => Generator<void, B>): Generator<void, B[]> {
  const created: B[] = [];
  for (const one of elements) created.push(yield* create(one));
  return created;
}

/** Creates the cells of a group only when they are read: a page shows only a few of many groups. */
class LazyGroup implements RecordGroup {
  private readonly number: number;
  private readonly row: number;
  private readonly readers: readonly BlockReader[];
  private readonly aggregates: readonly GroupAggregator[];

  /** `number`: the group's number. `row`: the first record of the group. */
  constructor(number: number, row: number, readers: readonly BlockReader[], aggregates: readonly GroupAggregator[]) {
    this.number = number;
    this.row = row;
    this.readers = readers;
    this.aggregates = aggregates;
  }

  get values(): readonly RecordCell[] {
    return this.readers.map((reader) => reader.readRowCell(this.row));
  }

  get figures(): readonly RecordCell[] {
    return this.aggregates.map((figure) => figure.readResult(this.number));
  }
}

/**
 * Assigns numbers to groups, column by column. Each value of the first column gets a number. Then each pair of such a
 * number and a value of the second column gets a number, and so on.
 */
class GroupNumbers {
  /** The first record of each group. */
  readonly firstRows: number[] = [];
  private readonly keys: readonly ValueNumbers[];
  /**
   * For each column except the first: numbers the pairs of a group by the previous columns and a value of this column.
   */
  private readonly pairs: readonly PairNumbers[];
  /** The group of each row, by the columns read so far. */
  private readonly ids = new Int32Array(CHUNK_ROWS);
  /** The number of each row's value in the current column. */
  private readonly valueIds = new Int32Array(CHUNK_ROWS);

  constructor(keys: readonly ValueNumbers[]) {
    this.keys = keys;
    this.pairs = keys.slice(1).map(() => new PairNumbers());
    // All records form one group, even if there are none.
    if (keys.length === 0) this.firstRows.push(0);
  }

  get count(): number {
    return this.firstRows.length;
  }

  /** Returns the group numbers of some rows of a block. Valid until the next call. */
  assignGroupNumbers(block: number, blockRows: Uint8Array, count: number): Int32Array {
    const { keys, ids, valueIds } = this;
    for (const [i, key] of keys.entries()) {
      key.enterBlock(block);
      if (i === 0) key.assignIds(blockRows, count, ids);
      else {
        key.assignIds(blockRows, count, valueIds);
        this.pairs[i - 1]!.replaceByPairNumbers(ids, valueIds, count);
      }
    }
    const first = block << CHUNK_SHIFT;
    for (let i = 0; i < count; i++) if (ids[i] === this.firstRows.length) this.firstRows.push(first + blockRows[i]!);
    return ids;
  }
}
