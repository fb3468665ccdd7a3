import { VALUE } from '../../value/errors.ts';
import { foldCase } from '../../value/fold.ts';
import type { Scalar } from '../../value/scalar.ts';
import { define } from '../define.ts';
import { MAX_TEXT_LENGTH } from '../limits.ts';
import type { FunctionSpec } from '../spec.ts';
import { compileWildcard, hasWildcard, searchWildcard } from '../wildcard.ts';
import { limitText } from './basic.ts';
import { countBytes, countCharacters, countUnitsOfBytes, countUnitsOfCharacters } from './charset.ts';

/** Finds the zero-based position of `searched` in `text` from `start` on; -1 for none. */
type LocateText = (searched: string, text: string, start: number) => number;

/** Finds the searched text in its letter case. */
const findExactly: LocateText = (searched, text, start) => text.indexOf(searched, start);

/** Finds a text that matches a pattern with wildcards, in any letter case. */
const findLike: LocateText = (searched, text, start) => {
  const folded = foldCase(text);
  if (!hasWildcard(searched)) return folded.indexOf(foldCase(searched), start);
  return searchWildcard(compileWildcard(searched), folded, start);
};

/** The unit in which a function counts: characters, or bytes in FINDB, SEARCHB and similar functions. */
interface CountingUnits {
  length(text: string): number;
  /** Returns the number of UTF-16 units of the first `count` characters or bytes. */
  units(text: string, count: number): number;
}

const CHARACTERS: CountingUnits = { length: countCharacters, units: countUnitsOfCharacters };
const BYTES: CountingUnits = { length: countBytes, units: countUnitsOfBytes };

/** Defines FIND or SEARCH, or its counterpart that counts bytes. */
function defineFinder(name: string, locate: LocateText, counting: CountingUnits): FunctionSpec {
  return define('text', name, ['text', 'text', 'integer?'], (_, wanted, text, start = 1) => {
    if (start < 1 || start > counting.length(text) + 1) return VALUE;
    const at = locate(wanted, text, counting.units(text, start - 1));
    return at < 0 ? VALUE : counting.length(text.slice(0, at)) + 1;
  });
}

/** SUBSTITUTE: replaces one or all occurrences of a text. */
function substituteText(text: string, old: string, replacement: string, instance: number | undefined): Scalar {
  if (instance !== undefined && instance < 1) return VALUE;
  if (old === '') return text;
  if (instance === undefined) {
    const parts = text.split(old);
    const length = text.length + (parts.length - 1) * (replacement.length - old.length);
    return length > MAX_TEXT_LENGTH ? VALUE : parts.join(replacement);
  }
  let at = text.indexOf(old);
  for (let i = 1; at >= 0 && i < instance; i++) at = text.indexOf(old, at + old.length);
  return at < 0 ? text : limitText(text.slice(0, at) + replacement + text.slice(at + old.length));
}

export const SEARCH: readonly FunctionSpec[] = [
  defineFinder('FIND', findExactly, CHARACTERS),
  defineFinder('SEARCH', findLike, CHARACTERS),
  defineFinder('FINDB', findExactly, BYTES),
  defineFinder('SEARCHB', findLike, BYTES),
  define('text', 'SUBSTITUTE', ['text', 'text', 'text', 'integer?'], (_, text, old, replacement, instance) =>
    substituteText(text, old, replacement, instance),
  ),
  define('text', 'ENCODEURL', ['text'], (_, text) => limitText(encodePercent(text))),
];

const LEFT_ALONE = /[!'()*]/g;

/**
 * Encodes a text in UTF-8 with percent escapes. Like Excel, it also encodes five characters that `encodeURIComponent`
 * does not encode.
 */
function encodePercent(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(
    LEFT_ALONE,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
