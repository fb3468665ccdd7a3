import { EMPTY, NUMBER, TEXT, TYPE_MASK } from '../sheet/cell-kind.ts';
import type { Chunk } from '../sheet/chunk.ts';
import type { ColumnReader } from './cell-values.ts';
import type { CellTest, NumberOrder } from './conditions.ts';

const UNKNOWN = 0;
const HOLDS = 1;
const FAILS = 2;

/** Clears rows in `kept`, a byte per row of a block, whose cells fail a test. Tests each text of the chunk once. */
export function sift(kept: Uint8Array, reader: ColumnReader, test: CellTest, chunk: Chunk | undefined): void {
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
  const ofTexts = new Uint8Array(chunk.texts.count);
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
