import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { subtractSpans } from '../../src/grid/spans.ts';

/** Sorted spans of 1 to 4 lines with gaps of 0 to 3 between them, each with its own mark. */
const spans = fc.array(fc.tuple(fc.nat(3), fc.nat(3)), { maxLength: 12 }).map((steps) => {
  let next = 0;
  return steps.map(([gap, length], mark) => {
    const first = next + gap;
    next = first + length + 1;
    return { first, last: next - 1, mark };
  });
});

const formatLines = (list: readonly { first: number; last: number; mark: number }[]) =>
  list.flatMap(({ first, last, mark }) => Array.from({ length: last - first + 1 }, (_, i) => [first + i, mark]));

test('the difference of spans contains exactly the lines that only the first ones cover, in order and with their marks', () => {
  fc.assert(
    fc.property(spans, spans, (first, second) => {
      const removedLines = new Set(formatLines(second).map(([line]) => line));
      assert.deepEqual(
        formatLines(subtractSpans(first, second)),
        formatLines(first).filter(([line]) => !removedLines.has(line)),
      );
    }),
  );
});
