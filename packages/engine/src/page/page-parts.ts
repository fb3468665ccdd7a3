import { type Area, width } from '../grid/area.ts';
import { CHUNK_MASK, CHUNK_SHIFT } from '../sheet/chunk.ts';
import type { Snapshot } from '../sheet/snapshot.ts';
import { ensureDocumentNumber, findLines, type Major, pageInSteps } from './page-bytes.ts';
import { type PageBounds, type WrittenLines, writeLines } from './page-lines.ts';

/** Minimum number of rows of a page that is written in parts. Shorter pages are one part. */
const MIN_ROWS = 512;
/** Maximum length of a block in bytes. If a block is longer, the page is written as one part. */
const MAX_BLOCK_BYTES = 512 * 1024;
/**
 * Maximum number of cells of a block. With more cells, a block exceeds `MAX_BLOCK_BYTES` unless nearly all cells are
 * empty.
 */
const MAX_BLOCK_CELLS = 64 * 1024;
/** Number of slots for hashes of requested blocks. */
const NOTED_BLOCKS = 4_096;

const OPEN = Uint8Array.of(91);
const CLOSE = Uint8Array.of(93);

/** The first rows of an area as JSON text in parts. */
export interface PageParts {
  readonly parts: readonly Uint8Array[];
  /** Number of rows in the parts. 0 if the first row alone is too long. */
  readonly rows: number;
}

/**
 * Writes the page that `pageInSteps` returns, in parts. A page of many rows consists of cached blocks of rows, so that
 * overlapping pages share them and no page copies cells. Later calls may return the same bytes, so the caller must not
 * change them.
 */
export function* pagePartsInSteps(
  snapshot: Snapshot,
  sheetId: number,
  page: Area,
  major: Major,
  bounds: PageBounds,
): Generator<void, PageParts> {
  const isLong = major === 'ROWS' && page.bottom - page.top + 1 >= MIN_ROWS;
  const parts =
    isLong && width(page) << CHUNK_SHIFT <= MAX_BLOCK_CELLS ? yield* joinBlocks(snapshot, sheetId, page, bounds) : null;
  if (parts !== null) return { parts, rows: page.bottom - page.top + 1 };
  const { bytes, rows } = yield* pageInSteps(snapshot, sheetId, page, major, bounds);
  return { parts: [bytes], rows };
}

/** Joins cached blocks of rows to a page; null if the page or one of its blocks is too long. */
function* joinBlocks(
  snapshot: Snapshot,
  sheetId: number,
  page: Area,
  bounds: PageBounds,
): Generator<void, readonly Uint8Array[] | null> {
  const parts: Uint8Array[] = [OPEN];
  let bytesLeft = bounds.maxBytes - OPEN.length;
  for (let top = page.top; top <= page.bottom; top = (top | CHUNK_MASK) + 1) {
    const bottom = Math.min(page.bottom, top | CHUNK_MASK);
    const bytes = yield* writeBlockRows(snapshot, sheetId, { ...page, top, bottom }, bounds);
    if (bytes === null || bytes.length > bytesLeft) return null;
    bytesLeft -= bytes.length;
    parts.push(bytes);
  }
  // The comma after the last row is replaced by the end of the list.
  const last = parts.pop() as Uint8Array;
  return [...parts, last.subarray(0, -1), CLOSE];
}

/** Writes the rows of one block, each followed by a comma; null if they are too long. */
function* writeBlockRows(
  snapshot: Snapshot,
  sheetId: number,
  rows: Area,
  bounds: PageBounds,
): Generator<void, Uint8Array | null> {
  const top = rows.top & ~CHUNK_MASK;
  const block = { ...rows, top, bottom: top | CHUNK_MASK };
  const isWhole = rows.top === block.top && rows.bottom === block.bottom;
  // If a page shows only a few rows of a block, the block is cached only if it was requested before.
  const isRepeated = recordBlock(ensureDocumentNumber(snapshot), sheetId, block);
  const open = { ...bounds, maxBytes: MAX_BLOCK_BYTES, isOpen: true };
  if (isWhole || isRepeated) return sliceBlock(yield* findLines(snapshot, sheetId, block, 'ROWS', open), block, rows);
  const sheet = snapshot.sheetById(sheetId);
  return sheet ? sliceBlock(yield* writeLines(snapshot, sheet, rows, 'ROWS', open), rows, rows) : null;
}

/** Returns the bytes of some rows of a block; null if the block does not contain them all. */
function sliceBlock({ bytes, starts, lines }: WrittenLines, block: Area, rows: Area): Uint8Array | null {
  const to = rows.bottom + 1 - block.top;
  return lines < to ? null : bytes.subarray(starts[rows.top - block.top], starts[to]);
}

const noted = new Int32Array(NOTED_BLOCKS);

/**
 * Records that a block was requested. Returns true if its slot already contained this block. A collision of hashes only
 * has the effect that a block is cached early.
 */
function recordBlock(document: number, sheetId: number, { top, left, right }: Area): boolean {
  let hash = 1;
  for (const part of [document, sheetId, top, left, right]) hash = Math.imul(hash ^ part, 0x01000193) ^ (hash >>> 15);
  const slot = hash & (NOTED_BLOCKS - 1);
  const isRepeated = noted[slot] === hash;
  noted[slot] = hash;
  return isRepeated;
}
