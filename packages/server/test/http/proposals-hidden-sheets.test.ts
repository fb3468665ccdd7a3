import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  createOrdersBook,
  decideProposal,
  expectProposal,
  proposePut,
  readPlainValues,
  readProposal,
} from './proposals-support.ts';
import { type Json, memberAt, startWorld, type World } from './support.ts';

let world: World;
before(async () => {
  world = await startWorld();
});
after(() => world.close());

describe('proposals for hidden sheets', () => {
  it('can be made by users without access to the values, and show them no values', async () => {
    const { owner, editor } = await createOrdersBook(world);
    await owner.addSheet('Salaries');
    await owner.put('Salaries!A1', [[1000]]);
    await owner.put('F1', [['=Salaries!A1']]);
    await world.protect(owner.document, 'Salaries', { hideValues: true });
    const proposal = await expectProposal(proposePut(editor, 'Salaries!A1', [[9]]));
    assert.equal(proposal['hidden'], true);
    assert.equal(JSON.stringify(proposal).includes('1000'), true, 'a derived cell that anybody may see');
    const cells = (proposal['changes'] as unknown as Json[]).map((change) => change['cell']);
    assert.deepEqual(cells, ['Sheet1!F1']);
    assert.deepEqual(memberAt(proposal, 'summary')['sheets'], ['Sheet1']);
    const third = (await world.addMember(owner.document, 'edit')).api;
    assert.deepEqual((await decideProposal(third, proposal, 'apply')).body, { message: 'Sheet values are hidden' });
    assert.equal((await decideProposal(third, proposal, 'rebase')).status, 403);
    const listed = memberAt(
      (await third.requestInDocument('GET', '/proposals')).body,
      'proposals',
      'entries',
    )[0] as Json;
    assert.equal(listed['hidden'], true);
    assert.equal((await readProposal(owner, proposal))['hidden'], undefined);
    assert.equal((await decideProposal(owner, proposal, 'apply')).status, 200);
    assert.deepEqual(await readPlainValues(owner, 'Salaries!A1'), [[9]]);
  });
});

describe('proposals that copy from a hidden sheet', () => {
  for (const operation of [
    { copy: { from: 'Salaries!A1', to: 'Sheet1!G1' } },
    { duplicateSheet: { sheet: 'Salaries' } },
  ]) {
    it(`show other readers the values only when applied: ${Object.keys(operation)[0]}`, async () => {
      const { owner, editor } = await createOrdersBook(world);
      await owner.addSheet('Salaries');
      await owner.put('Salaries!A1', [[123456]]);
      await world.protect(owner.document, 'Salaries', { hideValues: true });
      const proposed = owner.post('/structure?propose=true', { operations: [operation] });
      const proposal = await expectProposal(proposed);
      assert.ok(JSON.stringify(await readProposal(owner, proposal)).includes('123456'));
      const read = await readProposal(editor, proposal);
      assert.deepEqual([read['hidden'], JSON.stringify(read).includes('123456')], [true, false]);
      assert.equal((await decideProposal(owner, proposal, 'withdraw')).status, 200);
      assert.ok(!JSON.stringify(await readProposal(editor, proposal)).includes('123456'));
    });
  }
});

describe('the deletion of a sheet', () => {
  it('shows the cells that would disappear, also in a dry run, but no cells of a hidden sheet', async () => {
    const { owner, editor } = await createOrdersBook(world);
    await owner.addSheet('Archive');
    await owner.put('Archive!B2', [['x'], [7]]);
    await owner.put('F1', [['=Archive!B3']]);
    const changes = [
      { cell: 'Archive!B2', before: 'x', after: null, deleted: true },
      { cell: 'Archive!B3', before: 7, after: null, deleted: true },
      { cell: 'Sheet1!F1', before: 7, after: '#REF!', derived: true },
    ];
    const dry = await owner.requestInDocument('DELETE', '/sheets/Archive?dryRun=true');
    assert.deepEqual(dry.body['changes'], changes);
    const proposal = await expectProposal(owner.requestInDocument('DELETE', '/sheets/Archive?propose=true'));
    assert.deepEqual(proposal['changes'], changes);
    assert.deepEqual(memberAt(proposal, 'texts', 2), { formulas: { before: '=Archive!B3', after: '=#REF!' } });
    assert.deepEqual(proposal['summary'], { written: 2, derived: 1, sheets: ['Sheet1', 'Archive'] });
    await world.protect(owner.document, 'Archive', { hideValues: true });
    const other = await readProposal(editor, proposal);
    assert.deepEqual([other['hidden'], (other['changes'] as unknown as Json[]).length], [true, 1]);
    assert.deepEqual((await decideProposal(editor, proposal, 'apply')).body, { message: 'Sheet values are hidden' });
    await owner.put('Archive!A9', [['later']]);
    assert.deepEqual((await readProposal(owner, proposal))['conflicts'], ['Archive!A9']);
    assert.deepEqual((await readProposal(editor, proposal))['conflicts'], []);
  });
});

describe('a sheet whose values are hidden from the user who applies', () => {
  it('may be renamed and coloured, and its cells may neither be copied nor moved', async () => {
    const { owner, editor } = await createOrdersBook(world);
    await owner.addSheet('Pay');
    await owner.put('Pay!A1', [[1000], [2000]]);
    await world.protect(owner.document, 'Pay', { hideValues: true });
    const cases: [object, boolean][] = [
      [{ colorSheet: { sheet: 'Pay', color: '#ff0000' } }, true],
      [{ copy: { from: 'Pay!A1:A2', to: 'Sheet1!H1' } }, false],
      [{ cut: { from: 'Pay!A1:A2', to: 'Sheet1!H1' } }, false],
      [{ duplicateSheet: { sheet: 'Pay' } }, false],
      [{ moveSheet: { sheet: 'Pay', order: 0 } }, false],
    ];
    for (const [operation, isAllowed] of cases) {
      const body = { operations: [operation] };
      const proposal = await expectProposal(owner.requestInDocument('POST', '/structure?propose=true', { body }));
      const direct = await editor.requestInDocument('POST', '/structure?propose=true', { body });
      assert.equal(direct.status, isAllowed ? 202 : 403, JSON.stringify(operation));
      for (const how of ['rebase', 'apply']) {
        const answer = await decideProposal(editor, proposal, how);
        assert.equal(answer.status, isAllowed ? 200 : 403, `${how} ${JSON.stringify(operation)}`);
        if (!isAllowed) assert.deepEqual(answer.body, { message: 'Sheet values are hidden' });
      }
    }
    const rename = await expectProposal(
      owner.requestInDocument('PATCH', '/sheets/Pay?propose=true', { body: { name: 'Wages' } }),
    );
    assert.equal((await decideProposal(editor, rename, 'apply')).status, 200);
  });

  it('may not be written by a rebase, not even of the own proposal', async () => {
    const { owner, editor } = await createOrdersBook(world);
    await owner.addSheet('Pay');
    await world.protect(owner.document, 'Pay', { hideValues: true });
    const proposal = await expectProposal(proposePut(editor, 'Pay!A1', [[9]]));
    assert.deepEqual((await decideProposal(editor, proposal, 'rebase')).body, { message: 'Sheet values are hidden' });
    assert.equal((await decideProposal(editor, proposal, 'withdraw')).status, 200);
  });
});
