import { t } from '../../text/index.ts';
import { addCompletion } from '../cell-editor/autocomplete.ts';
import { handleDraftKey } from '../cell-editor/draft-keys.ts';
import { copySelection } from '../clipboard/copy-selection.ts';
import { pasteCells, pasteValues } from '../clipboard/paste.ts';
import { OWN_TYPE } from '../clipboard-formats/copied-table.ts';
import { findCommand } from '../controller/commands.ts';
import type { GridController } from '../controller/grid-controller.ts';
import { clearSelection } from '../editing/cell-actions.ts';
import { reportFailure } from '../editing/cell-edits.ts';
import { handleRuleKey } from '../editing/rule-actions.ts';
import { createRefusal } from '../session/cell-refusals.ts';

/**
 * A character belongs to the same text as the one before if it follows within this time, in milliseconds. If a sheet is
 * unlocked while a person types, the rest of a refused text is refused, too.
 */
const SAME_TEXT_MS = 1_000;

/**
 * True if a character belongs to a text whose first characters were refused. `time`: in milliseconds since the page was
 * loaded.
 */
function isRestOfRefusedText({ refusedCharacter, state }: GridController, time: number): boolean {
  if (refusedCharacter === null || refusedCharacter.selection !== state.selection) return false;
  return time - refusedCharacter.at < SAME_TEXT_MS;
}

/** Notices characters that are typed while the sheet is hidden. Returns a function that stops it. */
export function noticeMissedKeys(controller: GridController): () => void {
  const onKeyDown = ({ key, ctrlKey, metaKey, timeStamp: at }: KeyboardEvent) => {
    const isCharacter = key.length === 1 && !ctrlKey && !metaKey;
    if (isCharacter && !controller.canRead) controller.refusedCharacter = { at, selection: controller.state.selection };
  };
  addEventListener('keydown', onKeyDown);
  return () => removeEventListener('keydown', onKeyDown);
}

/** Copies the caret position of the cell editor to the draft. */
function updateDraftCaret(controller: GridController, editor: HTMLTextAreaElement): void {
  const { draft } = controller.state;
  if (draft?.where !== 'cell' || draft.caret === editor.selectionStart) return;
  controller.setState({ draft: { ...draft, caret: editor.selectionStart, pickedReference: null } });
}

/** Handles a key while no draft is open. Returns false if the browser should handle it. */
function handleEditorKey(controller: GridController, event: KeyboardEvent): boolean {
  if (handleRuleKey(controller, event)) return true;
  const command = findCommand(event);
  if (command === null) return false;
  if (command.kind === 'clear') {
    if (!controller.canWrite) controller.onCommand({ kind: 'edit' });
    else reportFailure(controller, clearSelection(controller));
  } else controller.runCommand(command);
  return true;
}

/** Handles the editor's events. The editor always has the focus, so the first character of a draft goes into it. */
export function listenToEditor(controller: GridController, editor: HTMLTextAreaElement): () => void {
  const stop = new AbortController();
  const on = <K extends keyof HTMLElementEventMap>(name: K, listener: (event: HTMLElementEventMap[K]) => void) =>
    editor.addEventListener(name, listener, { signal: stop.signal });
  on('input', (event) => {
    const isRest = isRestOfRefusedText(controller, event.timeStamp);
    if (controller.state.draft === null && (isRest || !controller.canWrite)) {
      editor.value = '';
      controller.refusedCharacter = { at: event.timeStamp, selection: controller.state.selection };
      if (controller.canWrite) return controller.onFailure(createRefusal(t.grid.restRefused));
      return controller.onCommand({ kind: 'edit' });
    }
    controller.typeText(editor.value, editor.selectionStart, 'cell');
    if (controller.state.draft === null) editor.value = '';
    const isTyped = event instanceof InputEvent && event.inputType === 'insertText' && !event.isComposing;
    const { draft } = controller.state;
    if (isTyped && draft !== null && draft.caret === draft.text.length)
      controller.setState({ draft: addCompletion(controller, draft) });
  });
  on('select', () => updateDraftCaret(controller, editor));
  on('keyup', () => updateDraftCaret(controller, editor));
  on('click', () => updateDraftCaret(controller, editor));
  on('keydown', (event) => {
    if (event.isComposing) return;
    const { draft } = controller.state;
    const isTaken = draft === null ? handleEditorKey(controller, event) : handleDraftKey(controller, draft, event);
    if (isTaken) event.preventDefault();
  });
  on('copy', (event) => copySelection(controller, event, false));
  on('cut', (event) => copySelection(controller, event, true));
  /** True if the next paste event is for values only. The event does not name its keys. */
  let isValues = false;
  on('keydown', ({ code, ctrlKey, metaKey, shiftKey }) => {
    isValues = code === 'KeyV' && shiftKey && (ctrlKey || metaKey);
  });
  on('paste', (event) => {
    if (controller.state.draft !== null) return;
    event.preventDefault();
    if (!controller.canWrite) return controller.onCommand({ kind: 'edit' });
    const readClipboardData = (type: string) => event.clipboardData?.getData(type) ?? '';
    const forms = {
      text: readClipboardData('text/plain'),
      html: readClipboardData('text/html'),
      own: readClipboardData(OWN_TYPE),
    };
    reportFailure(controller, isValues ? pasteValues(controller, forms) : pasteCells(controller, forms));
  });
  return () => stop.abort();
}
