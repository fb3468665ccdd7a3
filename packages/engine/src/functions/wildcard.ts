import { foldCase } from '../value/fold.ts';

/** Maximum length of a wildcard pattern in UTF-16 units, as in Excel. Longer patterns are compared literally. */
const MAX_PATTERN_LENGTH = 255;

/** The unit of a pattern that matches any character (`?`). */
export const ANY_UNIT = -1;

/** Characters between two stars: UTF-16 units, with `ANY_UNIT` for `?`. `text` is set if there is no `?`. */
interface WildcardSegment {
  readonly units: readonly number[];
  readonly text: string | null;
}

/** A parsed, case-folded pattern with `*`, `?` and `~` escapes. */
export interface Wildcard {
  readonly segments: readonly WildcardSegment[];
  readonly starFirst: boolean;
  readonly starLast: boolean;
}

/** True if a text contains `*`, `?` or `~`. */
export function hasWildcard(text: string): boolean {
  if (text.length > MAX_PATTERN_LENGTH) return false;
  return text.includes('*') || text.includes('?') || text.includes('~');
}

/** Parses a pattern and folds its characters. */
export function compileWildcard(pattern: string, fold: (text: string) => string = foldCase): Wildcard {
  const folded = fold(pattern);
  const segments: WildcardSegment[] = [];
  let units: number[] = [];
  let starLast = false;
  for (let i = 0; i < folded.length; i++) {
    // A tilde makes the next character literal. A tilde at the end is ignored.
    const escaped = folded[i] === '~';
    if (escaped) i++;
    if (i === folded.length) break;
    starLast = folded[i] === '*' && !escaped;
    if (!starLast) units.push(folded[i] === '?' && !escaped ? ANY_UNIT : folded.charCodeAt(i));
    else if (units.length > 0) {
      segments.push(parseSegment(units));
      units = [];
    }
  }
  if (units.length > 0) segments.push(parseSegment(units));
  return { segments, starFirst: folded.startsWith('*'), starLast };
}

/** Creates the segment of the characters between two stars. */
function parseSegment(units: readonly number[]): WildcardSegment {
  return { units, text: units.includes(ANY_UNIT) ? null : String.fromCharCode(...units) };
}

/** True if a segment matches the text at a position. */
function matchesAt(text: string, position: number, segment: WildcardSegment): boolean {
  const { units } = segment;
  if (position < 0 || position + units.length > text.length) return false;
  for (let i = 0; i < units.length; i++) {
    const unit = units[i];
    if (unit !== ANY_UNIT && unit !== text.charCodeAt(position + i)) return false;
  }
  return true;
}

/** The first position, at `from` or later, at which a segment matches; -1 for none. */
function findSegment(text: string, from: number, segment: WildcardSegment): number {
  if (segment.text !== null) return text.indexOf(segment.text, from);
  const last = text.length - segment.units.length;
  for (let at = from; at <= last; at++) if (matchesAt(text, at, segment)) return at;
  return -1;
}

/** True if the pattern matches a whole text, which must be folded. */
export function matchesWildcard(pattern: Wildcard, folded: string): boolean {
  const { segments, starFirst, starLast } = pattern;
  if (segments.length === 0) return starFirst || folded === '';
  let at = 0;
  let first = 0;
  let end = segments.length;
  if (!starFirst) {
    const head = segments[0]!;
    if (!matchesAt(folded, 0, head)) return false;
    at = head.units.length;
    first = 1;
    if (end === 1) return starLast || at === folded.length;
  }
  if (!starLast) end--;
  for (let i = first; i < end; i++) {
    const part = segments[i]!;
    const position = findSegment(folded, at, part);
    if (position < 0) return false;
    at = position + part.units.length;
  }
  if (starLast) return true;
  const tail = segments[end]!;
  const start = folded.length - tail.units.length;
  return start >= at && matchesAt(folded, start, tail);
}

/** Returns the first match in a folded text from `from` on; -1 for none. */
export function searchWildcard(pattern: Wildcard, folded: string, from: number): number {
  let at = from;
  let start = pattern.starFirst ? from : -1;
  for (const part of pattern.segments) {
    const position = findSegment(folded, at, part);
    if (position < 0) return -1;
    if (start < 0) start = position;
    at = position + part.units.length;
  }
  return start < 0 ? from : start;
}
