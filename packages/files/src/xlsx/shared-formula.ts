import { columnIndex, columnName, MAX_COLUMNS, MAX_ROWS } from '@cellwire/engine';

/** A relative coordinate of a reference in a formula's text. */
interface Moving {
  readonly axis: 'row' | 'column';
  readonly at: number;
}

/**
 * A formula that several cells share: the text of one cell, split at relative coordinates. A relative coordinate moves
 * with the cell's distance from the first cell, and wraps at the end of the grid as in Excel.
 */
export class SharedFormula {
  private readonly pieces: readonly (string | Moving)[];
  private readonly row: number;
  private readonly column: number;

  /** `text` is the formula of the cell at `row` and `column` (zero-based), in the file grammar. */
  constructor(text: string, row: number, column: number) {
    this.pieces = takeApart(text);
    this.row = row;
    this.column = column;
  }

  /** The text of the formula in another cell. */
  at(row: number, column: number): string {
    const down = row - this.row;
    const right = column - this.column;
    let text = '';
    for (const piece of this.pieces) {
      if (typeof piece === 'string') text += piece;
      else if (piece.axis === 'row') text += wrap(piece.at + down, MAX_ROWS) + 1;
      else text += columnName(wrap(piece.at + right, MAX_COLUMNS));
    }
    return text;
  }
}

function wrap(at: number, size: number): number {
  return ((at % size) + size) % size;
}

/** Tokens of a formula, as far as moving needs them; any other character is a token of its own. */
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

function takeApart(text: string): (string | Moving)[] {
  const pieces: (string | Moving)[] = [];
  let literal = '';
  const put = (parts: readonly (string | Moving)[]): void => {
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
      const end = bracketEnd(text, i);
      put([text.slice(i, end)]);
      i = end;
      continue;
    }
    const word = tokenAt(text, i);
    const range = word === '' ? null : rangeAt(text, i, word);
    put(range ? range.parts : [word || (text[i] as string)]);
    i += range ? range.length : word.length || 1;
  }
  if (literal !== '') pieces.push(literal);
  return pieces;
}

function tokenAt(text: string, at: number): string {
  TOKEN.lastIndex = at;
  return TOKEN.exec(text)?.[0] ?? '';
}

/** End of a bracketed part such as `Table[[#This Row],[a]]`; an apostrophe escapes the next character. */
function bracketEnd(text: string, start: number): number {
  let depth = 0;
  for (let i = start; i < text.length; i++) {
    const c = text[i];
    if (c === "'") i++;
    else if (c === '[') depth++;
    else if (c === ']' && --depth === 0) return i + 1;
  }
  return text.length;
}

interface Span {
  readonly parts: readonly (string | Moving)[];
  readonly length: number;
}

/** The reference that starts at a word, or null. Whole columns and rows (`A:B`, `$1:2`) consist of two words. */
function rangeAt(text: string, at: number, word: string): Span | null {
  const next = text[at + word.length];
  if (next === '!' || next === '(' || next === '[') return null;
  const second = next === ':' ? tokenAt(text, at + word.length + 1) : '';
  const length = word.length + 1 + second.length;
  const after = text[at + length];
  // `S1:S3!A1` names sheets; `Data!A1:Data!B2` is two references.
  if (second !== '' && after === '!' && text[at - 1] !== '!') return { parts: [text.slice(at, at + length)], length };
  const cell = cellParts(word);
  if (cell) return { parts: cell, length: word.length };
  if (second === '' || after === '!' || after === '(' || after === '[') return null;
  const first = axisParts(word);
  const last = axisParts(second);
  return first && last && first.axis === last.axis ? { parts: [...first.parts, ':', ...last.parts], length } : null;
}

function cellParts(word: string): (string | Moving)[] | null {
  const match = CELL.exec(word);
  if (!match) return null;
  const [, columnMark, letters, rowMark, digits] = match as unknown as [string, string, string, string, string];
  if (columnIndex(letters) < 0 || Number(digits) > MAX_ROWS) return null;
  return [...columnParts(columnMark, letters), ...rowParts(rowMark, digits)];
}

function columnParts(mark: string, letters: string): (string | Moving)[] {
  return [mark === '$' ? `$${letters}` : { axis: 'column', at: columnIndex(letters) }];
}

function rowParts(mark: string, digits: string): (string | Moving)[] {
  return [mark === '$' ? `$${digits}` : { axis: 'row', at: Number(digits) - 1 }];
}

function axisParts(word: string): { readonly axis: string; readonly parts: (string | Moving)[] } | null {
  const column = COLUMN.exec(word);
  if (column && columnIndex(column[2] as string) >= 0) {
    return { axis: 'column', parts: columnParts(column[1] as string, column[2] as string) };
  }
  const row = ROW.exec(word);
  if (row && Number(row[2]) <= MAX_ROWS) return { axis: 'row', parts: rowParts(row[1] as string, row[2] as string) };
  return null;
}
