import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAMAGED_DOCUMENT } from '../src/database/damage.ts';
import { addRowOrders, parseAreas } from '../src/stored-forms/areas.ts';

const WRITTEN = { written: [[1, 0, 0, 5, 2]], derived: [] };
const AREA = { top: 0, left: 0, bottom: 5, right: 2 };
const ORDER = { after: 0, rows: { kind: 'order', sheet: 1, area: AREA, order: null } };

/** Areas as `commits.areas` stores them. */
const SOUND = [
  WRITTEN,
  { ...WRITTEN, rest: [[1, 20]], named: [[1, 0, 0, 9, 2]], renamed: true, restored: 3 },
  { ...WRITTEN, moves: [{ kind: 'insert', sheet: 1, axis: 'rows', at: 1, count: 2, across: { first: 0, last: 3 } }] },
  { ...WRITTEN, moves: [{ kind: 'reorder', sheet: 1, axis: 'columns', at: 1, count: 2, to: 7 }] },
  { ...WRITTEN, moves: [{ kind: 'carry', sheet: 1, area: AREA, toSheet: 2, row: 3, column: 4 }], orders: [ORDER] },
];

const DAMAGED = [
  {},
  { ...WRITTEN, written: [[1, 0, 0, 5]] },
  { ...WRITTEN, derived: {} },
  { ...WRITTEN, moves: [{ kind: 'insdrt', sheet: 1, axis: 'rows', at: 1, count: 2 }] },
  { ...WRITTEN, moves: [{ kind: 'insert', sheet: 1, ayis: 'rows', at: 1, count: 2 }] },
  { ...WRITTEN, moves: [{ kind: 'carry', sheet: 1, area: { ...AREA, right: null }, toSheet: 2, row: 3, column: 4 }] },
  { ...WRITTEN, orders: [{ ...ORDER, rows: null }] },
  { ...WRITTEN, restored: '3' },
];

test('areas of a commit are accepted if they have the stored form', () => {
  for (const areas of SOUND) assert.deepEqual(parseAreas(JSON.stringify(areas)), { ...areas, isCut: false });
});

test('areas, moves and row orders of another form are damage', () => {
  for (const areas of DAMAGED)
    assert.throws(() => parseAreas(JSON.stringify(areas)), { code: DAMAGED_DOCUMENT }, JSON.stringify(areas));
  const sorted = parseAreas(JSON.stringify(SOUND.at(-1)));
  assert.throws(() => addRowOrders(sorted, '123\nAAAA'), { code: DAMAGED_DOCUMENT });
});
