import { foldCase } from '../../value/fold.ts';
import type { EditOfKind } from './edit-result.ts';

type TextReplacementOptions = Pick<EditOfKind<'replace'>, 'find' | 'with' | 'matchCase' | 'entireCell'>;

/** Matches ASCII texts without letters. */
const WITHOUT_LETTERS = /^[ -@[-`{-~]*$/;
/** Matches texts that occur in texts of numbers, apart from the decimal mark. */
const NUMBER_CHARACTERS = /^[\d+\-eE]*$/;

/** Creates a function that replaces texts in a text. It returns the same text if there is nothing to replace. */
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
  // `$` has a special meaning in a replacement of `String.replaceAll`.
  const literal = replacement.replaceAll('$', '$$$$');
  if (matchCase || WITHOUT_LETTERS.test(find)) return (text) => text.replaceAll(find, literal);
  const pattern = new RegExp(find.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'), 'giu');
  return (text) => text.replace(pattern, literal);
}

/** True if the text of a number may contain a text. `decimal`: the decimal mark in texts of numbers. */
export function canOccurInNumbers(find: string, decimal: string): boolean {
  return NUMBER_CHARACTERS.test(find.replaceAll(decimal, ''));
}
