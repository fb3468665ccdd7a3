import { MAX_ROWS } from '../grid/limits.ts';
import { EMPTY } from '../sheet/cell-kind.ts';
import { CHUNK_ROWS, CHUNK_SHIFT, type Chunk } from '../sheet/chunk.ts';
import type { Column, Snapshot } from '../sheet/snapshot.ts';
import { type CandidateRows, filterCandidates } from './candidate-rows.ts';
import type { ColumnTypes } from './cell-values.ts';
import { countContentsInSteps, countFilled } from './column-type.ts';
import { listIndexedValues, type RecordFilter } from './conditions.ts';
import { type ColumnEquality, findEqualRows } from './equal-rows.ts';
import { filterByTest } from './filter-by-test.ts';
import { findNumberedRows } from './numbered-rows.ts';
import { findBoundedRows, isNumberList, listBoundGroups } from './ordered-column.ts';
import {
  addTextResults,
  type PreparedFilter,
  type PreparedTest,
  prepareFilter,
  type RowTruths,
} from './prepared-filter.ts';
import type { DocumentIndexes } from './record-indexes.ts';
import { findColumn, type Region } from './region.ts';
import { RowCollector, RowSet } from './row-list.ts';

/** Minimum number of rows for which texts are numbered before the search. */
const MIN_CODED_ROWS = 4_096;
/** Maximum share of the rows that bounds of numbers may leave. If they leave more, a full scan is as fast. */
const MAX_BOUNDED_SHARE = 1 / 4;
/** Maximum share of the rows that an index of equal values may leave. Its entries are scattered in memory. */
const MAX_EQUAL_SHARE = 1 / 32;
/** The same before faster ways are tried: the order of a column, and the numbers of texts. */
const MAX_FEW_EQUAL_SHARE = 1 / 256;
/** If fewer rows than this have equal values, they are read directly, and bounds are not searched. */
const MIN_BOUNDED = 64;
/** Maximum number of groups of alternatives that are searched one by one. */
const MAX_UNITED_GROUPS = 16;
/** Cells between two pauses. */
const CELLS_PER_STEP = 8_192;

/** Receives the marks of a block's rows: 1 for rows of the result. Returns false to stop the search. */
type VisitBlock = (rowMarks: Uint8Array, block: number) => boolean;

interface SearchedBlock {
  readonly chunks: readonly (Chunk | undefined)[];
  readonly from: number;
  readonly end: number;
  /** One byte per row of the block, 1 for rows that satisfy the filter. */
  readonly kept: Uint8Array;
}

/** The rows that indexes find; null: all blocks must be searched. */
interface IndexedRows {
  readonly rows: Uint32Array | null;
  /** The filter with the results for numbered texts. */
  readonly resolved: PreparedFilter;
}

/**
 * Finds the records that satisfy a filter. Blocks whose chunks did not change since the last search are not searched
 * again, so that the result for the next state is found quickly.
 */
export class RowSearch {
  private readonly filter: RecordFilter;
  private readonly types: ColumnTypes;
  private readonly truths: RowTruths | null;
  private readonly keepsBlocks: boolean;
  private blocks: (SearchedBlock | undefined)[] = [];

  /**
   * `truths`: rows that satisfy a formula; null if there is none. `keepsBlocks`: caches results by block, to search
   * several states.
   */
  constructor(filter: RecordFilter, types: ColumnTypes, truths: RowTruths | null = null, keepsBlocks = false) {
    this.filter = filter;
    this.types = types;
    this.truths = truths;
    this.keepsBlocks = keepsBlocks;
  }

  /** True if every record satisfies the filter. */
  get isForAll(): boolean {
    const { all, oneOf, none } = this.filter;
    return this.truths === null && all.length === 0 && oneOf === null && none.length === 0;
  }

  /** Finds the rows of records that satisfy the filter, in order. Pauses regularly. */
  *findRows(snapshot: Snapshot, region: Region, indexes: DocumentIndexes | null): Generator<void, Uint32Array> {
    const collector = new RowCollector();
    const rows = yield* this.visitBlocks(snapshot, region, indexes, (rowMarks, block) => {
      collector.add(rowMarks, block << CHUNK_SHIFT);
      return true;
    });
    return rows ?? collector.getRows();
  }

  /**
   * Calls `visit` for each block with rows of the result, or returns these rows, in order, if an index finds them. Stops
   * if `visit` returns false. Pauses regularly.
   */
  *visitBlocks(
    snapshot: Snapshot,
    region: Region,
    indexes: DocumentIndexes | null,
    visit: VisitBlock,
  ): Generator<void, Uint32Array | null> {
    if (this.isForAll && (yield* hasFullColumn(snapshot, region))) return listRows(region.header + 1, region.end);
    const prepared = yield* prepareFilter(this.filter, this.types, snapshot, region);
    const { rows, resolved } = indexes
      ? yield* this.findIndexedRows(snapshot, region, prepared, indexes)
      : { rows: null, resolved: prepared };
    if (rows === null) yield* this.searchAllBlocks(resolved, region, visit);
    return rows;
  }

  /** Finds the rows of the result by indexes. The rows are null if all blocks must be searched. Pauses regularly. */
  private *findIndexedRows(
    snapshot: Snapshot,
    region: Region,
    prepared: PreparedFilter,
    indexes: DocumentIndexes,
  ): Generator<void, IndexedRows> {
    const candidates = yield* this.findCandidates(snapshot, region, prepared, indexes);
    const remaining = dropTests(prepared, candidates?.tests ?? []);
    const count = candidates?.rows.length ?? region.end - region.header;
    const resolved = count >= MIN_CODED_ROWS ? yield* addTextResults(remaining, snapshot, region, indexes) : remaining;
    if (candidates) return { rows: yield* filterCandidates(resolved, this.truths, candidates.rows), resolved };
    // A search that keeps blocks finds the next state faster.
    if (this.keepsBlocks) return { rows: null, resolved };
    const numbered = yield* findNumberedRows(snapshot, region, resolved);
    if (numbered) {
      const filter = dropTests(resolved, numbered.tests);
      return { rows: yield* filterCandidates(filter, this.truths, numbered.rows), resolved };
    }
    const equal =
      (yield* this.findEqualRows(snapshot, region, indexes, {
        tests: prepared.all.filter(({ test }) => !isNumberList(test)),
        requests: 0,
        maxShare: MAX_EQUAL_SHARE,
      })) ??
      (yield* this.findEqualRows(snapshot, region, indexes, {
        tests: prepared.all.filter(({ test }) => isNumberList(test)),
        requests: 1,
        maxShare: MAX_EQUAL_SHARE,
      }));
    if (equal) return { rows: yield* filterCandidates(resolved, this.truths, Uint32Array.from(equal)), resolved };
    const united = yield* this.uniteGroups(snapshot, region, resolved, indexes);
    if (united === null) return { rows: null, resolved };
    return { rows: yield* filterCandidates({ ...resolved, all: [], oneOf: null }, null, united), resolved };
  }

  /**
   * Finds the rows of each group of alternatives by indexes, and unites them, in ascending order. Null if the rows of a
   * group are not found. Pauses regularly.
   */
  private *uniteGroups(
    snapshot: Snapshot,
    region: Region,
    { all, oneOf, columns }: PreparedFilter,
    indexes: DocumentIndexes,
  ): Generator<void, Uint32Array | null> {
    if (oneOf === null || oneOf.length > MAX_UNITED_GROUPS) return null;
    const united = new RowSet();
    let count = 0;
    for (const group of oneOf) {
      const filter = { all: [...all, ...group], oneOf: null, none: [], columns };
      const { rows } = yield* this.findIndexedRows(snapshot, region, filter, indexes);
      if (rows === null) return null;
      united.addRows(rows);
      count += rows.length;
    }
    const rows = new Uint32Array(Math.min(count, region.end));
    return rows.subarray(0, united.takeRows(rows));
  }

  /** Finds some rows that contain all rows of the result, by an index. Null if all rows must be searched. */
  private *findCandidates(
    snapshot: Snapshot,
    region: Region,
    prepared: PreparedFilter,
    indexes: DocumentIndexes,
  ): Generator<void, CandidateRows | null> {
    // A search that keeps blocks compares two states and runs without pauses for the second one, so it must not sort a
    // column.
    const bounds = this.keepsBlocks ? [] : listBoundGroups(prepared.all);
    const equal = yield* this.findEqualRows(snapshot, region, indexes, {
      // The order of a column finds numbers faster.
      tests: this.keepsBlocks ? prepared.all : prepared.all.filter(({ test }) => !isNumberList(test)),
      requests: 1,
      maxShare: this.keepsBlocks ? MAX_EQUAL_SHARE : MAX_FEW_EQUAL_SHARE,
    });
    const rows = region.end - region.header;
    const limits = { numbers: equal?.length ?? rows * MAX_BOUNDED_SHARE, texts: equal?.length ?? rows };
    const bounded =
      bounds.length > 0 && limits.texts > MIN_BOUNDED
        ? yield* findBoundedRows(snapshot, region, bounds, { types: this.types, indexes }, limits)
        : null;
    return bounded ?? (equal && { rows: Uint32Array.from(equal), tests: [] });
  }

  /** Finds rows by comparisons with values and an index; null if none leaves few rows. */
  private *findEqualRows(
    snapshot: Snapshot,
    region: Region,
    indexes: DocumentIndexes,
    {
      tests,
      requests,
      maxShare,
    }: { readonly tests: readonly PreparedTest[]; readonly requests: number; readonly maxShare: number },
  ): Generator<void, readonly number[] | null> {
    const equalities: ColumnEquality[] = [];
    for (const { at, comparison } of tests) {
      if (comparison.op !== 'in') continue;
      const type = this.types.get(at) ?? null;
      const values = yield* listIndexedValues(comparison.values, type, snapshot.settings.dateSystem);
      if (values !== null) equalities.push({ at, type, values });
    }
    if (equalities.length === 0) return null;
    return yield* findEqualRows(snapshot, region, equalities, { indexes, requests, maxShare });
  }

  /** Searches all rows of a region. Pauses regularly. */
  private *searchAllBlocks(resolved: PreparedFilter, region: Region, visit: VisitBlock): Generator<void, void> {
    for (const { results } of listAllTests(resolved)) if (results !== null) yield* results.testAllTexts();
    const first = region.header + 1;
    const cost = CHUNK_ROWS * (1 + this.filter.all.length + (this.filter.oneOf?.length ?? 0) + this.filter.none.length);
    let cells = 0;
    const shared = new Uint8Array(CHUNK_ROWS);
    for (let block = first >> CHUNK_SHIFT; block << CHUNK_SHIFT < region.end; ) {
      const from = Math.max(first, block << CHUNK_SHIFT);
      const end = Math.min(region.end, (block + 1) << CHUNK_SHIFT);
      const kept = this.keepsBlocks
        ? this.searchBlockCached(resolved, block, from, end)
        : this.searchBlock(shared, resolved, block, from, end);
      if (kept !== NO_ROWS && !visit(kept, block)) return;
      block = kept === NO_ROWS ? findNextBlock(resolved.columns, block + 1) : block + 1;
      cells += cost;
      if (cells < CELLS_PER_STEP) continue;
      cells = 0;
      yield;
    }
  }

  /** The marks of a block's rows; searches the block only if its chunks changed since the last search. */
  private searchBlockCached(resolved: PreparedFilter, block: number, from: number, end: number): Uint8Array {
    const chunks = resolved.columns.map((column) => column?.chunks.at(block));
    const cachedBlock = this.blocks[block];
    const isSame =
      cachedBlock?.from === from &&
      cachedBlock.end === end &&
      cachedBlock.chunks.every((chunk, i) => chunk === chunks[i]);
    if (cachedBlock && isSame) return cachedBlock.kept;
    const kept = this.searchBlock(new Uint8Array(CHUNK_ROWS), resolved, block, from, end);
    this.blocks[block] = { chunks, from, end, kept };
    return kept;
  }

  /** Marks the rows of a block that satisfy the filter. */
  private searchBlock(
    rowMarks: Uint8Array,
    resolved: PreparedFilter,
    block: number,
    from: number,
    end: number,
  ): Uint8Array {
    if (!resolved.columns.some((column) => column?.chunks.at(block) !== undefined)) return NO_ROWS;
    const first = block << CHUNK_SHIFT;
    rowMarks.fill(0).fill(1, from - first, end - first);
    this.filterBlock(rowMarks, resolved, block);
    return rowMarks;
  }

  /** Clears the marks of rows that are not records or do not satisfy the filter. */
  private filterBlock(rowMarks: Uint8Array, { all, oneOf, none, columns }: PreparedFilter, block: number): void {
    const siftAll = (rows: Uint8Array, tests: readonly PreparedTest[]): Uint8Array => {
      for (const { reader, column, test, results } of tests) {
        const chunk = column?.chunks.at(block);
        const skipsTexts = chunk !== undefined && results?.filterTexts(rows, block, chunk) === true;
        filterByTest(rows, reader, test, chunk, skipsTexts);
        if (!rows.includes(1)) break;
      }
      return rows;
    };
    siftAll(rowMarks, all);
    if (oneOf !== null) {
      const some = new Uint8Array(CHUNK_ROWS);
      for (const group of oneOf) {
        const rows = siftAll(rowMarks.slice(), group);
        for (let at = 0; at < CHUNK_ROWS; at++) if (rows[at] === 1) some[at] = 1;
      }
      rowMarks.set(some);
    }
    for (const group of none) {
      const rows = siftAll(rowMarks.slice(), group);
      for (let at = 0; at < CHUNK_ROWS; at++) if (rows[at] === 1) rowMarks[at] = 0;
    }
    if (this.truths !== null) filterByTruths(rowMarks, this.truths, block << CHUNK_SHIFT);
    filterFilled(rowMarks, columns, block);
  }
}

const NO_ROWS = new Uint8Array(0);

function listAllTests({ all, oneOf, none }: PreparedFilter): readonly PreparedTest[] {
  return [...all, ...(oneOf ?? []).flat(), ...none.flat()];
}

/** Returns the filter without tests that are known to be true. */
function dropTests(resolved: PreparedFilter, tests: readonly PreparedTest[]): PreparedFilter {
  return { ...resolved, all: resolved.all.filter((test) => !tests.includes(test)) };
}

/** Maximum number of columns that are checked for one without empty cells. */
const MAX_COUNTED_COLUMNS = 16;

/** True if at least one column has no empty cells, so that every row is a record. */
function* hasFullColumn(snapshot: Snapshot, region: Region): Generator<void, boolean> {
  const first = region.header + 1;
  for (let at = 0; at < Math.min(region.columns.length, MAX_COUNTED_COLUMNS); at++) {
    const contents = yield* countContentsInSteps(snapshot, findColumn(snapshot, region, at), first, region.end);
    if (countFilled(contents) === region.end - first) return true;
  }
  return false;
}

/** The numbers from 0 on. The array is shared by all searches without conditions. */
let consecutive = new Uint32Array(0);

/** The rows from `first` to `end`, exclusive. */
function listRows(first: number, end: number): Uint32Array {
  if (consecutive.length < end) consecutive = new Uint32Array(MAX_ROWS).map((_, i) => i);
  return consecutive.subarray(first, Math.max(first, end));
}

/**
 * Returns the first block, at `block` or later, in which at least one column has a chunk; a block after all rows if
 * there is none.
 */
function findNextBlock(columns: readonly (Column | undefined)[], block: number): number {
  let next = MAX_ROWS >> CHUNK_SHIFT;
  for (const column of columns) {
    const { chunks } = column ?? {};
    if (chunks === undefined || chunks.length <= block) continue;
    const nextBlock = chunks.nextBlockWithChunk(block);
    if (nextBlock < chunks.length && nextBlock < next) next = nextBlock;
  }
  return next;
}

/** Clears the marks of rows for which the formula is not true. `first`: the block's first row. */
function filterByTruths(rowMarks: Uint8Array, { top, holds }: RowTruths, first: number): void {
  for (let at = 0; at < CHUNK_ROWS; at++) if (holds[first + at - top] !== 1) rowMarks[at] = 0;
}

/** Clears the marks of rows without content in the region's columns, because they are not records. */
function filterFilled(rowMarks: Uint8Array, columns: readonly (Column | undefined)[], block: number): void {
  if (columns.some((column) => isFull(column?.chunks.at(block)))) return;
  const kindsOf = (column: Column | undefined) => column?.chunks.at(block)?.kinds ?? NO_ROWS;
  const empty = rowMarks.slice();
  for (const column of columns) {
    const kinds = kindsOf(column);
    for (let at = 0; at < kinds.length; at++) if (kinds[at] !== EMPTY) empty[at] = 0;
  }
  for (let at = 0; at < CHUNK_ROWS; at++) if (empty[at] === 1) rowMarks[at] = 0;
}

/** True if no cell of a chunk is empty. */
function isFull(chunk: Chunk | undefined): boolean {
  if (chunk === undefined || chunk.rows < CHUNK_ROWS) return false;
  return chunk.uniformKind() > EMPTY || !chunk.kinds.includes(EMPTY);
}
