import { ARROWS } from '../controller/commands.ts';
import type { GridController } from '../controller/grid-controller.ts';
import { type CellDraft, cycleReference } from '../formula/draft.ts';
import { canPointByKeys, pointWithArrowKey } from './pointing.ts';
import { handleSuggestionKey } from './suggestions.ts';

/** Arrow keys point at cells; Ctrl+PageUp and Ctrl+PageDown change the sheet. */
function handlePointingKey(
  controller: GridController,
  draft: CellDraft,
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
    pointWithArrowKey(controller, draft, { to, extend: shiftKey, far });
    return true;
  }
  if (!far || (key !== 'PageUp' && key !== 'PageDown')) return false;
  controller.runCommand({ kind: 'sheet', step: key === 'PageDown' ? 1 : -1 });
  return true;
}

/** Handles keys that end a draft or change the whole draft. Returns false for keys that edit the text. */
export function handleDraftKey(
  controller: GridController,
  draft: CellDraft,
  event: Pick<KeyboardEvent, 'key' | 'altKey' | 'shiftKey' | 'ctrlKey' | 'metaKey'>,
): boolean {
  if (handleSuggestionKey(controller, event)) return true;
  if (canPointByKeys(draft) && handlePointingKey(controller, draft, event)) return true;
  const step = event.shiftKey ? -1 : 1;
  switch (event.key) {
    case 'Escape':
      controller.cancelEditing();
      return true;
    case 'Enter':
      if (event.altKey) {
        const { text, caret } = draft;
        controller.typeText(`${text.slice(0, caret)}\n${text.slice(caret)}`, caret + 1, draft.where);
        return true;
      }
      void controller.confirmDraft();
      controller.moveStep('column', step);
      return true;
    case 'Tab':
      void controller.confirmDraft();
      controller.moveStep('row', step);
      return true;
    case 'F2':
      controller.setState({ draft: { ...draft, isEnterMode: !draft.isEnterMode } });
      return true;
    case 'F4':
      controller.setState({ draft: cycleReference(draft) });
      return true;
  }
  const arrow = ARROWS[event.key];
  const isLeaving = arrow !== undefined && draft.isEnterMode && draft.where === 'cell' && !draft.text.startsWith('=');
  if (!isLeaving) return false;
  void controller.confirmDraft();
  controller.runCommand({ kind: 'move', to: arrow, extend: false, far: false });
  return true;
}
