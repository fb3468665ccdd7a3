import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { type Condition, type ConditionKind, type Conditions, testOfAll } from '../src/grid/filter-conditions.ts';

/** A column as people see it, and by value. */
const CELLS = [
  { text: 'Riga', value: 'Riga' },
  { text: 'Oslo Nord', value: 'Oslo Nord' },
  { text: '1.234,50', value: 1234.5 },
  { text: '-3', value: -3 },
  { text: '31.01.2026', value: '2026-01-31' },
  { text: '01.02.2026 08:00', value: '2026-02-01T08:00:00' },
  { text: '', value: null },
] as const;

/** What is left of them. */
function left(kind: ConditionKind, ...[first = '', second = '']: readonly string[]): readonly string[] | null {
  return leftBy('both', { kind, operands: [first, second] });
}

function leftBy(join: Conditions['join'], ...list: readonly Condition[]): readonly string[] | null {
  const fits = testOfAll({ join, list }, 'de-DE', 'google');
  return fits === null ? null : CELLS.filter((cell) => fits(cell)).map(({ text }) => text);
}

const CASES: readonly (readonly [asked: Parameters<typeof left>, texts: readonly string[] | null])[] = [
  [['contains', 'O'], ['Oslo Nord']],
  [
    ['lacks', '2026'],
    ['Riga', 'Oslo Nord', '1.234,50', '-3', ''],
  ],
  [['begins', 'ri'], ['Riga']],
  [['ends', 'NORD'], ['Oslo Nord']],
  [['is', 'riga'], ['Riga']],
  [['is', 'rig'], []],
  [['contains', ''], null],
  [['equals', '1234,5'], ['1.234,50']],
  [['differs', '-3'], ['1.234,50']],
  [['greater', '-3'], ['1.234,50']],
  [
    ['least', '-3'],
    ['1.234,50', '-3'],
  ],
  [['less', '1.234,50'], ['-3']],
  [
    ['most', '1.234,50'],
    ['1.234,50', '-3'],
  ],
  [['between', '0', '-5'], ['-3']],
  [['greater', 'much'], null],
  [['between', '0', ''], null],
  [['on', '2026-02-01'], ['01.02.2026 08:00']],
  [['before', '2026-02-01'], ['31.01.2026']],
  [['after', '2026-01-31'], ['01.02.2026 08:00']],
  [['within', '2026-01-01', '2026-01-31'], ['31.01.2026']],
  [['within', '2026-01-01', ''], null],
  [['empty'], ['']],
  [['filled'], ['Riga', 'Oslo Nord', '1.234,50', '-3', '31.01.2026', '01.02.2026 08:00']],
];

suite('what a filter leaves of a column', () => {
  test('with two conditions, both of them or either', () => {
    const small: Condition = { kind: 'less', operands: ['0', ''] };
    const large: Condition = { kind: 'greater', operands: ['1000', ''] };
    const open: Condition = { kind: 'contains', operands: ['', ''] };
    assert.deepEqual(leftBy('either', small, large), ['1.234,50', '-3']);
    assert.deepEqual(leftBy('both', small, large), []);
    assert.deepEqual(leftBy('both', large, { kind: 'ends', operands: ['50', ''] }), ['1.234,50']);
    assert.equal(leftBy('either', small, open), null);
  });
  for (const [asked, texts] of CASES) test(asked.join(' '), () => assert.deepEqual(left(...asked), texts));
});
