import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Scalar } from '../../src/index.ts';
import { NA } from '../../src/value/errors.ts';
import { Book } from '../workbook/book.ts';

/** A compiler that visits an argument twice would take 2^60 steps at this depth. */
const DEPTH = 60;

function nestCalls(before: string, innermost: string, after: string): string {
  return `=${before.repeat(DEPTH)}${innermost}${after.repeat(DEPTH)}`;
}

describe('calls nested in an argument of other calls', () => {
  const cases: readonly [title: string, formula: string, value: Scalar][] = [
    ['functions', nestCalls('ABS(', '-1', ')'), 1],
    // Each lookup maps 1 → 2 → 3 → 1, so the result after 60 lookups is 1.
    ['lookups that find', nestCalls('VLOOKUP(', 'A1', ';A1:B3;2;FALSE)'), 1],
    ['lookups that only the function answers', nestCalls('MATCH(', '2', ';A1:A3*1;0)'), 2],
    ['lookups of a pattern, which is no pattern to them', nestCalls('XLOOKUP(', '"c*"', ';C1:C3;C1:C3)'), NA],
    // Only the first three rows have values.
    ['searches by comparisons', nestCalls('XLOOKUP(1;(A1:A200=9)*(B1:B200=2);B1:B200;', '"none"', ')'), 'none'],
    ['criteria of offsets', nestCalls('COUNTIF(OFFSET(A1;', '0', ';0;3);"<>")'), 0],
  ];
  for (const [title, formula, value] of cases) {
    it(`are compiled and calculated once: ${title}`, () => {
      const book = new Book();
      book.set('A1', [
        [1, 2, 'cd'],
        [2, 3, 'ce'],
        [3, 1, 'cf'],
      ]);
      book.set('E1', [[formula]]);
      assert.equal(book.value('E1'), value);
    });
  }
});
