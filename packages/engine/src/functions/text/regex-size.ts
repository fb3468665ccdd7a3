const REPEAT = /\{(\d+)(?:,(\d*))?\}/y;
const CLASS_NAME = /\[:\^?\w+:\]/y;
/** Instructions of a group besides what it holds, and of a mark that repeats what stands before it or may leave it out. */
const GROUP_SIZE = 2;
const MARK_SIZE = 1;

/**
 * About as many instructions as a pattern compiles to, counted without compiling it: repeats of repeats multiply, and
 * a thousand characters may stand for a million instructions.
 */
export function patternSize(pattern: string): number {
  const outer: number[] = [];
  let size = 0;
  /** What a repeat that comes next repeats. */
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
      const repeat = unit === '{' ? matchAt(REPEAT, pattern, at) : null;
      if (repeat) {
        // One that may be left out takes an instruction more to skip it.
        last = Math.max(repeat.most, 1) * (last + (repeat.optional ? MARK_SIZE : 0)) + MARK_SIZE;
        at += repeat.length;
      } else {
        const end = endOfAtom(pattern, at);
        size += last;
        last = unit === '[' ? 1 : end - at;
        at = end;
      }
    }
  }
  return outer.reduce((sum, held) => sum + held, size + last);
}

function matchAt(regex: RegExp, pattern: string, at: number) {
  regex.lastIndex = at;
  const found = regex.exec(pattern);
  if (!found) return null;
  const least = Number(found[1]);
  const most = found[2] ? Number(found[2]) : least;
  return { length: found[0].length, most: Math.max(least, most), optional: found[2] !== undefined };
}

/** The place after a character, an escaped one, a class, or a text between `\Q` and `\E`. */
function endOfAtom(pattern: string, at: number): number {
  if (pattern.startsWith('\\Q', at)) {
    const end = pattern.indexOf('\\E', at);
    return end < 0 ? pattern.length : end + 2;
  }
  if (pattern.charAt(at) === '\\') return at + 2;
  return pattern.charAt(at) === '[' ? endOfClass(pattern, at) : at + 1;
}

/** A bracket that stands first in a class means itself. */
function endOfClass(pattern: string, at: number): number {
  let next = at + 1;
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
