import { EMPTY, NUMBER, TEXT, TYPE_MASK } from '../sheet/cell-kind.ts';
import { CHUNK_SHIFT, type Chunk } from '../sheet/chunk.ts';
import type { Texts } from '../sheet/texts.ts';
import type { ColumnReader } from './cell-values.ts';
import type { CellTest, NumberOrder } from './conditions.ts';
import { CODES, type TextCodes } from './text-codes.ts';

const UNKNOWN = 0;
const HOLDS = 1;
const FAILS = 2;
/** Number of texts that are tested between two pauses. */
const TEXTS_PER_STEP = 1_024;

/** The results of one test for the distinct texts of a column. */
export class TextResults {
  readonly codes: TextCodes;
  private readonly test: CellTest;
  /** For each code: `HOLDS`, `FAILS` or `UNKNOWN`. `UNKNOWN` for `NO_TEXT`. */
  private readonly results = new Uint8Array(CODES);
  private isComplete = false;

  constructor(codes: TextCodes, test: CellTest) {
    this.codes = codes;
    this.test = test;
  }

  /** Tests all texts. Pauses regularly. */
  *testAllTexts(): Generator<void, void> {
    for (let code = 0; code < this.codes.texts.length; code++) {
      this.testText(code);
      if (code % TEXTS_PER_STEP === TEXTS_PER_STEP - 1) yield;
    }
    this.isComplete = true;
  }

  /** Whether the text with a code matches. */
  testText(code: number): boolean {
    const { results } = this;
    if (results[code] === UNKNOWN)
      results[code] = this.test.matches(this.codes.texts[code]!, getNoMoment) ? HOLDS : FAILS;
    return results[code] === HOLDS;
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
  if (test.numberOrder !== undefined && reader.type === null && chunk.isAllNumbers) {
    filterNumbers(rowMarks, test.numberOrder, chunk.numbers);
    if (!matchesEmpty) rowMarks.fill(0, chunk.rows);
    return;
  }
  const { kinds, numbers } = chunk;
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

const NO_RESULTS = new Uint8Array(0);
const getNoMoment = () => null;

/** Whether the cell in a row of any block matches a test. `chunk`: the chunk of the row; undefined if there is none. */
export function testCell(reader: ColumnReader, test: CellTest, chunk: Chunk | undefined, blockRow: number): boolean {
  const type = chunk === undefined ? EMPTY : chunk.kind(blockRow) & TYPE_MASK;
  if (chunk === undefined || type === EMPTY) return test.matches(null, getNoMoment);
  if (type === NUMBER && reader.type === null && test.numberOrder !== undefined)
    return isInOrder(test.numberOrder, chunk.number(blockRow));
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
