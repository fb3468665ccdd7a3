import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { decideProposal, expectProposal, readPlainValues, readProposal } from './proposals-support.ts';
import { type Api, type Json, memberAt, startWorld, type World } from './support.ts';

let world: World;
before(async () => {
  world = await startWorld();
});
after(() => world.close());

const ROWS = 20_000;

/** Creates a document with a sheet of 100,000 cells: numbers, texts and formulas. */
async function createLargeDocument(): Promise<{ readonly owner: Api; readonly editor: Api }> {
  const owner = await world.createBook({ plan: 'enterprise' });
  await owner.addSheet('Other');
  const rows = Array.from({ length: ROWS }, (_, row) => [row, `name ${row}`, row / 7, row % 2 === 0, `=A${row + 1}*2`]);
  assert.equal((await owner.put('Sheet1!A1', rows)).status, 200);
  return { owner, editor: (await world.addMember(owner.document, 'edit')).api };
}

async function expectDone(answer: Promise<{ readonly status: number; readonly body: Json }>): Promise<void> {
  const { status, body } = await answer;
  assert.equal(status, 200, JSON.stringify(body));
}

const changeStructure = (api: Api, operation: object) =>
  expectDone(api.post('/structure', { operations: [operation] }));
const proposeDelete = (api: Api) => expectProposal(api.requestInDocument('DELETE', '/sheets/Sheet1?propose=true'));

describe('a proposal that deletes a large sheet', () => {
  it('counts all of its cells, and shows the first ones', async () => {
    const { owner, editor } = await createLargeDocument();
    const proposal = await proposeDelete(owner);
    assert.deepEqual(proposal['summary'], { written: ROWS * 5, derived: 0, sheets: ['Sheet1'] });
    assert.equal((proposal['changes'] as unknown as Json[]).length, 1_000);
    assert.equal(proposal['truncated'], true);
    await expectDone(decideProposal(editor, proposal, 'apply'));
    assert.equal((await owner.get('Sheet1!A1')).status, 404);
  });

  it('conflicts if one of its cells changes, and names the cells around it', async () => {
    const { owner, editor } = await createLargeDocument();
    const proposal = await proposeDelete(owner);
    const changes: [cell: string, now: unknown, before: unknown][] = [
      ['C15000', 5, 14_999 / 7],
      ['B7', 'name 8', 'name 6'],
      ['D3', false, true],
      ['A20000', '', 19_999],
      // The write repeats the value that the cell already has.
      ['E10000', 19_998, '=A10000*2'],
      ['E9999', '=A9999+A9999', '=A9999*2'],
      ['H20', 1, ''],
      ['A20500', 1, ''],
    ];
    for (const [cell, now, before] of changes) {
      await owner.put(`Sheet1!${cell}`, [[now]]);
      const answer = await decideProposal(editor, proposal, 'apply');
      assert.equal(answer.status, 412, cell);
      const [column, row] = [cell.replace(/\d+/, ''), Number(cell.replace(/\D+/, ''))];
      const conflicts = memberAt(answer.body, 'conflicts') as unknown as string[];
      const areas = conflicts.map((range) => /^Sheet1!([A-Z]+)(\d+)(?::([A-Z]+)(\d+))?$/.exec(range) ?? []);
      const hasCell = areas.some(([, left = '', top, right = left, bottom = top]) => {
        return left <= column && column <= right && Number(top) <= row && row <= Number(bottom);
      });
      assert.ok(hasCell, `${cell}: ${conflicts}`);
      await owner.put(`Sheet1!${cell}`, [[before]]);
      assert.deepEqual((await readProposal(owner, proposal))['conflicts'], [], `${cell} as before`);
    }
  });

  it('follows its cells if rows and columns move, and the sheet if it is renamed', async () => {
    const { owner, editor } = await createLargeDocument();
    const proposal = await proposeDelete(owner);
    await owner.put('Other!A1', [['unrelated']]);
    await changeStructure(owner, { insertRows: { sheet: 'Sheet1', before: 300, count: 3 } });
    await changeStructure(owner, { moveRows: { sheet: 'Sheet1', from: 10, count: 100, before: 5_000 } });
    await changeStructure(owner, { insertColumns: { sheet: 'Sheet1', before: 'B', count: 2 } });
    await expectDone(owner.renameSheet('Sheet1', 'Renamed'));
    assert.deepEqual((await readProposal(owner, proposal))['conflicts'], []);
    await expectDone(decideProposal(editor, proposal, 'apply'));
    assert.deepEqual(await readPlainValues(owner, 'A1'), [['unrelated']]);
  });

  it('conflicts if some of its rows are deleted', async () => {
    const { owner, editor } = await createLargeDocument();
    const proposal = await proposeDelete(owner);
    await changeStructure(owner, { deleteRows: { sheet: 'Sheet1', from: 700, count: 1 } });
    const answer = await decideProposal(editor, proposal, 'apply');
    assert.equal(answer.status, 412);
    assert.match(String(memberAt(answer.body, 'conflicts', 0)), /700/);
  });
});
