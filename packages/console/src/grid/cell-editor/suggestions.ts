import type { GridController } from '../controller/grid-controller.ts';
import type { CellDraft } from '../formula/draft.ts';
import { parseCaretContext } from '../formula/formula-text.ts';
import type { FunctionInfo } from '../formula/function-info.ts';

/** Functions that match the typed letters; one is marked. */
interface Suggestions {
  readonly functions: readonly FunctionInfo[];
  /** Index of the suggestion that Tab accepts. */
  readonly marked: number;
  /** True after an arrow key: Enter then accepts, too. */
  readonly isChosen: boolean;
}

const NONE: Suggestions = { functions: [], marked: 0, isChosen: false };

/** Element ids of the list and its options for ARIA attributes. */
export const SUGGESTION_LIST = 'function-suggestions';
export const formatSuggestionId = (index: number): string => `${SUGGESTION_LIST}-${index}`;

let state = NONE;
/** Text of the draft for which Escape closed the list. */
let closedFor: string | null = null;
const listeners = new Set<() => void>();

function setSuggestions(next: Suggestions): void {
  state = next;
  for (const listener of listeners) listener();
}

export function subscribeSuggestions(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function getSuggestions(): Suggestions {
  return state;
}

/**
 * Returns the ARIA attributes of a formula field. `hasList`: the list belongs to this field. Undefined attributes are
 * not set.
 */
export function createComboboxAttributes(draft: CellDraft | null, hasList: boolean) {
  const isFormula = hasList && draft?.text.startsWith('=') === true;
  const isOpen = isFormula && state.functions.length > 0;
  return {
    role: isFormula ? 'combobox' : undefined,
    'aria-autocomplete': isFormula ? ('list' as const) : undefined,
    'aria-haspopup': isFormula ? ('listbox' as const) : undefined,
    'aria-expanded': isFormula ? isOpen : undefined,
    'aria-controls': isOpen ? SUGGESTION_LIST : undefined,
    'aria-activedescendant': isOpen ? formatSuggestionId(state.marked) : undefined,
  };
}

/** Shows suggestions for a text. The mark stays if the list is the same. */
export function offerSuggestions(functions: readonly FunctionInfo[], text: string): void {
  if (closedFor !== null && closedFor !== text) closedFor = null;
  const shown = closedFor === text ? [] : functions;
  const isSame =
    shown.length === state.functions.length && shown.every(({ name }, i) => name === state.functions[i]?.name);
  if (!isSame) setSuggestions({ ...NONE, functions: shown });
}

/** Handles keys of an open list; returns false for other keys. */
export function handleSuggestionKey(
  controller: GridController,
  { key, shiftKey }: Pick<KeyboardEvent, 'key' | 'shiftKey'>,
): boolean {
  const { functions, marked, isChosen } = state;
  const { draft } = controller.state;
  if (functions.length === 0 || draft === null) return false;
  switch (key) {
    case 'ArrowDown':
    case 'ArrowUp': {
      const step = key === 'ArrowDown' ? 1 : -1;
      // The first suggestion is marked initially, so the first arrow key marks the second.
      setSuggestions({ functions, marked: (marked + step + functions.length) % functions.length, isChosen: true });
      return true;
    }
    case 'Escape':
      closedFor = draft.text;
      setSuggestions(NONE);
      return true;
    case 'Tab':
      return !shiftKey && insertSuggestion(controller, functions[marked]);
    case 'Enter':
      return isChosen && insertSuggestion(controller, functions[marked]);
    default:
      return false;
  }
}

/** Replaces the letters at the caret with a function call; returns false if there is nothing to replace. */
export function insertSuggestion(controller: GridController, info: FunctionInfo | undefined): boolean {
  const { draft } = controller.state;
  const word = draft === null ? null : parseCaretContext(draft.text, draft.caret).word;
  if (draft === null || word === null || info === undefined) return false;
  const text = `${draft.text.slice(0, word.from)}${info.name}(${draft.text.slice(draft.caret)}`;
  setSuggestions(NONE);
  controller.typeText(text, word.from + info.name.length + 1, draft.where);
  return true;
}
