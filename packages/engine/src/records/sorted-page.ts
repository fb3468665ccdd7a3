import { CHUNK_MASK, CHUNK_SHIFT } from '../sheet/chunk.ts';
import type { Snapshot } from '../sheet/snapshot.ts';
import type { Scalar } from '../value/scalar.ts';
import { BlockReader } from './block-reader.ts';
import type { ColumnTypes } from './cell-values.ts';
import type { ColumnOrder } from './column-order.ts';
import { compareFilled } from './compare-filled.ts';
import { findColumnOrder } from './ordered-column.ts';
import { type RankedPage, readRankedPage } from './ranked-page.ts';
import type { DocumentIndexes } from './record-indexes.ts';
import { findColumn, type Region } from './region.ts';
import { type RecordSort, sortRows } from './sort-rows.ts';

/** Number of rows that are compared between two pauses. */
const ROWS_PER_STEP = 8_192;
/** Maximum number of rows that are selected without sorting all rows. */
const MAX_SELECTED = 2_048;
/** The collected rows are sorted when there are twice the requested number plus this many. */
const MIN_SPARE = 1_024;
const NO_ROWS = new Uint32Array(0);

/** A column to sort rows by, and the direction. */
interface SortOrder {
  readonly by: readonly RecordSort[];
  readonly types: ColumnTypes;
}

/** The positions of a page in the sorted rows. */
interface PageRange {
  readonly from: number;
  readonly end: number;
}

/**
 * Returns the rows at some positions of the order of `sortRows`, without sorting all rows. Null if sorting all rows is
 * faster. `rows`: all rows to sort, in order. `isWhole`: whether these are all records of the region. Pauses regularly.
 */
export function* readSortedPage(
  snapshot: Snapshot,
  region: Region,
  rows: ArrayLike<number>,
  { by, types, indexes, isWhole }: SortOrder & { readonly indexes: DocumentIndexes | null; readonly isWhole: boolean },
  places: PageRange,
): Generator<void, Uint32Array | null> {
  const [first] = by;
  if (first === undefined) return null;
  if (places.from >= places.end) return NO_ROWS;
  // The index contains all rows below the header, also rows after the end of the region.
  const isIndexed = isWhole && (findColumn(snapshot, region, first.at)?.filledRows() ?? 0) <= region.end;
  const order = isIndexed && indexes ? yield* findColumnOrder(snapshot, region, first.at, { types, indexes }) : null;
  const page = order && (yield* readPage(snapshot, region, order, { by, types }, places));
  if (page) return page;
  const ranked = indexes && (yield* readRankedPage(snapshot, region, rows, { by: first, types, indexes }, places));
  if (ranked) return yield* sortRankedRows(snapshot, region, ranked, { by, types }, places);
  if (places.end > MAX_SELECTED || rows.length < 2 * places.end) return null;
  const selected = yield* findFirstRows(snapshot, region, rows, { by, types }, places.end);
  return selected.slice(places.from);
}

/** Sorts the rows of a page whose first column is sorted. */
function* sortRankedRows(
  snapshot: Snapshot,
  region: Region,
  { rows, first, isOne }: RankedPage,
  { by, types }: SortOrder,
  { from, end }: PageRange,
): Generator<void, Uint32Array> {
  if (by.length === 1) return rows.slice(from - first, end - first);
  // In a single group all rows have the same value in the first column, so it need not be compared.
  const left = { by: isOne ? by.slice(1) : by, types };
  const count = end - first;
  if (count <= MAX_SELECTED && rows.length >= 2 * count)
    return (yield* findFirstRows(snapshot, region, rows, left, count)).slice(from - first);
  const sorted = yield* sortRows(snapshot, region, rows, left);
  return Uint32Array.from({ length: end - from }, (_, i) => sorted[from - first + i]!);
}

/** Reads a page from an index; null if the page has rows without a value in the first column. */
function* readPage(
  snapshot: Snapshot,
  region: Region,
  order: ColumnOrder,
  { by, types }: SortOrder,
  { from, end }: PageRange,
): Generator<void, Uint32Array | null> {
  const isDescending = by[0]?.descending === true;
  if (by.length === 1) return order.readPage(from, end, isDescending);
  const groups = order.extendToGroups(from, end, isDescending);
  if (groups === null || end - groups.first > MAX_SELECTED) return null;
  const rows = order.readPage(groups.first, groups.end, isDescending);
  if (rows === null) return null;
  // In a single group all rows have the same value in the first column, so it need not be compared.
  const left = groups.isOne ? by.slice(1) : by;
  const selected = yield* findFirstRows(snapshot, region, rows, { by: left, types }, end - groups.first);
  return selected.slice(from - groups.first);
}

/**
 * Returns the first `count` rows of a stable sort. Keeps the first rows found so far, and compares all others with the
 * last of them.
 */
function* findFirstRows(
  snapshot: Snapshot,
  region: Region,
  rows: ArrayLike<number>,
  { by, types }: SortOrder,
  count: number,
): Generator<void, Uint32Array> {
  const best = new BestRows(snapshot, region, { by, types }, count);
  for (let i = 0; i < rows.length; ) {
    const block = rows[i]! >> CHUNK_SHIFT;
    let end = i + 1;
    while (end < rows.length && rows[end]! >> CHUNK_SHIFT === block) end++;
    best.addRows(block, rows, i, end);
    if (Math.floor(i / ROWS_PER_STEP) !== Math.floor(end / ROWS_PER_STEP)) yield;
    i = end;
  }
  return best.getRows();
}

/** A collected row, with its cells in the sort columns. */
interface SortCandidate {
  readonly row: number;
  /** Number of candidates that were collected before this one. */
  readonly place: number;
  readonly values: readonly Scalar[];
}

/** Collects the first `count` rows in sort order. */
class BestRows {
  private readonly columns: readonly { readonly reader: BlockReader; readonly isDescending: boolean }[];
  private readonly count: number;
  private candidates: SortCandidate[] = [];
  private places = 0;
  /** The last of the first rows found so far; null until there are enough. */
  private last: SortCandidate | null = null;
  /** For each text of the chunk of the first column: 1 if it comes after the text of `last` in the order. */
  private lateTexts = new Uint8Array(0);

  constructor(snapshot: Snapshot, region: Region, { by, types }: SortOrder, count: number) {
    this.columns = by.map(({ at, descending }) => ({
      reader: new BlockReader(snapshot, region, types, at),
      isDescending: descending,
    }));
    this.count = count;
  }

  /** Adds rows of one block: `rows` from index `from` to `end - 1`. */
  addRows(block: number, rows: ArrayLike<number>, from: number, end: number): void {
    for (const { reader } of this.columns) reader.enterBlock(block);
    const [first] = this.columns;
    if (first === undefined) return;
    const { reader, isDescending } = first;
    const areNumbers = reader.hasPlainNumbers && reader.chunk?.isAllNumbers === true;
    const { numbers } = reader;
    const sign = isDescending ? -1 : 1;
    this.lateTexts = new Uint8Array(reader.chunk?.texts.count ?? 0);
    let bound = this.last?.values[0] ?? null;
    for (let i = from; i < end; i++) {
      const at = rows[i]! & CHUNK_MASK;
      if (areNumbers && typeof bound === 'number' && at < numbers.length && sign * (numbers[at]! - bound) > 0) continue;
      if (this.last !== null && this.isAfterLast(at, this.last)) continue;
      this.candidates.push({
        row: rows[i]!,
        place: this.places++,
        values: this.columns.map((one) => one.reader.readScalar(at)),
      });
      if (this.candidates.length < 2 * this.count + MIN_SPARE) continue;
      this.pruneCandidates();
      bound = this.last?.values[0] ?? null;
    }
  }

  /** True if a row comes after `last`. Of equal rows, the earlier one comes first. */
  private isAfterLast(blockRow: number, last: SortCandidate): boolean {
    for (let i = 0; i < this.columns.length; i++) {
      const { reader, isDescending } = this.columns[i]!;
      const bound = last.values[i] ?? null;
      const isPlain = typeof bound === 'number' && reader.isPlainNumber(blockRow);
      const text = i === 0 && reader.isText(blockRow) ? reader.numbers[blockRow]! : -1;
      if (text >= 0 && this.lateTexts[text] === 1) return true;
      const order = isPlain
        ? isDescending
          ? bound - reader.numbers[blockRow]!
          : reader.numbers[blockRow]! - bound
        : compareFilled(reader.readScalar(blockRow), bound, isDescending, reader.reader.locale);
      if (order > 0 && text >= 0) this.lateTexts[text] = 1;
      if (order !== 0) return order > 0;
    }
    return true;
  }

  /** Keeps only the first candidates in sort order. */
  private pruneCandidates(): void {
    this.candidates = this.candidates.sort((a, b) => this.compare(a, b)).slice(0, this.count);
    this.last = this.candidates.length < this.count ? null : (this.candidates.at(-1) ?? null);
  }

  /** Compares two candidates by the sort columns; of equal ones the earlier comes first. */
  private compare(a: SortCandidate, b: SortCandidate): number {
    for (let i = 0; i < this.columns.length; i++) {
      const { reader, isDescending } = this.columns[i]!;
      const order = compareFilled(a.values[i] ?? null, b.values[i] ?? null, isDescending, reader.reader.locale);
      if (order !== 0) return order;
    }
    return a.place - b.place;
  }

  /** The collected rows in sort order. */
  getRows(): Uint32Array {
    this.pruneCandidates();
    return Uint32Array.from(this.candidates, ({ row }) => row);
  }
}
