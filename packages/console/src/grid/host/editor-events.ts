import { withOffer } from '../cell-editor/autocomplete.ts';
import { keyInDraft } from '../cell-editor/draft-keys.ts';
import { take } from '../clipboard/copy-selection.ts';
import { paste, pasteValues } from '../clipboard/paste.ts';
import { OWN_TYPE } from '../clipboard-formats/copied-table.ts';
import { commandOf } from '../controller/commands.ts';
import type { Desk } from '../controller/grid-controller.ts';
import { clearSelection } from '../editing/cell-actions.ts';
import { report } from '../editing/cell-edits.ts';

function followCaret(desk: Desk, editor: HTMLTextAreaElement): void {
  const { draft } = desk.state;
  if (draft?.where !== 'cell' || draft.caret === editor.selectionStart) return;
  desk.become({ draft: { ...draft, caret: editor.selectionStart, picked: null } });
}

function runKey(desk: Desk, event: KeyboardEvent): boolean {
  const command = commandOf(event);
  if (command === null) return false;
  if (command.kind === 'clear') {
    if (!desk.canWrite) desk.onCommand({ kind: 'edit' });
    else report(desk, clearSelection(desk));
  } else desk.run(command);
  return true;
}

/** The editor has the focus all the time: the first character of a draft is typed into it like any other. */
export function listenToKeys(desk: Desk, editor: HTMLTextAreaElement): () => void {
  const stop = new AbortController();
  const on = <K extends keyof HTMLElementEventMap>(name: K, listener: (event: HTMLElementEventMap[K]) => void) =>
    editor.addEventListener(name, listener, { signal: stop.signal });
  on('input', (event) => {
    if (desk.state.draft === null && !desk.canWrite) {
      editor.value = '';
      return desk.onCommand({ kind: 'edit' });
    }
    desk.type(editor.value, editor.selectionStart, 'cell');
    const isTyped = event instanceof InputEvent && event.inputType === 'insertText' && !event.isComposing;
    const { draft } = desk.state;
    if (isTyped && draft !== null && draft.caret === draft.text.length) desk.become({ draft: withOffer(desk, draft) });
  });
  on('select', () => followCaret(desk, editor));
  on('keyup', () => followCaret(desk, editor));
  on('click', () => followCaret(desk, editor));
  on('keydown', (event) => {
    if (event.isComposing) return;
    const { draft } = desk.state;
    const isTaken = draft === null ? runKey(desk, event) : keyInDraft(desk, draft, event);
    if (isTaken) event.preventDefault();
  });
  on('copy', (event) => take(desk, event, false));
  on('cut', (event) => take(desk, event, true));
  /** Whether the paste that follows is to be of values alone: the event does not tell which keys it comes from. */
  let isValues = false;
  on('keydown', ({ code, ctrlKey, metaKey, shiftKey }) => {
    isValues = code === 'KeyV' && shiftKey && (ctrlKey || metaKey);
  });
  on('paste', (event) => {
    if (desk.state.draft !== null) return;
    event.preventDefault();
    if (!desk.canWrite) return desk.onCommand({ kind: 'edit' });
    const given = (type: string) => event.clipboardData?.getData(type) ?? '';
    const forms = { text: given('text/plain'), html: given('text/html'), own: given(OWN_TYPE) };
    report(desk, isValues ? pasteValues(desk, forms) : paste(desk, forms));
  });
  return () => stop.abort();
}
