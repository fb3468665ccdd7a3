import {
  type Area,
  areaText,
  columnIndex,
  columnName,
  getLocale,
  type LocaleId,
  MAX_COLUMNS,
  MAX_ROWS,
  parseArea,
  quoteSheetName,
  splitSheetPrefix,
} from '@cellwire/engine';

/** A reference in the text of a formula. */
interface FormulaReference {
  readonly from: number;
  readonly to: number;
  /** Sheet of the reference; null for the formula's own sheet. */
  readonly sheet: string | null;
  readonly area: Area;
}

/** Texts, quoted names, and possible references with their sheet. */
const FORMULA_PIECES =
  /"(?:[^"]|"")*"|((?:'(?:[^']|'')+'|[\p{L}_][\p{L}\p{N}_.]*)!)?(\$?[A-Za-z]{1,3}\$?[1-9]\d{0,6}(?::\$?[A-Za-z]{1,3}\$?[1-9]\d{0,6})?|\$?[A-Za-z]{1,3}:\$?[A-Za-z]{1,3}|\$?[1-9]\d{0,6}:\$?[1-9]\d{0,6})(?![\p{L}\p{N}_(])/gu;

/** Finds references while a formula is typed. The result is approximate; it is used for colours. */
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

/**
 * Moves the relative references of a formula, as when its cell is copied. References outside the grid become `#REF!`.
 */
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

/** Moves one corner of a reference, such as `$B3`, `C` or `7`; null if it leaves the grid. */
function moveCorner(corner: string, rows: number, columns: number): string | null {
  const [, columnMark = '', letters, rowMark = '', digits] = /^(\$?)([A-Za-z]+)?(\$?)(\d+)?$/.exec(corner) ?? [];
  // In a whole row (`$5`) the first `$` belongs to the row.
  const isFixedRow = rowMark === '$' || (letters === undefined && columnMark === '$');
  const column = letters === undefined ? null : columnIndex(letters) + (columnMark === '$' ? 0 : columns);
  const row = digits === undefined ? null : Number(digits) + (isFixedRow ? 0 : rows);
  if (column !== null && (column < 0 || column >= MAX_COLUMNS)) return null;
  if (row !== null && (row < 1 || row > MAX_ROWS)) return null;
  const ofColumn = column === null ? '' : columnMark + columnName(column);
  return ofColumn + (row === null ? '' : (isFixedRow ? '$' : '') + row);
}

/** Matches complete texts and quoted sheet names. */
const QUOTED = /"(?:[^"]|"")*"|'(?:[^']|'')*'/g;

/** True if a reference is possible at the caret, so that a click on a cell inserts it. Quoted texts accept none. */
export function canAcceptReferenceAt(text: string, caret: number): boolean {
  if (!text.startsWith('=') || caret < 1) return false;
  const before = text.slice(0, caret).replaceAll(QUOTED, 'q').trimEnd();
  return !/["']/.test(before) && /[=(;+\-*/^&<>:,\\{]$/.test(before);
}

export function formatReference(sheet: string, formulaSheet: string, area: Area): string {
  return sheet === formulaSheet ? areaText(area) : `${quoteSheetName(sheet)}!${areaText(area)}`;
}

/** What the person types at the caret: the start of a name, or the arguments of a call. */
export interface CaretContext {
  /** Letters that may start a function's name; null if none. */
  readonly word: { readonly text: string; readonly from: number } | null;
  /** The innermost call around the caret and the index of its argument, from 0. */
  readonly call: { readonly name: string; readonly argument: number } | null;
}

export function parseCaretContext(text: string, caret: number, separator: ';' | ',' = ';'): CaretContext {
  if (!text.startsWith('=')) return { word: null, call: null };
  const before = text.slice(0, caret);
  const word = /(?<![\p{L}\p{M}\p{N}_.!"'])\p{L}[\p{L}\p{M}0-9.]*$/u.exec(before);
  return {
    word: word === null ? null : { text: word[0], from: word.index },
    call: findEnclosingCall(before, separator),
  };
}

function findEnclosingCall(before: string, separator: ';' | ','): CaretContext['call'] {
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
  const namedCall = open.findLast(({ name }) => name !== '');
  return namedCall ?? null;
}

/** Separators that people type in a locale; null for the API's grammar. */
export function getFormulaSeparators(locale: LocaleId | null): {
  readonly decimal: ',' | '.';
  readonly separator: ';' | ',';
} {
  const decimal = locale === null ? ',' : getLocale(locale).decimal;
  return { decimal, separator: decimal === '.' ? ',' : ';' };
}
