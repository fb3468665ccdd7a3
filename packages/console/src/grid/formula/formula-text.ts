import {
  type Area,
  areaText,
  columnIndex,
  columnName,
  type LocaleId,
  localeOf,
  MAX_COLUMNS,
  MAX_ROWS,
  parseArea,
  quoteSheetName,
  splitSheetPrefix,
} from '@cellwire/engine';

/** A reference in a formula's text. */
interface FormulaReference {
  readonly from: number;
  readonly to: number;
  /** Null: of the formula's own sheet. */
  readonly sheet: string | null;
  readonly area: Area;
}

/** Texts, quoted names, then what may be a reference with its sheet. */
const FORMULA_PIECES =
  /"(?:[^"]|"")*"|((?:'(?:[^']|'')+'|[\p{L}_][\p{L}\p{N}_.]*)!)?(\$?[A-Za-z]{1,3}\$?[1-9]\d{0,6}(?::\$?[A-Za-z]{1,3}\$?[1-9]\d{0,6})?|\$?[A-Za-z]{1,3}:\$?[A-Za-z]{1,3}|\$?[1-9]\d{0,6}:\$?[1-9]\d{0,6})(?![\p{L}\p{N}_(])/gu;

/** The references of a formula that is being typed: a good guess, for colours. */
export function findReferences(text: string): readonly FormulaReference[] {
  if (!text.startsWith('=')) return [];
  const found: FormulaReference[] = [];
  for (const match of text.matchAll(FORMULA_PIECES)) {
    const [whole, prefix, range] = match;
    const before = text[match.index - 1];
    if (range === undefined || (before !== undefined && /[\p{L}\p{N}_.]/u.test(before))) continue;
    const area = parseArea(range);
    if (area === null) continue;
    const sheet = prefix === undefined ? null : (splitSheetPrefix(whole)?.sheet ?? null);
    found.push({ from: match.index, to: match.index + whole.length, sheet, area });
  }
  return found;
}

/** A formula's text with its relative references moved, as where a cell is copied; those that leave the grid are lost. */
export function moveFormula(text: string, rows: number, columns: number): string {
  let moved = '';
  let end = 0;
  for (const { from, to } of findReferences(text)) {
    const reference = text.slice(from, to);
    const mark = reference.lastIndexOf('!') + 1;
    const corners = reference
      .slice(mark)
      .split(':')
      .map((corner) => moveCorner(corner, rows, columns));
    const isLost = corners.includes(null);
    moved += text.slice(end, from) + (isLost ? '#REF!' : reference.slice(0, mark) + corners.join(':'));
    end = to;
  }
  return moved + text.slice(end);
}

/** One corner of a reference, `$B3` or `C` or `7`; null: it leaves the grid. */
function moveCorner(corner: string, rows: number, columns: number): string | null {
  const [, columnMark = '', letters, rowMark = '', digits] = /^(\$?)([A-Za-z]+)?(\$?)(\d+)?$/.exec(corner) ?? [];
  // Of a whole row (`$5`) the first mark is the row's.
  const isFixedRow = rowMark === '$' || (letters === undefined && columnMark === '$');
  const column = letters === undefined ? null : columnIndex(letters) + (columnMark === '$' ? 0 : columns);
  const row = digits === undefined ? null : Number(digits) + (isFixedRow ? 0 : rows);
  if (column !== null && (column < 0 || column >= MAX_COLUMNS)) return null;
  if (row !== null && (row < 1 || row > MAX_ROWS)) return null;
  const ofColumn = column === null ? '' : columnMark + columnName(column);
  return ofColumn + (row === null ? '' : (isFixedRow ? '$' : '') + row);
}

/** Whether a reference can stand at a place of a formula, so that a click on a cell means that cell. */
export function acceptsReferenceAt(text: string, caret: number): boolean {
  if (!text.startsWith('=') || caret < 1) return false;
  const before = text.slice(0, caret).trimEnd();
  return /[=(;+\-*/^&<>:,\\{]$/.test(before);
}

export function formatReference(sheet: string, own: string, area: Area): string {
  return sheet === own ? areaText(area) : `${quoteSheetName(sheet)}!${areaText(area)}`;
}

/** What is being typed at the caret: the beginning of a name, or the arguments of a call. */
export interface CaretContext {
  /** Letters that may become a function's name; null: none. */
  readonly word: { readonly text: string; readonly from: number } | null;
  /** The innermost call that the caret is in, and which of its arguments, from 0. */
  readonly call: { readonly name: string; readonly argument: number } | null;
}

export function caretContextAt(text: string, caret: number, separator: ';' | ',' = ';'): CaretContext {
  if (!text.startsWith('=')) return { word: null, call: null };
  const before = text.slice(0, caret);
  const word = /(?<![\p{L}\p{M}\p{N}_.!"'])\p{L}[\p{L}\p{M}0-9.]*$/u.exec(before);
  return { word: word === null ? null : { text: word[0], from: word.index }, call: enclosingCall(before, separator) };
}

function enclosingCall(before: string, separator: ';' | ','): CaretContext['call'] {
  const open: { name: string; argument: number }[] = [];
  for (const match of before.matchAll(/"(?:[^"]|"")*"?|'(?:[^']|'')*'?|(\p{L}[\p{L}\p{M}0-9.]*)?\(|\)|[;,]/gu)) {
    const [piece, name = ''] = match;
    if (piece.endsWith('(')) open.push({ name: name.toUpperCase(), argument: 0 });
    else if (piece === ')') open.pop();
    else if (piece === separator || piece === ';') {
      const innermost = open.at(-1);
      if (innermost !== undefined) innermost.argument++;
    }
  }
  const named = open.findLast(({ name }) => name !== '');
  return named ?? null;
}

/** The marks that people of a locale type in formulas; null: those of the wire. */
export function formulaMarks(locale: LocaleId | null): { readonly decimal: ',' | '.'; readonly separator: ';' | ',' } {
  const decimal = locale === null ? ',' : localeOf(locale).decimal;
  return { decimal, separator: decimal === '.' ? ',' : ';' };
}
