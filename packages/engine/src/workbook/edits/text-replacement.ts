import { foldCase } from '../../value/fold.ts';
import type { EditOfKind } from './edit-result.ts';

type TextReplacementOptions = Pick<EditOfKind<'replace'>, 'find' | 'with' | 'matchCase' | 'entireCell'>;

/** Texts of plain characters that are no letters. */
const WITHOUT_LETTERS = /^[ -@[-`{-~]*$/;
/** Characters of a number's text besides its decimal mark. */
const NUMBER_CHARACTERS = /^[\d+\-eE]*$/;

/** Returns a function that returns a text with its replacements; the same text if it has none. */
export function createReplacer({
  find,
  with: replacement,
  matchCase,
  entireCell,
}: TextReplacementOptions): (text: string) => string {
  if (entireCell) {
    const folded = foldCase(find);
    return (text) => ((matchCase ? text === find : foldCase(text) === folded) ? replacement : text);
  }
  // A dollar sign is special in a replacement.
  const literal = replacement.replaceAll('$', '$$$$');
  if (matchCase || WITHOUT_LETTERS.test(find)) return (text) => text.replaceAll(find, literal);
  const pattern = new RegExp(find.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'), 'giu');
  return (text) => text.replace(pattern, literal);
}

/** True if the text of some number may contain a text. `decimal`: the mark in texts of numbers. */
export function canOccurInNumbers(find: string, decimal: string): boolean {
  return NUMBER_CHARACTERS.test(find.replaceAll(decimal, ''));
}
