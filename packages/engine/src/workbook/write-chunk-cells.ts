import { EMPTY, TEXT } from '../sheet/cell-kind.ts';
import { CHUNK_MASK } from '../sheet/chunk.ts';
import { joinTexts, type TextSource } from '../sheet/chunk-texts.ts';
import type { Draft } from '../sheet/draft.ts';

/** Minimum number of cells of a chunk that are written together. */
export const MIN_CELLS_AT_ONCE = 16;

/** New plain values of cells of one chunk. */
interface PlainChunkCells {
  readonly column: number;
  /** Rows of the sheet in ascending order, without repetitions. At least one. */
  readonly rows: Uint32Array;
  /** The kind of each cell: `EMPTY`, or a type without flags. */
  readonly kinds: Uint8Array;
  /** The number of each cell as in `Chunk`, 0 for an empty one. For a text, its index in `texts`. */
  readonly numbers: Float64Array;
  /** Null if no cell is a text. */
  readonly texts: TextSource | null;
}

/**
 * Writes cells of a chunk. None of them may contain a result of a formula. The caller must record which cells change.
 */
export function writeChunkCells(draft: Draft, sheetId: number, cells: PlainChunkCells): void {
  const { column, rows, kinds, numbers, texts } = cells;
  const sheet = draft.ensureOwnSheet(sheetId);
  const last = rows[rows.length - 1]!;
  if (kinds.includes(EMPTY)) sheet.forgetExtent();
  else sheet.growExtent(last + 1, column + 1);
  const chunk = draft.ensureOwnChunk(draft.ensureOwnColumn(sheet, column), last);
  const { texts: existingTexts } = chunk;
  const setCells = (ownKinds: Uint8Array, ownNumbers: Float64Array): void => {
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i]! & CHUNK_MASK;
      ownKinds[row] = kinds[i]!;
      ownNumbers[row] = kinds[i] === TEXT ? existingTexts.count + numbers[i]! : numbers[i]!;
    }
  };
  chunk.setRows(setCells, texts === null ? existingTexts : joinTexts([existingTexts], texts));
}
