import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  createOrdersBook,
  createProposingToken,
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

describe('a proposed write', () => {
  it('changes no cell if it writes back what was read, and undo restores deleted columns exactly', async () => {
    const { owner, editor } = await createOrdersBook(world);
    await owner.put('F1', [
      [
        { value: '25:30:00', as: 'duration' },
        { value: '1850-05-05', as: 'date' },
        { value: '501', as: 'text' },
      ],
      [{ error: '#N/A' }, '=SEQUENCE(2)', true],
    ]);
    const cells = await owner.cells('F1:H2');
    const values = [
      [memberAt(cells, 0, 0, 'v'), memberAt(cells, 0, 1, 'v'), { value: memberAt(cells, 0, 2, 'v'), as: 'text' }],
      [{ error: '#N/A' }, memberAt(cells, 1, 1, 'f'), memberAt(cells, 1, 2, 'v')],
    ];
    const before = await owner.cells('A1:J5');
    const proposal = await expectProposal(proposePut(owner, 'F1', values));
    assert.equal(memberAt(proposal, 'summary', 'written'), 0);
    assert.equal((await decideProposal(editor, proposal, 'apply')).status, 200);
    assert.deepEqual(await owner.cells('A1:J5'), before);
    const deletion = { operations: [{ deleteColumns: { sheet: 'Sheet1', from: 'C', count: 5 } }] };
    const second = await expectProposal(owner.post('/structure?propose=true', deletion));
    assert.equal((await decideProposal(editor, second, 'apply')).status, 200);
    assert.equal((await owner.undo(await owner.revision())).status, 200);
    assert.deepEqual(await owner.cells('A1:J5'), before);
  });

  it('answers 202 with the expected changes and writes nothing', async () => {
    const { owner } = await createOrdersBook(world);
    const before = await owner.requestInDocument('GET', '');
    const answer = await proposePut(owner, 'C2', [[150]], '&title=Correct&note=Because');
    assert.equal(answer.status, 202);
    assert.equal(answer.headers.get('cellwire-proposed'), 'true');
    const proposal = memberAt(answer.body, 'proposal');
    assert.equal(typeof proposal['id'], 'string');
    const { changes, summary, state, title, note, action, conflicts, decidedBy, revisionId, baseRevision } =
      proposal as Record<string, Json>;
    assert.deepEqual(changes, [
      { cell: 'Sheet1!C2', before: 100, after: 150 },
      { cell: 'Sheet1!E1', before: 600, after: 650, derived: true },
    ]);
    assert.deepEqual(summary, { written: 1, derived: 1, sheets: ['Sheet1'] });
    assert.deepEqual([state, title, note, action], ['open', 'Correct', 'Because', 'update']);
    assert.deepEqual([conflicts, decidedBy, revisionId, baseRevision], [[], null, null, 2]);
    assert.equal(
      Date.parse(String(proposal['expiresAt'])) - Date.parse(String(proposal['createdAt'])),
      14 * 86_400_000,
    );
    const after = await owner.requestInDocument('GET', '');
    assert.equal(after.headers.get('etag'), before.headers.get('etag'));
    assert.equal(memberAt(after.body, 'document')['updatedAt'], memberAt(before.body, 'document')['updatedAt']);
    assert.deepEqual(
      [before, after].map(({ body }) => memberAt(body, 'document')['openProposals']),
      [0, 1],
    );
    assert.deepEqual(await readPlainValues(owner, 'C2'), [[100]]);
  });

  it('is refused like the write itself', async () => {
    const { owner } = await createOrdersBook(world);
    const refusals: [string, string, object, number, string?][] = [
      ['PUT', '/values/Nowhere!A1?propose=true', { values: [[1]] }, 404],
      ['PUT', '/values/A1?propose=maybe', { values: [[1]] }, 422, 'propose'],
      ['PUT', `/values/A1?propose=true&title=${'x'.repeat(201)}`, { values: [[1]] }, 422, 'title'],
      ['PUT', `/values/A1?propose=true&note=${'x'.repeat(2001)}`, { values: [[1]] }, 422, 'note'],
      ['PUT', '/values/A1?propose=true&ifRevision=1', { values: [[1]] }, 412],
      ['PUT', '/values/A1?propose=true', { values: [[1]], expect: [{ range: 'C2', values: [[7]] }] }, 412],
      ['POST', '/records/upsert?propose=true', { range: 'A:C', key: ['None'], records: [{ None: 1 }] }, 422],
      ['POST', '/revisions/99/undo?propose=true', {}, 404],
    ];
    for (const [method, path, body, status, field] of refusals) {
      const answer = await owner.requestInDocument(method, path, { body });
      assert.equal(answer.status, status, `${path} ${JSON.stringify(answer.body)}`);
      if (field !== undefined)
        assert.ok(Object.hasOwn(memberAt(answer.body, 'errors'), field), JSON.stringify(answer.body));
    }
    const list = (await owner.requestInDocument('GET', '/proposals')).body['proposals'];
    assert.deepEqual(list, { entries: [], nextCursor: null });
  });

  it('is a dry run if both are requested, and does not accept NDJSON', async () => {
    const { owner } = await createOrdersBook(world);
    const dry = await owner.requestInDocument('PUT', '/values/C2?propose=true&dryRun=true', {
      body: { values: [[1]] },
    });
    assert.deepEqual([dry.status, dry.body['dryRun']], [200, true]);
    const lines = await owner.requestInDocument('POST', '/records/append?propose=true&range=A:C', {
      raw: '{"Number":"A-9"}\n',
      headers: { 'content-type': 'application/x-ndjson' },
    });
    assert.deepEqual([lines.status, Object.keys(memberAt(lines.body, 'errors'))], [422, ['propose']]);
  });

  it('is stored under its Idempotency-Key, which covers title and note', async () => {
    const { owner } = await createOrdersBook(world);
    const send = (title: string) =>
      owner.requestInDocument('PUT', `/values/C2?propose=true&title=${title}`, {
        body: { values: [[5]] },
        key: 'same',
      });
    const [first, again, other] = [await send('a'), await send('a'), await send('b')];
    assert.deepEqual([first.status, again.status, other.status], [202, 202, 422]);
    assert.equal(memberAt(again.body, 'proposal')['id'], memberAt(first.body, 'proposal')['id']);
    assert.equal(again.headers.get('cellwire-proposed'), 'true');
    const directWrite = await owner.requestInDocument('PUT', '/values/C2', { body: { values: [[5]] }, key: 'same' });
    assert.equal(directWrite.status, 422);
  });

  it('has keys of its own: a key of one proposal decides another proposal, too', async () => {
    const { owner, editor } = await createOrdersBook(world);
    const proposals = [await expectProposal(proposePut(owner, 'C2', [[5]]))];
    proposals.push(await expectProposal(proposePut(owner, 'C3', [[6]])));
    for (const replayed of [null, 'true']) {
      for (const { id } of proposals) {
        const path = `/proposals/${String(id)}/reject`;
        const answer = await editor.requestInDocument('POST', path, { body: {}, key: 'same' });
        assert.deepEqual([answer.status, answer.headers.get('idempotency-replayed')], [200, replayed]);
        assert.equal(memberAt(answer.body, 'proposal')['id'], id);
      }
    }
  });

  it('can be any write of cells, sheets, structure and history', async () => {
    const { owner, editor } = await createOrdersBook(world);
    const writes: [string, string, object, string][] = [
      ['POST', '/values/append', { range: 'A:A', values: [['A-9']] }, 'append'],
      ['POST', '/values/clear', { range: 'A2' }, 'clear'],
      ['POST', '/values/batchUpdate', { data: [{ range: 'A2', values: [['x']] }] }, 'update'],
      ['POST', '/records/append', { range: 'A:C', records: [{ Number: 'A-4' }] }, 'records.append'],
      [
        'POST',
        '/records/upsert',
        { range: 'A:C', key: ['Number'], records: [{ Number: 'A-1', Sum: 7 }] },
        'records.upsert',
      ],
      ['POST', '/records/update', { range: 'A:C', where: { City: 'Riga' }, set: { Sum: 1 } }, 'records.update'],
      ['POST', '/records/delete', { range: 'A:C', where: { City: 'Riga' } }, 'records.delete'],
      ['POST', '/sheets', { name: 'New' }, 'sheet.create'],
      ['PATCH', '/sheets/Sheet1', { name: 'Other' }, 'sheet.rename'],
      ['POST', '/structure', { operations: [{ insertRows: { sheet: 'Sheet1', before: 2, count: 1 } }] }, 'structure'],
      ['POST', '/revisions/2/undo', {}, 'undo'],
      ['POST', '/revisions/1/restore', {}, 'restore'],
    ];
    for (const [method, path, body, action] of writes) {
      const revision = await owner.revision();
      const proposal = await expectProposal(owner.requestInDocument(method, `${path}?propose=true`, { body }));
      assert.equal(proposal['action'], action);
      assert.equal(await owner.revision(), revision);
      const expected = (await readProposal(owner, proposal))['changes'];
      const applied = await decideProposal(editor, proposal, 'apply');
      assert.equal(applied.status, 200, `${path} ${JSON.stringify(applied.body)}`);
      assert.deepEqual(memberAt(applied.body, 'proposal')['changes'], expected);
      assert.equal(await owner.revision(), String(Number(revision) + 1));
      const undone = await owner.undo(Number(await owner.revision()));
      assert.equal(undone.status, 200, `${path} ${JSON.stringify(undone.body)}`);
      await owner.put('A1', [
        ['Number', 'City', 'Sum'],
        ['A-1', 'Riga', 100],
        ['A-2', 'Tallinn', 200],
        ['A-3', 'Riga', 300],
      ]);
    }
  });
});

describe('the decision on a proposal', () => {
  it('writes as the proposer and names who applied it', async () => {
    const { owner, editor } = await createOrdersBook(world);
    const proposal = await expectProposal(proposePut(owner, 'C2', [['=C3*2']]));
    const applied = await decideProposal(editor, proposal, 'apply', { reason: 'Fine' });
    assert.equal(applied.status, 200, JSON.stringify(applied.body));
    const { state, decidedBy, reason, revisionId } = applied.body['proposal'] as Record<string, Json>;
    assert.deepEqual([state, reason, revisionId], ['applied', 'Fine', '3']);
    const entry = memberAt(await owner.listRevisions(), 'entries')[0] as Json;
    assert.equal(entry['proposal'], proposal['id']);
    assert.deepEqual(entry['appliedBy'], decidedBy);
    assert.deepEqual([entry['userName'], entry['token']], [memberAt(proposal, 'proposedBy')['name'], 'test token']);
    const actions = ((await owner.listAuditEntries())['entries'] as unknown as Json[]).map(
      (logEntry) => logEntry['action'],
    );
    assert.deepEqual(actions.slice(0, 2), ['apply', 'propose']);
    const [entryOfApply] = (await owner.listAuditEntries())['entries'] as unknown as Json[];
    assert.deepEqual(entryOfApply?.['properties'], {
      range: 'Sheet1!C2',
      cells: 1,
      proposal: proposal['id'],
      action: 'update',
      proposedBy: proposal['proposedBy'],
    });
  });

  it('is denied to the proposing token, consent tokens, agents, readers and strangers', async () => {
    const { owner, editor, editorId } = await createOrdersBook(world);
    const proposal = await expectProposal(proposePut(owner, 'C2', [[1]]));
    const consent = await createProposingToken(world, editorId, owner.document);
    const agent = world.apiFor(
      await world.createToken(editorId, ['sheets.read', 'sheets.agent.write']),
      owner.document,
    );
    const viewer = (await world.addMember(owner.document, 'view')).api;
    const reader = world.apiFor(await world.createToken(editorId, ['sheets.read']), owner.document);
    for (const how of ['apply', 'reject']) {
      for (const [name, api] of Object.entries({ owner, consent, agent, viewer, reader })) {
        const answer = await decideProposal(api, proposal, how);
        assert.equal(answer.status, 403, `${name} ${how} ${JSON.stringify(answer.body)}`);
      }
    }
    assert.deepEqual((await decideProposal(editor, proposal, 'withdraw')).body, {
      message: 'Insufficient permissions',
    });
    assert.equal((await decideProposal(owner, proposal, 'withdraw', { reason: 'No' })).status, 200);
    const second = await expectProposal(proposePut(editor, 'C2', [[1]]));
    const another = world.apiFor(await world.createToken(editorId), owner.document);
    assert.equal((await decideProposal(another, second, 'apply')).status, 200);
  });

  it('succeeds once, and other decisions get the name of the decider', async () => {
    const { owner, editor } = await createOrdersBook(world);
    const third = (await world.addMember(owner.document, 'edit')).api;
    for (let round = 0; round < 3; round++) {
      const proposal = await expectProposal(proposePut(owner, 'C2', [[round + 1]]));
      const answers = await Promise.all([
        decideProposal(editor, proposal, 'apply'),
        decideProposal(third, proposal, 'reject'),
        decideProposal(third, proposal, 'apply'),
        decideProposal(owner, proposal, 'withdraw'),
      ]);
      const statuses = answers.map(({ status }) => status).sort();
      assert.deepEqual(statuses, [200, 412, 412, 412], JSON.stringify(answers.map(({ body }) => body)));
      const winner = answers.find(({ status }) => status === 200);
      for (const loser of answers.filter(({ status }) => status === 412)) {
        assert.equal(loser.body['message'], 'Proposal is not open');
        assert.equal(loser.body['state'], memberAt(winner?.body, 'proposal')['state']);
        assert.deepEqual(loser.body['decidedBy'], memberAt(winner?.body, 'proposal')['decidedBy']);
      }
    }
  });

  it('refuses a rebase that comes too late as it refuses a decision', async () => {
    const { owner, editor } = await createOrdersBook(world);
    for (let round = 0; round < 3; round++) {
      const proposal = await expectProposal(proposePut(owner, 'C2', [[round + 1]]));
      const answers = await Promise.all([
        decideProposal(editor, proposal, 'reject'),
        ...[owner, editor, owner].map((api) => decideProposal(api, proposal, 'rebase')),
      ]);
      const [rejected, ...rebased] = answers;
      assert.equal(rejected?.status, 200);
      for (const { status, body } of rebased) {
        if (status !== 200) assert.deepEqual([status, body['state']], [412, 'rejected'], JSON.stringify(body));
      }
    }
  });

  it('gives the same response for ids that are unknown, malformed, or of another document', async () => {
    const [{ owner, editor }, other] = [await createOrdersBook(world), await createOrdersBook(world)];
    const foreign = await expectProposal(proposePut(other.owner, 'A1', [[1]]));
    for (const id of ['nonsense', '%00', foreign['id'], '3f0e7a52-9c1b-4d0f-8f63-2f0f7a1c9b11']) {
      for (const path of ['', '/apply', '/reject', '/withdraw', '/rebase']) {
        const answer = await editor.requestInDocument(
          path === '' ? 'GET' : 'POST',
          `/proposals/${id}${path}`,
          path === '' ? {} : { body: {} },
        );
        assert.equal(answer.status, 404, `${id}${path} ${JSON.stringify(answer.body)}`);
        assert.deepEqual(answer.body, { message: 'Proposal not found' });
      }
    }
    assert.equal((await owner.requestInDocument('GET', '/proposals?state=closed')).status, 422);
    assert.equal((await owner.requestInDocument('GET', '/proposals?limit=201')).status, 422);
    assert.equal((await owner.requestInDocument('GET', '/proposals?cursor=x')).status, 422);
  });

  it('needs the current permissions of the proposer and the decider', async () => {
    const { owner, editor, editorId } = await createOrdersBook(world);
    const third = await world.addMember(owner.document, 'edit');
    const proposal = await expectProposal(proposePut(third.api, 'C2', [[1]]));
    await world.protect(owner.document, 'Sheet1', { lock: true, allow: [editorId] });
    const answer = await decideProposal(editor, proposal, 'apply');
    assert.deepEqual([answer.status, answer.body], [403, { message: 'Sheet is protected' }]);
    await world.protect(owner.document, 'Sheet1', { lock: true, allow: [third.id] });
    assert.deepEqual((await decideProposal(editor, proposal, 'apply')).body, { message: 'Sheet is protected' });
    await world.share(owner.document, third.id, 'view');
    assert.deepEqual((await decideProposal(owner, proposal, 'apply')).body, { message: 'Insufficient permissions' });
    assert.equal((await readProposal(owner, proposal))['state'], 'open');
    assert.equal((await decideProposal(editor, proposal, 'reject')).status, 200);
  });
});

describe('conflicts of a proposal', () => {
  it('prevent it if a cell that it writes has another value', async () => {
    const { owner, editor } = await createOrdersBook(world);
    const proposal = await expectProposal(
      proposePut(owner, 'B2', [
        ['Riga', 111],
        [null, 222],
      ]),
    );
    await editor.put('E9', [['elsewhere']]);
    await editor.put('B3', [['Vilnius']]);
    assert.deepEqual((await readProposal(owner, proposal))['conflicts'], []);
    await editor.put('C3', [[201]]);
    assert.deepEqual((await readProposal(owner, proposal))['conflicts'], ['Sheet1!C3']);
    const answer = await decideProposal(editor, proposal, 'apply');
    assert.deepEqual(
      [answer.status, answer.body['message'], answer.body['revisionId'], answer.body['conflicts']],
      [412, 'Precondition failed', await owner.revision(), ['Sheet1!C3']],
    );
    await editor.put('C3', [[200]]);
    assert.equal((await decideProposal(editor, proposal, 'apply')).status, 200);
    assert.deepEqual(await readPlainValues(owner, 'B2:C3'), [
      ['Riga', 111],
      ['Vilnius', 222],
    ]);
  });

  it('arise from cells that determine the affected records, and not from others', async () => {
    const cases: [string, object, [string, unknown[][], boolean][]][] = [
      [
        'upsert',
        { range: 'A:C', key: ['Number'], records: [{ Number: 'A-1', Sum: 5 }] },
        [
          ['B2', [['Oslo']], true],
          ['A4', [['A-7']], false],
          ['A1', [['No']], false],
          ['A9', [['A-1']], false],
        ],
      ],
      [
        'update',
        { range: 'A:C', where: { City: 'Riga' }, set: { Sum: 5 } },
        [
          ['A3', [['A-8']], true],
          ['B3', [['Riga']], false],
          ['B9', [['Riga']], false],
          ['C1', [['Total']], false],
        ],
      ],
      [
        'delete',
        { range: 'A:C', formula: '=[Sum]>250' },
        [
          ['H1', [[1]], true],
          ['A2', [['A-0']], false],
          ['C9', [[999]], false],
        ],
      ],
      [
        'append',
        { range: 'A:C', records: [{ Number: 'A-4', Sum: 1 }] },
        [
          ['B4', [['Oslo']], true],
          ['B5', [['x']], false],
          ['A4', [['', '', '']], false],
          ['B1', [['Town']], false],
        ],
      ],
    ];
    for (const [name, body, edits] of cases) {
      for (const [range, values, isFree] of edits) {
        const { owner, editor } = await createOrdersBook(world);
        const proposal = await expectProposal(
          owner.requestInDocument('POST', `/records/${name}?propose=true`, { body }),
        );
        assert.equal((await editor.put(range, values)).status, 200);
        const { status, body: answer } = await decideProposal(editor, proposal, 'apply');
        assert.equal(status, isFree ? 200 : 412, `${name} ${range} ${JSON.stringify(answer)}`);
        if (!isFree) assert.ok((answer['conflicts'] as unknown as string[]).length > 0, `${name} ${range}`);
      }
    }
  });

  it('arise from changes that would move the row of an append', async () => {
    for (const [range, values, isFree] of [
      ['B4', [['Oslo']], true],
      ['H7', [['below']], false],
      ['A4', [['', '', '']], false],
    ] as const) {
      const { owner, editor } = await createOrdersBook(world);
      const body = { range: 'A:A', values: [['A-4']] };
      const proposal = await expectProposal(owner.requestInDocument('POST', '/values/append?propose=true', { body }));
      await editor.put(range, values as unknown as unknown[][]);
      const answer = await decideProposal(editor, proposal, 'apply');
      assert.equal(answer.status, isFree ? 200 : 412, `${range} ${JSON.stringify(answer.body)}`);
    }
  });

  it('do not arise from moved cells and renamed sheets, also in formulas', async () => {
    const { owner, editor } = await createOrdersBook(world);
    await owner.addSheet('Rates');
    await owner.put('Rates!A1', [[2]]);
    const proposal = await expectProposal(proposePut(owner, 'D2', [['=C2*Rates!A1']]));
    await editor.post('/structure', {
      operations: [
        { insertRows: { sheet: 'Sheet1', before: 1, count: 2 } },
        { insertColumns: { sheet: 'Rates', before: 'A', count: 1 } },
      ],
    });
    await editor.renameSheet('Rates', 'Price list');
    const open = await readProposal(owner, proposal);
    assert.deepEqual(open['conflicts'], []);
    assert.deepEqual(open['changes'], [{ cell: 'Sheet1!D4', before: null, after: 200 }]);
    assert.deepEqual(open['texts'], [{ formulas: { before: null, after: "=C4*'Price list'!B1" } }]);
    assert.equal((await decideProposal(editor, proposal, 'apply')).status, 200);
    assert.equal((await owner.cell('D4'))['f'], "=C4*'Price list'!B1");
  });

  it('report a row that is inserted between the last record and an append', async () => {
    const { owner, editor } = await createOrdersBook(world);
    const body = { range: 'A:C', records: [{ Number: 'A-4' }] };
    const proposal = await expectProposal(owner.requestInDocument('POST', '/records/append?propose=true', { body }));
    await editor.post('/structure', { operations: [{ insertRows: { sheet: 'Sheet1', before: 2, count: 1 } }] });
    assert.deepEqual((await readProposal(owner, proposal))['conflicts'], []);
    await editor.post('/structure', { operations: [{ insertRows: { sheet: 'Sheet1', before: 6, count: 1 } }] });
    const answer = await decideProposal(editor, proposal, 'apply');
    assert.deepEqual([answer.status, answer.body['conflicts']], [412, ['Sheet1!A6:C6']]);
  });

  it('name the last row of an append if it is deleted', async () => {
    const { owner, editor } = await createOrdersBook(world);
    const body = { range: 'A:C', records: [{ Number: 'A-4' }] };
    const proposal = await expectProposal(owner.requestInDocument('POST', '/records/append?propose=true', { body }));
    await editor.post('/structure', { operations: [{ deleteRows: { sheet: 'Sheet1', from: 4, count: 1 } }] });
    assert.deepEqual((await decideProposal(editor, proposal, 'apply')).body['conflicts'], ['Sheet1!A4:C4']);
  });

  it('name deleted cells and sheets by their old addresses', async () => {
    const { owner, editor } = await createOrdersBook(world);
    await owner.addSheet('Gone');
    const [inRow, inSheet] = [
      await expectProposal(proposePut(owner, 'C3', [[1]])),
      await expectProposal(proposePut(owner, 'Gone!A1:B1', [[1, 2]])),
    ];
    await editor.post('/structure', { operations: [{ deleteRows: { sheet: 'Sheet1', from: 3, count: 1 } }] });
    await editor.deleteSheet('Gone');
    for (const [proposal, conflict] of [
      [inRow, 'Sheet1!C3'],
      [inSheet, 'Gone!A1:B1'],
    ] as const) {
      const answer = await decideProposal(editor, proposal, 'apply');
      assert.deepEqual([answer.status, answer.body['conflicts']], [412, [conflict]], JSON.stringify(answer.body));
      assert.deepEqual((await readProposal(owner, proposal))['conflicts'], [conflict]);
    }
  });

  it('end with a rebase, which updates ifRevision and keeps expect', async () => {
    const { owner, editor } = await createOrdersBook(world);
    const body = { values: [[5]], ifRevision: '2', expect: [{ range: 'C3', values: [[200]] }] };
    const proposal = await expectProposal(owner.requestInDocument('PUT', '/values/C2?propose=true', { body }));
    await editor.put('C2', [[150]]);
    assert.equal((await decideProposal(editor, proposal, 'apply')).status, 412);
    const rebased = await decideProposal(editor, proposal, 'rebase');
    assert.equal(rebased.status, 200, JSON.stringify(rebased.body));
    const { baseRevision, conflicts, changes, expiresAt, id } = rebased.body['proposal'] as Record<string, Json>;
    assert.deepEqual([baseRevision, conflicts, expiresAt, id], [3, [], proposal['expiresAt'], proposal['id']]);
    assert.deepEqual((changes as unknown as Json[])[0], { cell: 'Sheet1!C2', before: 150, after: 5 });
    await editor.put('C3', [[201]]);
    const failed = await decideProposal(owner, proposal, 'rebase');
    assert.equal(failed.status, 412);
    assert.deepEqual(failed.body['differences'], [{ cell: 'Sheet1!C3', expected: 200, actual: 201 }]);
    await editor.put('C3', [[200]]);
    assert.equal((await decideProposal(editor, proposal, 'apply')).status, 412);
    assert.equal((await decideProposal(owner, proposal, 'rebase')).status, 200);
    assert.equal((await decideProposal(editor, proposal, 'apply')).status, 200);
    assert.equal((await decideProposal(editor, proposal, 'rebase')).status, 412);
  });
});

describe('a token whose writes need consent', () => {
  it('proposes every write, and may withdraw', async () => {
    const { owner, editor, editorId } = await createOrdersBook(world);
    const token = await createProposingToken(world, editorId, owner.document);
    for (const path of ['/values/C2', '/values/C2?propose=false']) {
      const answer = await token.requestInDocument('PUT', path, { body: { values: [[1]] } });
      assert.deepEqual([answer.status, answer.headers.get('cellwire-proposed')], [202, 'true']);
      assert.equal((await decideProposal(token, memberAt(answer.body, 'proposal'), 'withdraw')).status, 200);
    }
    const append = await token.append('A:A', [['x']]);
    assert.equal(append.status, 202);
    const dry = await token.requestInDocument('PUT', '/values/C2?dryRun=true', { body: { values: [[1]] } });
    assert.equal(dry.status, 200);
    const refused: [string, string, object][] = [
      ['POST', '/documents', { title: 'New' }],
      ['DELETE', `/documents/${owner.document}`, {}],
      ['POST', `/documents/${owner.document}/webhooks`, { url: 'https://example.com' }],
      ['PUT', `/documents/${owner.document}/sheets/Sheet1/protection`, { lock: true }],
    ];
    for (const [method, path, body] of refused) {
      const answer = await token.request(method, path, { body });
      assert.equal(answer.status, 403, path);
    }
    const lines = await token.requestInDocument('POST', '/records/append?range=A:C', {
      raw: '{"Number":"A-9"}\n',
      headers: { 'content-type': 'application/x-ndjson' },
    });
    assert.deepEqual([lines.status, lines.body], [403, { message: 'Writes of this token need consent' }]);
    assert.deepEqual(await readPlainValues(editor, 'C2'), [[100]]);
  });
});
