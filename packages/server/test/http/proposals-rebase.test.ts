import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { decideProposal, expectProposal, proposePut, readPlainValues, readProposal } from './proposals-support.ts';
import { type Api, type Json, memberAt, startWorld, type World } from './support.ts';

let world: World;
before(async () => {
  world = await startWorld();
});
after(() => world.close());

async function createOrders(): Promise<{ owner: Api; editor: Api }> {
  const owner = await world.createBook({ title: 'Orders' });
  await owner.put('A1', [
    ['Number', 'City', 'Sum'],
    ['A-1', 'Riga', 100],
    ['A-2', 'Oslo', 200],
    ['A-3', 'Bern', 300],
  ]);
  return { owner, editor: (await world.addMember(owner.document, 'edit')).api };
}

/** Renames the sheet, and moves its cells two rows down and one column to the right. */
async function moveCells(editor: Api, name: string): Promise<void> {
  assert.equal((await editor.renameSheet('Sheet1', name)).status, 200);
  const operations = [
    { insertRows: { sheet: name, before: 1, count: 2 } },
    { insertColumns: { sheet: name, before: 'A', count: 1 } },
  ];
  const { status, body } = await editor.post('/structure', { operations });
  assert.equal(status, 200, JSON.stringify(body));
}

describe('a rebase', () => {
  it('follows renamed sheets and moved cells, for every kind of write', async () => {
    const cases: [string, string, object | undefined, string[]][] = [
      ['PUT', '/values/Sheet1!C2', { values: [['=C3*2']] }, ["'New name'!D4"]],
      ['PUT', '/values/C2', { values: [[1], [2]] }, ["'New name'!D4", "'New name'!D5"]],
      ['POST', '/values/batchUpdate', { data: [{ range: 'Sheet1!C3', values: [[1]] }] }, ["'New name'!D5"]],
      ['POST', '/values/clear', { range: 'Sheet1!B2' }, ["'New name'!C4"]],
      ['POST', '/values/append', { range: 'Sheet1!A:C', values: [['A-4']] }, ["'New name'!B7"]],
      [
        'POST',
        '/records/upsert',
        { range: 'Sheet1!A1:C9', key: ['Number'], records: [{ Number: 'A-2', Sum: 5 }] },
        ["'New name'!D5"],
      ],
      [
        'POST',
        '/records/update',
        { range: 'Sheet1!A1:C', where: { City: 'Oslo' }, set: { Sum: 5 } },
        ["'New name'!D5"],
      ],
      [
        'POST',
        '/structure',
        { operations: [{ deleteRows: { sheet: 'Sheet1', from: 3, count: 1 } }] },
        ["'New name'!B5", "'New name'!C5", "'New name'!D5"],
      ],
    ];
    for (const [method, path, body, cells] of cases) {
      const { owner, editor } = await createOrders();
      const name = `${method} ${path}`;
      const options = body === undefined ? {} : { body };
      const proposal = await expectProposal(owner.requestInDocument(method, `${path}?propose=true`, options));
      await moveCells(editor, 'New name');
      const before = await readProposal(owner, proposal);
      const rebased = await decideProposal(editor, proposal, 'rebase');
      assert.equal(rebased.status, 200, `${name} ${JSON.stringify(rebased.body)}`);
      const { changes, conflicts, baseRevision } = rebased.body['proposal'] as Record<string, Json>;
      const written = (changes as unknown as Json[]).map((change) => String(change['cell']));
      assert.deepEqual([written, conflicts, baseRevision], [cells, [], 3], name);
      assert.deepEqual(changes, before['changes'], name);
      await editor.renameSheet('New name', 'Again');
      assert.equal((await decideProposal(editor, proposal, 'rebase')).status, 200, name);
      assert.equal((await decideProposal(editor, proposal, 'apply')).status, 200, name);
    }
  });

  it('keeps every value at its own row and column, and leaves out the values of deleted cells', async () => {
    const rows = [
      ['a2', 'b2', 'c2'],
      ['a3', 'b3', 'c3'],
      ['a4', 'b4', 'c4'],
    ];
    const columns = ['a', 'b', 'c'].map((name) => [2, 3, 4].map((row) => `${name}${row}`));
    const requests: [string, string, object][] = [
      ['PUT', '/values/Sheet1!A2', { values: rows }],
      ['PUT', '/values/Sheet1!A2', { values: columns, majorDimension: 'COLUMNS' }],
      [
        'POST',
        '/values/batchUpdate',
        {
          data: [
            { range: 'Sheet1!A2', values: rows },
            { range: 'Sheet1!F3', values: [['gone']] },
          ],
        },
      ],
    ];
    for (const [method, path, body] of requests) {
      const { owner, editor } = await createOrders();
      const proposal = await expectProposal(owner.requestInDocument(method, `${path}?propose=true`, { body }));
      const operations = [
        { deleteRows: { sheet: 'Sheet1', from: 3, count: 1 } },
        { insertColumns: { sheet: 'Sheet1', before: 'B', count: 1 } },
        { insertRows: { sheet: 'Sheet1', before: 3, count: 1 } },
      ];
      assert.equal((await editor.post('/structure', { operations })).status, 200);
      const before = await readPlainValues(owner, 'A3:E3');
      const rebased = await decideProposal(editor, proposal, 'rebase');
      assert.equal(rebased.status, 200, JSON.stringify(rebased.body));
      assert.equal((await decideProposal(editor, proposal, 'apply')).status, 200);
      assert.deepEqual(await readPlainValues(owner, 'A2:E4'), [
        ['a2', null, 'b2', 'c2', null],
        ...(before as unknown as Json[]),
        ['a4', null, 'b4', 'c4', null],
      ]);
    }
  });

  it('is refused if no cell of the request remains, because its addresses now mean other cells', async () => {
    const requests: [string, string, object][] = [
      ['PUT', '/values/Sheet1!A3:C3', { values: [['x', 'y', 5]] }],
      ['POST', '/values/batchUpdate', { data: [{ range: 'Sheet1!A3', values: [['x']] }] }],
      ['POST', '/values/clear', { range: 'Sheet1!A3:C3' }],
      ['POST', '/structure', { operations: [{ deleteRows: { sheet: 'Sheet1', from: 3, count: 1 } }] }],
    ];
    for (const [method, path, body] of requests) {
      const { owner, editor } = await createOrders();
      const proposal = await expectProposal(owner.requestInDocument(method, `${path}?propose=true`, { body }));
      const operations = [{ deleteRows: { sheet: 'Sheet1', from: 3, count: 1 } }];
      assert.equal((await editor.post('/structure', { operations })).status, 200);
      const values = await readPlainValues(owner, 'A1:C9');
      const rebased = await decideProposal(editor, proposal, 'rebase');
      assert.equal(rebased.status, 412, `${path} ${JSON.stringify(rebased.body)}`);
      assert.ok((rebased.body['conflicts'] as unknown as Json[]).length > 0, path);
      assert.equal((await readProposal(owner, proposal))['state'], 'open');
      assert.deepEqual(await readPlainValues(owner, 'A1:C9'), values);
    }
  });

  it('is not needed to see the proposed values beside the present cells that conflict', async () => {
    const { owner, editor } = await createOrders();
    const proposal = await expectProposal(proposePut(owner, 'Sheet1!C2', [[5], [6], [7]]));
    const operations = [
      { insertColumns: { sheet: 'Sheet1', before: 'A', count: 1 } },
      { deleteRows: { sheet: 'Sheet1', from: 3, count: 1 } },
    ];
    assert.equal((await editor.post('/structure', { operations })).status, 200);
    await editor.renameSheet('Sheet1', 'Orders');
    const { changes, conflicts } = (await readProposal(owner, proposal)) as Record<string, Json>;
    assert.deepEqual(conflicts, ['Sheet1!C3']);
    assert.deepEqual(
      (changes as unknown as Json[]).map(({ cell, after }) => [cell, after]),
      [
        ['Orders!D2', 5],
        ['Orders!D3', 7],
      ],
    );
  });

  it('follows the references of typed formulas', async () => {
    const { owner, editor } = await createOrders();
    await owner.addSheet('Rates');
    const proposal = await expectProposal(proposePut(owner, 'Sheet1!D2', [['=C2*Rates!A1']]));
    await moveCells(editor, 'New name');
    await editor.renameSheet('Rates', 'Price list');
    assert.equal((await decideProposal(editor, proposal, 'rebase')).status, 200);
    assert.equal((await decideProposal(editor, proposal, 'apply')).status, 200);
    assert.equal((await owner.cell("'New name'!E4"))['f'], "=D4*'Price list'!A1");
  });

  it('of a renamed or deleted sheet follows the first and refuses the second', async () => {
    const { owner, editor } = await createOrders();
    await owner.addSheet('Extra');
    const rename = await expectProposal(
      owner.requestInDocument('PATCH', '/sheets/Extra?propose=true', { body: { name: 'Final' } }),
    );
    const write = await expectProposal(proposePut(owner, 'Extra!A1', [[1]]));
    await editor.renameSheet('Extra', 'Other');
    assert.equal((await decideProposal(editor, rename, 'rebase')).status, 200);
    assert.equal((await decideProposal(editor, rename, 'apply')).status, 200);
    await editor.deleteSheet('Final');
    const answer = await decideProposal(editor, write, 'rebase');
    assert.deepEqual([answer.status, answer.body], [404, { message: 'Sheet not found' }]);
    assert.equal((await readProposal(owner, write))['state'], 'open');
  });

  it('follows expected values, as applying does', async () => {
    for (const how of ['rebase', 'apply']) {
      const { owner, editor } = await createOrders();
      const body = { values: [[5]], expect: [{ range: 'Sheet1!C3', values: [[200]] }] };
      const proposal = await expectProposal(owner.requestInDocument('PUT', '/values/Sheet1!C2?propose=true', { body }));
      await moveCells(editor, 'New name');
      assert.equal((await decideProposal(editor, proposal, how)).status, 200, how);
      await editor.put("'New name'!D5", [[201]]);
      if (how === 'apply') continue;
      const failed = await decideProposal(editor, proposal, 'apply');
      assert.deepEqual(failed.body['differences'], [{ cell: "'New name'!D5", expected: 200, actual: 201 }]);
    }
  });
});

describe('the changes of a proposal', () => {
  it('have the form of a dry run, with dates as ISO texts in records', async () => {
    const { owner, editor } = await createOrders();
    await owner.put('D1', [['Date'], ['2026-03-01']]);
    const body = {
      range: 'A:D',
      key: ['Number'],
      records: [{ Number: 'A-1', Date: '2026-04-02' }],
    };
    const dry = await owner.requestInDocument('POST', '/records/upsert?dryRun=true', { body });
    const changes = [{ cell: 'Sheet1!D2', before: '2026-03-01', after: '2026-04-02' }];
    assert.deepEqual(dry.body['changes'], changes);
    const proposal = await expectProposal(owner.requestInDocument('POST', '/records/upsert?propose=true', { body }));
    const texts = [{ shown: { before: '3/1/2026', after: '4/2/2026' } }];
    assert.deepEqual([proposal['changes'], proposal['texts']], [changes, texts]);
    await editor.put('A9', [['elsewhere']]);
    assert.deepEqual((await readProposal(owner, proposal))['changes'], changes);
    await editor.put('A9', [['']]);
    const applied = memberAt((await decideProposal(editor, proposal, 'apply')).body, 'proposal');
    assert.deepEqual([applied['changes'], applied['texts']], [changes, texts]);
    assert.deepEqual(await readPlainValues(owner, 'D2'), [['2026-04-02']]);
  });
});

describe('a proposal that depends on very many cells', () => {
  it('is applied during writes to other cells, but not after a write to one of them', async () => {
    const { owner, editor } = await createOrders();
    await owner.put(
      'A5',
      Array.from({ length: 25_000 }, (_, i) => [`B-${i}`]),
    );
    const body = { range: 'A:C', key: ['Number'], records: [{ Number: 'B-9', Sum: 9 }] };
    const propose = () => expectProposal(owner.requestInDocument('POST', '/records/upsert?propose=true', { body }));
    const proposal = await propose();
    const writes = Array.from({ length: 20 }, (_, i) => editor.put(`H${i + 1}`, [[i]]));
    const answer = await decideProposal(editor, proposal, 'apply');
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    await Promise.all(writes);
    await owner.put('C14', [['']]);
    const second = await propose();
    await editor.put('A20', [['B-9']]);
    const late = await decideProposal(editor, second, 'apply');
    assert.deepEqual([late.status, late.body['conflicts']], [412, ['Sheet1!A20']]);
  });
});
