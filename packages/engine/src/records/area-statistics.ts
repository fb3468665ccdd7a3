import { digestNames } from '../functions/folded-hash.ts';
import { type Area, cellCount } from '../grid/area.ts';
import { formatForDisplay } from '../locale/index.ts';
import { EMPTY, NUMBER, TEXT, TYPE_MASK } from '../sheet/cell-kind.ts';
import { CHUNK_ROWS, CHUNK_SHIFT, type Chunk } from '../sheet/chunk.ts';
import type { Sheet, Snapshot } from '../sheet/snapshot.ts';
import { isError } from '../value/scalar.ts';
import { detectMomentKind, type MomentKind } from './dates.ts';
import { DistinctNumbers } from './distinct-numbers.ts';
import type { FilteredRows } from './filtered-rows.ts';

/** Statistics of the numbers of one kind: plain numbers, dates or times. */
export interface NumberStatistics {
  readonly count: number;
  readonly sum: number;
  readonly least: number;
  readonly greatest: number;
  /** The number format of the cell with the smallest number. */
  readonly format: number;
}

/** Statistics of some cells. */
export interface AreaStatistics {
  /** Number of cells with content. */
  readonly filled: number;
  readonly numbers: NumberStatistics;
  readonly dates: NumberStatistics;
  /** Times of day and elapsed times. */
  readonly times: NumberStatistics;
}

const NO_NUMBERS: NumberStatistics = {
  count: 0,
  sum: 0,
  least: Number.POSITIVE_INFINITY,
  greatest: Number.NEGATIVE_INFINITY,
  format: 0,
};
const NOTHING: AreaStatistics = { filled: 0, numbers: NO_NUMBERS, dates: NO_NUMBERS, times: NO_NUMBERS };

/** Statistics of published chunks, which never change. */
const statisticsByChunk = new WeakMap<Chunk, AreaStatistics>();
/** Cells between two pauses. */
const CELLS_PER_STEP = 16_384;

/** Counts the cells of areas that do not overlap. `filtered`: omits rows that a filter hides. */
export function* areaStatistics(
  snapshot: Snapshot,
  sheet: Sheet,
  areas: readonly Area[],
  filtered: FilteredRows | null,
): Generator<void, AreaStatistics> {
  const kinds = new FormatKinds(snapshot);
  let all = NOTHING;
  let visited = 0;
  for (const { chunk, from, end, start } of iterateChunkParts(sheet, areas)) {
    const hidden = filtered === null ? null : markHiddenRows(filtered, start, from, end);
    const isWhole = from === 0 && end >= chunk.rows && hidden === null;
    const part =
      (isWhole ? statisticsByChunk.get(chunk) : undefined) ?? computeChunkStatistics(chunk, from, end, hidden, kinds);
    if (isWhole) statisticsByChunk.set(chunk, part);
    all = mergeStatistics(all, part);
    visited += CHUNK_ROWS;
    if (visited < CELLS_PER_STEP) continue;
    visited = 0;
    yield;
  }
  return all;
}

/** The number of distinct values without empty cells. Ignores letter case of texts; compares them by `digestNames`. */
export function* countDistinct(
  sheet: Sheet,
  areas: readonly Area[],
  filtered: FilteredRows | null,
): Generator<void, number> {
  const numbers = new DistinctNumbers();
  const texts = new DistinctNumbers();
  const others = new Set<string>();
  let visited = 0;
  for (const { chunk, from, end, start } of iterateChunkParts(sheet, areas)) {
    const hidden = filtered === null ? null : markHiddenRows(filtered, start, from, end);
    const digests = digestNames(chunk.texts);
    // Equal texts of a chunk usually have the same index.
    const seen = new Uint8Array(digests.length);
    for (let row = from; row < end; row++) {
      const type = chunk.kind(row) & TYPE_MASK;
      if (type === EMPTY || hidden?.[row] === 1) continue;
      const number = chunk.number(row);
      if (type === NUMBER) {
        numbers.add(number);
        if (numbers.isFull) yield* numbers.countInSteps();
      }
      if (type !== NUMBER && type !== TEXT) {
        const value = chunk.value(row);
        others.add(isError(value) ? value.code : String(value));
      } else if (type === TEXT && seen[number] === 0) {
        seen[number] = 1;
        texts.add(digests[number]!);
        if (texts.isFull) yield* texts.countInSteps();
      }
    }
    visited += CHUNK_ROWS;
    if (visited < CELLS_PER_STEP / 4) continue;
    visited = 0;
    yield;
  }
  return (yield* numbers.countInSteps()) + (yield* texts.countInSteps()) + others.size;
}

/** Formats a statistic as a cell would be displayed. */
export function formatStatistic({ formats, settings }: Snapshot, value: number, format: number): string {
  return formatForDisplay(value, formats.code(format), settings.locale, settings.dateSystem);
}

interface ChunkPart {
  readonly chunk: Chunk;
  /** Rows of the chunk; `end` is exclusive. */
  readonly from: number;
  readonly end: number;
  /** The sheet row of the chunk's first row. */
  readonly start: number;
}

/** The parts of chunks that lie in the areas. */
function* iterateChunkParts(sheet: Sheet, areas: readonly Area[]): Iterable<ChunkPart> {
  for (const area of areas) {
    if (cellCount(area) <= 0) continue;
    for (let column = area.left; column <= Math.min(area.right, sheet.columns.length - 1); column++) {
      const chunks = sheet.columns[column]?.chunks;
      if (chunks === undefined) continue;
      const last = Math.min(area.bottom >> CHUNK_SHIFT, chunks.length - 1);
      for (let block = area.top >> CHUNK_SHIFT; block <= last; block++) {
        const chunk = chunks.at(block);
        if (chunk === undefined) continue;
        const start = block << CHUNK_SHIFT;
        const end = Math.min(chunk.rows, area.bottom + 1 - start);
        yield { chunk, from: Math.max(0, area.top - start), end, start };
      }
    }
  }
}

/** A byte per row of a block, 1 for hidden rows; null if none is hidden. */
function markHiddenRows({ area, shown }: FilteredRows, start: number, from: number, end: number): Uint8Array | null {
  let hidden: Uint8Array | null = null;
  for (let row = Math.max(from, area.top + 1 - start); row < Math.min(end, area.bottom + 1 - start); row++) {
    if (shown[start + row - area.top - 1] === 1) continue;
    hidden ??= new Uint8Array(CHUNK_ROWS);
    hidden[row] = 1;
  }
  return hidden;
}

/** Caches the kind of moments for each number format. */
class FormatKinds {
  private readonly snapshot: Snapshot;
  private readonly kinds = new Map<number, MomentKind | null>();

  constructor(snapshot: Snapshot) {
    this.snapshot = snapshot;
  }

  /** The kind of moments that a number format shows; null for other formats. */
  getMomentKind(format: number): MomentKind | null {
    let kind = this.kinds.get(format);
    if (kind === undefined) {
      kind = detectMomentKind(this.snapshot.formats.code(format));
      this.kinds.set(format, kind);
    }
    return kind;
  }
}

/** The statistics of some rows of a chunk. `hidden`: a byte per row, 1 for hidden rows. */
function computeChunkStatistics(
  chunk: Chunk,
  from: number,
  end: number,
  hidden: Uint8Array | null,
  kinds: FormatKinds,
): AreaStatistics {
  let filled = 0;
  const statistics = { number: { ...NO_NUMBERS }, date: { ...NO_NUMBERS }, time: { ...NO_NUMBERS } };
  for (let row = from; row < end; row++) {
    const type = chunk.kind(row) & TYPE_MASK;
    if (type === EMPTY || hidden?.[row] === 1) continue;
    filled++;
    if (type !== NUMBER) continue;
    const value = chunk.number(row);
    const format = chunk.format(row);
    addNumber(statistics[kinds.getMomentKind(format) ?? 'number'], value, format);
  }
  return { filled, numbers: statistics.number, dates: statistics.date, times: statistics.time };
}

/** Adds a number to statistics. */
function addNumber(
  statistics: { -readonly [K in keyof NumberStatistics]: number },
  value: number,
  format: number,
): void {
  statistics.count++;
  statistics.sum += value;
  if (value > statistics.greatest) statistics.greatest = value;
  if (value >= statistics.least) return;
  statistics.least = value;
  statistics.format = format;
}

/** The statistics of two sets of cells together. */
function mergeStatistics(a: AreaStatistics, b: AreaStatistics): AreaStatistics {
  return {
    filled: a.filled + b.filled,
    numbers: mergeNumbers(a.numbers, b.numbers),
    dates: mergeNumbers(a.dates, b.dates),
    times: mergeNumbers(a.times, b.times),
  };
}

/** The statistics of two sets of numbers together. */
function mergeNumbers(a: NumberStatistics, b: NumberStatistics): NumberStatistics {
  if (b.count === 0) return a;
  if (a.count === 0) return b;
  return {
    count: a.count + b.count,
    sum: a.sum + b.sum,
    least: Math.min(a.least, b.least),
    greatest: Math.max(a.greatest, b.greatest),
    format: b.least < a.least ? b.format : a.format,
  };
}
