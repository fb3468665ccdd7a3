import { type Area, areaText, quoteSheetName } from '@cellwire/engine';
import type { Result } from '../../data/http.ts';
import { t } from '../../text/index.ts';
import { type CopiedCell, toCopiedCell } from '../clipboard-formats/copied-table.ts';
import type { GridController } from '../controller/grid-controller.ts';
import { createRefusal } from '../session/cell-refusals.ts';
import { DECLINED_STATUS } from '../session/edit-sender.ts';
import type { OpenSheet } from '../session/open-sheet.ts';
import { describeUndoConflict } from '../session/undo-conflicts.ts';
import { readRevision } from '../session/write-queue.ts';
import { TransferProgress } from './progress.ts';

/**
 * Cells of one request of a large transfer. Other requests run between the parts, and the transfer can be cancelled.
 */
export const PART_CELLS = 40_000;
/** Maximum rows of a range and ranges of a request; see batchGet of the API. */
const MAX_RANGE_ROWS = 1_000;
const MAX_RANGES = 20;
/** Maximum characters of the texts of one part. */
const PART_CHARACTERS = 2_000_000;

interface CellsToRead {
  readonly area: Area;
  readonly rows: readonly number[];
  readonly columns: readonly number[];
}

interface ReadControl {
  readonly progress: TransferProgress;
  /** True if the lines have changed since the start. */
  readonly haveCellsMoved: () => boolean;
}

/** Reads cells that are too many to keep in the store. Null if it was cancelled or failed, or if the cells moved. */
export async function readCellsInParts(
  controller: GridController,
  sheet: OpenSheet,
  { area, rows, columns }: CellsToRead,
  { progress, haveCellsMoved }: ReadControl,
): Promise<readonly (readonly (CopiedCell | null)[])[] | null> {
  const lines: (readonly (CopiedCell | null)[])[] = [];
  const { openSheets, revisions } = controller.session;
  const width = area.right - area.left + 1;
  let high = Math.min(MAX_RANGE_ROWS, Math.max(1, Math.floor(PART_CELLS / width)));
  let at = 0;
  for (let next = rows[at]; next !== undefined; next = rows[at]) {
    const blocks: Area[] = [];
    const count = Math.min(MAX_RANGES, Math.max(1, Math.floor(PART_CELLS / (high * width))));
    for (let top = next; top <= area.bottom && blocks.length < count; top += high) {
      blocks.push({ ...area, top, bottom: Math.min(top + high - 1, area.bottom) });
    }
    const prefix = quoteSheetName(sheet.name);
    const answer = await openSheets.readBlocks(blocks.map((block) => `${prefix}!${areaText(block)}`));
    // The answer can describe a later revision than the page, in which the ranges contain other cells.
    if (answer.ok) await revisions.waitFor(answer.value.revision);
    if (progress.isCancelled || !answer.ok || haveCellsMoved()) return null;
    const { ranges, styles } = answer.value;
    for (const [i, { top, bottom }] of blocks.entries()) {
      const range = ranges[i];
      if (range === undefined || !('cells' in range)) {
        // Long texts may exceed the limit of an answer, so the next request asks for fewer rows.
        if (high === 1) return null;
        high = Math.ceil(high / 2);
        break;
      }
      for (let row = rows[at]; row !== undefined && row <= bottom; row = rows[++at]) {
        const line = row - top;
        const getPastedCell = (column: number) => {
          const from = column - area.left;
          return toCopiedCell(range.cells[line]?.[from] ?? null, styles[i]?.[line]?.[from] ?? null);
        };
        lines.push(columns.map(getPastedCell));
      }
    }
    await progress.show(at * columns.length);
  }
  return progress.isCancelled ? null : lines;
}

/** Splits rows of a large write into requests of at most `maxLines` rows. */
export function splitIntoParts<T>(
  lines: readonly (readonly T[])[],
  measureLength: (cell: T) => number,
  maxLines: number,
): readonly { readonly first: number; readonly count: number }[] {
  const parts: { first: number; count: number }[] = [];
  let [cells, length] = [0, 0];
  for (const [i, line] of lines.entries()) {
    const own = line.reduce((sum, cell) => sum + measureLength(cell), 0);
    const last = parts.at(-1);
    const isShort = last !== undefined && last.count < maxLines;
    if (isShort && cells + line.length <= PART_CELLS && length + own <= PART_CHARACTERS) {
      last.count++;
      [cells, length] = [cells + line.length, length + own];
    } else {
      parts.push({ first: i, count: 1 });
      [cells, length] = [line.length, own];
    }
  }
  return parts;
}

/** Sends writes in order and joins them for undo. A cancelled or failed transfer is undone. */
export async function writeParts(
  controller: GridController,
  totalCells: number,
  parts: readonly { readonly cells: number; readonly write: () => Promise<Result<unknown>> }[],
): Promise<Result<unknown> | null> {
  const progress = new TransferProgress(controller, 'paste', totalCells);
  const revisions: number[] = [];
  let done = 0;
  let failed: Result<unknown> | null = null;
  try {
    for (const { cells, write } of parts) {
      const answer = await write();
      const revision = readRevision(answer);
      if (revision !== null) revisions.push(revision);
      // The person chose to keep the other values of all cells of this part.
      if (!answer.ok && answer.status !== DECLINED_STATUS) failed = answer;
      if (failed !== null || progress.isCancelled) break;
      done += cells;
      await progress.show(done);
    }
    controller.session.joinWrites(revisions);
    const isWhole = failed === null && !progress.isCancelled;
    const undone = isWhole || revisions.length === 0 ? null : await controller.session.undoOrRedo('undo');
    if (undone === null || undone.ok) return failed;
    const why = await describeUndoConflict(controller.session, undone);
    return createRefusal(t.grid.pasteRemains(why ?? undone.message));
  } finally {
    progress.end();
  }
}
