import { tell } from '../../components/toasts.tsx';
import { copyWhenThere } from '../../data/clipboard.ts';
import { numberText, t } from '../../text/index.ts';
import { type ClipboardForms, type CopiedTable, formsOf, OWN_TYPE } from '../clipboard-formats/copied-table.ts';
import type { Desk } from '../controller/grid-controller.ts';
import { onlyOneArea } from '../editing/cell-edits.ts';
import { refusal } from '../session/cell-refusals.ts';
import { PART_CELLS, readCells } from './bulk-transfer.ts';
import { type CopiedPlaces, copiedTable, placesToCopy, tableOf } from './copied-cells.ts';
import { Progress } from './progress.ts';

export function take(desk: Desk, event: ClipboardEvent, isCut: boolean): void {
  if (desk.state.draft !== null) return;
  event.preventDefault();
  if (isCut && !desk.canWrite) return desk.onCommand({ kind: 'edit' });
  const { sheet } = desk.state;
  const refused = isCut ? onlyOneArea(desk) : null;
  if (refused !== null) return desk.onFailure(refused);
  const places = placesToCopy(desk);
  if (typeof places === 'string') return desk.onFailure(refusal(places));
  const keep = (table: CopiedTable, { text }: ClipboardForms) =>
    desk.become({ taken: { sheet, area: places.area, isCut, text, table } });
  const known = copiedTable(desk, places);
  if (known !== null) {
    const forms = formsAt(desk, known, places);
    event.clipboardData?.setData('text/plain', forms.text);
    event.clipboardData?.setData('text/html', forms.html);
    event.clipboardData?.setData(OWN_TYPE, forms.own);
    return keep(known, forms);
  }
  const progress = isLarge(places) ? new Progress(desk, 'copy', cellsOf(places)) : null;
  const coming = fetchedTable(desk, places, progress);
  const forms = coming.then((table) => (table === null ? null : formsAt(desk, table, places)));
  void copyWhenThere(forms).then(async (isCopied) => {
    const [table, all] = [await coming, await forms];
    progress?.end();
    if (isCopied && table !== null && all !== null) {
      keep(table, all);
      if (progress !== null) tell('good', t.grid.copied(numberText(cellsOf(places))));
    } else if (progress?.isCancelled !== true) tell('bad', t.grid.notCopied);
  });
}

export function cellsOf({ rows, columns }: CopiedPlaces): number {
  return rows.length * columns.length;
}

/** Whether cells are read in parts, and not kept. */
function isLarge(places: CopiedPlaces): boolean {
  return cellsOf(places) > PART_CELLS;
}

/** `progress`: of a table that is read in parts. */
async function fetchedTable(desk: Desk, places: CopiedPlaces, progress: Progress | null): Promise<CopiedTable | null> {
  if (progress !== null) {
    const cells = await readCells(desk, places, progress);
    return cells === null ? null : tableOf(desk, places, cells);
  }
  return (await desk.sheet.cells.fetched(places.area)) ? copiedTable(desk, places) : null;
}

function formsAt(desk: Desk, table: CopiedTable, { rows, columns }: CopiedPlaces): ClipboardForms {
  const { cells } = desk.sheet;
  return formsOf(table, (row, column) => cells.look(rows[row] ?? 0, columns[column] ?? 0));
}
