import type { DateSystem } from '../locale/date-system.ts';
import { BOOLEAN, EMPTY, NUMBER, TEXT, TYPE_MASK } from '../sheet/cell-kind.ts';
import { CHUNK_SHIFT, type Chunk } from '../sheet/chunk.ts';
import type { Column } from '../sheet/snapshot.ts';
import type { Texts } from '../sheet/texts.ts';
import type { ColumnReader } from './cell-values.ts';
import { type CellTest, type MomentOrder, type NumberOrder, ROUNDING, type TextSet } from './conditions.ts';
import { CODES, type TextCodes } from './text-codes.ts';

const UNKNOWN = 0;
const HOLDS = 1;
const FAILS = 2;
/** Number of texts that are tested between two pauses. */
const TEXTS_PER_STEP = 1_024;

/** The results of one test for the distinct texts of a column. */
export class TextResults {
  readonly codes: TextCodes;
  private readonly column: Column;
  private readonly test: CellTest;
  private readonly dateSystem: DateSystem | null;
  /** For each code: `HOLDS`, `FAILS` or `UNKNOWN`. `UNKNOWN` for `NO_TEXT`. */
  private readonly results = new Uint8Array(CODES);
  private isComplete = false;

  /** `codes`: the codes of `column`. `dateSystem`: null if the column's type decides which texts are moments. */
  constructor(codes: TextCodes, column: Column, test: CellTest, dateSystem: DateSystem | null) {
    this.codes = codes;
    this.column = column;
    this.test = test;
    this.dateSystem = dateSystem;
  }

  /** True if the codes of the rows are up to date. A request for another state may change them during a pause. */
  get hasRowCodes(): boolean {
    return this.codes.isSyncedWith(this.column);
  }

  /** Tests all texts, once. Pauses regularly. */
  *testAllTexts(): Generator<void, void> {
    // The codes contained all texts of the column when this object was created. Later texts are of other states.
    if (this.isComplete) return;
    if (this.test.textSet !== undefined) yield* this.findEqualTexts(this.test.textSet);
    // Tests the texts that have no result yet. After `findEqualTexts` this is only the empty text.
    for (let code = 0; code < this.codes.texts.length; code++) {
      this.testText(code);
      if (code % TEXTS_PER_STEP === TEXTS_PER_STEP - 1) yield;
    }
    this.isComplete = true;
  }

  /** Looks up the texts of a set, which is faster than testing all texts. Pauses regularly. */
  private *findEqualTexts({ keys, caseSensitive, isIn }: TextSet): Generator<void, void> {
    const { codes, results } = this;
    const equalCodes = yield* codes.findEqualCodesInSteps(caseSensitive);
    const [found, others] = isIn ? [HOLDS, FAILS] : [FAILS, HOLDS];
    const resultsByEqual = new Uint8Array(equalCodes.length).fill(others);
    for (const key of keys) {
      const code = codes.findEqualCode(key, caseSensitive);
      if (code !== null) resultsByEqual[code] = found;
    }
    for (let code = 0; code < equalCodes.length; code++) results[code] = resultsByEqual[equalCodes[code]!]!;
    // An empty text counts as an empty cell.
    const emptyCode = codes.findEqualCode('', caseSensitive);
    if (emptyCode !== null) results[emptyCode] = UNKNOWN;
  }

  /** Whether the text with a code matches. */
  testText(code: number): boolean {
    const { results } = this;
    if (results[code] === UNKNOWN) results[code] = this.computeResult(code) ? HOLDS : FAILS;
    return results[code] === HOLDS;
  }

  private computeResult(code: number): boolean {
    const { test, codes, dateSystem } = this;
    if (test.momentOrder === undefined || dateSystem === null) return test.matches(codes.texts[code]!, getNoMoment);
    // Texts in plain form are compared as the moments that they contain.
    const moment = codes.readMoment(code, dateSystem);
    return moment !== null && test.matches(moment.serial, () => moment.kind);
  }

  /** Clears the marks of texts that do not match, by code. Needs `testAllTexts`. */
  filterCodes(codeMarks: Uint8Array): void {
    const { results } = this;
    for (let code = 0; code < this.codes.texts.length; code++)
      codeMarks[code] = codeMarks[code]! & Number(results[code] === HOLDS);
  }

  /**
   * Moves the rows from index `from` to `end - 1` whose texts match to index `kept` and after it, and returns the index
   * after the last of them. `testRow`: the test of a row without a known result. Call it only if `hasRowCodes`.
   */
  keepRows(rows: Uint32Array, from: number, end: number, kept: number, testRow: (row: number) => boolean): number {
    const { results } = this;
    const { rowCodes } = this.codes;
    let next = kept;
    for (let i = from; i < end; i++) {
      const row = rows[i]!;
      const code = rowCodes[row]!;
      // Writes every row, but only matching rows move the end. The processor could not predict a branch.
      rows[next] = row;
      if (results[code] === UNKNOWN) next += Number(testRow(row));
      else next += results[code]! & HOLDS;
    }
    return next;
  }

  /**
   * Clears the marks of rows of a block whose texts fail, and leaves the marks of cells without a text. Needs
   * `testAllTexts`. False if the numbers of this chunk's texts are not available; then it changes nothing.
   */
  filterTexts(rowMarks: Uint8Array, block: number, chunk: Chunk): boolean {
    const { codes, results } = this;
    if (!this.isComplete || !codes.hasChunk(block, chunk)) return false;
    const { rowCodes } = codes;
    const first = block << CHUNK_SHIFT;
    const end = Math.min(chunk.rows, rowMarks.length);
    for (let at = 0; at < end; at++) rowMarks[at] = rowMarks[at]! & Number(results[rowCodes[first + at]!] !== FAILS);
    return true;
  }
}

/**
 * Clears the marks of rows whose cells fail a test. `rowMarks`: one byte per row of a block. Each text of the chunk is
 * tested once. `skipsTexts`: the texts were already tested.
 */
export function filterByTest(
  rowMarks: Uint8Array,
  reader: ColumnReader,
  test: CellTest,
  chunk: Chunk | undefined,
  skipsTexts = false,
): void {
  const matchesEmpty = test.matches(null, getNoMoment);
  if (chunk === undefined) {
    if (!matchesEmpty) rowMarks.fill(0);
    return;
  }
  if (filterUniformChunk(rowMarks, reader, test, chunk)) {
    if (!matchesEmpty) rowMarks.fill(0, chunk.rows);
    return;
  }
  const { kinds, numbers } = chunk;
  if (test.numberOrder !== undefined && reader.type === null) {
    filterNumbers(rowMarks, test.numberOrder, numbers);
    // Only numbers match a bound of numbers.
    for (let at = 0; at < kinds.length; at++)
      rowMarks[at] = rowMarks[at]! & Number((kinds[at]! & TYPE_MASK) === NUMBER);
    rowMarks.fill(0, kinds.length);
    return;
  }
  if (test.isEmpty !== undefined) return filterEmptyCells(rowMarks, chunk, test.isEmpty);
  if (skipsTexts && (chunk.uniformKind() & TYPE_MASK) === TEXT) {
    if (!matchesEmpty) rowMarks.fill(0, chunk.rows);
    return;
  }
  const resultsByText = skipsTexts
    ? NO_RESULTS
    : ((readsTexts(reader) ? testPackedTexts(chunk.texts, test) : null) ?? new Uint8Array(chunk.texts.count));
  let row = 0;
  const momentKind = () => reader.findMomentKind(chunk, row);
  const matchesCell = (blockRow: number): boolean => {
    row = blockRow;
    return test.matches(reader.readScalar(chunk, blockRow), momentKind);
  };
  const hasPlainNumbers = reader.type === null;
  for (let at = 0; at < rowMarks.length; at++) {
    if (rowMarks[at] === 0) continue;
    const type = at < kinds.length ? kinds[at]! & TYPE_MASK : EMPTY;
    let holds = matchesEmpty;
    if (type === TEXT) {
      if (skipsTexts) continue;
      const text = numbers[at]!;
      if (resultsByText[text] === UNKNOWN) resultsByText[text] = matchesCell(at) ? HOLDS : FAILS;
      holds = resultsByText[text] === HOLDS;
    } else if (type === NUMBER && hasPlainNumbers) {
      row = at;
      holds = test.matches(numbers[at]!, momentKind);
    } else if (type !== EMPTY) {
      holds = matchesCell(at);
    }
    if (!holds) rowMarks[at] = 0;
  }
}

/**
 * Clears the marks of rows that fail, if all cells of a chunk are of one type and the test can be performed on its numbers.
 * Else returns false and changes nothing.
 */
function filterUniformChunk(rowMarks: Uint8Array, reader: ColumnReader, test: CellTest, chunk: Chunk): boolean {
  if (reader.type !== null) return false;
  if (chunk.isAllNumbers) {
    const { numberOrder, numberSet, momentOrder } = test;
    if (numberOrder !== undefined) filterNumbers(rowMarks, numberOrder, chunk.numbers);
    else if (numberSet !== undefined) filterBySet(rowMarks, numberSet, chunk.numbers);
    else if (momentOrder !== undefined) {
      const format = chunk.uniformFormat();
      if (format === null) return false;
      if (reader.findFormatKind(format) === momentOrder.kind) filterMoments(rowMarks, momentOrder, test, chunk.numbers);
      else rowMarks.fill(0, 0, chunk.rows);
    } else return false;
    return true;
  }
  if ((chunk.uniformKind() & TYPE_MASK) !== BOOLEAN) return false;
  const results = [Number(test.matches(false, getNoMoment)), Number(test.matches(true, getNoMoment))] as const;
  const { numbers } = chunk;
  for (let at = 0; at < numbers.length; at++)
    rowMarks[at] = rowMarks[at]! & (numbers[at] === 0 ? results[0] : results[1]);
  return true;
}

/** Maximum number of numbers that are compared one by one, which is faster than looking them up. */
const MAX_COMPARED_NUMBERS = 8;

/** Clears the marks of rows whose numbers do not match a set. */
function filterBySet(
  rowMarks: Uint8Array,
  { numbers: set, isIn }: NonNullable<CellTest['numberSet']>,
  numbers: Float64Array,
): void {
  const wanted: number[] = [];
  for (const one of set) if (typeof one === 'number') wanted.push(one);
  if (wanted.length > MAX_COMPARED_NUMBERS) {
    for (let at = 0; at < numbers.length; at++)
      if (rowMarks[at] === 1 && set.has(numbers[at]!) !== isIn) rowMarks[at] = 0;
    return;
  }
  const outcome = Number(isIn);
  for (let at = 0; at < numbers.length; at++) {
    let found = 0;
    for (let i = 0; i < wanted.length; i++) found |= Number(numbers[at] === wanted[i]);
    rowMarks[at] = rowMarks[at]! & Number(found === outcome);
  }
}

/** Clears the marks of rows whose moments do not match a bound. All must be of the kind of the bound. */
function filterMoments(
  rowMarks: Uint8Array,
  { bound, sign, orEqual, kind }: MomentOrder,
  test: CellTest,
  numbers: Float64Array,
): void {
  const equal = Number(orEqual);
  for (let at = 0; at < numbers.length; at++) {
    const distance = sign * (numbers[at]! - bound);
    const isNear = Math.abs(distance) <= ROUNDING && distance !== 0;
    const holds = isNear
      ? Number(test.matches(numbers[at]!, () => kind))
      : Number(distance > 0) | (equal & Number(distance === 0));
    rowMarks[at] = rowMarks[at]! & holds;
  }
}

/**
 * Clears the marks of rows that do not match. An empty text counts as an empty cell. `isWanted`: whether the empty cells
 * match, or the others.
 */
function filterEmptyCells(rowMarks: Uint8Array, { kinds, numbers, texts }: Chunk, isWanted: boolean): void {
  for (let at = 0; at < rowMarks.length; at++) {
    const type = at < kinds.length ? kinds[at]! & TYPE_MASK : EMPTY;
    const isEmpty = type === EMPTY || (type === TEXT && texts.isEmpty(numbers[at]!));
    if (isEmpty !== isWanted) rowMarks[at] = 0;
  }
}

const NO_RESULTS = new Uint8Array(0);
const getNoMoment = () => null;

/** Whether the cell in a row of any block matches a test. `chunk`: the chunk of the row; undefined if there is none. */
export function testCell(reader: ColumnReader, test: CellTest, chunk: Chunk | undefined, blockRow: number): boolean {
  const type = chunk === undefined ? EMPTY : chunk.kind(blockRow) & TYPE_MASK;
  if (chunk === undefined || type === EMPTY) return test.matches(null, getNoMoment);
  if (type === NUMBER && reader.type === null && test.numberOrder !== undefined)
    return isInOrder(test.numberOrder, chunk.number(blockRow));
  if (type === TEXT && test.unitsTest !== undefined && readsTexts(reader)) {
    const text = chunk.number(blockRow);
    const { units, starts } = chunk.texts.parts();
    if (units instanceof Uint8Array && text < starts.length - 1)
      return test.unitsTest(units, starts[text]!, starts[text + 1]!);
  }
  return test.matches(reader.readScalar(chunk, blockRow), () => reader.findMomentKind(chunk, blockRow));
}

function isInOrder({ bound, sign, orEqual }: NumberOrder, number: number): boolean {
  return sign * number > sign * bound || (orEqual && number === bound);
}

/** True if the type of the column does not convert texts. */
function readsTexts({ type }: ColumnReader): boolean {
  return type === null || type === 'text';
}

/**
 * Tests all texts of a chunk without creating strings. Returns the results by index; null if the test or the texts do
 * not allow this.
 */
function testPackedTexts(texts: Texts, { unitsTest }: CellTest): Uint8Array | null {
  if (unitsTest === undefined) return null;
  const { units, starts, extra } = texts.parts();
  if (extra.length > 0 || !(units instanceof Uint8Array)) return null;
  const results = new Uint8Array(starts.length - 1);
  for (let i = 0; i < results.length; i++) results[i] = unitsTest(units, starts[i]!, starts[i + 1]!) ? HOLDS : FAILS;
  return results;
}

/**
 * Clears the marks of rows whose numbers do not match. The code has no branches, because branches that the processor
 * cannot predict take several times as long.
 */
function filterNumbers(rowMarks: Uint8Array, { bound, sign, orEqual }: NumberOrder, numbers: Float64Array): void {
  const signed = sign * bound;
  const equal = Number(orEqual);
  for (let at = 0; at < numbers.length; at++) {
    const number = numbers[at]!;
    rowMarks[at] = rowMarks[at]! & (Number(sign * number > signed) | (equal & Number(number === bound)));
  }
}
