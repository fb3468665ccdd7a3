import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { assert as holds, integer, property, uniqueArray } from 'fast-check';
import { moveFormula } from '../src/grid/formula/formula-text.ts';
import {
  countVisibleRows,
  groupStretches,
  isFilteredOut,
  listHiddenRowSpans,
  splitVisibleSpans,
} from '../src/grid/selection/visible-rows.ts';

suite('visible rows of a filter', () => {
  test('are described equally by spans, single rows and lines of size 0', () => {
    const rows = uniqueArray(integer({ min: 5, max: 29 }));
    const header = integer({ min: 0, max: 4 });
    const row = integer({ min: 0, max: 40 });
    holds(
      property(rows, header, row, row, (found, top, a, b) => {
        const filter = { sheet: 'S', top, rows: found.toSorted((x, y) => x - y), count: 30 };
        const [first, last] = [Math.min(a, b), Math.max(a, b)];
        const spans = splitVisibleSpans(filter, 'S', { first, last });
        const lines = listHiddenRowSpans(filter);
        for (let at = first; at <= last; at++) {
          const isShown = at <= top || at >= 30 || found.includes(at);
          assert.equal(isFilteredOut(filter, 'S', at), !isShown, `row ${at}`);
          assert.equal(
            spans.filter((span) => at >= span.first && at <= span.last).length,
            isShown ? 1 : 0,
            `row ${at}`,
          );
          assert.equal(
            lines.some((line) => at >= line.first && at <= line.last),
            !isShown,
            `row ${at}`,
          );
        }
        const count = spans.reduce((sum, span) => sum + span.last - span.first + 1, 0);
        assert.equal(countVisibleRows(filter, 'S', { first, last }), count);
        for (const [i, span] of spans.entries()) {
          assert.ok(span.first >= first && span.last <= last && span.first > (spans[i - 1]?.last ?? -2) + 1);
        }
      }),
    );
  });

  test('are all rows on other sheets and without a filter', () => {
    const filter = { sheet: 'S', top: 0, rows: [], count: 10 };
    assert.deepEqual(splitVisibleSpans(filter, 'Other', { first: 2, last: 5 }), [{ first: 2, last: 5 }]);
    assert.deepEqual(splitVisibleSpans(null, 'S', { first: 2, last: 5 }), [{ first: 2, last: 5 }]);
  });

  test('are grouped into stretches that are consecutive on both sides', () => {
    const pairs = [1, 2, 3, 7].map((to, from) => ({ from, to }));
    assert.deepEqual(groupStretches(pairs), [
      { from: 0, to: 1, count: 3 },
      { from: 3, to: 7, count: 1 },
    ]);
  });
});

suite('copied formulas', () => {
  const cases: readonly (readonly [text: string, rows: number, columns: number, moved: string])[] = [
    ['=A1+$B$2', 2, 1, '=B3+$B$2'],
    ['=SUM(A$1:$C3)', 1, 1, '=SUM(B$1:$C4)'],
    ['=\'My sheet\'!A1&"A1"', 1, 0, '=\'My sheet\'!A2&"A1"'],
    ['=SUM(A:B)+SUM($3:4)', 2, 1, '=SUM(B:C)+SUM($3:6)'],
    ['=A1', -1, 0, '=#REF!'],
    ['=Orders!B2', 0, -2, '=#REF!'],
    ['=LOG10(5)+name1', 1, 1, '=LOG10(5)+name1'],
  ];
  for (const [text, rows, columns, moved] of cases) {
    test(`${text} by ${rows} rows and ${columns} columns is ${moved}`, () =>
      assert.equal(moveFormula(text, rows, columns), moved));
  }
});
