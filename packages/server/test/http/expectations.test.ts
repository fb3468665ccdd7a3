import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Answer, type Api, startWorld, type World } from './support.ts';

let world: World;
before(async () => {
  world = await startWorld();
});
after(() => world.close());

/** Every write, of values, records, sheets and structure, with a body that is good for the book below. */
const WRITES: readonly (readonly [
  name: string,
  write: (book: Api, asked: object, query: string) => Promise<Answer>,
])[] = [
  [
    'PUT values',
    (book, asked, query) => book.here('PUT', `/values/A2${query}`, { body: { values: [['x']], ...asked } }),
  ],
  [
    'batchUpdate',
    (book, asked, query) =>
      book.post(`/values/batchUpdate${query}`, { data: [{ range: 'A2', values: [['x']] }], ...asked }),
  ],
  ['append', (book, asked, query) => book.post(`/values/append${query}`, { range: 'A1', values: [['x']], ...asked })],
  ['clear', (book, asked, query) => book.post(`/values/clear${query}`, { range: 'A2', ...asked })],
  [
    'records',
    (book, asked, query) => book.post(`/records/append${query}`, { range: 'A:B', records: [{ Name: 'x' }], ...asked }),
  ],
  [
    'structure',
    (book, asked, query) =>
      book.post(`/structure${query}`, { operations: [{ insertRows: { sheet: 'Sheet1', before: 2 } }], ...asked }),
  ],
  ['POST sheets', (book, asked, query) => book.post(`/sheets${query}`, { ...asked })],
  [
    'PATCH sheets',
    (book, asked, query) => book.here('PATCH', `/sheets/Sheet1${query}`, { body: { name: 'SHEET1', ...asked } }),
  ],
];

async function filled(): Promise<Api> {
  const book = await world.book();
  await book.put('A1', [
    ['Name', 'Sum', 'Day', 'Error'],
    ['a', 2, '2026-03-01', '=1/0'],
  ]);
  return book;
}

for (const [name, write] of WRITES) {
  describe(`${name} with a precondition`, () => {
    it('is made on the revision that it names, and on no other', async () => {
      const book = await filled();
      const seen = await book.revision();
      const stale = await write(book, { ifRevision: '0' }, '');
      assert.deepEqual([stale.status, stale.body], [412, { message: 'Precondition failed', revisionId: seen }]);
      assert.equal((await write(book, {}, '?ifRevision=0')).status, 412);
      for (const ifRevision of ['x', '', -1, 1.5, true]) {
        assert.equal((await write(book, { ifRevision }, '')).status, 422, String(ifRevision));
      }
      assert.equal(await book.revision(), seen);
      assert.equal((await write(book, { ifRevision: seen }, '')).status, 200);
      assert.equal((await write(book, { ifRevision: seen }, '')).status, 412);
    });

    it('is made where cells hold what it expects, else told what differs', async () => {
      const book = await filled();
      const expect = [{ range: 'Sheet1!A2:E2', values: [['a', 2, '2026-03-01', { error: '#DIV/0!' }, null]] }];
      const other = [{ range: 'B1:B2', values: [['sum'], [99]] }];
      const { status, body } = await write(book, { expect: other }, '');
      assert.equal(status, 412);
      assert.deepEqual(body['differences'], [
        { cell: 'Sheet1!B1', expected: 'sum', actual: 'Sum' },
        { cell: 'Sheet1!B2', expected: 99, actual: 2 },
      ]);
      assert.equal((await write(book, { expect }, '')).status, 200);
    });

    it('is only told by a dry run, without a key', async () => {
      const book = await filled();
      const seen = await book.revision();
      const told = await write(book, {}, '?dryRun=true');
      assert.deepEqual([told.status, told.body['dryRun'] as unknown], [200, true]);
      assert.ok(Array.isArray(told.body['changes']));
      assert.equal(await book.revision(), seen);
      const done = await write(book, {}, '');
      const { dryRun: _dryRun, changes: _changes, ...usual } = told.body as unknown as Record<string, unknown>;
      const withoutRevision = (body: unknown) => JSON.stringify(body).replace(/"revisionId":"\d+"/, '');
      assert.equal(withoutRevision(usual), withoutRevision(done.body));
    });
  });
}

describe('an expectation', () => {
  it('is refused where it has no shape, no cells, no sheet, or hidden ones', async () => {
    const book = await filled();
    await book.addSheet('Secret');
    await world.protect(book.document, 'Secret', { hideValues: true });
    const { api } = await world.member(book.document, 'edit');
    const CASES: readonly (readonly [expect: unknown, status: number])[] = [
      [{}, 422],
      [[{ range: 'A1' }], 422],
      [[{ range: 'A1', values: [[[]]] }], 422],
      [[{ range: 'A0', values: [[1]] }], 422],
      [[{ range: 'A1', values: [[1, 2]] }], 422],
      [[{ range: 'Nope!A1', values: [[1]] }], 404],
      [[{ range: 'Secret!A1', values: [[1]] }], 403],
    ];
    for (const [expect, status] of CASES) {
      const answer = await api.here('PUT', '/values/A5', { body: { values: [[1]], expect } });
      assert.equal(answer.status, status, JSON.stringify(expect));
    }
  });

  it('and a dry run of a write to a sheet whose values are hidden are refused, the write itself is not', async () => {
    const book = await filled();
    await book.addSheet('Secret');
    await book.addSheet('Secret too');
    await book.put('Secret too!A1', [['=Sheet1!B2']]);
    for (const sheet of ['Secret', 'Secret too']) await world.protect(book.document, sheet, { hideValues: true });
    const { api } = await world.member(book.document, 'edit');
    const values = [[1]];
    const WRITES: readonly (readonly [method: string, path: string, body?: object])[] = [
      ['PUT', '/values/Secret!A1', { values }],
      ['POST', '/values/append', { range: 'Secret!A1', values }],
      ['POST', '/values/clear', { range: 'Secret!A1:B2' }],
      [
        'POST',
        '/values/batchUpdate',
        {
          data: [
            { range: 'B2', values },
            { range: 'Secret!A1', values },
          ],
        },
      ],
      ['POST', '/structure', { operations: [{ copy: { from: 'B2', to: 'Secret!A1' } }] }],
      ['PATCH', '/sheets/Secret', { name: 'Other' }],
      ['DELETE', '/sheets/Other'],
    ];
    for (const [method, path, body] of WRITES) {
      const write = (query: string) => api.here(method, path + query, { body });
      const tried = await write('?dryRun=true');
      assert.deepEqual([tried.status, tried.body['message']], [403, 'Sheet values are hidden'], path);
      assert.equal((await write('')).status, 200, path);
    }
    const { body } = await api.here('PUT', '/values/B2?dryRun=true', { body: { values: [[7]] } });
    assert.deepEqual(body['changes'], [{ cell: 'Sheet1!B2', before: 1, after: 7 }]);
  });

  it('lets one of many writers win each time', async () => {
    const book = await filled();
    const write = () =>
      book.here('PUT', '/values/B2', { body: { values: [[3]], expect: [{ range: 'B2', values: [[2]] }] } });
    const statuses = (await Promise.all(Array.from({ length: 8 }, write))).map(({ status }) => status);
    assert.deepEqual(statuses.sort(), [200, ...Array.from({ length: 7 }, () => 412)]);
  });

  it('of a deletion goes into the query', async () => {
    const book = await filled();
    await book.addSheet('More');
    assert.equal((await book.here('DELETE', '/sheets/More?ifRevision=0')).status, 412);
    const told = await book.here('DELETE', '/sheets/More?dryRun=true');
    assert.deepEqual(told.body['deleted']['name'] as unknown, 'More');
    assert.equal((await book.here('DELETE', `/sheets/More?ifRevision=${await book.revision()}`)).status, 200);
  });
});

describe('a cell that says what it is', () => {
  const CELLS: readonly (readonly [cell: object, shown: object])[] = [
    [
      { value: '00501', as: 'text' },
      { v: '00501', m: '00501' },
    ],
    [
      { value: '123456789012345678', as: 'text' },
      { v: '123456789012345678', m: '123456789012345678' },
    ],
    [
      { value: '=A1', as: 'text' },
      { v: '=A1', m: '=A1' },
    ],
    [
      { value: 501, as: 'text' },
      { v: '501', m: '501' },
    ],
    [
      { value: '12.5', as: 'number' },
      { v: 12.5, m: '12.5' },
    ],
    [
      { value: '2026-03-26', as: 'date' },
      { v: 46107, m: '3/26/2026', t: 'd' },
    ],
    [
      { value: 'true', as: 'boolean' },
      { v: true, m: 'TRUE' },
    ],
    [
      { value: '=1+1', as: 'formula' },
      { v: 2, m: '2', f: '=1+1' },
    ],
    [{ error: '#N/A' }, { v: '#N/A', m: '#N/A' }],
  ];
  for (const mode of ['RAW', 'USER_ENTERED'] as const) {
    it(`is stored as that under ${mode}`, async () => {
      const book = await world.book();
      for (const [i, [cell, shown]] of CELLS.entries()) {
        for (const major of ['ROWS', 'COLUMNS'] as const) {
          const address = `${major === 'ROWS' ? 'A' : 'B'}${i + 1}`;
          assert.equal((await book.put(address, [[cell]], { mode, major })).status, 200, JSON.stringify(cell));
          const { error: _error, ...rest } = (await book.cell(address)) as unknown as Record<string, unknown>;
          assert.deepEqual(rest, shown);
        }
      }
    });
  }

  it('is refused where it is not', async () => {
    const book = await world.book();
    const wrong = [
      { value: 'x', as: 'number' },
      { value: '1,5', as: 'number' },
      { value: '26.03.2026', as: 'date' },
      { value: 1, as: 'boolean' },
      { value: '1', as: 'formula' },
      { value: 'x' },
      { value: 'x', as: 'money' },
      { error: '#OOPS' },
      {},
    ];
    for (const cell of wrong) {
      const { status, body } = await book.put('A1', [[1, cell]]);
      assert.deepEqual([status, Object.keys(body['errors'])], [422, ['values.0.1']], JSON.stringify(cell));
    }
    assert.equal((await book.put('A1', [[{ value: null, as: 'text' }]])).status, 200);
  });
});
