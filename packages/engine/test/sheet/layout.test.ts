import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Band, PLAIN_LAYOUT, setLineSize } from '../../src/sheet/layout.ts';

const BANDS: readonly Band[] = [
  { first: 1, last: 4, size: 20, level: 1 },
  { first: 6, last: 6, size: 9, hidden: true },
];

const CASES: readonly (readonly [title: string, first: number, last: number, size: number, after: readonly Band[]])[] =
  [
    ['a column without a size gets one', 0, 0, 5, [{ first: 0, last: 0, size: 5, custom: true }, ...BANDS]],
    [
      'a column of a band leaves it',
      2,
      2,
      5,
      [
        { first: 1, last: 1, size: 20, level: 1 },
        { first: 2, last: 2, size: 5, level: 1, custom: true },
        { first: 3, last: 4, size: 20, level: 1 },
        { first: 6, last: 6, size: 9, hidden: true },
      ],
    ],
    [
      'columns over and between bands become alike, and are shown',
      4,
      7,
      5,
      [
        { first: 1, last: 3, size: 20, level: 1 },
        { first: 4, last: 4, size: 5, level: 1, custom: true },
        { first: 5, last: 5, size: 5, custom: true },
        { first: 6, last: 6, size: 5, custom: true },
        { first: 7, last: 7, size: 5, custom: true },
      ],
    ],
    [
      'a hidden column keeps its size',
      1,
      4,
      0,
      [
        { first: 1, last: 4, size: 20, level: 1, hidden: true },
        { first: 6, last: 6, size: 9, hidden: true },
      ],
    ],
  ];

for (const [title, first, last, size, after] of CASES) {
  test(title, () => {
    assert.deepEqual(setLineSize({ ...PLAIN_LAYOUT, columns: BANDS }, 'columns', first, last, size).columns, after);
  });
}

test('rows have heights as columns have widths', () => {
  const { columns, rows } = setLineSize(PLAIN_LAYOUT, 'rows', 2, 3, 30);
  assert.deepEqual([columns, rows], [[], [{ first: 2, last: 3, size: 30, custom: true }]]);
});
