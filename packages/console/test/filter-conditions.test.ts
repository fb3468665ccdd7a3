import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { FilterTest } from '@cellwire/engine';
import {
  type ConditionKind,
  type FilterCondition,
  toColumnCondition,
  toFilterConditions,
} from '../src/grid/sort-and-filter/filter-conditions.ts';

const GERMAN = { locale: 'de-DE', dateSystem: 'google' } as const;

function createCondition(kind: ConditionKind, first = '', second = ''): FilterCondition {
  return { kind, operands: [first, second] };
}

const CASES: readonly (readonly [condition: FilterCondition, test: FilterTest | null])[] = [
  [createCondition('contains', 'O'), { op: 'contains', value: 'O' }],
  [createCondition('lacks', '2026'), { op: 'notContains', value: '2026' }],
  [createCondition('is', '5'), { op: 'eq', value: '5' }],
  [createCondition('like', 'a*'), { op: 'matches', value: 'a*' }],
  [createCondition('contains'), null],
  [createCondition('equals', '1234,5'), { op: 'eq', value: 1234.5 }],
  [createCondition('less', '-3'), { op: 'lt', value: -3 }],
  [createCondition('greater', 'much'), null],
  [createCondition('between', '0', '5'), { op: 'between', value: 0, to: 5 }],
  [createCondition('between', '0'), null],
  [createCondition('on', '2026-02-01'), { op: 'eq', value: '2026-02-01' }],
  [createCondition('after', '2026-02-01'), { op: 'gt', value: '2026-02-01' }],
  [createCondition('within', '2026-01-01', '2026-01-31'), { op: 'between', value: '2026-01-01', to: '2026-01-31' }],
  [createCondition('within', '2026-01-01'), null],
  [createCondition('empty'), { op: 'empty' }],
  [createCondition('filled'), { op: 'filled' }],
];

suite('conditions of a filter', () => {
  test('are sent as tests and shown as typed', () => {
    for (const [condition, expected] of CASES) {
      const columnCondition = toColumnCondition({ join: 'either', list: [condition] }, GERMAN);
      assert.deepEqual(columnCondition, expected === null ? null : { tests: [expected], match: 'any' }, condition.kind);
      if (columnCondition !== null) assert.deepEqual(toFilterConditions(columnCondition, GERMAN)?.list, [condition]);
    }
  });

  test('accept two bounds in either order', () => {
    const typed = toColumnCondition({ join: 'both', list: [createCondition('between', '5', '0')] }, GERMAN);
    assert.deepEqual(typed, { tests: [{ op: 'between', value: 0, to: 5 }], match: 'all' });
  });

  test('are refused if one of two is incomplete', () => {
    const list = [createCondition('less', '0'), createCondition('contains')];
    assert.equal(toColumnCondition({ join: 'either', list }, GERMAN), null);
  });
});
