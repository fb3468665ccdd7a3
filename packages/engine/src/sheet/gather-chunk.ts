import { Cells } from './cells.ts';
import { Chunk } from './chunk.ts';
import { computeCapacity } from './chunk-arrays.ts';
import { CHUNK_ROWS } from './chunk-rows.ts';
import { joinTexts, packTexts, renumberTexts } from './chunk-texts.ts';
import type { NumberArena } from './number-arena.ts';
import { Texts } from './texts.ts';

/** Rows of a chunk that are copied to another chunk, from its row `to` on. */
export interface ChunkRows {
  readonly chunk: Chunk;
  readonly from: number;
  readonly to: number;
  readonly count: number;
}

/**
 * Creates a published chunk from rows of other chunks. Missing rows are empty. Undefined if the chunk would be empty.
 */
export function gatherChunk(
  parts: readonly ChunkRows[],
  revision: number,
  format: number,
  arena: NumberArena,
): Chunk | undefined {
  const formats = gatherFormats(parts, format);
  const rows = typeof formats === 'number' ? countFilledRows(parts) : CHUNK_ROWS;
  if (rows === 0) return undefined;
  const capacity = computeCapacity(rows);
  const kinds = new Uint8Array(capacity);
  const numbers = arena.allocateNumbers(capacity);
  const texts: Texts[] = [];
  let before = 0;
  for (const { chunk, from, to, count } of parts) {
    const end = Math.min(from + count, chunk.rows, from + capacity - to);
    if (end <= from) continue;
    kinds.set(chunk.kinds.subarray(from, end), to);
    numbers.set(chunk.numbers.subarray(from, end), to);
    if (chunk.texts === Texts.NONE || chunk.texts === texts[0]) continue;
    if (texts.length > 0) renumberTexts(kinds, numbers, to, to + end - from, before);
    texts.push(chunk.texts);
    before += chunk.texts.count;
  }
  const gatheredTexts =
    texts.length > 1 ? packTexts(kinds, joinTexts(texts), numbers, capacity) : (texts[0] ?? Texts.NONE);
  return new Chunk(revision, Cells.fromSettled(kinds, numbers), gatheredTexts, formats);
}

/**
 * Returns the formats of the gathered rows; a single id if they are all equal. `missingFormat`: format of missing rows.
 */
function gatherFormats(parts: readonly ChunkRows[], missingFormat: number): number | Uint16Array {
  if (parts.every(({ chunk }) => chunk.formats === missingFormat)) return missingFormat;
  const formats = new Uint16Array(CHUNK_ROWS).fill(missingFormat);
  for (const { chunk, from, to, count } of parts) {
    for (let i = 0; i < count; i++) formats[to + i] = chunk.format(from + i);
  }
  return formats;
}

function countFilledRows(parts: readonly ChunkRows[]): number {
  let rows = 0;
  for (const { chunk, from, to, count } of parts) {
    const filled = Math.min(chunk.filledRows(), from + count);
    if (filled > from) rows = Math.max(rows, to + filled - from);
  }
  return rows;
}
