import { showToast } from '../../components/toasts.tsx';
import { copyWhenReady } from '../../data/clipboard.ts';
import { numberText, t } from '../../text/index.ts';
import {
  type ClipboardForms,
  type CopiedTable,
  OWN_TYPE,
  toClipboardForms,
} from '../clipboard-formats/copied-table.ts';
import type { GridController } from '../controller/grid-controller.ts';
import { refuseSeveralAreas } from '../editing/cell-edits.ts';
import { refusal } from '../session/cell-refusals.ts';
import { PART_CELLS, readCells } from './bulk-transfer.ts';
import { type CopiedLines, copyKnownCells, createTable, linesToCopy } from './copy-cells.ts';
import { TransferProgress } from './progress.ts';

export function copySelection(controller: GridController, event: ClipboardEvent, isCut: boolean): void {
  if (controller.state.draft !== null) return;
  event.preventDefault();
  if (isCut && !controller.canWrite) return controller.onCommand({ kind: 'edit' });
  const { sheet } = controller.state;
  const refused = isCut ? refuseSeveralAreas(controller) : null;
  if (refused !== null) return controller.onFailure(refused);
  const lines = linesToCopy(controller);
  if (typeof lines === 'string') return controller.onFailure(refusal(lines));
  const keep = (table: CopiedTable, { text }: ClipboardForms) =>
    controller.setState({ copied: { sheet, area: lines.area, isCut, text, table } });
  const known = copyKnownCells(controller, lines);
  if (known !== null) {
    const forms = formsOfTable(controller, known, lines);
    event.clipboardData?.setData('text/plain', forms.text);
    event.clipboardData?.setData('text/html', forms.html);
    event.clipboardData?.setData(OWN_TYPE, forms.own);
    return keep(known, forms);
  }
  const progress = isLarge(lines) ? new TransferProgress(controller, 'copy', countLineCells(lines)) : null;
  const coming = loadTable(controller, lines, progress);
  const forms = coming.then((table) => (table === null ? null : formsOfTable(controller, table, lines)));
  void copyWhenReady(forms).then(async (isCopied) => {
    const [table, all] = [await coming, await forms];
    progress?.end();
    if (isCopied && table !== null && all !== null) {
      keep(table, all);
      if (progress !== null) showToast('good', t.grid.copied(numberText(countLineCells(lines))));
    } else if (progress?.isCancelled !== true) showToast('bad', t.grid.notCopied);
  });
}

function countLineCells({ rows, columns }: CopiedLines): number {
  return rows.length * columns.length;
}

/** True if cells are read in parts and not kept. */
function isLarge(lines: CopiedLines): boolean {
  return countLineCells(lines) > PART_CELLS;
}

/** `progress`: set if the table is read in parts. */
async function loadTable(
  controller: GridController,
  lines: CopiedLines,
  progress: TransferProgress | null,
): Promise<CopiedTable | null> {
  if (progress !== null) {
    const cells = await readCells(controller, lines, progress);
    return cells === null ? null : createTable(controller, lines, cells);
  }
  return (await controller.sheet.cells.ensureLoaded(lines.area)) ? copyKnownCells(controller, lines) : null;
}

function formsOfTable(controller: GridController, table: CopiedTable, { rows, columns }: CopiedLines): ClipboardForms {
  const { cells } = controller.sheet;
  return toClipboardForms(table, (row, column) => cells.style(rows[row] ?? 0, columns[column] ?? 0));
}
