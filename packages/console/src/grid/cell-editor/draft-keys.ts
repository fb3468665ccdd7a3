import { ARROWS } from '../controller/commands.ts';
import type { Desk } from '../controller/grid-controller.ts';
import { type Draft, turnedReference } from '../formula/draft.ts';
import { isPointedByKeys, pointByKey } from './pointing.ts';
import { keyInSuggestions } from './suggestions.ts';

/** Arrow keys point at cells, Ctrl+PageUp and Ctrl+PageDown go to another sheet for them. */
function keyWhilePointing(
  desk: Desk,
  draft: Draft,
  {
    key,
    shiftKey,
    altKey,
    ctrlKey,
    metaKey,
  }: Pick<KeyboardEvent, 'key' | 'altKey' | 'shiftKey' | 'ctrlKey' | 'metaKey'>,
): boolean {
  const far = ctrlKey || metaKey;
  const to = ARROWS[key];
  if (to !== undefined && !altKey) {
    pointByKey(desk, draft, { to, extend: shiftKey, far });
    return true;
  }
  if (!far || (key !== 'PageUp' && key !== 'PageDown')) return false;
  desk.run({ kind: 'sheet', step: key === 'PageDown' ? 1 : -1 });
  return true;
}

/** Keys that end a draft or change it as a whole; others are the text's own. */
export function keyInDraft(
  desk: Desk,
  draft: Draft,
  event: Pick<KeyboardEvent, 'key' | 'altKey' | 'shiftKey' | 'ctrlKey' | 'metaKey'>,
): boolean {
  if (keyInSuggestions(desk, event)) return true;
  if (isPointedByKeys(draft) && keyWhilePointing(desk, draft, event)) return true;
  const step = event.shiftKey ? -1 : 1;
  switch (event.key) {
    case 'Escape':
      desk.cancel();
      return true;
    case 'Enter':
      if (event.altKey) {
        const { text, caret } = draft;
        desk.type(`${text.slice(0, caret)}\n${text.slice(caret)}`, caret + 1, draft.where);
        return true;
      }
      void desk.confirm();
      desk.step('column', step);
      return true;
    case 'Tab':
      void desk.confirm();
      desk.step('row', step);
      return true;
    case 'F2':
      desk.become({ draft: { ...draft, isQuick: !draft.isQuick } });
      return true;
    case 'F4':
      desk.become({ draft: turnedReference(draft) });
      return true;
  }
  const arrow = ARROWS[event.key];
  const isLeaving = arrow !== undefined && draft.isQuick && draft.where === 'cell' && !draft.text.startsWith('=');
  if (!isLeaving) return false;
  void desk.confirm();
  desk.run({ kind: 'move', to: arrow, extend: false, far: false });
  return true;
}
