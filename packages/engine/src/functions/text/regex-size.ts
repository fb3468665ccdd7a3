const REPEAT = /\{(\d+)(?:,(\d*))?\}/y;
const CLASS_NAME = /\[:\^?\w+:\]/y;
/** Number of instructions for a group in addition to its contents, and for a quantifier. */
const GROUP_SIZE = 2;
const MARK_SIZE = 1;

/**
 * Estimates the number of instructions of a pattern without compiling it. Nested repeats multiply, so that a thousand
 * characters may compile to a million instructions.
 */
export function estimatePatternSize(pattern: string): number {
  const outer: number[] = [];
  let size = 0;
  /** Number of instructions of the item to which a following quantifier applies. */
  let last = 0;
  for (let at = 0; at < pattern.length; ) {
    const unit = pattern.charAt(at);
    if (unit === '(') {
      outer.push(size + last);
      size = 0;
      last = 0;
      at++;
    } else if (unit === ')') {
      last += size + GROUP_SIZE;
      size = outer.pop() ?? 0;
      at++;
    } else if (unit === '*' || unit === '+' || unit === '?') {
      last += MARK_SIZE;
      at++;
    } else {
      const repeat = unit === '{' ? matchRepeat(REPEAT, pattern, at) : null;
      if (repeat) {
        // An optional item needs one more instruction to skip it.
        last = Math.max(repeat.most, 1) * (last + (repeat.optional ? MARK_SIZE : 0)) + MARK_SIZE;
        at += repeat.length;
      } else {
        const end = findEndOfAtom(pattern, at);
        size += last;
        last = unit === '[' ? 1 : end - at;
        at = end;
      }
    }
  }
  return outer.reduce((sum, groupSize) => sum + groupSize, size + last);
}

/** The repeat `{least,most}` at a position: its length and its greatest count; null if there is none. */
function matchRepeat(regex: RegExp, pattern: string, position: number) {
  regex.lastIndex = position;
  const match = regex.exec(pattern);
  if (!match) return null;
  const least = Number(match[1]);
  const most = match[2] ? Number(match[2]) : least;
  return { length: match[0].length, most: Math.max(least, most), optional: match[2] !== undefined };
}

/** The position after an atom: a character, an escaped character, a class, or a text between `\Q` and `\E`. */
function findEndOfAtom(pattern: string, position: number): number {
  if (pattern.startsWith('\\Q', position)) {
    const end = pattern.indexOf('\\E', position);
    return end < 0 ? pattern.length : end + 2;
  }
  if (pattern.charAt(position) === '\\') return position + 2;
  return pattern.charAt(position) === '[' ? findEndOfClass(pattern, position) : position + 1;
}

/** The position after a class of characters. The first bracket in a class is an ordinary character. */
function findEndOfClass(pattern: string, position: number): number {
  let next = position + 1;
  if (pattern.charAt(next) === '^') next++;
  if (pattern.charAt(next) === ']') next++;
  while (next < pattern.length && pattern.charAt(next) !== ']') {
    CLASS_NAME.lastIndex = next;
    const name = CLASS_NAME.exec(pattern);
    if (name) next += name[0].length;
    else next += pattern.charAt(next) === '\\' ? 2 : 1;
  }
  return next + 1;
}
