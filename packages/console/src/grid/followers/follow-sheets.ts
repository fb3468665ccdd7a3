import { showToast } from '../../components/toasts.tsx';
import { t } from '../../text/index.ts';
import type { GridController } from '../controller/grid-controller.ts';

/** Follows a renamed sheet, and leaves a deleted sheet unless a draft is open. Returns a function that stops it. */
export function followSheets(controller: GridController): () => void {
  const { session } = controller;
  session.onSheetRenamed = (from, to) => {
    const { sheet, draft, copied, spill, filter } = controller.state;
    const renameSheetOf = <T extends { readonly sheet: string }>(part: T | null): T | null =>
      part?.sheet === from ? { ...part, sheet: to } : part;
    controller.setState({
      sheet: sheet === from ? to : sheet,
      draft: renameSheetOf(draft),
      copied: renameSheetOf(copied),
      spill: renameSheetOf(spill),
      filter: renameSheetOf(filter),
    });
  };
  session.onSheetDeleted = (sheet, isOwn) => {
    if (controller.state.sheet !== sheet || controller.state.draft !== null) return;
    const next = session.state.sheets.find(({ name, hidden }) => name !== sheet && !hidden);
    if (next === undefined) return;
    controller.showSheet(next.name);
    if (isOwn) return;
    // The next key was meant for the deleted sheet.
    controller.setState({ replacedSheet: sheet });
    showToast('bad', t.sheets.gone(sheet));
  };
  session.onSheetReplaced = (sheet) => {
    const { copied } = controller.state;
    if (copied?.sheet === sheet) controller.setState({ copied: null });
  };
  session.onSheetHidden = (sheet) => {
    const { draft, copied, spill, filter } = controller.state;
    // A draft that started with the cell's content reveals it. A newly typed draft is the person's own.
    const isDraftGone = draft?.sheet === sheet && !draft.isEnterMode && draft.initialText !== '';
    controller.setState({
      draft: isDraftGone ? null : draft,
      copied: copied?.sheet === sheet ? null : copied,
      spill: spill?.sheet === sheet ? null : spill,
      filter: filter?.sheet === sheet ? null : filter,
      statistics: controller.state.sheet === sheet ? null : controller.state.statistics,
    });
  };
  return () => {
    session.onSheetReplaced = () => {};
    session.onSheetHidden = () => {};
    session.onSheetRenamed = () => {};
    session.onSheetDeleted = () => {};
  };
}
