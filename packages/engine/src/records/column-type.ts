import { isDateFormat } from '../locale/index.ts';
import { BOOLEAN, CHUNK_SHIFT, type Chunk, ERROR, NUMBER, TEXT, TYPE_MASK } from '../sheet/chunk.ts';
import type { FormatTable } from '../sheet/formats.ts';
import type { Column, Snapshot } from '../sheet/snapshot.ts';
import type { RecordType } from './cell-values.ts';

/** What the filled cells of a column are. */
export type ColumnType = RecordType | 'mixed' | 'empty';

/** Kinds of values that a column holds, as bits. Empty texts are none. */
export const HAS_TEXT = 1;
export const HAS_NUMBER = 2;
export const HAS_DATE = 4;
export const HAS_BOOLEAN = 8;
export const HAS_ERROR = 16;

interface Kinds {
  readonly top: number;
  readonly end: number;
  readonly kinds: number;
}

/** What columns hold is found once, as published ones never change their answers; of chunks it is kept with them. */
const ofColumns = new WeakMap<Column, Kinds>();

/** The kinds of values in rows of a column, from `top` to before `end`. Pauses where chunks are looked through for the first time. */
export function* kindSteps(
  snapshot: Snapshot,
  column: Column | undefined,
  top: number,
  end: number,
): Generator<void, number> {
  if (column === undefined || end <= top) return 0;
  const known = ofColumns.get(column);
  if (known?.top === top && known.end === end) return known.kinds;
  const { chunks } = column;
  let kinds = 0;
  let fresh = 0;
  const last = Math.min((end - 1) >> CHUNK_SHIFT, chunks.length - 1);
  for (let block = top >> CHUNK_SHIFT; block <= last; block++) {
    const chunk = chunks.at(block);
    if (chunk === undefined) continue;
    const from = Math.max(top - (block << CHUNK_SHIFT), 0);
    const rows = Math.min(end - (block << CHUNK_SHIFT), chunk.rows);
    if (from > 0 || rows < chunk.rows) {
      kinds |= rowsOf(chunk, snapshot.formats, from, rows);
    } else if (chunk.contents !== null) {
      kinds |= chunk.contents;
    } else {
      chunk.contents = rowsOf(chunk, snapshot.formats, 0, rows);
      kinds |= chunk.contents;
      if (++fresh % CHUNKS_A_STEP === 0) yield;
    }
  }
  ofColumns.set(column, { top, end, kinds });
  return kinds;
}

const CHUNKS_A_STEP = 32;

export function typeOf(kinds: number): ColumnType {
  switch (kinds & ~HAS_ERROR) {
    case 0:
      return kinds === 0 ? 'empty' : 'mixed';
    case HAS_TEXT:
      return 'text';
    case HAS_NUMBER:
      return 'number';
    case HAS_DATE:
      return 'date';
    case HAS_BOOLEAN:
      return 'boolean';
    default:
      return 'mixed';
  }
}

function rowsOf(chunk: Chunk, formats: FormatTable, from: number, end: number): number {
  const { kinds, texts } = chunk;
  let found = 0;
  let lastFormat = -1;
  let ofNumber = 0;
  for (let row = from; row < end; row++) {
    switch ((kinds[row] as number) & TYPE_MASK) {
      case TEXT:
        if ((found & HAS_TEXT) === 0 && !texts.isEmpty(chunk.number(row))) found |= HAS_TEXT;
        break;
      case NUMBER: {
        const format = chunk.format(row);
        if (format !== lastFormat) ofNumber = isDateFormat(formats.code(format)) ? HAS_DATE : HAS_NUMBER;
        lastFormat = format;
        found |= ofNumber;
        break;
      }
      case BOOLEAN:
        found |= HAS_BOOLEAN;
        break;
      case ERROR:
        found |= HAS_ERROR;
    }
  }
  return found;
}
