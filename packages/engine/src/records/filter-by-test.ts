import { EMPTY, NUMBER, TEXT, TYPE_MASK } from '../sheet/cell-kind.ts';
import type { Chunk } from '../sheet/chunk.ts';
import type { Texts } from '../sheet/texts.ts';
import type { ColumnReader } from './cell-values.ts';
import type { CellTest, NumberOrder } from './conditions.ts';
import type { TextCodes } from './text-codes.ts';

const UNKNOWN = 0;
const HOLDS = 1;
const FAILS = 2;
const MIN_RESULTS = 1_024;

/** The results of one test for the distinct texts of a column. */
export class TextResults {
  private readonly codes: TextCodes;
  private readonly test: CellTest;
  private results = new Uint8Array(MIN_RESULTS);

  constructor(codes: TextCodes, test: CellTest) {
    this.codes = codes;
    this.test = test;
  }

  /** Returns the result for each text of a chunk, by its index in the chunk; null if the column has too many texts. */
  testChunkTexts(block: number, chunk: Chunk): Uint8Array | null {
    const codes = this.codes.getChunkCodes(block, chunk);
    if (codes === null) return null;
    const { texts } = this.codes;
    if (this.results.length < texts.length) {
      const more = new Uint8Array(2 * texts.length);
      more.set(this.results);
      this.results = more;
    }
    const { results } = this;
    const resultsByText = new Uint8Array(codes.length);
    for (let i = 0; i < codes.length; i++) {
      const code = codes[i]!;
      if (results[code] === UNKNOWN) results[code] = this.test.matches(texts[code]!, getNoMoment) ? HOLDS : FAILS;
      resultsByText[i] = results[code]!;
    }
    return resultsByText;
  }
}

/**
 * Clears the marks of rows whose cells fail a test. `rowMarks`: one byte per row of a block. Each text of the chunk is
 * tested once. `cachedResults`: results for texts of the chunk, by index.
 */
export function filterByTest(
  rowMarks: Uint8Array,
  reader: ColumnReader,
  test: CellTest,
  chunk: Chunk | undefined,
  cachedResults: Uint8Array | null = null,
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
  if (cachedResults !== null && chunk.uniformKind() === TEXT) {
    for (let at = 0; at < numbers.length; at++)
      rowMarks[at] = rowMarks[at]! & Number(cachedResults[numbers[at]!] === HOLDS);
    if (!matchesEmpty) rowMarks.fill(0, chunk.rows);
    return;
  }
  const resultsByText =
    cachedResults ??
    (readsTexts(reader) ? testPackedTexts(chunk.texts, test) : null) ??
    new Uint8Array(chunk.texts.count);
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

const getNoMoment = () => null;

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
