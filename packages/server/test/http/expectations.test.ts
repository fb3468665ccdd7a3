import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Api, type ApiResponse, memberAt, startWorld, type World } from './support.ts';

let world: World;
before(async () => {
  world = await startWorld();
});
after(() => world.close());

/** Every write of values, records, sheets and structure, with a valid body for the document below. */
const WRITES: readonly (readonly [
  name: string,
  write: (book: Api, options: object, query: string) => Promise<ApiResponse>,
])[] = [
  [
    'PUT values',
    (book, options, query) =>
      book.requestInDocument('PUT', `/values/A2${query}`, { body: { values: [['x']], ...options } }),
  ],
  [
    'batchUpdate',
    (book, options, query) =>
      book.post(`/values/batchUpdate${query}`, { data: [{ range: 'A2', values: [['x']] }], ...options }),
  ],
  [
    'append',
    (book, options, query) => book.post(`/values/append${query}`, { range: 'A1', values: [['x']], ...options }),
  ],
  ['clear', (book, options, query) => book.post(`/values/clear${query}`, { range: 'A2', ...options })],
  [
    'records',
    (book, options, query) =>
      book.post(`/records/append${query}`, { range: 'A:B', records: [{ Name: 'x' }], ...options }),
  ],
  [
    'structure',
    (book, options, query) =>
      book.post(`/structure${query}`, { operations: [{ insertRows: { sheet: 'Sheet1', before: 2 } }], ...options }),
  ],
  ['POST sheets', (book, options, query) => book.post(`/sheets${query}`, { ...options })],
  [
    'PATCH sheets',
    (book, options, query) =>
      book.requestInDocument('PATCH', `/sheets/Sheet1${query}`, { body: { name: 'SHEET1', ...options } }),
  ],
];

async function createFilledBook(): Promise<Api> {
  const book = await world.createBook();
  await book.put('A1', [
    ['Name', 'Sum', 'Day', 'Error'],
    ['a', 2, '2026-03-01', '=1/0'],
  ]);
  return book;
}

for (const [name, write] of WRITES) {
  describe(`${name} with a precondition`, () => {
    it('writes to the expected revision only', async () => {
      const book = await createFilledBook();
      const currentRevision = await book.revision();
      const stale = await write(book, { ifRevision: '0' }, '');
      assert.deepEqual(
        [stale.status, stale.body],
        [412, { message: 'Precondition failed', revisionId: currentRevision }],
      );
      assert.equal((await write(book, {}, '?ifRevision=0')).status, 412);
      for (const ifRevision of ['x', '', -1, 1.5, true]) {
        assert.equal((await write(book, { ifRevision }, '')).status, 422, String(ifRevision));
      }
      assert.equal(await book.revision(), currentRevision);
      assert.equal((await write(book, { ifRevision: currentRevision }, '')).status, 200);
      assert.equal((await write(book, { ifRevision: currentRevision }, '')).status, 412);
    });

    it('writes if the cells have the expected values, and otherwise returns the differences', async () => {
      const book = await createFilledBook();
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

    it('returns the result of a dry run without writing', async () => {
      const book = await createFilledBook();
      const currentRevision = await book.revision();
      const preview = await write(book, {}, '?dryRun=true');
      assert.deepEqual([preview.status, preview.body['dryRun'] as unknown], [200, true]);
      assert.ok(Array.isArray(preview.body['changes']));
      assert.equal(await book.revision(), currentRevision);
      const written = await write(book, {}, '');
      const { dryRun: _dryRun, changes: _changes, ...usual } = preview.body as unknown as Record<string, unknown>;
      const removeRevision = (body: unknown) => JSON.stringify(body).replace(/"revisionId":"\d+"/, '');
      assert.equal(removeRevision(usual), removeRevision(written.body));
    });
  });
}

describe('an expectation', () => {
  it('is refused if it is malformed, lacks cells, or names a missing or hidden sheet', async () => {
    const book = await createFilledBook();
    await book.addSheet('Secret');
    await world.protect(book.document, 'Secret', { hideValues: true });
    const { api } = await world.addMember(book.document, 'edit');
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
      const answer = await api.requestInDocument('PUT', '/values/A5', { body: { values: [[1]], expect } });
      assert.equal(answer.status, status, JSON.stringify(expect));
    }
  });

  it('on a sheet with hidden values is refused like a dry run; a plain write succeeds', async () => {
    const book = await createFilledBook();
    await book.addSheet('Secret');
    await book.addSheet('Secret too');
    await book.put('Secret too!A1', [['=Sheet1!B2']]);
    for (const sheet of ['Secret', 'Secret too']) await world.protect(book.document, sheet, { hideValues: true });
    const { api } = await world.addMember(book.document, 'edit');
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
      const write = (query: string) => api.requestInDocument(method, path + query, { body });
      const preview = await write('?dryRun=true');
      assert.deepEqual([preview.status, preview.body['message']], [403, 'Sheet values are hidden'], path);
      assert.equal((await write('')).status, 200, path);
    }
    const { body } = await api.requestInDocument('PUT', '/values/B2?dryRun=true', { body: { values: [[7]] } });
    assert.deepEqual(body['changes'], [{ cell: 'Sheet1!B2', before: 1, after: 7 }]);
  });

  it('lets exactly one of many writers win', async () => {
    const book = await createFilledBook();
    const write = () =>
      book.requestInDocument('PUT', '/values/B2', {
        body: { values: [[3]], expect: [{ range: 'B2', values: [[2]] }] },
      });
    const statuses = (await Promise.all(Array.from({ length: 8 }, write))).map(({ status }) => status);
    assert.deepEqual(statuses.sort(), [200, ...Array.from({ length: 7 }, () => 412)]);
  });

  it('of a deletion is a query parameter', async () => {
    const book = await createFilledBook();
    await book.addSheet('More');
    assert.equal((await book.requestInDocument('DELETE', '/sheets/More?ifRevision=0')).status, 412);
    const preview = await book.requestInDocument('DELETE', '/sheets/More?dryRun=true');
    assert.deepEqual(memberAt(preview.body, 'deleted')['name'] as unknown, 'More');
    assert.equal(
      (await book.requestInDocument('DELETE', `/sheets/More?ifRevision=${await book.revision()}`)).status,
      200,
    );
  });
});

describe('a typed cell', () => {
  const CELLS: readonly (readonly [cell: object, expectedCell: object])[] = [
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
    it(`is stored with its type under ${mode}`, async () => {
      const book = await world.createBook();
      for (const [i, [cell, expectedCell]] of CELLS.entries()) {
        for (const major of ['ROWS', 'COLUMNS'] as const) {
          const address = `${major === 'ROWS' ? 'A' : 'B'}${i + 1}`;
          assert.equal((await book.put(address, [[cell]], { mode, major })).status, 200, JSON.stringify(cell));
          const { error: _error, ...rest } = (await book.cell(address)) as unknown as Record<string, unknown>;
          assert.deepEqual(rest, expectedCell);
        }
      }
    });
  }

  it('is refused if the value does not match the type', async () => {
    const book = await world.createBook();
    const invalidCells = [
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
    for (const cell of invalidCells) {
      const { status, body } = await book.put('A1', [[1, cell]]);
      assert.deepEqual([status, Object.keys(memberAt(body, 'errors'))], [422, ['values.0.1']], JSON.stringify(cell));
    }
    assert.equal((await book.put('A1', [[{ value: null, as: 'text' }]])).status, 200);
  });
});
