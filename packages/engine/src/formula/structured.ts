import type { Node, TableItem } from './ast.ts';
import { APOSTROPHE, AT, COLON, COMMA, HASH, LEFT_BRACKET, RIGHT_BRACKET } from './characters.ts';
import { createTableNode } from './nodes.ts';
import {
  describePosition,
  failParse,
  failUnexpected,
  getCodeAt,
  getCurrentCode,
  type Scan,
  skipBlanks,
} from './scan.ts';

const ITEMS: ReadonlyMap<string, TableItem> = new Map([
  ['#ALL', 'all'],
  ['#DATA', 'data'],
  ['#HEADERS', 'headers'],
  ['#TOTALS', 'totals'],
  ['#THIS ROW', 'thisRow'],
]);

interface TableSpecifier {
  readonly items: TableItem[];
  from?: string;
  to?: string;
}

/** The position after the bracket that closes the one at `position`; -1 if it is not closed. */
export function findBracketEnd(s: Scan, position: number): number {
  let depth = 0;
  for (let p = position; p < s.end; p++) {
    const code = s.text.charCodeAt(p);
    if (code === APOSTROPHE) p++;
    else if (code === LEFT_BRACKET) depth++;
    else if (code === RIGHT_BRACKET && --depth === 0) return p + 1;
  }
  return -1;
}

/** Parses the bracketed part of a structured reference. The cursor is at its `[`. */
export function parseStructured(s: Scan, table: string): Node {
  const start = s.pos;
  const specifier: TableSpecifier = { items: [] };
  s.pos++;
  skipBlanks(s);
  const code = getCurrentCode(s);
  if (code === AT) parseThisRow(s, specifier);
  else if (code === HASH) parseKeyword(s, specifier);
  else if (code === LEFT_BRACKET) parseList(s, specifier);
  else if (code !== RIGHT_BRACKET) specifier.from = parseColumn(s);
  skipBlanks(s);
  if (s.problem === null && s.pos >= s.end)
    return failParse(s, `the \`[\` at ${describePosition(s, start)} is never closed`);
  if (getCurrentCode(s) !== RIGHT_BRACKET) return failUnexpected(s);
  s.pos++;
  return createTableNode(table, specifier.items, specifier.from, specifier.to);
}

/** Parses a specifier for the formula's own row: `@`, `@Col`, `@[a b]`, `@[A]:[B]`. */
function parseThisRow(s: Scan, specifier: TableSpecifier): void {
  specifier.items.push('thisRow');
  s.pos++;
  skipBlanks(s);
  const code = getCurrentCode(s);
  if (code === LEFT_BRACKET) parseColumns(s, specifier);
  else if (code !== RIGHT_BRACKET) specifier.from = parseColumn(s);
}

/** Parses a keyword such as `#Headers`, up to the closing bracket. */
function parseKeyword(s: Scan, specifier: TableSpecifier): void {
  const close = s.text.indexOf(']', s.pos);
  const item = ITEMS.get(
    s.text
      .slice(s.pos, close < 0 ? s.end : close)
      .trimEnd()
      .toUpperCase(),
  );
  if (item === undefined) {
    failParse(
      s,
      `\`#All\`, \`#Data\`, \`#Headers\`, \`#Totals\` or \`#This Row\` is expected at ${describePosition(s, s.pos)}`,
    );
    return;
  }
  if (!specifier.items.includes(item)) specifier.items.push(item);
  s.pos = close;
}

/** Parses a list of specifiers: `[#Headers],[#Data],[A]:[B]`. Keywords come first, then at most one column range. */
function parseList(s: Scan, specifier: TableSpecifier): void {
  for (;;) {
    if (getCodeAt(s, s.pos + 1) === HASH) {
      s.pos++;
      parseKeyword(s, specifier);
      s.pos++;
    } else {
      parseColumns(s, specifier);
    }
    skipBlanks(s);
    const code = getCurrentCode(s);
    if ((code !== s.separator && code !== COMMA) || specifier.from !== undefined) return;
    s.pos++;
    skipBlanks(s);
    if (getCurrentCode(s) !== LEFT_BRACKET) {
      failUnexpected(s);
      return;
    }
  }
}

/** Parses the columns: `[A]` or `[A]:[B]`. */
function parseColumns(s: Scan, specifier: TableSpecifier): void {
  specifier.from = parseBracketedColumn(s);
  skipBlanks(s);
  if (getCurrentCode(s) !== COLON) return;
  s.pos++;
  skipBlanks(s);
  if (getCurrentCode(s) !== LEFT_BRACKET) {
    failUnexpected(s);
    return;
  }
  specifier.to = parseBracketedColumn(s);
}

function parseBracketedColumn(s: Scan): string {
  s.pos++;
  const name = parseColumn(s);
  s.pos++;
  return name;
}

/** Parses a column name up to its closing bracket; `'` escapes the next character. */
function parseColumn(s: Scan): string {
  const start = s.pos;
  let p = start;
  let name = '';
  let from = start;
  for (let code = getCodeAt(s, p); code !== RIGHT_BRACKET && p < s.end; code = getCodeAt(s, ++p)) {
    if (code === LEFT_BRACKET) break;
    if (code !== APOSTROPHE) continue;
    name += s.text.slice(from, p);
    from = ++p;
  }
  name += s.text.slice(from, p);
  s.pos = p;
  if (p < s.end && name === '') failParse(s, `the name of a column is expected at ${describePosition(s, start)}`);
  return name;
}
