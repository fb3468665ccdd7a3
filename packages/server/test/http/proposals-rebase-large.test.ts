import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { decideProposal, expectProposal, readPlainValues } from './proposals-support.ts';
import { memberAt, startWorld, type World } from './support.ts';

/** More than a function call can have arguments. */
const ROWS = 130_000;
/** One column of many rows and other columns of one row: few values in an area of millions of cells. */
const LONG_COLUMN = 47_000;
const SHORT_COLUMNS = 100;

let world: World;
before(async () => {
  world = await startWorld();
});
after(() => world.close());

describe('a rebase of a large write', () => {
  const CASES: readonly (readonly [name: string, majorDimension: string, values: readonly (readonly number[])[]])[] = [
    ['many rows', 'ROWS', Array.from({ length: ROWS }, (_, i) => [i])],
    [
      'columns of very different lengths',
      'COLUMNS',
      [Array.from({ length: LONG_COLUMN }, (_, i) => i), ...Array.from({ length: SHORT_COLUMNS }, (_, i) => [i])],
    ],
  ];
  for (const [name, majorDimension, values] of CASES) {
    it(`follows its cells: ${name}`, async () => {
      const owner = await world.createBook();
      const { api: editor } = await world.addMember(owner.document, 'edit');
      await owner.put('A1', [['first'], ['second']]);
      const options = { body: { values, majorDimension } };
      const put = owner.requestInDocument('PUT', '/values/Sheet1!A3?propose=true', options);
      const proposal = await expectProposal(put);
      const operations = [{ insertRows: { sheet: 'Sheet1', before: 1, count: 2 } }];
      assert.equal((await owner.post('/structure', { operations })).status, 200);
      const rebased = await decideProposal(editor, proposal, 'rebase');
      assert.equal(rebased.status, 200, JSON.stringify(rebased.body));
      const applied = await decideProposal(editor, memberAt(rebased.body, 'proposal'), 'apply');
      assert.equal(applied.status, 200, JSON.stringify(applied.body));
      assert.deepEqual(await readPlainValues(owner, 'A3:A6'), [['first'], ['second'], [0], [1]]);
      const last = majorDimension === 'ROWS' ? ROWS + 4 : LONG_COLUMN + 4;
      assert.deepEqual(await readPlainValues(owner, `A${last}`), [[last - 5]]);
    });
  }
});
