import { EMPTY, NUMBER, TEXT, TYPE_MASK } from '../sheet/cell-kind.ts';
import type { Chunk } from '../sheet/chunk.ts';
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

  /** The result for each text of a chunk, by its index; null if the column has too many texts. */
  ofChunk(block: number, chunk: Chunk): Uint8Array | null {
    const codes = this.codes.codesOf(block, chunk);
    if (codes === null) return null;
    const { texts } = this.codes;
    if (this.results.length < texts.length) {
      const more = new Uint8Array(2 * texts.length);
      more.set(this.results);
      this.results = more;
    }
    const { results } = this;
    const ofTexts = new Uint8Array(codes.length);
    for (let i = 0; i < codes.length; i++) {
      const code = codes[i]!;
      if (results[code] === UNKNOWN) results[code] = this.test.holds(texts[code]!, NO) ? HOLDS : FAILS;
      ofTexts[i] = results[code]!;
    }
    return ofTexts;
  }
}

/**
 * Clears rows in `kept`, a byte per row of a block, whose cells fail a test. Tests each text of the chunk once.
 * `known`: results for texts of the chunk, by index.
 */
export function sift(
  kept: Uint8Array,
  reader: ColumnReader,
  test: CellTest,
  chunk: Chunk | undefined,
  known: Uint8Array | null = null,
): void {
  const ofEmpty = test.holds(null, NO);
  if (chunk === undefined) {
    if (!ofEmpty) kept.fill(0);
    return;
  }
  if (test.ofNumbers !== undefined && reader.type === null && chunk.isAllNumbers) {
    siftNumbers(kept, test.ofNumbers, chunk.numbers);
    if (!ofEmpty) kept.fill(0, chunk.rows);
    return;
  }
  const { kinds, numbers } = chunk;
  if (known !== null && chunk.uniformKind() === TEXT) {
    for (let at = 0; at < numbers.length; at++) if (known[numbers[at]!] !== HOLDS) kept[at] = 0;
    if (!ofEmpty) kept.fill(0, chunk.rows);
    return;
  }
  const ofTexts = known ?? new Uint8Array(chunk.texts.count);
  let asked = 0;
  const momentKind = () => reader.momentKind(chunk, asked);
  const ofCell = (at: number): boolean => {
    asked = at;
    return test.holds(reader.scalar(chunk, at), momentKind);
  };
  const hasPlainNumbers = reader.type === null;
  for (let at = 0; at < kept.length; at++) {
    if (kept[at] === 0) continue;
    const type = at < kinds.length ? kinds[at]! & TYPE_MASK : EMPTY;
    let holds = ofEmpty;
    if (type === TEXT) {
      const text = numbers[at]!;
      if (ofTexts[text] === UNKNOWN) ofTexts[text] = ofCell(at) ? HOLDS : FAILS;
      holds = ofTexts[text] === HOLDS;
    } else if (type === NUMBER && hasPlainNumbers) {
      asked = at;
      holds = test.holds(numbers[at]!, momentKind);
    } else if (type !== EMPTY) {
      holds = ofCell(at);
    }
    if (!holds) kept[at] = 0;
  }
}

const NO = () => null;

function siftNumbers(kept: Uint8Array, { bound, sign, orEqual }: NumberOrder, numbers: Float64Array): void {
  for (let at = 0; at < numbers.length; at++) {
    const over = sign * (numbers[at]! - bound);
    if (!(over > 0 || (orEqual && over === 0))) kept[at] = 0;
  }
}
