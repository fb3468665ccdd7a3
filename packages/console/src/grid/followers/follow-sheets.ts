import { showToast } from '../../components/toasts.tsx';
import { t } from '../../text/index.ts';
import type { GridController } from '../controller/grid-controller.ts';
import type { GridState } from '../controller/grid-state.ts';

/**
 * Follows a renamed sheet, leaves a deleted sheet unless a draft is open, and forgets the contents of a hidden sheet.
 * Returns a function that stops it.
 */
export function followSheets(controller: GridController): () => void {
  return controller.session.listenToSheets({
    onRenamed: (from, to) => renameSheet(controller, from, to),
    onDeleted: (sheet, isOwn) => leaveSheet(controller, sheet, isOwn),
    onHidden: (sheet) => forgetSheet(controller, sheet),
    onReplaced: (sheet) => markSheetReplaced(controller, sheet),
  });
}

/** Gives the state the new name of a sheet. */
function renameSheet(controller: GridController, from: string, to: string): void {
  const { sheet, draft, copied, spill, filter } = controller.state;
  const renameIn = <T extends { readonly sheet: string }>(part: T | null): T | null =>
    part?.sheet === from ? { ...part, sheet: to } : part;
  controller.setState({
    sheet: sheet === from ? to : sheet,
    draft: renameIn(draft),
    copied: renameIn(copied),
    spill: renameIn(spill),
    filter: renameIn(filter),
  });
}

/** Shows another sheet in place of a deleted one. */
function leaveSheet(controller: GridController, sheet: string, isDeletedByMe: boolean): void {
  if (controller.state.sheet !== sheet || controller.state.draft !== null) return;
  const next = controller.session.state.sheets.find(({ name, hidden }) => name !== sheet && !hidden);
  if (next === undefined) return;
  controller.showSheet(next.name);
  if (isDeletedByMe) return;
  // The next key was meant for the deleted sheet.
  controller.setState({ replacedSheet: sheet });
  showToast('bad', t.sheets.gone(sheet));
}

/** Drops everything that the page remembers of a hidden sheet's contents. */
function forgetSheet(controller: GridController, sheet: string): void {
  const { draft, copied, spill, filter } = controller.state;
  // A draft that started with the cell's content reveals it. A newly typed draft is the person's own.
  const isDraftGone = draft?.sheet === sheet && !draft.isEnterMode && draft.initialText !== '';
  controller.setState({
    draft: isDraftGone ? null : draft,
    copied: copied?.sheet === sheet ? forgetContent(copied) : copied,
    spill: spill?.sheet === sheet ? null : spill,
    filter: filter?.sheet === sheet ? null : filter,
    statistics: controller.state.sheet === sheet ? null : controller.state.statistics,
  });
}

/** The service moves or copies the cells. A cut that was forgotten would be pasted as a copy when they are visible again. */
function forgetContent(copied: NonNullable<GridState['copied']>): GridState['copied'] {
  return { ...copied, text: '', table: { ...copied.table, cells: [] } };
}

/** A copy or cut of the deleted sheet must not take cells of the sheet that has its name now. */
function markSheetReplaced(controller: GridController, sheet: string): void {
  const { copied } = controller.state;
  if (copied?.sheet === sheet) controller.setState({ copied: { ...copied, isSheetReplaced: true } });
}
