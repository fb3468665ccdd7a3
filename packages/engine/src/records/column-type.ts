import { BOOLEAN, ERROR, NUMBER, TEXT, TYPE_MASK } from '../sheet/cell-kind.ts';
import { CHUNK_ROWS, CHUNK_SHIFT, type Chunk } from '../sheet/chunk.ts';
import type { FormatTable } from '../sheet/formats.ts';
import type { Column, Snapshot } from '../sheet/snapshot.ts';
import type { RecordType } from './cell-values.ts';
import { detectMomentKind, isElapsed, type MomentKind } from './dates.ts';

/** The type of the filled cells of a column. */
export type ColumnType = RecordType | 'mixed' | 'empty';

/** The most common type in a column. Times of day and elapsed times are one type. */
export type CellType = 'text' | 'number' | 'date' | 'time' | 'boolean';

/** Numbers of filled cells by type. Empty texts do not count. */
export interface ColumnContents {
  readonly text: number;
  readonly number: number;
  readonly date: number;
  /** Times of day and elapsed times. */
  readonly time: number;
  readonly boolean: number;
  readonly error: number;
  /** True if at least one time is an elapsed time. */
  readonly hasElapsed: boolean;
}

type MutableContents = { -readonly [name in keyof ColumnContents]: ColumnContents[name] };

/** The counted kinds, in packing order. */
const KINDS = ['text', 'number', 'date', 'time', 'boolean', 'error'] as const;
/** The base of packed counts: one more than the rows of a chunk. */
const PACK_BASE = 257;

interface CountedRows {
  readonly top: number;
  readonly end: number;
  readonly contents: ColumnContents;
}

/** Counts of published columns, which never change. The counts of a chunk are stored in the chunk. */
const countsByColumn = new WeakMap<Column, CountedRows>();

/** Counts the types of rows `top` to `end - 1`. Pauses when chunks are counted for the first time. */
export function* countContentsInSteps(
  snapshot: Snapshot,
  column: Column | undefined,
  top: number,
  end: number,
): Generator<void, ColumnContents> {
  const counts = createCounts();
  if (column === undefined || end <= top) return counts;
  const cached = countsByColumn.get(column);
  if (cached?.top === top && cached.end === end) return cached.contents;
  const { chunks } = column;
  let counted = 0;
  // Neighbouring chunks often have the same counts.
  let [repeated, repetitions] = [0, 0];
  const lastBlock = Math.min((end - 1) >> CHUNK_SHIFT, chunks.length - 1);
  for (let block = top >> CHUNK_SHIFT; block <= lastBlock; block++) {
    const chunk = chunks.at(block);
    if (chunk === undefined) continue;
    const first = block << CHUNK_SHIFT;
    // Reading the length of a chunk takes longer than adding its counts.
    if (first < top || (first + CHUNK_ROWS > end && first + chunk.rows > end)) {
      addPackedCounts(counts, packRowCounts(chunk, snapshot.formats, Math.max(top - first, 0), end - first));
      continue;
    }
    if (chunk.contents === null) {
      chunk.contents = packRowCounts(chunk, snapshot.formats, 0, chunk.rows);
      if (++counted % CHUNKS_PER_STEP === 0) yield;
    }
    if (chunk.contents === repeated) repetitions++;
    else {
      addPackedCounts(counts, repeated, repetitions);
      [repeated, repetitions] = [chunk.contents, 1];
    }
  }
  addPackedCounts(counts, repeated, repetitions);
  countsByColumn.set(column, { top, end, contents: counts });
  return counts;
}

const CHUNKS_PER_STEP = 32;

function createCounts(): MutableContents {
  return { text: 0, number: 0, date: 0, time: 0, boolean: 0, error: 0, hasElapsed: false };
}

/**
 * Counts the types of rows `from` to `last - 1` of a chunk, which may have fewer rows. The result is one number: 48 bits,
 * and a flag for elapsed times.
 */
function packRowCounts(chunk: Chunk, formats: FormatTable, from: number, last: number): number {
  const end = Math.max(from, Math.min(last, chunk.rows));
  const { kinds, texts } = chunk;
  const counts = createCounts();
  const onlyKind = findOnlyNumberKind(chunk, formats);
  if (onlyKind !== null) {
    counts[onlyKind] = end - from;
    return packCounts(counts);
  }
  let lastFormat = -1;
  let code = '';
  let kind: MomentKind | null = null;
  for (let row = from; row < end; row++) {
    switch (kinds[row]! & TYPE_MASK) {
      case TEXT:
        if (!texts.isEmpty(chunk.number(row))) counts.text++;
        break;
      case NUMBER: {
        const format = chunk.format(row);
        if (format !== lastFormat) {
          code = formats.code(format);
          kind = detectMomentKind(code);
        }
        lastFormat = format;
        counts[kind ?? 'number']++;
        if (kind === 'time' && !counts.hasElapsed) counts.hasElapsed = isElapsed(chunk.number(row), code);
        break;
      }
      case BOOLEAN:
        counts.boolean++;
        break;
      case ERROR:
        counts.error++;
    }
  }
  return packCounts(counts);
}

/** What all rows of a chunk are: numbers or dates of one format. Null if they differ or must be examined one by one. */
function findOnlyNumberKind(chunk: Chunk, formats: FormatTable): 'number' | 'date' | null {
  if (!chunk.isAllNumbers || typeof chunk.formats !== 'number') return null;
  const kind = detectMomentKind(formats.code(chunk.formats)) ?? 'number';
  return kind === 'time' ? null : kind;
}

function packCounts(counts: ColumnContents): number {
  return KINDS.reduce((packed, name) => packed * PACK_BASE + counts[name], Number(counts.hasElapsed));
}

/** Adds counts in the form of `packRowCounts`, multiplied by `times`. */
function addPackedCounts(counts: MutableContents, packed: number, times = 1): void {
  let rest = packed;
  for (let i = KINDS.length - 1; i >= 0; i--) {
    counts[KINDS[i]!] += times * (rest % PACK_BASE);
    rest = Math.floor(rest / PACK_BASE);
  }
  if (rest === 1) counts.hasElapsed = true;
}

/** Returns the common type of all filled cells except errors; `mixed` if they differ. */
export function toColumnType(contents: ColumnContents): ColumnType {
  const cellTypes = CELL_TYPES.filter((type) => contents[type] > 0);
  const [only, other] = cellTypes;
  if (only === undefined) return contents.error > 0 ? 'mixed' : 'empty';
  if (other !== undefined) return 'mixed';
  return only === 'time' && contents.hasElapsed ? 'duration' : only;
}

const CELL_TYPES: readonly CellType[] = ['text', 'number', 'date', 'time', 'boolean'];

/** The number of filled cells. */
export function countFilled(contents: ColumnContents): number {
  return KINDS.reduce((sum, kind) => sum + contents[kind], 0);
}

/**
 * Returns the type of at least half of the filled cells if no other type has as many; else `text`. Null if no cell is
 * filled.
 */
export function findMainType(contents: ColumnContents): CellType | null {
  const filled = countFilled(contents);
  if (filled === 0) return null;
  const most = CELL_TYPES.reduce((best, type) => (contents[type] > contents[best] ? type : best), 'text');
  const isTie = CELL_TYPES.some((type) => type !== most && contents[type] === contents[most]);
  return isTie || contents[most] * 2 < filled ? 'text' : most;
}
