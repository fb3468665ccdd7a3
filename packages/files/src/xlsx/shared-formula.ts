import { columnIndex, columnName, MAX_COLUMNS, MAX_ROWS } from '@cellwire/engine';

/** A relative coordinate of a reference in a formula's text. */
interface RelativeCoordinate {
  readonly axis: 'row' | 'column';
  readonly at: number;
}

/**
 * A formula that several cells share: the text of one cell, split at relative coordinates. A relative coordinate moves
 * with the cell's distance from the first cell, and wraps at the end of the grid as in Excel.
 */
export class SharedFormula {
  private readonly pieces: readonly (string | RelativeCoordinate)[];
  private readonly row: number;
  private readonly column: number;

  /** `text`: the formula of the cell at `row` and `column` (zero-based), in the grammar of files. */
  constructor(text: string, row: number, column: number) {
    this.pieces = splitFormula(text);
    this.row = row;
    this.column = column;
  }

  /** Returns the text of the formula in another cell. */
  getTextAt(row: number, column: number): string {
    const down = row - this.row;
    const right = column - this.column;
    let text = '';
    for (const piece of this.pieces) {
      if (typeof piece === 'string') text += piece;
      else if (piece.axis === 'row') text += wrapAroundGrid(piece.at + down, MAX_ROWS) + 1;
      else text += columnName(wrapAroundGrid(piece.at + right, MAX_COLUMNS));
    }
    return text;
  }
}

/** A coordinate beyond the grid continued from the other side, as Excel does for shared formulas. */
function wrapAroundGrid(coordinate: number, size: number): number {
  return ((coordinate % size) + size) % size;
}

/** Matches a token of a formula; any other character is a separate token. */
const TOKEN = new RegExp(
  [
    '"[^"]*(?:""[^"]*)*"', // text
    "'[^']*(?:''[^']*)*'!?", // quoted sheet
    '#[A-Z][A-Z0-9_/]*[!?]?', // error
    '[\\p{L}\\p{M}\\p{N}_.$\\\\?]+', // word: reference, number, name, function, sheet
  ].join('|'),
  'uy',
);
const CELL = /^(\$?)([A-Za-z]{1,3})(\$?)([1-9][0-9]{0,6})$/;
const COLUMN = /^(\$?)([A-Za-z]{1,3})$/;
const ROW = /^(\$?)([1-9][0-9]{0,6})$/;

/** The text in pieces: what stays, and relative coordinates that move with the cell. */
function splitFormula(text: string): (string | RelativeCoordinate)[] {
  const pieces: (string | RelativeCoordinate)[] = [];
  let literal = '';
  const addParts = (parts: readonly (string | RelativeCoordinate)[]): void => {
    for (const part of parts) {
      if (typeof part === 'string') literal += part;
      else {
        if (literal !== '') pieces.push(literal);
        literal = '';
        pieces.push(part);
      }
    }
  };
  for (let i = 0; i < text.length; ) {
    if (text[i] === '[') {
      const end = findBracketEnd(text, i);
      addParts([text.slice(i, end)]);
      i = end;
      continue;
    }
    const word = readToken(text, i);
    const range = word === '' ? null : parseReference(text, i, word);
    addParts(range ? range.parts : [word || (text[i] as string)]);
    i += range ? range.length : word.length || 1;
  }
  if (literal !== '') pieces.push(literal);
  return pieces;
}

/** The reference, text or name that begins at the offset; empty if none does. */
function readToken(text: string, offset: number): string {
  TOKEN.lastIndex = offset;
  return TOKEN.exec(text)?.[0] ?? '';
}

/** Returns the end of a bracketed part such as `Table[[#This Row],[a]]`; an apostrophe escapes the next character. */
function findBracketEnd(text: string, start: number): number {
  let depth = 0;
  for (let i = start; i < text.length; i++) {
    const c = text[i];
    if (c === "'") i++;
    else if (c === '[') depth++;
    else if (c === ']' && --depth === 0) return i + 1;
  }
  return text.length;
}

interface ReferenceSpan {
  readonly parts: readonly (string | RelativeCoordinate)[];
  readonly length: number;
}

/**
 * Returns the reference that starts at a word, or null. Whole columns and rows (`A:B`, `$1:2`) consist of two words.
 */
function parseReference(text: string, offset: number, word: string): ReferenceSpan | null {
  const next = text[offset + word.length];
  if (next === '!' || next === '(' || next === '[') return null;
  const second = next === ':' ? readToken(text, offset + word.length + 1) : '';
  const length = word.length + 1 + second.length;
  const after = text[offset + length];
  // In `S1:S3!A1` the words are names of sheets; `Data!A1:Data!B2` is two references.
  if (second !== '' && after === '!' && text[offset - 1] !== '!')
    return { parts: [text.slice(offset, offset + length)], length };
  const cell = splitCell(word);
  if (cell) return { parts: cell, length: word.length };
  if (second === '' || after === '!' || after === '(' || after === '[') return null;
  const first = splitAxis(word);
  const last = splitAxis(second);
  return first && last && first.axis === last.axis ? { parts: [...first.parts, ':', ...last.parts], length } : null;
}

/** Returns a cell reference as parts, with its relative coordinates; null if the word is not a reference. */
function splitCell(word: string): (string | RelativeCoordinate)[] | null {
  const match = CELL.exec(word);
  if (!match) return null;
  const [, columnMark, letters, rowMark, digits] = match as unknown as [string, string, string, string, string];
  if (columnIndex(letters) < 0 || Number(digits) > MAX_ROWS) return null;
  return [...splitColumn(columnMark, letters), ...splitRow(rowMark, digits)];
}

/** A column reference as fixed text, or as a relative coordinate if `dollar` is empty. */
function splitColumn(dollar: string, letters: string): (string | RelativeCoordinate)[] {
  return [dollar === '$' ? `$${letters}` : { axis: 'column', at: columnIndex(letters) }];
}

/** A row reference as fixed text, or as a relative coordinate if `dollar` is empty. */
function splitRow(dollar: string, digits: string): (string | RelativeCoordinate)[] {
  return [dollar === '$' ? `$${digits}` : { axis: 'row', at: Number(digits) - 1 }];
}

/** Returns a reference to a whole column or row as parts; null if the word is not one. */
function splitAxis(word: string): { readonly axis: string; readonly parts: (string | RelativeCoordinate)[] } | null {
  const column = COLUMN.exec(word);
  if (column && columnIndex(column[2] as string) >= 0) {
    return { axis: 'column', parts: splitColumn(column[1] as string, column[2] as string) };
  }
  const row = ROW.exec(word);
  if (row && Number(row[2]) <= MAX_ROWS) return { axis: 'row', parts: splitRow(row[1] as string, row[2] as string) };
  return null;
}
