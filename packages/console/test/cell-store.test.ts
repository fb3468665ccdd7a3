import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ValueRange } from '../src/data/types.ts';
import { type BlockReader, CellStore } from '../src/grid/session/cell-store.ts';

const A1 = { top: 0, left: 0, bottom: 0, right: 0 };

test('cells that were refused while their sheet was hidden are read when it is shown again', async () => {
  let isHidden = true;
  const refused = { range: 'A1', error: 'Sheet values are hidden' };
  const pagination = { offset: 0, limit: 1, total: 1, returned: 1, hasMore: false, nextOffset: null };
  const cells = [[{ v: 'shown', m: 'shown' }]];
  const readable: ValueRange = { sheet: 'Sheet1', range: 'A1', majorDimension: 'ROWS', cells, pagination };
  const readBlocks: BlockReader = async () => ({
    ok: true,
    headers: new Headers(),
    value: { ranges: [isHidden ? refused : readable], styles: [], revision: 1 },
  });
  const store = new CellStore('Sheet1', readBlocks, () => undefined);
  assert.equal(await store.ensureLoaded(A1), false);
  isHidden = false;
  assert.equal(await store.ensureLoaded(A1), true);
  assert.equal(store.cell(0, 0)?.v, 'shown');
  store.close();
});
