import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ValueRange } from '../src/data/types.ts';
import { CellStore } from '../src/grid/session/cell-store.ts';

const FIRST_CELL = { top: 0, left: 0, bottom: 0, right: 0 };
const FIRST_BLOCK = 'Sheet1!A1:P128';

/** Creates a store whose service refuses the first block while `refusal.message` is not null. */
function createStore(message: string | null) {
  const refusal = { message };
  const requestedRanges: string[] = [];
  let hiddenCount = 0;
  const pagination = { offset: 0, limit: 1, total: 1, returned: 1, hasMore: false, nextOffset: null };
  const read = (range: string): ValueRange | { readonly range: string; readonly error: string } =>
    range === FIRST_BLOCK && refusal.message !== null
      ? { range, error: refusal.message }
      : { sheet: 'Sheet1', range, majorDimension: 'ROWS', cells: [[{ v: 'shown', m: 'shown' }]], pagination };
  const store = new CellStore('Sheet1', {
    readBlocks: async (ranges) => {
      requestedRanges.push(...ranges);
      return { ok: true, headers: new Headers(), value: { ranges: ranges.map(read), styles: [], revision: 1 } };
    },
    onChange: () => {},
    onHidden: () => {
      hiddenCount++;
    },
  });
  return { store, refusal, requestedRanges, countHidden: () => hiddenCount };
}

const waitUntilSettled = () => new Promise(setImmediate);

test('cells that were refused while their sheet was hidden are read when it is shown again', async () => {
  const { store, refusal, countHidden } = createStore('Sheet values are hidden');
  assert.equal(await store.ensureLoaded(FIRST_CELL), false);
  assert.equal(countHidden(), 1);
  refusal.message = null;
  assert.equal(await store.ensureLoaded(FIRST_CELL), true);
  assert.equal(store.getCell(0, 0)?.v, 'shown');
});

test('visible cells that were refused are read again when the rights change, and not before', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const { store, refusal, requestedRanges } = createStore('Sheet values are hidden');
  store.setVisibleArea(FIRST_CELL);
  await waitUntilSettled();
  context.mock.timers.tick(3_600_000);
  await waitUntilSettled();
  assert.deepEqual(requestedRanges, [FIRST_BLOCK]);
  refusal.message = null;
  store.reloadRefused();
  await waitUntilSettled();
  assert.equal(store.getCell(0, 0)?.v, 'shown');
  store.close();
});

test('the area ahead is loaded although the visible cells are refused', async () => {
  const { store, requestedRanges, countHidden } = createStore('Invalid range');
  store.setVisibleArea({ ...FIRST_CELL, bottom: 10 });
  store.setVisibleArea({ ...FIRST_CELL, bottom: 100 });
  await waitUntilSettled();
  await waitUntilSettled();
  assert.deepEqual(requestedRanges, [FIRST_BLOCK, 'Sheet1!A129:P256']);
  assert.equal(countHidden(), 0);
  store.close();
});

test('a sheet whose values became hidden is not read until its cells are visible again', async () => {
  const { store, requestedRanges } = createStore(null);
  store.setVisibleArea(FIRST_CELL);
  await waitUntilSettled();
  store.clear();
  store.markStale(null);
  await waitUntilSettled();
  assert.deepEqual(requestedRanges, [FIRST_BLOCK]);
  store.setVisibleArea(FIRST_CELL);
  await waitUntilSettled();
  assert.equal(store.getCell(0, 0)?.v, 'shown');
  store.close();
});
