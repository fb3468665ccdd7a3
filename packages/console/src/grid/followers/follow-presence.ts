import { call, OWN } from '../../data/http.ts';
import type { Desk } from '../controller/grid-controller.ts';
import { selectionText } from '../selection/selection.ts';
import { InOrder } from '../session/request-order.ts';
import type { Present } from '../session/session-state.ts';
import { rangeText } from '../session/sheet-ranges.ts';

/** How often this tab says where it is, in milliseconds; who says nothing for 30 s is gone. */
const EVERY_MS = 10_000;
/** A selection that stays so long is told, in milliseconds. */
const SETTLED_MS = 600;

/** Tells the others where this person is, and learns where they are, until the answer is called. */
export function followPresence(desk: Desk): () => void {
  const tab = crypto.getRandomValues(new Uint32Array(2)).join('-');
  const path = `${OWN}/documents/${desk.book.id}/presence`;
  let settled: ReturnType<typeof setTimeout> | undefined;
  let told = '';
  const lists = new InOrder();
  const tell = async () => {
    if (document.hidden) return;
    const { sheet, selection } = desk.state;
    told = rangeText(sheet, selectionText(selection));
    const question = lists.ask();
    const answer = await call<{ readonly present: readonly Present[] }>('PUT', path, { body: { tab, range: told } });
    if (!answer.ok || !lists.isNews(question)) return;
    // One's own other tabs, and this one as it was before a reload, are nobody to be told of.
    desk.book.become({ present: answer.value.present.filter(({ user }) => user.id !== desk.book.me) });
  };
  void tell();
  const timer = setInterval(() => void tell(), EVERY_MS);
  const stop = desk.subscribe(() => {
    const { sheet, selection } = desk.state;
    if (rangeText(sheet, selectionText(selection)) === told) return;
    clearTimeout(settled);
    settled = setTimeout(() => void tell(), SETTLED_MS);
  });
  return () => {
    stop();
    clearInterval(timer);
    clearTimeout(settled);
    void call('PUT', path, { body: { tab, range: null } });
  };
}
