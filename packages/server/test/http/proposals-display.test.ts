import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createPerson, signInAs } from './browser.ts';
import { createOrdersBook, decideProposal, expectProposal, proposePut, readProposal } from './proposals-support.ts';
import { type Api, type ApiResponse, type Json, memberAt, startWorld, type World } from './support.ts';

let world: World;
before(async () => {
  world = await startWorld();
});
after(() => world.close());

interface ShownChange {
  readonly cell: string;
  readonly before: unknown;
  readonly after: unknown;
  readonly shown?: { readonly before: string | null; readonly after: string | null };
  readonly formulas?: { readonly before: string | null; readonly after: string | null };
}

/** The changes of a proposal with their texts. */
function readChanges(proposal: Json): readonly ShownChange[] {
  const [changes, texts] = [proposal['changes'], proposal['texts']] as unknown as (readonly ShownChange[])[];
  assert.equal(texts?.length, changes?.length);
  return (changes ?? []).map((change, i) => ({ ...change, ...texts?.[i] }));
}

/** The texts after a proposal: as it says, or the value itself if it says nothing. */
function listTextsAfter(proposal: Json): readonly unknown[] {
  return readChanges(proposal).map(({ after, shown }) => {
    if (shown !== undefined) return shown.after;
    return typeof after === 'boolean' ? String(after).toUpperCase() : String(after);
  });
}

/** The texts that the grid shows. */
async function readGrid(api: Api, range: string): Promise<readonly unknown[]> {
  const { body } = await api.get(range, { render: 'display' });
  return (memberAt(body, 'values', 'cells') as unknown as unknown[][]).flat();
}

/** Reads cells of the results of proposals in the browser of a new editor of a document. */
async function createResultReader({ document }: Api) {
  const person = await createPerson(world);
  await world.share(document, String(person.id), 'edit');
  const browser = await signInAs(world, person);
  return {
    request: ({ id }: Json, range: string): Promise<ApiResponse> =>
      browser.request('GET', `/documents/${document}/proposals/${id}/cells?range=${encodeURIComponent(range)}`),
    /** The texts that the grid would show. */
    async read(proposal: Json, range: string): Promise<readonly unknown[]> {
      const { status, body } = await this.request(proposal, range);
      assert.equal(status, 200, JSON.stringify(body));
      const cells = memberAt(body, 'values', 'cells') as unknown as ({ readonly m: string } | null)[][];
      return cells.flat().map((cell) => cell?.m ?? null);
    },
  };
}

/** Another member of the document decides, because the proposing token may not. */
async function decide(owner: Api, proposal: Json, decision: 'apply' | 'reject'): Promise<void> {
  const { api } = await world.addMember(owner.document, 'edit');
  assert.equal((await decideProposal(api, proposal, decision)).status, 200);
}

/** Typed inputs, and what the grid shows of them. */
const TYPED: readonly (readonly [locale: string, inputs: readonly unknown[], shown: readonly string[]])[] = [
  [
    'en-US',
    ['2/28/2026', '62.5%', '$1,234.50', '14:30', true, '1234567890123456789', "'00123", '=1/0', 9876.25, '25:30:00'],
    [
      ...['2/28/2026', '62.50%', '$1,234.50', '14:30', 'TRUE', '1234567890123456789', '00123'],
      ...['#DIV/0!', '9876.25', '25:30:00'],
    ],
  ],
  [
    'de-DE',
    ['28.02.2026', '62,5%', '1.234,50 €', '14:30', false, "'007", '=NA()', 9876.25],
    ['28.02.2026', '62,50%', '1.234,50 €', '14:30', 'FALSE', '007', '#N/A', '9876,25'],
  ],
  ['ru-RU', ['28.02.2026', '62,5%', '14:30:15', 9876.25], ['28.02.2026', '62,50%', '14:30:15', '9876,25']],
];

describe('the changes of a proposal', () => {
  for (const [locale, inputs, expected] of TYPED) {
    it(`show what ${locale} shows after applying, also in cells that are empty now`, async () => {
      const owner = await world.createBook({ locale, inputLocale: 'document' });
      const proposal = await expectProposal(proposePut(owner, 'A1', [[...inputs]]));
      const texts = listTextsAfter(proposal);
      assert.deepEqual(texts, expected);
      assert.ok(
        readChanges(proposal).every(({ before, shown }) => before === null && (shown?.before ?? null) === null),
      );
      assert.deepEqual(listTextsAfter(await readProposal(owner, proposal)), texts);
      await decide(owner, proposal, 'apply');
      assert.deepEqual(await readGrid(owner, `A1:${String.fromCharCode(64 + inputs.length)}1`), texts);
      assert.deepEqual(listTextsAfter(await readProposal(owner, proposal)), texts);
    });
  }

  it('show the formats that cells carry, before and after, and a change of the format alone', async () => {
    const owner = await world.createBook({ locale: 'de-DE', inputLocale: 'document' });
    await owner.put('A1', [['50%', '31.01.2026', 1]]);
    const proposal = await expectProposal(proposePut(owner, 'A1', [[0.125, 46_054, '28.02.2026']]));
    assert.deepEqual(
      readChanges(proposal).map(({ shown }) => shown),
      [
        { before: '50%', after: '13%' },
        { before: '31.01.2026', after: '01.02.2026' },
        { before: '1', after: '28.02.2026' },
      ],
    );
  });

  it('are texts of dates in upserted records', async () => {
    const { owner } = await createOrdersBook(world);
    await owner.put('D1', [['Due']]);
    const body = { range: 'A:D', key: ['Number'], records: [{ Number: 'A-1', Due: '2026-04-02' }] };
    const proposal = await expectProposal(owner.post('/records/upsert?propose=true', body));
    assert.deepEqual(listTextsAfter(proposal), ['2026-04-02']);
    await decide(owner, proposal, 'apply');
    assert.deepEqual(await readGrid(owner, 'D2'), ['2026-04-02']);
  });

  for (const [locale, before, after] of [
    ['en-US', '=SUM(A1,0.5)', '=SUM(A1,1.5)'],
    ['de-DE', '=SUM(A1;0,5)', '=SUM(A1;1,5)'],
  ] as const) {
    it(`have the formulas of written cells, as people of ${locale} type them`, async () => {
      const owner = await world.createBook({ locale, inputLocale: 'document' });
      await owner.put('A1', [[1, before, before, '=B1']]);
      const proposal = await expectProposal(proposePut(owner, 'B1', [[after, 7]]));
      assert.deepEqual(
        readChanges(proposal).map(({ cell, formulas }) => [cell, formulas]),
        [
          ['Sheet1!B1', { before, after }],
          ['Sheet1!C1', { before, after: null }],
          ['Sheet1!D1', undefined],
        ],
      );
    });
  }
});

describe('a proposal about sheets', () => {
  it('names added, renamed, deleted, hidden, shown, moved and coloured sheets', async () => {
    const { owner } = await createOrdersBook(world);
    for (const name of ['Two', 'Three', 'Four', 'Five']) await owner.addSheet(name);
    const patch = (sheet: string, body: object) => owner.requestInDocument('PATCH', `/sheets/${sheet}`, { body });
    await patch('Two', { hidden: true });
    const then = await owner.revision();
    await owner.renameSheet('Sheet1', 'Orders');
    await patch('Two', { hidden: false });
    await patch('Four', { hidden: true });
    await owner.deleteSheet('Three');
    await owner.addSheet('Later');
    const operations = [
      { moveSheet: { sheet: 'Five', order: 0 } },
      { colorSheet: { sheet: 'Five', color: '#ff0000' } },
    ];
    await owner.post('/structure', { operations });
    const proposal = await expectProposal(owner.post(`/revisions/${then}/restore?propose=true`, {}));
    const expected = [
      { change: 'rename', sheet: 'Sheet1', before: 'Orders' },
      { change: 'hide', sheet: 'Two' },
      { change: 'add', sheet: 'Three', position: 3 },
      { change: 'show', sheet: 'Four' },
      { change: 'move', sheet: 'Five', position: 5 },
      { change: 'color', sheet: 'Five' },
      { change: 'delete', sheet: 'Later' },
    ];
    assert.deepEqual(proposal['sheetChanges'], expected);
    assert.deepEqual((await readProposal(owner, proposal))['sheetChanges'], expected);
    await decide(owner, proposal, 'reject');
    assert.deepEqual((await readProposal(owner, proposal))['sheetChanges'], expected);
  });

  it('names the sheet of the simple requests, too', async () => {
    const { owner } = await createOrdersBook(world);
    const added = await expectProposal(
      owner.requestInDocument('POST', '/sheets?propose=true', { body: { name: 'A' } }),
    );
    assert.deepEqual(added['sheetChanges'], [{ change: 'add', sheet: 'A', position: 2 }]);
    const renamed = await expectProposal(
      owner.requestInDocument('PATCH', '/sheets/Sheet1?propose=true', { body: { name: 'Orders' } }),
    );
    assert.deepEqual(renamed['sheetChanges'], [{ change: 'rename', sheet: 'Orders', before: 'Sheet1' }]);
  });
});

describe('a proposal of names, tables and filters', () => {
  const propose = (owner: Api, ...operations: readonly object[]) =>
    expectProposal(owner.post('/structure?propose=true', { operations }));

  it('says what they were and what they become', async () => {
    const { owner } = await createOrdersBook(world);
    await owner.put('A1:C3', [
      ['Name', 'Sum', 'City'],
      ['a', 1, 'Bonn'],
      ['b', 2, 'Ulm'],
    ]);
    await owner.post('/structure', {
      operations: [
        { setName: { name: 'Rate', refersTo: '=1,5' } },
        { setName: { name: 'Old', refersTo: '=Sheet1!$B$2' } },
        { setTable: { name: 'Orders', range: 'Sheet1!A1:B3' } },
      ],
    });
    const proposal = await propose(
      owner,
      { insertRows: { sheet: 'Sheet1', before: 1, count: 2 } },
      { setName: { name: 'Rate', refersTo: '=2' } },
      { setName: { name: 'Total', refersTo: '=SUM(Sheet1!$B$4:$B$5)' } },
      { setTable: { name: 'Orders', range: 'Sheet1!A3:C5' } },
      { setFilter: { range: 'Sheet1!A3:C5', columns: { B: { values: ['1'] } } } },
    );
    const expected = [
      { setting: 'name', change: 'change', name: 'Rate', before: '=1,5', after: '=2' },
      { setting: 'name', change: 'add', name: 'Total', after: '=SUM(Sheet1!$B$4:$B$5)' },
      { setting: 'table', change: 'change', name: 'Orders', before: 'Sheet1!A3:B5', after: 'Sheet1!A3:C5' },
      { setting: 'filter', change: 'add', name: 'Sheet1', after: 'Sheet1!A3:C5', columns: ['B'] },
    ];
    assert.deepEqual(proposal['settingChanges'], expected);
    await decide(owner, proposal, 'apply');
    assert.deepEqual((await readProposal(owner, proposal))['settingChanges'], expected);
    const removal = await propose(
      owner,
      { deleteName: { name: 'Old' } },
      { deleteTable: { name: 'Orders' } },
      { filterColumn: { sheet: 'Sheet1', column: 'B', condition: null } },
    );
    assert.deepEqual(removal['settingChanges'], [
      { setting: 'name', change: 'delete', name: 'Old', before: '=Sheet1!$B$4' },
      { setting: 'table', change: 'delete', name: 'Orders', before: 'Sheet1!A3:C5' },
      {
        ...{ setting: 'filter', change: 'change', name: 'Sheet1' },
        ...{ before: 'Sheet1!A3:C5', after: 'Sheet1!A3:C5', columns: ['B'] },
      },
    ]);
  });

  it('does not list what only moves with its cells or is named anew with its sheet', async () => {
    const { owner } = await createOrdersBook(world);
    await owner.post('/structure', {
      operations: [
        { setName: { name: 'Rate', refersTo: '=Sheet1!$B$2' } },
        { setTable: { name: 'Orders', range: 'Sheet1!A1:B3' } },
        { setFilter: { range: 'Sheet1!A1:B3', columns: {} } },
      ],
    });
    const moved = await propose(
      owner,
      { insertRows: { sheet: 'Sheet1', before: 2, count: 1 } },
      { insertColumns: { sheet: 'Sheet1', before: 'A', count: 1 } },
    );
    assert.deepEqual(moved['settingChanges'], []);
    const renamed = await expectProposal(
      owner.requestInDocument('PATCH', '/sheets/Sheet1?propose=true', { body: { name: 'Orders 2026' } }),
    );
    assert.deepEqual(renamed['settingChanges'], []);
  });

  it('keeps tables and filters of a hidden sheet from readers who may not see it', async () => {
    const { owner, editor } = await createOrdersBook(world);
    await owner.addSheet('Salaries');
    await world.protect(owner.document, 'Salaries', { hideValues: true });
    const proposal = await propose(
      owner,
      { setTable: { name: 'Pay', range: 'Salaries!A1:B3' } },
      { setTable: { name: 'Orders', range: 'Sheet1!A1:C4' } },
    );
    const list = async (reader: Api) => {
      const { settingChanges, hidden } = await readProposal(reader, proposal);
      return [(settingChanges as unknown as readonly { readonly name: string }[]).map(({ name }) => name), hidden];
    };
    assert.deepEqual(await list(owner), [['Pay', 'Orders'], undefined]);
    assert.deepEqual(await list(editor), [['Orders'], true]);
  });

  it('names the sheet whose sizes or rules an undo takes back', async () => {
    const { owner } = await createOrdersBook(world);
    const person = await createPerson(world);
    await world.share(owner.document, String(person.id), 'edit');
    const browser = await signInAs(world, person);
    const path = `/documents/${owner.document}/sizes/B%3AB`;
    assert.equal((await browser.request('PUT', path, { body: { size: 90 } })).status, 200);
    const revision = await owner.revision();
    const proposal = await expectProposal(owner.post(`/revisions/${revision}/undo?propose=true`, {}));
    assert.deepEqual(proposal['settingChanges'], [{ setting: 'layout', change: 'change', name: 'Sheet1' }]);
  });
});

describe('a structural proposal', () => {
  it('has the positions of the result, removed cells and rows those before it', async () => {
    const { owner } = await createOrdersBook(world);
    const proposal = await expectProposal(
      owner.post('/structure?propose=true', {
        operations: [
          { insertColumns: { sheet: 'Sheet1', before: 'B', count: 2 } },
          { deleteRows: { sheet: 'Sheet1', from: 3, count: 1 } },
          { insertRows: { sheet: 'Sheet1', before: 2, count: 1 } },
          { moveRows: { sheet: 'Sheet1', from: 4, count: 1, before: 3 } },
          { copy: { from: 'Sheet1!A1', to: 'Sheet1!B1' } },
        ],
      }),
    );
    assert.deepEqual(proposal['moves'], [
      { to: 'Sheet1!B:C' },
      { from: 'Sheet1!3:3' },
      { to: 'Sheet1!2:2' },
      { from: 'Sheet1!4:4', to: 'Sheet1!3:3' },
    ]);
    const listCells = (read: Json) => readChanges(read).map(({ cell, before, after }) => [cell, before, after]);
    assert.deepEqual(listCells(proposal), [
      ['Sheet1!B1', null, 'Number'],
      ['Sheet1!A3', 'A-2', null],
      ['Sheet1!B3', 'Tallinn', null],
      ['Sheet1!C3', 200, null],
      ['Sheet1!G1', 600, 400],
    ]);
    assert.deepEqual(readChanges(proposal).at(-1)?.formulas, { before: '=SUM(E2:E4)', after: '=SUM(E3:E4)' });
    const operations = [{ insertRows: { sheet: 'Sheet1', before: 1, count: 10 } }];
    await owner.post('/structure', { operations });
    await owner.renameSheet('Sheet1', 'Orders');
    const later = await readProposal(owner, proposal);
    assert.deepEqual(later['moves'], [
      { to: 'Orders!B:C' },
      { from: 'Orders!13:13' },
      { to: 'Orders!12:12' },
      { from: 'Orders!14:14', to: 'Orders!13:13' },
    ]);
    assert.deepEqual(listCells(later)[0], ['Orders!B11', null, 'Number']);
    assert.deepEqual(listCells(later)[1], ['Orders!A13', 'A-2', null]);
    const expected = [
      ...['Number', 'Number', null, 'City', 'Sum', null, '400'],
      ...[null, null, null, null, null, null, null],
      ...['A-3', null, null, 'Riga', '300', null, null],
    ];
    const results = await createResultReader(owner);
    assert.deepEqual(await results.read(proposal, 'Orders!A11:G13'), expected);
    await decide(owner, proposal, 'apply');
    assert.deepEqual(await readGrid(owner, 'Orders!A11:G13'), expected);
  });

  it('lists deletions from top to bottom, and says if there are more than 100', async () => {
    const owner = await world.createBook();
    const rows = Array.from({ length: 240 }, (_, i) => [i % 2 === 0 ? 'keep' : i < 6 ? 'some' : 'many']);
    await owner.put('A1', [['Kind'], ...rows]);
    const propose = (where: object) =>
      expectProposal(owner.post('/records/delete?propose=true', { range: 'A:A', where }));
    const some = await propose({ Kind: 'some' });
    assert.deepEqual(some['moves'], [{ from: 'Sheet1!A3' }, { from: 'Sheet1!A5' }, { from: 'Sheet1!A7' }]);
    assert.equal(some['truncated'], false);
    const many = await propose({ Kind: 'many' });
    assert.deepEqual([(many['moves'] as unknown as Json[]).length, many['truncated']], [100, true]);
    assert.deepEqual([(await readProposal(owner, many))['truncated'], readChanges(many).length], [true, 117]);
  });
});

describe('the cells of the result of a proposal', () => {
  it('are those of new and renamed sheets under their new names', async () => {
    const { owner } = await createOrdersBook(world);
    const results = await createResultReader(owner);
    const renamed = await expectProposal(
      owner.requestInDocument('PATCH', '/sheets/Sheet1?propose=true', { body: { name: 'Orders' } }),
    );
    assert.deepEqual(await results.read(renamed, 'orders!A1:B1'), ['Number', 'City']);
    assert.equal((await results.request(renamed, 'Sheet1!A1')).status, 404);
    const operations = [{ duplicateSheet: { sheet: 'Sheet1', name: 'Copy' } }];
    const copied = await expectProposal(owner.post('/structure?propose=true', { operations }));
    assert.deepEqual(await results.read(copied, 'Copy!A2'), ['A-1']);
  });

  it('are refused for hidden values, conflicts, decided proposals and unbounded ranges', async () => {
    const { owner } = await createOrdersBook(world);
    const results = await createResultReader(owner);
    const proposal = await expectProposal(proposePut(owner, 'C2', [[150]]));
    for (const range of ['Sheet1!A:B', 'C2', 'Sheet1!A1:Z9999', '!']) {
      assert.equal((await results.request(proposal, range)).status, 422, range);
    }
    assert.deepEqual(await results.read(proposal, 'Sheet1!C2'), ['150']);
    await world.protect(owner.document, 'Sheet1', { hideValues: true });
    assert.equal((await results.request(proposal, 'Sheet1!C2')).status, 403);
    const operations = [{ duplicateSheet: { sheet: 'Sheet1', name: 'Copy' } }];
    const copied = await expectProposal(owner.post('/structure?propose=true', { operations }));
    assert.equal((await results.request(copied, 'Copy!A1')).status, 403);
    await world.protect(owner.document, 'Sheet1', { lock: true });
    await owner.put('C2', [[151]]);
    assert.equal((await results.request(proposal, 'Sheet1!C2')).status, 412);
    await decide(owner, proposal, 'reject');
    const { status, body } = await results.request(proposal, 'Sheet1!C2');
    assert.deepEqual([status, body['state']], [412, 'rejected']);
  });
});
