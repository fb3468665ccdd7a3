import type { Node, SheetPart } from './ast.ts';
import { COLON, EXCLAMATION, HASH, isWordStart } from './characters.ts';
import { errorLiteral } from './literals.ts';
import { nameNode, REF_ERROR } from './nodes.ts';
import { reference } from './references.ts';
import { character, codeAt, current, fail, type Scan, skipBlanks, unexpected, wordEnd } from './scan.ts';
import { closingQuote } from './sheet-name.ts';
import { isExternal, sheetPart, sheetsPart } from './sheets.ts';
import { bracketEnd, structured } from './structured.ts';

/** An error code. A reference glued to `#REF!` has lost its sheet and is lost with it: `#REF!$A$1`. */
export function errorOrLostReference(s: Scan): Node {
  const node = errorLiteral(s);
  if (node === null) return unexpected(s);
  if (node === REF_ERROR) {
    const spans = s.spans;
    s.spans = null;
    if (reference(s, undefined, false) === null) errorLiteral(s);
    s.spans = spans;
  }
  return node;
}

/** `'It''s'!A1`, `'a b:c d'!A1`, `'[Book.xlsx]S'!A1`. */
export function quotedSheet(s: Scan): Node {
  const start = s.pos;
  const close = closingQuote(s.text, start);
  if (close < 0) return fail(s, `the sheet name that begins at ${character(s, start)} has no closing \`'\``);
  s.pos = close + 1;
  if (current(s) !== EXCLAMATION) {
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
  return external(s);
}

/** What belongs to a reference into another workbook is read over: its value is not to be had. */
function external(s: Scan): Node {
  const spans = s.spans;
  s.spans = null;
  belongingToSheet(s, undefined);
  s.spans = spans;
  return REF_ERROR;
}

/** The reference or name after a sheet's name, the cursor being at the `!`. */
export function afterSheet(s: Scan, first: string, last?: string): Node {
  if (last !== undefined) return belongingToSheet(s, sheetsPart(first, last, s.names));
  const part = sheetPart(first, s.names);
  if ('missing' in part && isExternal(first)) return external(s);
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
