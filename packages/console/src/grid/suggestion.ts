import type { Desk } from './desk.ts';
import { typingAt } from './formula-text.ts';
import type { FunctionInfo } from './function-help.ts';

/** The function that Tab takes now; null: Tab leaves the cell. */
let suggested: FunctionInfo | null = null;

export function suggest(info: FunctionInfo | null): void {
  suggested = info;
}

/** Puts a function in for the letters at the caret; false: there is none to take. */
export function takeSuggestion(desk: Desk, info: FunctionInfo | null = suggested): boolean {
  const { draft } = desk.state;
  const word = draft === null ? null : typingAt(draft.text, draft.caret).word;
  if (draft === null || word === null || info === null) return false;
  const text = `${draft.text.slice(0, word.from)}${info.name}(${draft.text.slice(draft.caret)}`;
  desk.type(text, word.from + info.name.length + 1, draft.where);
  return true;
}
