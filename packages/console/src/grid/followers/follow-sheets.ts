import { tell } from '../../components/toasts.tsx';
import { t } from '../../text/index.ts';
import type { Desk } from '../controller/grid-controller.ts';

/**
 * Keeps a desk on its sheet under the name that somebody gives it, and leads away from one that is deleted unless
 * something is being typed there, until the answer is called.
 */
export function followSheets(desk: Desk): () => void {
  const { book } = desk;
  book.onSheetRenamed = (from, to) => {
    const { sheet, draft, taken, spill, filter } = desk.state;
    const named = <T extends { readonly sheet: string }>(what: T | null): T | null =>
      what?.sheet === from ? { ...what, sheet: to } : what;
    desk.become({
      sheet: sheet === from ? to : sheet,
      draft: named(draft),
      taken: named(taken),
      spill: named(spill),
      filter: named(filter),
    });
  };
  book.onSheetDeleted = (sheet, isOwn) => {
    if (desk.state.sheet !== sheet || desk.state.draft !== null) return;
    const next = book.state.sheets.find(({ name, hidden }) => name !== sheet && !hidden);
    if (next === undefined) return;
    desk.show(next.name);
    if (!isOwn) tell('bad', t.sheets.gone(sheet));
  };
  book.onSheetHidden = (sheet) => {
    const { draft, taken, spill, filter } = desk.state;
    // A draft that began with what the cell held shows it; one that was typed anew is the person's own.
    const isDraftGone = draft?.sheet === sheet && !draft.isQuick && draft.before !== '';
    desk.become({
      draft: isDraftGone ? null : draft,
      taken: taken?.sheet === sheet ? null : taken,
      spill: spill?.sheet === sheet ? null : spill,
      filter: filter?.sheet === sheet ? null : filter,
      statistics: desk.state.sheet === sheet ? null : desk.state.statistics,
    });
  };
  return () => {
    book.onSheetHidden = () => {};
    book.onSheetRenamed = () => {};
    book.onSheetDeleted = () => {};
  };
}
