import { tell } from '../components/toasts.tsx';
import { t } from '../text/index.ts';
import type { Desk } from './desk.ts';

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
  return () => {
    book.onSheetRenamed = () => {};
    book.onSheetDeleted = () => {};
  };
}
