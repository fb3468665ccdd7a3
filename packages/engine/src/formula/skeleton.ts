import { MAX_COLUMNS, MAX_ROWS } from '../grid/limits.ts';
import type { Node } from './ast.ts';
import { isDigit, ZERO } from './characters.ts';
import type { Grammar } from './grammar.ts';
import { parseScan } from './parse.ts';
import { type CoordinateSpans, type FormulaCell, type ParseNames, ROW_AXIS, Scan, SPAN_FIELDS } from './scan.ts';

/**
 * A formula's text without its relative coordinates: the part that stays the same when the formula is filled down. It
 * is valid while the sheets and tables in the text do not change: discard it when one is added, renamed or deleted.
 */
export interface Skeleton {
  readonly text: string;
  readonly spans: Readonly<CoordinateSpans>;
}

// Which sheets exist changes the meaning of a text, but not the positions of its coordinates.
const ANY_NAMES: ParseNames = { findSheetId: () => 0 };

/** The skeleton of a formula; null if the text cannot be parsed. */
export function parseSkeleton(text: string, grammar: Grammar, cell: FormulaCell): Skeleton | null {
  return parseWithSkeleton(text, grammar, cell, ANY_NAMES).skeleton;
}

/** Parses a formula and makes its skeleton in one pass; the skeleton is null if the text cannot be parsed. */
export function parseWithSkeleton(
  text: string,
  grammar: Grammar,
  cell: FormulaCell,
  names: ParseNames,
): { readonly node: Node; readonly skeleton: Skeleton | null } {
  const scan = new Scan(text, grammar, cell, names);
  const spans: CoordinateSpans = [];
  scan.spans = spans;
  const node = parseScan(scan);
  if (node.k === 'invalid') return { node, skeleton: null };
  return { node, skeleton: { text, spans } };
}

/**
 * True if `text`, entered at (row, column), has the same template as the formula of the skeleton at its own position.
 * Takes one pass without allocation. May return false for equal formulas (blanks, letter case); never returns true for
 * different ones.
 */
export function matchesSkeleton(skeleton: Skeleton, text: string, row: number, column: number): boolean {
  const { text: originalText, spans } = skeleton;
  let from = 0;
  let p = 0;
  for (let i = 0; i < spans.length; i += SPAN_FIELDS) {
    p = findLiteralEnd(originalText, from, spans[i]!, text, p);
    if (p < 0) return false;
    const offset = spans[i + 3]!;
    p = spans[i + 2] === ROW_AXIS ? findRowEnd(text, p, row + offset) : findColumnEnd(text, p, column + offset);
    if (p < 0) return false;
    from = spans[i + 1]!;
  }
  return findLiteralEnd(originalText, from, originalText.length, text, p) === text.length;
}

/**
 * If `text` contains the characters `from` to `to` of `literal` at `position`, returns the position after them; else
 * -1.
 */
function findLiteralEnd(literal: string, from: number, to: number, text: string, position: number): number {
  if (position + to - from > text.length) return -1;
  let p = position;
  for (let i = from; i < to; i++, p++) {
    if (literal.charCodeAt(i) !== text.charCodeAt(p)) return -1;
  }
  return p;
}

/** Returns the position after the row number; -1 if another number follows or the row is outside the grid. */
function findRowEnd(text: string, position: number, row: number): number {
  if (row < 0 || row >= MAX_ROWS || text.charCodeAt(position) === ZERO) return -1;
  let value = 0;
  let p = position;
  for (let code = text.charCodeAt(p); isDigit(code) && value <= row; code = text.charCodeAt(++p)) {
    value = value * 10 + code - ZERO;
  }
  return value === row + 1 && !isDigit(text.charCodeAt(p)) ? p : -1;
}

const LETTERS = 26;
const UPPER_A = 65;
/** The bit that differs between upper and lower case of an ASCII letter. */
const CASE_BIT = 32;

/**
 * Returns the position after the letters of the zero-based `column`; -1 if the text does not have exactly these letters
 * at `position`, or the column is outside the grid.
 */
function findColumnEnd(text: string, position: number, column: number): number {
  if (column < 0 || column >= MAX_COLUMNS) return -1;
  let value = 0;
  let p = position;
  for (let letter = getLetterAt(text, p); letter > 0 && value <= column; letter = getLetterAt(text, ++p)) {
    value = value * LETTERS + letter;
  }
  return value === column + 1 && getLetterAt(text, p) === 0 ? p : -1;
}

/** The number of the letter at a position, 1 to 26; 0 if it is not a letter. */
function getLetterAt(text: string, position: number): number {
  const letter = (text.charCodeAt(position) & ~CASE_BIT) - UPPER_A + 1;
  return letter > 0 && letter <= LETTERS ? letter : 0;
}
