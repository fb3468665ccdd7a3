import { readClipboard } from '../../data/clipboard.ts';
import type { Failure } from '../../data/http.ts';
import { t } from '../../text/index.ts';
import { MAX_COPIED_CELLS } from '../clipboard-formats/copied-table.ts';
import { findCopyId } from '../clipboard-formats/pasted-html.ts';
import { finishWithoutPause, runInSlices } from '../clipboard-formats/sliced-work.ts';
import type { GridController } from '../controller/grid-controller.ts';
import { planForSelection } from '../controller/held-selection.ts';
import type { Selection } from '../selection/selection.ts';
import { isFilteredOut } from '../selection/visible-rows.ts';
import { createRefusal } from '../session/cell-refusals.ts';
import { pasteHeldCopy } from './paste-copied.ts';
import { computePasteTarget } from './paste-target.ts';
import { TransferProgress } from './progress.ts';
import { type ClipboardTexts, type PasteContent, readPasteContent } from './read-paste.ts';
import { writeTable } from './write-table.ts';

/** Characters of the clipboard that are read without a pause. More are read in slices, with progress. */
const MAX_CHARACTERS_AT_ONCE = 300_000;

/**
 * Pastes cells as one write. Copied cells keep formulas and formats. Other HTML determines the content of its cells;
 * plain text is entered as if it were typed. `valuesOnly` pastes values only. Rows that a filter hides are skipped.
 */
export async function pasteCells(
  controller: GridController,
  texts: ClipboardTexts,
  valuesOnly = false,
): Promise<Failure | null> {
  const { copied, selection, otherAreas } = controller.state;
  const { text, html = '', own = '' } = texts;
  if (otherAreas.length > 0) return createRefusal(t.grid.oneArea);
  if (isActiveRowHidden(controller, selection)) return createRefusal(t.grid.filteredOut);
  if (copied !== null && !valuesOnly && findCopyId(html) === copied.table.id)
    return pasteHeldCopy(controller, copied, selection);
  const readFor = (target: Selection) => {
    const [top, left] = computePasteTarget(target);
    const { locale, dateSystem } = controller.inputLocale;
    return readPasteContent(texts, {
      copied: controller.state.copied,
      valuesOnly,
      locale,
      dateSystem,
      top,
      left,
    });
  };
  const size = Math.max(text.length, html.length, own.length);
  if (size <= MAX_CHARACTERS_AT_ONCE)
    return pasteContent(controller, finishWithoutPause(readFor(selection)), selection);
  const progress = new TransferProgress(controller, 'readClipboard', size);
  let read = 0;
  const pause = async (done: number) => {
    read = Math.max(read, done);
    await progress.show(read);
    return progress.isCancelled;
  };
  const planned = await planForSelection(controller, async (target) => {
    const content = await runInSlices(readFor(target), pause);
    return { content, target };
  }).finally(() => progress.end());
  if (progress.isCancelled) return null;
  if (planned === null || planned.content === null) return createRefusal(t.grid.interrupted);
  return pasteContent(controller, planned.content, planned.target);
}

/** `selection`: where to paste. The person may have selected other cells since. */
async function pasteContent(
  controller: GridController,
  content: PasteContent,
  selection: Selection,
): Promise<Failure | null> {
  if (content === 'nothing') return createRefusal(t.grid.nothingToPaste);
  if (content === 'tooLarge') return createRefusal(t.grid.tooManyToPaste(MAX_COPIED_CELLS));
  if (isActiveRowHidden(controller, selection)) return createRefusal(t.grid.filteredOut);
  if (content !== 'copied') return writeTable(controller, content, selection);
  const { copied } = controller.state;
  const isHeld = copied !== null && controller.state.selection === selection;
  return isHeld ? pasteHeldCopy(controller, copied, selection) : createRefusal(t.grid.interrupted);
}

/** True if a filter hides the row of the active cell. */
function isActiveRowHidden({ state: { filter, sheet } }: GridController, { active }: Selection): boolean {
  return isFilteredOut(filter, sheet, active.row);
}

/**
 * The browser's paste event contains only plain text here. The other formats are read from the clipboard if the page
 * has the permission.
 */
export async function pasteValues(controller: GridController, eventTexts?: ClipboardTexts): Promise<Failure | null> {
  const isKnown =
    eventTexts !== undefined &&
    (eventTexts.html || eventTexts.own || controller.state.copied?.text === eventTexts.text);
  const read = isKnown ? null : await readClipboard();
  const forms = read ?? eventTexts;
  return forms === undefined ? createRefusal(t.grid.pasteHint) : pasteCells(controller, forms, true);
}
