import type { Node, TableItem } from './ast.ts';
import { APOSTROPHE, AT, COLON, COMMA, HASH, LEFT_BRACKET, RIGHT_BRACKET } from './characters.ts';
import { tableNode } from './nodes.ts';
import { character, codeAt, current, fail, type Scan, skipBlanks, unexpected } from './scan.ts';

const ITEMS: ReadonlyMap<string, TableItem> = new Map([
  ['#ALL', 'all'],
  ['#DATA', 'data'],
  ['#HEADERS', 'headers'],
  ['#TOTALS', 'totals'],
  ['#THIS ROW', 'thisRow'],
]);

interface Specifier {
  readonly items: TableItem[];
  from?: string;
  to?: string;
}

/** The position after the bracket that closes the one at `position`, -1 where it is never closed. */
export function bracketEnd(s: Scan, position: number): number {
  let depth = 0;
  for (let p = position; p < s.end; p++) {
    const code = s.text.charCodeAt(p);
    if (code === APOSTROPHE) p++;
    else if (code === LEFT_BRACKET) depth++;
    else if (code === RIGHT_BRACKET && --depth === 0) return p + 1;
  }
  return -1;
}

/** The bracketed part of a structured reference, the cursor being at its `[`. */
export function structured(s: Scan, table: string): Node {
  const start = s.pos;
  const specifier: Specifier = { items: [] };
  s.pos++;
  skipBlanks(s);
  const code = current(s);
  if (code === AT) thisRow(s, specifier);
  else if (code === HASH) keyword(s, specifier);
  else if (code === LEFT_BRACKET) list(s, specifier);
  else if (code !== RIGHT_BRACKET) specifier.from = column(s);
  skipBlanks(s);
  if (s.problem === null && s.pos >= s.end) return fail(s, `the \`[\` at ${character(s, start)} is never closed`);
  if (current(s) !== RIGHT_BRACKET) return unexpected(s);
  s.pos++;
  return tableNode(table, specifier.items, specifier.from, specifier.to);
}

/** `@`, `@Col`, `@[a b]`, `@[A]:[B]`. */
function thisRow(s: Scan, specifier: Specifier): void {
  specifier.items.push('thisRow');
  s.pos++;
  skipBlanks(s);
  const code = current(s);
  if (code === LEFT_BRACKET) columns(s, specifier);
  else if (code !== RIGHT_BRACKET) specifier.from = column(s);
}

/** `#Headers`, up to the closing bracket. */
function keyword(s: Scan, specifier: Specifier): void {
  const close = s.text.indexOf(']', s.pos);
  const item = ITEMS.get(
    s.text
      .slice(s.pos, close < 0 ? s.end : close)
      .trimEnd()
      .toUpperCase(),
  );
  if (item === undefined) {
    fail(s, `\`#All\`, \`#Data\`, \`#Headers\`, \`#Totals\` or \`#This Row\` is expected at ${character(s, s.pos)}`);
    return;
  }
  if (!specifier.items.includes(item)) specifier.items.push(item);
  s.pos = close;
}

/** `[#Headers],[#Data],[A]:[B]`: keywords, then at most one column range. */
function list(s: Scan, specifier: Specifier): void {
  for (;;) {
    if (codeAt(s, s.pos + 1) === HASH) {
      s.pos++;
      keyword(s, specifier);
      s.pos++;
    } else {
      columns(s, specifier);
    }
    skipBlanks(s);
    const code = current(s);
    if ((code !== s.separator && code !== COMMA) || specifier.from !== undefined) return;
    s.pos++;
    skipBlanks(s);
    if (current(s) !== LEFT_BRACKET) {
      unexpected(s);
      return;
    }
  }
}

/** `[A]` or `[A]:[B]`. */
function columns(s: Scan, specifier: Specifier): void {
  specifier.from = bracketedColumn(s);
  skipBlanks(s);
  if (current(s) !== COLON) return;
  s.pos++;
  skipBlanks(s);
  if (current(s) !== LEFT_BRACKET) {
    unexpected(s);
    return;
  }
  specifier.to = bracketedColumn(s);
}

function bracketedColumn(s: Scan): string {
  s.pos++;
  const name = column(s);
  s.pos++;
  return name;
}

/** A column's name up to its closing bracket; `'` takes the next character for what it is. */
function column(s: Scan): string {
  const start = s.pos;
  let p = start;
  let name = '';
  let from = start;
  for (let code = codeAt(s, p); code !== RIGHT_BRACKET && p < s.end; code = codeAt(s, ++p)) {
    if (code === LEFT_BRACKET) break;
    if (code !== APOSTROPHE) continue;
    name += s.text.slice(from, p);
    from = ++p;
  }
  name += s.text.slice(from, p);
  s.pos = p;
  if (p < s.end && name === '') fail(s, `the name of a column is expected at ${character(s, start)}`);
  return name;
}
