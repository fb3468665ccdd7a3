import { CHUNK_MASK, CHUNK_ROWS, CHUNK_SHIFT } from '../../sheet/chunk.ts';
import type { Snapshot } from '../../sheet/snapshot.ts';
import type { Scalar } from '../../value/scalar.ts';
import { BlockReader, type RecordCell, ValueNumbers } from '../block-reader.ts';
import type { ColumnTypes } from '../cell-values.ts';
import { countContentsInSteps } from '../column-type.ts';
import { mapInSteps } from '../map-in-steps.ts';
import type { DocumentIndexes } from '../record-indexes.ts';
import { findColumn, type Region } from '../region.ts';
import type { RowSearch } from '../row-search.ts';
import { type Aggregation, createAggregator, type GroupAggregator } from './aggregators.ts';
import { PairNumbers } from './pair-numbers.ts';

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

/** A group of records. */
export interface RecordGroup {
  /** The values in the order of `groupBy`. */
  readonly values: readonly RecordCell[];
  /** The aggregates in the order of `measures`. */
  readonly figures: readonly RecordCell[];
  /** The row of its first record. */
  readonly row: number;
  /** The value in a column of `groupBy`, by its index there. */
  readValue(index: number): Scalar;
  /** An aggregate, by its index in `measures`. */
  readFigure(index: number): Scalar;
}

/** How records are grouped. */
interface Grouping {
  readonly grouping: GroupQuery;
  readonly types: ColumnTypes;
  /** Null: texts get numbers for this query only. */
  readonly indexes?: DocumentIndexes | null;
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
  how: Grouping,
): Generator<void, readonly RecordGroup[] | null> {
  const collector = yield* GroupCollector.create(snapshot, region, how, rows.length);
  let steps = 0;
  for (let i = 0; i < rows.length; ) {
    const block = rows[i]! >> CHUNK_SHIFT;
    const { places } = collector;
    let count = 0;
    // Reads block by block and column by column. If rows are not in order, a block may be read several times.
    for (; i < rows.length && rows[i]! >> CHUNK_SHIFT === block && count < CHUNK_ROWS; i++) {
      places[count++] = rows[i]! & CHUNK_MASK;
    }
    if (!collector.addPlaces(block, count)) return null;
    steps += count + BLOCK_COST;
    if (steps < RECORDS_PER_STEP) continue;
    steps = 0;
    yield;
  }
  return collector.getGroups();
}

/**
 * Groups the records that a search finds, without a list of their rows. Null if there are more groups than the limit.
 */
export function* groupMatches(
  snapshot: Snapshot,
  region: Region,
  search: RowSearch,
  how: Grouping,
): Generator<void, readonly RecordGroup[] | null> {
  const indexes = how.indexes ?? null;
  const collector = yield* GroupCollector.create(snapshot, region, how, region.end - region.header);
  let isWithinLimit = true;
  const rows = yield* search.visitBlocks(snapshot, region, indexes, (rowMarks, block) => {
    const { places } = collector;
    let count = 0;
    // Writes every place, but only marked rows move the end. This avoids a branch.
    for (let at = 0; at < rowMarks.length; at++) {
      places[count] = at;
      count += rowMarks[at]!;
    }
    isWithinLimit = collector.addPlaces(block, count);
    return isWithinLimit;
  });
  if (rows !== null) return yield* groupRows(snapshot, region, rows, how);
  return isWithinLimit ? collector.getGroups() : null;
}

/** Collects groups block by block. */
class GroupCollector {
  /** Room for the positions of rows in a block. The last one is spare. */
  readonly places = new Uint8Array(CHUNK_ROWS + 1);
  private readonly groups: GroupNumbers;
  private readonly readers: readonly BlockReader[];
  private readonly aggregators: readonly GroupAggregator[];
  /** Maximum number of groups and stored values. */
  private readonly limit: number;
  private readonly countsGroups: boolean;

  private constructor(
    groups: GroupNumbers,
    readers: readonly BlockReader[],
    aggregators: readonly GroupAggregator[],
    limit: number,
  ) {
    this.groups = groups;
    this.readers = readers;
    this.aggregators = aggregators;
    this.limit = limit;
    this.countsGroups = readers.length > 0;
  }

  /** `rows`: approximate number of records. Pauses while texts are numbered. */
  static *create(
    snapshot: Snapshot,
    region: Region,
    { grouping, types, indexes = null }: Grouping,
    rows: number,
  ): Generator<void, GroupCollector> {
    const { groupBy, measures, caseSensitive, limit } = grouping;
    const codesIndexes = rows >= MIN_CODED_ROWS ? indexes : null;
    function* createNumbers(at: number): Generator<void, ValueNumbers> {
      const column = findColumn(snapshot, region, at);
      // With a type, other cells may be converted to texts.
      const isCoded =
        codesIndexes !== null &&
        column !== undefined &&
        !types.has(at) &&
        (yield* countContentsInSteps(snapshot, column, region.header + 1, region.end)).text > 0;
      const place = region.columns[at]?.column ?? -1;
      const codes = isCoded ? yield* codesIndexes.requestTextCodes(region.sheet, place, column) : null;
      return new ValueNumbers(snapshot, region, { types, caseSensitive }, at, codes);
    }
    const groups = new GroupNumbers(yield* mapInSteps(groupBy, createNumbers));
    const readers = groupBy.map((at) => new BlockReader(snapshot, region, types, at));
    const aggregators = yield* mapInSteps(measures, function* ({ kind, at }): Generator<void, GroupAggregator> {
      if (at === null) return createAggregator(kind, null);
      const source = kind === 'countDistinct' ? yield* createNumbers(at) : new BlockReader(snapshot, region, types, at);
      return createAggregator(kind, source);
    });
    return new GroupCollector(groups, readers, aggregators, limit);
  }

  /** Adds the first `count` rows of `places`. False if there are too many groups. */
  addPlaces(block: number, count: number): boolean {
    if (count === 0) return true;
    const { groups, places, aggregators } = this;
    const ids = groups.assignGroupNumbers(block, places, count);
    let kept = this.countsGroups ? groups.count : 0;
    for (const aggregator of aggregators) {
      aggregator.setGroupCount(groups.count);
      aggregator.add({ block, places, ids, count });
      kept += aggregator.storedValueCount;
    }
    return kept <= this.limit;
  }

  getGroups(): readonly RecordGroup[] {
    const { groups, readers, aggregators } = this;
    for (const aggregator of aggregators) aggregator.setGroupCount(groups.count);
    return groups.firstRows.map((row, number) => new LazyGroup(number, row, readers, aggregators));
  }
}

/** Creates the cells of a group only when they are read: a page shows only a few of many groups. */
class LazyGroup implements RecordGroup {
  readonly row: number;
  private readonly number: number;
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

  readValue(index: number): Scalar {
    return this.readers[index]!.readRowScalar(this.row);
  }

  readFigure(index: number): Scalar {
    return this.aggregates[index]!.readResult(this.number).scalar;
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
