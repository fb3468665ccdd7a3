import { ERROR_CODES } from '../value/errors.ts';
import type { Node, SheetPart } from './ast.ts';
import { APOSTROPHE, COLON, COMMA, EXCLAMATION, HASH, isWordStart, LEFT_BRACKET } from './characters.ts';
import { errorLiteral } from './literals.ts';
import { errorNode, nameNode, REF_ERROR } from './nodes.ts';
import { reference } from './references.ts';
import { character, codeAt, current, fail, type Scan, skipBlanks, unexpected, wordEnd } from './scan.ts';
import { closingQuote } from './sheet-name.ts';
import { isExternal, ownSheetOf, sheetPart, sheetsPart } from './sheets.ts';
import { bracketEnd, structured } from './structured.ts';

/** An error code. A reference glued to `#REF!` has lost its sheet and is lost with it: `#REF!$A$1`. */
export function errorOrLostReference(s: Scan): Node {
  const node = errorLiteral(s);
  if (node === null) return s.separator === COMMA ? unmarkedError(s) : unexpected(s);
  if (node === REF_ERROR) {
    const spans = s.spans;
    s.spans = null;
    if (reference(s, undefined, false) === null) errorLiteral(s);
    s.spans = spans;
  }
  return node;
}

/** Files of other programs hold errors without their mark (`#DIV/0`); any other word after `#` is `#NAME?`. */
function unmarkedError(s: Scan): Node {
  const word = wordEnd(s, s.pos + 1);
  const end = s.text.startsWith('/0', word) ? word + 2 : word;
  if (end === s.pos + 1) return unexpected(s);
  const code = ERROR_CODES.find((marked) => marked.slice(0, -1) === s.text.slice(s.pos, end));
  s.pos = end;
  return errorNode(code ?? '#NAME?');
}

/** `'It''s'!A1`, `'a b:c d'!A1`, `'[Book.xlsx]S'!A1`. */
export function quotedSheet(s: Scan): Node {
  const start = s.pos;
  const close = closingQuote(s.text, start);
  if (close < 0) return fail(s, `the sheet name that begins at ${character(s, start)} has no closing \`'\``);
  s.pos = close + 1;
  if (current(s) !== EXCLAMATION) {
    // A quoted word without a cell behind it is a name in LibreOffice, and no sheet's: `'first':'last'!A1`.
    if (s.separator === COMMA) return nameNode(s.text.slice(start, s.pos));
    return fail(s, `texts take \`"\`; a sheet name in \`'\` needs a \`!\` after it (${character(s, close)})`);
  }
  const name = s.text.slice(start + 1, close).replaceAll("''", "'");
  if (name === '') return fail(s, `the sheet name at ${character(s, start)} is empty`);
  return afterSheet(s, name);
}

/** `[1]Sheet1!A1` of another workbook, or `[@Col]` of the table around the cell. */
export function bracketed(s: Scan): Node {
  const start = s.pos;
  const close = bracketEnd(s, start);
  if (close < 0) return fail(s, `the \`[\` at ${character(s, start)} is never closed`);
  let mark = wordEnd(s, close);
  if (codeAt(s, mark) === COLON) mark = wordEnd(s, mark + 1);
  if (codeAt(s, mark) !== EXCLAMATION) return structured(s, '');
  s.pos = mark;
  return inBook(s, s.text.slice(start, mark));
}

/** What a workbook's number or name, and perhaps a sheet's, stands before. */
function inBook(s: Scan, name: string): Node {
  const own = ownSheetOf(name);
  if (own === undefined) return belongingToBook(s, { external: name });
  return belongingToSheet(s, own === '' ? undefined : sheetPart(own, s.names));
}

/** Names of other workbooks are kept as they are written: `[1]!Table1[Sum]`, `[1]!'topic;item'`. */
function belongingToBook(s: Scan, sheet: SheetPart): Node {
  const start = s.pos + 1;
  if (codeAt(s, start) === APOSTROPHE) {
    const close = closingQuote(s.text, start);
    if (close < 0) return fail(s, `the name that begins at ${character(s, start)} has no closing \`'\``);
    s.pos = close + 1;
    return nameNode(s.text.slice(start, s.pos), sheet);
  }
  const node = belongingToSheet(s, sheet);
  if (node.k !== 'name' || current(s) !== LEFT_BRACKET) return node;
  const close = bracketEnd(s, s.pos);
  if (close < 0) return fail(s, `the \`[\` at ${character(s, s.pos)} is never closed`);
  s.pos = close;
  return nameNode(s.text.slice(start, close), sheet);
}

/** The reference or name after a sheet's name, the cursor being at the `!`. */
export function afterSheet(s: Scan, first: string, last?: string): Node {
  if (last !== undefined) return belongingToSheet(s, sheetsPart(first, last, s.names));
  const part = sheetPart(first, s.names);
  if ('missing' in part && isExternal(first)) return inBook(s, first);
  return belongingToSheet(s, part);
}

function belongingToSheet(s: Scan, sheet: SheetPart | undefined): Node {
  s.pos++;
  skipBlanks(s);
  const code = current(s);
  if (code === HASH) {
    const error = errorLiteral(s);
    return error === REF_ERROR ? error : unexpected(s);
  }
  const found = reference(s, sheet, false);
  if (found !== null) return found;
  if (!isWordStart(code)) return unexpected(s);
  const start = s.pos;
  s.pos = wordEnd(s, start);
  return nameNode(s.text.slice(start, s.pos), sheet);
}
