import { ERROR_CODES } from '../value/errors.ts';
import type { Node, SheetPart } from './ast.ts';
import { APOSTROPHE, COLON, COMMA, EXCLAMATION, HASH, isWordStart, LEFT_BRACKET } from './characters.ts';
import { parseErrorLiteral } from './literals.ts';
import { createErrorNode, createNameNode, REF_ERROR } from './nodes.ts';
import { parseReference } from './references.ts';
import {
  describePosition,
  failParse,
  failUnexpected,
  findWordEnd,
  getCodeAt,
  getCurrentCode,
  type Scan,
  skipBlanks,
} from './scan.ts';
import { findClosingQuote } from './sheet-name.ts';
import { findOwnSheetName, isExternal, readSheetPart, readSheetsPart } from './sheets.ts';
import { findBracketEnd, parseStructured } from './structured.ts';

/** Parses an error code. A reference after `#REF!` belongs to a deleted sheet and is dropped: `#REF!$A$1`. */
export function parseErrorOrLostReference(s: Scan): Node {
  const node = parseErrorLiteral(s);
  if (node === null) return s.separator === COMMA ? parseUnmarkedError(s) : failUnexpected(s);
  if (node === REF_ERROR) {
    const spans = s.spans;
    s.spans = null;
    if (parseReference(s, undefined, false) === null) parseErrorLiteral(s);
    s.spans = spans;
  }
  return node;
}

/**
 * Parses an error without its mark, such as `#DIV/0`, which files of other programs contain. Any other word after `#`
 * is `#NAME?`.
 */
function parseUnmarkedError(s: Scan): Node {
  const word = findWordEnd(s, s.pos + 1);
  const end = s.text.startsWith('/0', word) ? word + 2 : word;
  if (end === s.pos + 1) return failUnexpected(s);
  const code = ERROR_CODES.find((marked) => marked.slice(0, -1) === s.text.slice(s.pos, end));
  s.pos = end;
  return createErrorNode(code ?? '#NAME?');
}

/** Parses a reference with a quoted sheet: `'It''s'!A1`, `'a b:c d'!A1`, `'[Book.xlsx]S'!A1`. */
export function parseQuotedSheet(s: Scan): Node {
  const start = s.pos;
  const close = findClosingQuote(s.text, start);
  if (close < 0)
    return failParse(s, `the sheet name that begins at ${describePosition(s, start)} has no closing \`'\``);
  s.pos = close + 1;
  if (getCurrentCode(s) !== EXCLAMATION) {
    // In LibreOffice a quoted word that is not followed by a cell is a name, not a sheet: `'first':'last'!A1`.
    if (s.separator === COMMA) return createNameNode(s.text.slice(start, s.pos));
    return failParse(
      s,
      `texts take \`"\`; a sheet name in \`'\` needs a \`!\` after it (${describePosition(s, close)})`,
    );
  }
  const name = s.text.slice(start + 1, close).replaceAll("''", "'");
  if (name === '') return failParse(s, `the sheet name at ${describePosition(s, start)} is empty`);
  return parseAfterSheet(s, name);
}

/** Parses `[1]Sheet1!A1` of another workbook, or `[@Col]` of the table around the cell. */
export function parseBracketed(s: Scan): Node {
  const start = s.pos;
  const close = findBracketEnd(s, start);
  if (close < 0) return failParse(s, `the \`[\` at ${describePosition(s, start)} is never closed`);
  let mark = findWordEnd(s, close);
  if (getCodeAt(s, mark) === COLON) mark = findWordEnd(s, mark + 1);
  if (getCodeAt(s, mark) !== EXCLAMATION) return parseStructured(s, '');
  s.pos = mark;
  return parseInBook(s, s.text.slice(start, mark));
}

/** Parses the text after a workbook's number or name and an optional sheet. */
function parseInBook(s: Scan, name: string): Node {
  const sheetName = findOwnSheetName(name);
  if (sheetName === undefined) return parseBookReference(s, { external: name });
  return parseSheetReference(s, sheetName === '' ? undefined : readSheetPart(sheetName, s.names));
}

/** Parses a name of another workbook, which is kept as written: `[1]!Table1[Sum]`, `[1]!'topic;item'`. */
function parseBookReference(s: Scan, sheet: SheetPart): Node {
  const start = s.pos + 1;
  if (getCodeAt(s, start) === APOSTROPHE) {
    const close = findClosingQuote(s.text, start);
    if (close < 0) return failParse(s, `the name that begins at ${describePosition(s, start)} has no closing \`'\``);
    s.pos = close + 1;
    return createNameNode(s.text.slice(start, s.pos), sheet);
  }
  const node = parseSheetReference(s, sheet);
  if (node.k !== 'name' || getCurrentCode(s) !== LEFT_BRACKET) return node;
  const close = findBracketEnd(s, s.pos);
  if (close < 0) return failParse(s, `the \`[\` at ${describePosition(s, s.pos)} is never closed`);
  s.pos = close;
  return createNameNode(s.text.slice(start, close), sheet);
}

/** Parses the reference or name after a sheet's name. The cursor is at the `!`. */
export function parseAfterSheet(s: Scan, first: string, last?: string): Node {
  if (last !== undefined) return parseSheetReference(s, readSheetsPart(first, last, s.names));
  const part = readSheetPart(first, s.names);
  if ('missing' in part && isExternal(first)) return parseInBook(s, first);
  return parseSheetReference(s, part);
}

/** Parses the reference or name after the `!` of a sheet. */
function parseSheetReference(s: Scan, sheet: SheetPart | undefined): Node {
  s.pos++;
  skipBlanks(s);
  const code = getCurrentCode(s);
  if (code === HASH) {
    const error = parseErrorLiteral(s);
    return error === REF_ERROR ? error : failUnexpected(s);
  }
  const reference = parseReference(s, sheet, false);
  if (reference !== null) return reference;
  if (!isWordStart(code)) return failUnexpected(s);
  const start = s.pos;
  s.pos = findWordEnd(s, start);
  return createNameNode(s.text.slice(start, s.pos), sheet);
}
