import { showToast } from '../../components/toasts.tsx';
import { copyContentWhenReady } from '../../data/clipboard.ts';
import { formatLocalNumber, t } from '../../text/index.ts';
import {
  type ClipboardForms,
  type CopiedTable,
  OWN_TYPE,
  toClipboardForms,
} from '../clipboard-formats/copied-table.ts';
import { finishWithoutPause, runInSlices, type SlicedWork } from '../clipboard-formats/sliced-work.ts';
import type { GridController } from '../controller/grid-controller.ts';
import { refuseSeveralAreas } from '../editing/cell-edits.ts';
import { createRefusal } from '../session/cell-refusals.ts';
import type { OpenSheet } from '../session/open-sheet.ts';
import { PART_CELLS, readCellsInParts } from './bulk-transfer.ts';
import {
  type CopiedLines,
  copyKnownCells,
  createCopiedTable,
  findLinesToCopy,
  type TrackedLines,
  trackLines,
} from './copy-cells.ts';
import { TransferProgress } from './progress.ts';

/**
 * Copies or cuts the selection during a clipboard event. Cells that are not loaded are copied when they have arrived.
 */
export function copySelection(controller: GridController, event: ClipboardEvent, isCut: boolean): void {
  if (controller.state.draft !== null) return;
  event.preventDefault();
  if (isCut && !controller.canWrite) return controller.onCommand({ kind: 'edit' });
  const { sheet } = controller;
  if (controller.isSelectionDeleted) return controller.onFailure(createRefusal(t.grid.selectionDeleted));
  const refused = isCut ? refuseSeveralAreas(controller) : null;
  if (refused !== null) return controller.onFailure(refused);
  const lines = findLinesToCopy(controller);
  if (typeof lines === 'string') return controller.onFailure(createRefusal(lines));
  const keep = ({ table, area }: LoadedCopy, { text }: ClipboardForms) =>
    controller.setState({
      copied: { sheet: sheet.name, area, isCut, text, table, lastRevision: null, isSheetReplaced: false },
    });
  const table = copyKnownCells(controller, sheet, lines);
  if (table !== null) {
    const forms = finishWithoutPause(createClipboardForms(table, sheet));
    event.clipboardData?.setData('text/plain', forms.text);
    event.clipboardData?.setData('text/html', forms.html);
    event.clipboardData?.setData(OWN_TYPE, forms.own);
    return keep({ table, area: lines.area }, forms);
  }
  const progress = isLargeCopy(lines) ? new TransferProgress(controller, 'copy', countCopiedCells(lines)) : null;
  const heldLines = trackLines(controller, lines);
  const loadingCopy = loadCopy(controller, heldLines, progress);
  const forms = loadingCopy.then((copy) => {
    const work = copy === null ? null : createClipboardForms(copy.table, sheet);
    if (work === null || progress === null) return work && finishWithoutPause(work);
    return runInSlices(work, async () => {
      await progress.show(countCopiedCells(lines));
      return progress.isCancelled;
    });
  });
  void copyContentWhenReady(forms).then(async (isCopied) => {
    const [copy, all] = [await loadingCopy, await forms];
    const now = heldLines.getCurrent();
    heldLines.release();
    progress?.end();
    if (isCopied && copy !== null && all !== null) {
      // If cells moved since they were loaded, the clipboard has their old content, and a paste uses that content.
      if (now === copy.lines) keep(copy, all);
      if (progress !== null) showToast('good', t.grid.copied(formatLocalNumber(countCopiedCells(lines))));
    } else if (progress?.isCancelled !== true) showToast('bad', t.grid.notCopied);
  });
}

/** Returns the number of cells of a copy. */
function countCopiedCells({ rows, columns }: CopiedLines): number {
  return rows.length * columns.length;
}

/** True if cells are read in parts and not kept. */
function isLargeCopy(lines: CopiedLines): boolean {
  return countCopiedCells(lines) > PART_CELLS;
}

interface LoadedCopy {
  readonly table: CopiedTable;
  readonly area: CopiedLines['area'];
}

/** Maximum number of loads of one copy while cells keep moving. */
const MAX_LOADS = 5;

/**
 * Loads the copied cells, and repeats this if they moved while they were loaded. `progress`: set if they are read in
 * parts.
 */
async function loadCopy(
  controller: GridController,
  heldLines: TrackedLines,
  progress: TransferProgress | null,
): Promise<(LoadedCopy & { readonly lines: CopiedLines }) | null> {
  for (let attempt = 0; attempt < MAX_LOADS; attempt++) {
    const lines = heldLines.getCurrent();
    if (lines === null || progress?.isCancelled === true) return null;
    const table = await loadTable(controller, heldLines, lines, progress);
    if (heldLines.getCurrent() === lines) return table && { table, area: lines.area, lines };
  }
  return null;
}

/** Loads the cells of a copy; null if loading failed or was cancelled, or if the cells moved meanwhile. */
async function loadTable(
  controller: GridController,
  heldLines: TrackedLines,
  lines: CopiedLines,
  progress: TransferProgress | null,
): Promise<CopiedTable | null> {
  const { sheet } = heldLines;
  if (progress !== null) {
    const haveCellsMoved = () => heldLines.getCurrent() !== lines;
    const cells = await readCellsInParts(controller, sheet, lines, { progress, haveCellsMoved });
    return cells === null ? null : createCopiedTable(controller, lines, cells);
  }
  if (!(await sheet.cells.ensureLoaded(lines.area)) || heldLines.getCurrent() !== lines) return null;
  return copyKnownCells(controller, sheet, lines);
}

/** Converts a copied table to the formats of the clipboard, with the styles of its cells. */
function createClipboardForms(table: CopiedTable, { cells }: OpenSheet): SlicedWork<ClipboardForms> {
  const { rows, columns } = table;
  return toClipboardForms(table, (row, column) => cells.getStyle(rows[row] ?? 0, columns[column] ?? 0));
}
