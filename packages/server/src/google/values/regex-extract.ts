/** Calls of a function whose result differs between Google and the service if the pattern has groups. */
const CALL = /\bREGEXEXTRACT\(/i;
const ESCAPED = /\\./g;
const GROUP = /\((?!\?)/;
/** The return mode for the groups of a pattern. */
const GROUPS_MODE = '2';

/**
 * A formula in the form stored by the document. In Google the function returns the groups of a pattern that has groups,
 * here only with return mode 2.
 */
export function addGroupMode(formula: string): string {
  return rewriteCalls(formula, (parts) =>
    parts.length === 2 && hasGroups(parts[1]) ? [...parts, GROUPS_MODE] : parts,
  );
}

/** A formula in Google's form, without return mode 2. */
export function dropGroupMode(formula: string): string {
  return rewriteCalls(formula, (parts) =>
    parts.length === 3 && parts[2]?.trim() === GROUPS_MODE && hasGroups(parts[1]) ? parts.slice(0, 2) : parts,
  );
}

/** True if a regular expression has a `(` that is not escaped and not followed by `?`. */
function hasGroups(pattern = ''): boolean {
  return GROUP.test(pattern.replaceAll(ESCAPED, ''));
}

/** Changes the argument texts of each call. */
function rewriteCalls(formula: string, change: (parts: readonly string[]) => readonly string[]): string {
  let result = '';
  let rest = formula;
  for (;;) {
    const found = CALL.exec(rest);
    if (found === null) return result + rest;
    const start = found.index + found[0].length;
    const call = splitArguments(rest, start);
    if (call === null) return result + rest;
    const { parts, separator, end } = call;
    const inner = parts.map((part) => rewriteCalls(part, change));
    result += rest.slice(0, start) + change(inner).join(separator);
    rest = rest.slice(end);
  }
}

/** The arguments of a call whose parenthesis opens before `start`; null: it is never closed. */
function splitArguments(text: string, start: number) {
  const parts: string[] = [];
  let depth = 0;
  let from = start;
  let separator = ',';
  for (let i = start; i < text.length; i++) {
    const mark = text[i] as string;
    if (mark === '"') i = findClosingQuote(text, i);
    else if (mark === '(' || mark === '{') depth++;
    else if ((mark === ',' || mark === ';') && depth === 0) {
      parts.push(text.slice(from, i));
      separator = mark;
      from = i + 1;
    } else if (mark === ')' || mark === '}') {
      if (depth === 0) {
        parts.push(text.slice(from, i));
        return { parts, separator, end: i };
      }
      depth--;
    }
    if (i < 0) return null;
  }
  return null;
}

/** Position of the closing quote; the text's end if there is none. */
function findClosingQuote(text: string, from: number): number {
  const end = text.indexOf('"', from + 1);
  return end < 0 ? text.length : end;
}
