import type { Desk } from '../controller/grid-controller.ts';
import type { Draft } from '../formula/draft.ts';
import { typingAt } from '../formula/formula-text.ts';
import type { FunctionInfo } from '../formula/function-info.ts';

/** The list of functions that fit what is being typed, one of which is marked. */
interface Suggestions {
  readonly found: readonly FunctionInfo[];
  /** Which of them Tab takes. */
  readonly marked: number;
  /** Whether an arrow key has marked it: then Enter takes it, too. */
  readonly isChosen: boolean;
}

const NONE: Suggestions = { found: [], marked: 0, isChosen: false };

/** Ids of the list and its options, by which fields name them. */
export const SUGGESTION_LIST = 'function-suggestions';
export const suggestionId = (place: number): string => `${SUGGESTION_LIST}-${place}`;

let current = NONE;
/** The text of the draft for which Escape has closed the list. */
let closedFor: string | null = null;
const listeners = new Set<() => void>();

function become(next: Suggestions): void {
  current = next;
  for (const listener of listeners) listener();
}

export function subscribeSuggestions(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function suggestions(): Suggestions {
  return current;
}

/** ARIA attributes of a field in which a formula is typed; `hasList`: the list belongs to it. Undefined: not set. */
export function comboboxOf(draft: Draft | null, hasList: boolean) {
  const isFormula = hasList && draft?.text.startsWith('=') === true;
  const isOpen = isFormula && current.found.length > 0;
  return {
    role: isFormula ? 'combobox' : undefined,
    'aria-autocomplete': isFormula ? ('list' as const) : undefined,
    'aria-haspopup': isFormula ? ('listbox' as const) : undefined,
    'aria-expanded': isFormula ? isOpen : undefined,
    'aria-controls': isOpen ? SUGGESTION_LIST : undefined,
    'aria-activedescendant': isOpen ? suggestionId(current.marked) : undefined,
  };
}

/** Offers functions for a text; the marked one stays marked while the list stays the same. */
export function suggest(found: readonly FunctionInfo[], text: string): void {
  if (closedFor !== null && closedFor !== text) closedFor = null;
  const shown = closedFor === text ? [] : found;
  const isSame = shown.length === current.found.length && shown.every(({ name }, i) => name === current.found[i]?.name);
  if (!isSame) become({ ...NONE, found: shown });
}

/** What the keys of an open list do. False: the key is not the list's. */
export function keyInSuggestions(desk: Desk, { key, shiftKey }: Pick<KeyboardEvent, 'key' | 'shiftKey'>): boolean {
  const { found, marked, isChosen } = current;
  const { draft } = desk.state;
  if (found.length === 0 || draft === null) return false;
  switch (key) {
    case 'ArrowDown':
    case 'ArrowUp': {
      const step = key === 'ArrowDown' ? 1 : -1;
      // The first is marked from the beginning: the first key down goes on to the second.
      become({ found, marked: (marked + step + found.length) % found.length, isChosen: true });
      return true;
    }
    case 'Escape':
      closedFor = draft.text;
      become(NONE);
      return true;
    case 'Tab':
      return !shiftKey && takeSuggestion(desk, found[marked]);
    case 'Enter':
      return isChosen && takeSuggestion(desk, found[marked]);
    default:
      return false;
  }
}

/** Puts a function in for the letters at the caret; false: there is none to take. */
export function takeSuggestion(desk: Desk, info: FunctionInfo | undefined): boolean {
  const { draft } = desk.state;
  const word = draft === null ? null : typingAt(draft.text, draft.caret).word;
  if (draft === null || word === null || info === undefined) return false;
  const text = `${draft.text.slice(0, word.from)}${info.name}(${draft.text.slice(draft.caret)}`;
  become(NONE);
  desk.type(text, word.from + info.name.length + 1, draft.where);
  return true;
}
