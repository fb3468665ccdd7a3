import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { sendHttp } from './send.ts';
import { type Api, memberAt, startWorld, type World } from './support.ts';

let world: World;
before(async () => {
  world = await startWorld({ limits: { maxResponseCells: 100 } });
});
after(() => world.close());

/**
 * Creates a document whose first sheet has 3 rows and 2 columns. One sheet name contains an apostrophe, one is a cell,
 * and one would be a cell of a larger grid.
 */
async function createFilledBook(): Promise<Api> {
  const book = await world.createBook();
  await book.put('A1', [
    [1, 2],
    [3, 4],
    [5, 6],
  ]);
  for (const name of ["It's", 'AB12', 'Data', 'ZZZ7']) await book.addSheet(name);
  await book.put("'It''s'!A1", [['quoted']]);
  await book.put("'AB12'!A1", [['named like a cell']]);
  await book.put('ZZZ7!A1', [['named like a cell of a larger grid']]);
  return book;
}

describe('range addresses', () => {
  it('resolve to a sheet and to the returned cells', async () => {
    const book = await createFilledBook();
    const cases: readonly [text: string, sheet: string, range: string, total: number][] = [
      ['A1', 'Sheet1', 'A1', 1],
      ['b2', 'Sheet1', 'B2', 1],
      ['$A$1:$B$2', 'Sheet1', 'A1:B2', 2],
      ['B3:A1', 'Sheet1', 'A1:B3', 3],
      ['A1:A1', 'Sheet1', 'A1', 1],
      ['sheet1!A1', 'Sheet1', 'A1', 1],
      ["'It''s'!A1", "It's", 'A1', 1],
      ["'it''S'!a1", "It's", 'A1', 1],
      // An unquoted word that is both a cell and a sheet name means the cell. Quoted, it means the sheet.
      ['AB12', 'Sheet1', 'AB12', 1],
      ["'AB12'", 'AB12', 'A1', 1],
      ['ZZZ7', 'ZZZ7', 'A1', 1],
      ["'Sheet1'", 'Sheet1', 'A1:B3', 3],
      ['Sheet1', 'Sheet1', 'A1:B3', 3],
      // An open side ends at the last filled row or column of the whole sheet.
      ['A:A', 'Sheet1', 'A1:A3', 3],
      ['A:C', 'Sheet1', 'A1:C3', 3],
      ['A2:C', 'Sheet1', 'A2:C3', 2],
      ['2:4', 'Sheet1', 'A2:B4', 3],
      ['B:B', 'Sheet1', 'B1:B3', 3],
      ['C:C', 'Sheet1', 'C1:C3', 3],
      // Closed ranges are never trimmed.
      ['A1:B5', 'Sheet1', 'A1:B5', 5],
      // A range that starts after the filled part is empty. The response names its first cell.
      ['A5:C', 'Sheet1', 'A5', 0],
      ['Data!A:B', 'Data', 'A1', 0],
      // Whole rows have a fixed height and an open right side.
      ['9:9', 'Sheet1', 'A9:B9', 1],
      ['Data!9:9', 'Data', 'A9', 0],
      ['Data', 'Data', 'A1', 0],
    ];
    for (const [text, sheet, range, total] of cases) {
      const { status, body } = await book.get(text);
      assert.equal(status, 200, text);
      const values = memberAt(body, 'values');
      assert.deepEqual(
        { sheet: values['sheet'], range: values['range'], total: memberAt(values, 'pagination')['total'] },
        { sheet, range, total },
        text,
      );
    }
  });

  it('answer 422 if they are not A1 and 404 if the sheet does not exist', async () => {
    const book = await createFilledBook();
    const cases: readonly [text: string, status: number, message: string][] = [
      ['Nope', 422, 'Invalid range'],
      ['A0', 422, 'Invalid range'],
      ['A1:', 422, 'Invalid range'],
      [':A1', 422, 'Invalid range'],
      ['A1:B2:C3', 422, 'Invalid range'],
      ['Sheet1!', 422, 'Invalid range'],
      ['!A1', 422, 'Invalid range'],
      ['!!A1', 422, 'Invalid range'],
      ['Sheet1!A1!B2', 422, 'Invalid range'],
      ["'Sheet1!A1'!B2", 404, 'Sheet not found'],
      ['Sheet1!nope', 422, 'Invalid range'],
      ["'It''s!A1", 422, 'Invalid range'],
      ['A1048577', 422, 'Invalid range'],
      ['XFE1', 422, 'Invalid range'],
      ['A1,B2', 422, 'Invalid range'],
      [' A1', 422, 'Invalid range'],
      ['Nope!A1', 404, 'Sheet not found'],
      ["'Nope'", 404, 'Sheet not found'],
      ["'Nope'!A1", 404, 'Sheet not found'],
    ];
    for (const [text, status, message] of cases) {
      const answer = await book.get(text);
      assert.deepEqual([answer.status, answer.body], [status, { message }], text);
    }
  });

  it('include the last cell of the grid', async () => {
    const book = await world.createBook();
    const { body } = await book.put('XFD1048576', [['end']]);
    assert.equal(memberAt(body, 'updated')['updatedRange'], 'Sheet1!XFD1048576');
    assert.deepEqual(await book.cell('XFD1048576'), { v: 'end', m: 'end' });
    assert.equal((await book.put('XFD1048576', [[1, 2]])).body['message'], 'Invalid range');
    assert.equal((await book.put('XFD1048576', [[1], [2]])).body['message'], 'Invalid range');
  });

  it('accept sheet names with any characters, percent-encoded', async () => {
    const book = await world.createBook();
    for (const name of ['a:b [1]', 'a/b', '100%', 'Продажи 2026', 'a!b', '🙂', 'a+b c', 'q?x=1#y', 'Лист1']) {
      assert.equal((await book.addSheet(name)).status, 200, name);
      const range = `'${name}'!B2`;
      const { body } = await book.put(range, [[name]], { mode: 'RAW' });
      assert.equal(memberAt(body, 'updated')['sheet'], name);
      assert.deepEqual(await book.cell(range), { v: name, m: name }, name);
    }
    // Quotes are optional if the name is unambiguous.
    assert.deepEqual(await book.cell('Лист1!B2'), { v: 'Лист1', m: 'Лист1' });
    assert.deepEqual(await book.cell('a+b c!B2'), { v: 'a+b c', m: 'a+b c' });
  });

  it('match the static path segments only with their own methods', async () => {
    const book = await world.createBook();
    await book.addSheet('append');
    for (const [method, path] of [
      ['GET', '/values/append'],
      ['GET', '/values/clear'],
      ['GET', '/values/batchUpdate'],
      ['PUT', '/values/batchGet'],
      ['PUT', '/values/append'],
    ] as const) {
      const answer = await book.requestInDocument(method, path, method === 'PUT' ? { body: { values: [[1]] } } : {});
      assert.deepEqual([answer.status, answer.body], [404, { message: 'Not found' }], `${method} ${path}`);
    }
    assert.equal((await book.get("'append'!A1")).status, 200);
    assert.equal((await book.get('append!A1')).status, 200);
  });
});

describe('paging', () => {
  it('counts rows, caps the limit and returns the next offset', async () => {
    const book = await world.createBook();
    await book.append(
      'A1',
      Array.from({ length: 25 }, (_, row) => [row + 1]),
    );
    const cases: readonly [query: Record<string, string>, expected: object, range: string][] = [
      [{}, { offset: 0, limit: 1000, total: 25, returned: 25, hasMore: false, nextOffset: null }, 'A1:A25'],
      [{ limit: '10' }, { offset: 0, limit: 10, total: 25, returned: 10, hasMore: true, nextOffset: 10 }, 'A1:A10'],
      [
        { offset: '20', limit: '10' },
        { offset: 20, limit: 10, total: 25, returned: 5, hasMore: false, nextOffset: null },
        'A21:A25',
      ],
      [
        { limit: '5000' },
        { offset: 0, limit: 1000, total: 25, returned: 25, hasMore: false, nextOffset: null },
        'A1:A25',
      ],
      [
        { limit: '9'.repeat(30) },
        { offset: 0, limit: 1000, total: 25, returned: 25, hasMore: false, nextOffset: null },
        'A1:A25',
      ],
      [{ offset: '25' }, { offset: 25, limit: 1000, total: 25, returned: 0, hasMore: false, nextOffset: null }, 'A1'],
      [
        { offset: '9007199254740' },
        { offset: 9007199254740, limit: 1000, total: 25, returned: 0, hasMore: false, nextOffset: null },
        'A1',
      ],
      // Pages consist of sheet rows for COLUMNS, too.
      [
        { limit: '2', majorDimension: 'COLUMNS' },
        { offset: 0, limit: 2, total: 25, returned: 2, hasMore: true, nextOffset: 2 },
        'A1:A2',
      ],
    ];
    for (const [query, pagination, range] of cases) {
      const { body } = await book.get('A:A', query);
      assert.deepEqual(
        [memberAt(body, 'values')['pagination'], memberAt(body, 'values')['range']],
        [pagination, range],
      );
    }
  });

  it('refuses invalid numbers and dimensions', async () => {
    const book = await world.createBook();
    for (const query of [
      { limit: '0' },
      { limit: '-1' },
      { limit: '1.5' },
      { limit: 'ten' },
      { limit: '' },
      { limit: '1e3' },
      { offset: '-1' },
      { offset: '0x10' },
      { majorDimension: 'rows' },
      { majorDimension: 'DIAGONAL' },
    ]) {
      const { status, body } = await book.get('A1', query);
      const [field = ''] = Object.keys(query);
      assert.equal(status, 422, JSON.stringify(query));
      assert.deepEqual(Object.keys(memberAt(body, 'errors')), [field]);
      assert.equal(memberAt(body, 'errors', field)[0], body['message']);
    }
    const twice = await book.requestInDocument('GET', '/values/A1?limit=1&limit=2');
    assert.equal(twice.status, 422);
  });

  it('orients cells by rows or by columns', async () => {
    const book = await world.createBook();
    await book.put('A1', [
      [1, 2],
      [3, null],
    ]);
    const createCell = (v: number) => ({ v, m: String(v) });
    assert.deepEqual(await book.cells('A1:B2'), [
      [createCell(1), createCell(2)],
      [createCell(3), null],
    ]);
    const { body } = await book.get('A1:B2', { majorDimension: 'COLUMNS' });
    assert.deepEqual(memberAt(body, 'values')['cells'], [
      [createCell(1), createCell(3)],
      [createCell(2), null],
    ]);
    assert.equal(memberAt(body, 'values')['majorDimension'], 'COLUMNS');
  });

  it('limits pages by cells and by rows', async () => {
    const book = await world.createBook();
    const { body } = await book.get('A1:J50');
    assert.deepEqual(memberAt(body, 'values')['pagination'], {
      offset: 0,
      limit: 1000,
      total: 50,
      returned: 10,
      hasMore: true,
      nextOffset: 10,
    });
    assert.equal(memberAt(body, 'values')['range'], 'A1:J10');
    // A page always has at least one row, even if that row exceeds the limit. Otherwise clients could not advance.
    assert.equal(memberAt((await book.get('A1:GR3')).body, 'values', 'pagination')['returned'], 1);
  });
});

describe('batchGet', () => {
  it('answers every range in order, with an error for each unreadable range', async () => {
    const book = await createFilledBook();
    const { status, body } = await book.batchGet(['B1', 'Nope!A1', 'zz top', 'B1', 'Data!A:A']);
    assert.equal(status, 200);
    const pagination = { offset: 0, limit: 1000, total: 1, returned: 1, hasMore: false, nextOffset: null };
    const b1 = { sheet: 'Sheet1', range: 'B1', majorDimension: 'ROWS', cells: [[{ v: 2, m: '2' }]], pagination };
    assert.deepEqual(body, {
      valueRanges: [
        b1,
        { range: 'Nope!A1', error: 'Sheet not found' },
        { range: 'zz top', error: 'Invalid range' },
        b1,
        {
          sheet: 'Data',
          range: 'A1',
          majorDimension: 'ROWS',
          cells: [],
          pagination: { ...pagination, total: 0, returned: 0 },
        },
      ],
    });
  });

  it('accepts 1 to 20 ranges in three spellings', async () => {
    const book = await world.createBook();
    const count = async (query: string): Promise<unknown> => {
      const { status, body } = await book.requestInDocument('GET', `/values/batchGet?${query}`);
      return status === 200 ? (body['valueRanges'] as unknown as unknown[]).length : status;
    };
    const repeat = (text: string, times: number) => Array.from({ length: times }, () => text).join('&');
    assert.equal(await count('ranges[]=A1'), 1);
    assert.equal(await count('ranges%5B%5D=A1&ranges%5B%5D=A2'), 2);
    assert.equal(await count('ranges=A1&ranges=A2&ranges=A3'), 3);
    assert.equal(await count('ranges[0]=A1&ranges[1]=A2'), 2);
    assert.equal(await count('ranges=A1'), 1);
    assert.equal(await count(repeat('ranges[]=A1', 20)), 20);
    assert.equal(await count(repeat('ranges[]=A1', 21)), 422);
    assert.equal(await count(''), 422);
    // Commas never split a range.
    const { body } = await book.batchGet(['A1,B1']);
    assert.deepEqual(body['valueRanges'], [{ range: 'A1,B1', error: 'Invalid range' }]);
  });

  it('keeps the order and the duplicates of the query, in mixed spellings, too', async () => {
    const book = await world.createBook();
    const query = 'ranges=A1&ranges[]=B1&ranges[7]=C1&ranges=D1&ranges[]=A1';
    const { body } = await book.requestInDocument('GET', `/values/batchGet?${query}`);
    const entries = body['valueRanges'] as unknown as { range: string }[];
    assert.deepEqual(
      entries.map(({ range }) => range),
      ['A1', 'B1', 'C1', 'D1', 'A1'],
    );
  });

  it('shares one cell limit between its ranges', async () => {
    const book = await world.createBook();
    const { body } = await book.batchGet(['A1:J8', 'A1:J8']);
    const pages = body['valueRanges'] as unknown as { pagination: { returned: number; hasMore: boolean } }[];
    assert.deepEqual(
      pages.map(({ pagination }) => [pagination.returned, pagination.hasMore]),
      [
        [8, false],
        [2, true],
      ],
    );
  });
});

describe('a large page', () => {
  it('is complete and counted in the metrics', async () => {
    const largePageWorld = await startWorld({ oneNode: true });
    try {
      const book = await largePageWorld.createBook();
      const rows = Array.from({ length: 1200 }, (_, row) => [row, `text ${row} ü`, row % 2 === 0]);
      await book.put('A1', rows);
      const cells = (await book.cells('A1:C1200')) as unknown as { v: unknown }[][];
      assert.deepEqual(
        cells.map((row) => row.map((cell) => cell.v)),
        rows.slice(0, 1000),
      );
      const head = await book.requestInDocument('HEAD', '/values/A1:C1200');
      assert.ok(Number(head.headers.get('content-length')) > 16 * 1024);
      assert.match(head.headers.get('x-request-id') ?? '', /^[0-9a-f-]{36}$/);
      const { text: metrics } = await sendHttp(`${largePageWorld.server.address}/metrics`);
      assert.match(metrics, /method="GET",route="[^"]*:range",status="200"\} 1\n/);
      assert.match(metrics, /method="HEAD",route="[^"]*:range",status="200"\} 1\n/);
    } finally {
      await largePageWorld.close();
    }
  });
});

describe('a conditional read', () => {
  it('gets 304 without a body while the cells are unchanged', async () => {
    const book = await world.createBook();
    await book.put('A1', [[1]]);
    const tag = (await book.get('A1')).headers.get('etag') ?? '';
    const unchanged = await book.requestInDocument('GET', '/values/A1', {
      headers: { 'if-none-match': `"other", W/${tag}` },
    });
    assert.deepEqual([unchanged.status, unchanged.body, unchanged.headers.get('etag')], [304, null, tag]);
    await book.put('A1', [[2]]);
    const changed = await book.requestInDocument('GET', '/values/A1', { headers: { 'if-none-match': tag } });
    assert.equal(changed.status, 200);
    assert.notEqual(changed.headers.get('etag'), tag);
  });
});
