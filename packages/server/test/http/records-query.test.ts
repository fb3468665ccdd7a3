import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { ORDERS, queryRecords, readRowNumbers, writeOrders } from './records-support.ts';
import { type Api, memberAt, startWorld, type World } from './support.ts';

let world: World;
let orders: Api;
before(async () => {
  world = await startWorld();
  orders = await writeOrders(await world.createBook());
});
after(() => world.close());

describe('a record query', () => {
  it('returns rows, fields named by the header, columns and the revision', async () => {
    const { status, body } = await queryRecords(orders, { where: { Number: 'a-1001' } });
    assert.equal(status, 200);
    assert.deepEqual(body, {
      records: [
        {
          row: 2,
          fields: {
            Number: 'A-1001',
            Customer: 'Nordwind',
            City: 'Riga',
            Date: '2026-03-01',
            Sum: 860,
            Paid: 100,
            Open: true,
            Status: 'open',
          },
        },
      ],
      columns: [
        { name: 'Number', column: 'A', type: 'text' },
        { name: 'Customer', column: 'B', type: 'text' },
        { name: 'City', column: 'C', type: 'text' },
        { name: 'Date', column: 'D', type: 'date' },
        { name: 'Sum', column: 'E', type: 'number' },
        { name: 'Paid', column: 'F', type: 'number' },
        { name: 'Open', column: 'G', type: 'boolean' },
        { name: 'Status', column: 'H', type: 'text' },
      ],
      revisionId: await orders.revision(),
      pagination: { offset: 0, limit: 1000, total: 1, returned: 1, hasMore: false, nextOffset: null, nextCursor: null },
    });
  });

  const QUERIES: readonly (readonly [request: object, rows: readonly number[]])[] = [
    [{}, [2, 3, 4, 5, 6]],
    [{ where: { Status: ['open', 'new'], Sum: { gte: 100 } } }, [2, 5]],
    [{ where: { ' status ': 'OPEN' } }, [2, 5, 6]],
    [{ where: { Status: 'OPEN' }, caseSensitive: true }, [6]],
    [{ where: { City: 'Riga' }, any: [{ Sum: { lt: 200 } }, { Customer: { contains: 'WIND' } }] }, [2, 3]],
    [{ none: [{ City: 'Riga' }, { Open: true, Sum: 400 }] }, [4]],
    [{ any: [] }, []],
    [{ where: { Status: [] } }, []],
    [{ where: { Customer: null } }, [5]],
    [{ where: { Customer: '' } }, [5]],
    [{ where: { Customer: ['', 'Baltika'] } }, [3, 5]],
    [{ where: { Customer: { empty: false, startsWith: 'nord' } } }, [2, 4]],
    [{ where: { Customer: { endsWith: 'west' } } }, [6]],
    [{ where: { Customer: { ne: 'Baltika' } } }, [2, 4, 5, 6]],
    [{ where: { Sum: { nin: [860, 400] } } }, [3, 4, 6]],
    [{ where: { Sum: { lte: 120 } } }, [3, 4]],
    [{ where: { Sum: { gt: 'a' } } }, []],
    [{ where: { Sum: '860' } }, []],
    [{ where: { Sum: '860' }, types: { Sum: 'number' } }, [2]],
    [{ where: { Sum: '860' }, types: { Sum: 'text' } }, [2]],
    [{ where: { Date: '2026-03-05' } }, [3]],
    [{ where: { Date: { gte: '2026-03-05', lt: '2026-03-20' } } }, [3, 4]],
    [{ where: { Open: false } }, [3, 6]],
    [{ formula: '=[Sum]>2*[Paid]' }, [2, 4]],
    [{ formula: '=AND([@Open];ISBLANK(B2))' }, [5]],
    [{ where: { City: 'Riga' }, formula: '=[Sum]=MAX(E:E)' }, [2]],
    [{ sort: ['-Sum'] }, [2, 5, 3, 4, 6]],
    [{ sort: ['City', '-Number'] }, [6, 3, 2, 4, 5]],
    [{ sort: ['Customer'], offset: 1, limit: 2 }, [4, 2]],
  ];
  for (const [request, rows] of QUERIES) {
    it(`finds the records of ${JSON.stringify(request)}`, async () => {
      const answer = await queryRecords(orders, request);
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      assert.deepEqual(readRowNumbers(answer), rows);
    });
  }

  it('returns the selected columns only, with null for empty cells', async () => {
    const { body } = await queryRecords(orders, { where: { Number: 'A-1004' }, select: ['sum', 'Date'] });
    assert.deepEqual(memberAt(body, 'records', 0)['fields'], { Sum: 400, Date: null });
  });

  it('groups records and sorts groups by measures', async () => {
    const aggregate = {
      groupBy: ['City'],
      measures: {
        total: { sum: 'Sum' },
        mean: { average: 'Sum' },
        n: { count: '*' },
        customers: { countDistinct: 'Customer' },
        first: { min: 'Date' },
        paid: { count: 'Paid' },
      },
    };
    const { body } = await queryRecords(orders, { aggregate, sort: ['-total'] });
    assert.deepEqual(body['records'], [
      { fields: { City: 'Riga', total: 980, mean: 490, n: 3, customers: 3, first: '2026-03-01', paid: 3 } },
      { fields: { City: 'Vilnius', total: 400, mean: 400, n: 1, customers: 0, first: null, paid: 1 } },
      { fields: { City: 'Tallinn', total: 99.5, mean: 99.5, n: 1, customers: 1, first: '2026-03-09', paid: 0 } },
    ]);
    const none = {
      where: { City: 'Oslo' },
      aggregate: { measures: { total: { sum: 'Sum' }, mean: { average: 'Sum' } } },
    };
    assert.deepEqual((await queryRecords(orders, none)).body['records'], [{ fields: { total: 0, mean: null } }]);
  });

  it('sorts many groups by texts, with empty cells last in both directions', async () => {
    const book = await world.createBook();
    const names = Array.from({ length: 4_800 }, (_, i) => `Client no. ${String((i * 7_919) % 1_200).padStart(4, '0')}`);
    const rows = names.map((name, i) => [i % 1_000 === 0 ? null : i % 2 === 0 ? name.toUpperCase() : name, 1]);
    await book.put('A1', [['Client', 'Sum'], ...rows]);
    const expected = [...new Set(names.map((name) => name.toUpperCase()))].sort();
    const aggregate = { groupBy: ['Client'], measures: { n: { count: '*' } } };
    for (const sort of ['Client', '-Client']) {
      const clients: unknown[] = [];
      for (const offset of [0, 1_000]) {
        const { body } = await queryRecords(book, { aggregate, sort: [sort], offset, limit: 1_000 });
        const groups = body['records'] as unknown as { fields: { Client: string | null } }[];
        clients.push(...groups.map(({ fields }) => fields.Client?.toUpperCase() ?? null));
      }
      assert.deepEqual(clients, [...(sort === 'Client' ? expected : expected.toReversed()), null], sort);
    }
  });

  it('continues by cursor at the revision of its first page', async () => {
    const book = await writeOrders(await world.createBook());
    for (const request of [{ sort: ['-Number'] }, { formula: '=[Sum]<>1' }, { aggregate: { groupBy: ['Number'] } }]) {
      const first = await queryRecords(book, { ...request, limit: 2 });
      assert.equal(memberAt(first.body, 'pagination')['hasMore'], true);
      await book.put('A4', [['A-0000']]);
      const cursor = memberAt(first.body, 'pagination')['nextCursor'];
      const second = await queryRecords(book, { ...request, limit: 3, cursor });
      assert.equal(second.status, 200, JSON.stringify(second.body));
      assert.equal(second.body['revisionId'], first.body['revisionId']);
      assert.deepEqual(memberAt(second.body, 'pagination')['nextCursor'], null);
      assert.equal(JSON.stringify(second.body).includes('A-0000'), false);
      const other = await queryRecords(book, { ...request, where: { Open: true }, cursor });
      assert.equal(other.status, 422);
      assert.ok(memberAt(other.body, 'errors')['cursor']);
      await book.put('A4', [['A-1003']]);
    }
  });

  it('is available by GET, with an ETag that is valid until the next commit', async () => {
    const book = await writeOrders(await world.createBook());
    const request = new URLSearchParams([
      ['range', 'Sheet1'],
      ['where', JSON.stringify({ City: 'Riga', Sum: { gt: 100 } })],
      ['select[]', 'Number'],
      ['select[]', 'Sum'],
      ['sort[]', '-Number'],
    ]);
    const answer = await book.requestInDocument('GET', `/records/query?${request}`);
    assert.deepEqual(answer.body['records'], [
      { row: 3, fields: { Number: 'A-1002', Sum: 120 } },
      { row: 2, fields: { Number: 'A-1001', Sum: 860 } },
    ]);
    const headers = { 'if-none-match': String(answer.headers.get('etag')) };
    assert.equal((await book.requestInDocument('GET', `/records/query?${request}`, { headers })).status, 304);
    await book.put('Z9', [[1]]);
    assert.equal((await book.requestInDocument('GET', `/records/query?${request}`, { headers })).status, 200);
    const bad = await book.requestInDocument('GET', '/records/query?range=A:H&where=%7B');
    assert.deepEqual([bad.status, Object.keys(memberAt(bad.body, 'errors'))], [422, ['where']]);
  });

  const INVALID_QUERIES: readonly (readonly [request: object, field: string, word: string])[] = [
    [{ where: { Colour: 'red' } }, 'where', 'Colour'],
    [{ any: [{ Colour: 'red' }] }, 'any', 'Colour'],
    [{ none: [{ Colour: 'red' }] }, 'none', 'Colour'],
    [{ select: ['Colour'] }, 'select', 'Colour'],
    [{ sort: ['-Colour'] }, 'sort', 'Colour'],
    [{ formula: '=[Colour]=1' }, 'formula', 'Colour'],
    [{ formula: '=[Sum' }, 'formula', 'closed'],
    [{ formula: '[Sum]' }, 'formula', '='],
    [{ aggregate: { groupBy: ['Colour'] } }, 'aggregate', 'Colour'],
    [{ aggregate: { measures: { x: { median: 'Sum' } } } }, 'aggregate', 'median'],
    [{ aggregate: { groupBy: ['City'] }, sort: ['Sum'] }, 'sort', 'Sum'],
    [{ columns: { Total: 'ZZ' } }, 'columns', 'Total'],
    [{ types: { Sum: 'money' } }, 'types', 'Sum'],
    [{ where: { Sum: { about: 5 } } }, 'where', 'about'],
    [{ where: { Sum: {} } }, 'where', 'Sum'],
    [{ where: [] }, 'where', 'where'],
    [{ limit: 0 }, 'limit', 'limit'],
    [{ limit: 1.5 }, 'limit', 'limit'],
    [{ cursor: 'x' }, 'cursor', 'cursor'],
  ];
  for (const [request, field, word] of INVALID_QUERIES) {
    it(`refuses ${JSON.stringify(request)}`, async () => {
      const { status, body } = await queryRecords(orders, request);
      assert.equal(status, 422);
      assert.deepEqual(Object.keys(memberAt(body, 'errors')), [field]);
      const message = String(body['message']);
      assert.ok(message.includes(word === 'median' ? 'x' : word), message);
    });
  }
});

describe('the header of a record range', () => {
  it('uses numbers as text, letters for blank names, and mappings for duplicate names', async () => {
    const book = await writeOrders(await world.createBook(), [
      [' Name ', 2026, '', 'Name'],
      ['a', 1, 2, 3],
    ]);
    const duplicateNames = await queryRecords(book, { range: 'A:D' });
    assert.deepEqual([duplicateNames.status, Object.keys(memberAt(duplicateNames.body, 'errors'))], [422, ['columns']]);
    const mapped = await queryRecords(book, { range: 'A:D', columns: { Other: 'D' }, where: { name: 'A' } });
    assert.deepEqual(memberAt(mapped.body, 'records', 0)['fields'], { Name: 'a', 2026: 1, C: 2, Other: 3 });
  });

  it('ends with the last used column if the range reaches the end of the grid', async () => {
    const fields = { Name: 'a', Sum: 1 };
    const book = await writeOrders(await world.createBook(), [Object.keys(fields), Object.values(fields)]);
    for (const range of ['A:XFD', 'A1:XFD1048576', 'A:B']) {
      assert.deepEqual(memberAt((await queryRecords(book, { range })).body, 'records', 0)['fields'], fields, range);
    }
  });

  it('prefixes the letter of a blank header if another header has that name', async () => {
    const book = await writeOrders(await world.createBook(), [
      ['c', '$C', '', 'E', ''],
      ['a', 1, 2, 3, 4],
    ]);
    const { status, body } = await queryRecords(book, { range: 'A:E', where: { C: 'a' } });
    assert.equal(status, 200, JSON.stringify(body));
    assert.deepEqual(body['records'], [{ row: 2, fields: { c: 'a', $C: 1, $$C: 2, E: 3, $E: 4 } }]);
    const mapped = await queryRecords(book, { range: 'A:E', columns: { C: 'B', first: 'A' }, where: { first: 'a' } });
    assert.deepEqual(memberAt(mapped.body, 'records', 0)['fields'], { first: 'a', C: 1, $C: 2, E: 3, $E: 4 });
    const set = await book.post('/records/update', { range: 'A:E', where: { $$C: 2 }, set: { $E: 5 } });
    assert.equal(set.status, 200, JSON.stringify(set.body));
    assert.equal((await book.cell('E2'))['v'], 5);
  });

  it('is found by range, sheet, table or defined name, in this order', async () => {
    const book = await writeOrders(await world.createBook(), [['Number'], ['sheet']]);
    const sheet2 = [
      ['Number', 'Sum'],
      ['table', 1],
      ['name', 2],
      ['', ''],
      ['below', 3],
    ];
    await book.addSheet('Data');
    await book.put('Data!B2', sheet2);
    const operations = [
      { setTable: { name: 'Orders', range: 'Data!B2:C3' } },
      { setName: { name: 'All', refersTo: '=Data!$B$2:$C$6' } },
      { setName: { name: 'Fixed', refersTo: '=12' } },
    ];
    assert.equal((await book.post('/structure', { operations })).status, 200);
    const readRecords = async (range: string) => (await queryRecords(book, { range })).body['records'] as unknown;
    const readRecordNumbers = async (range: string) => readRowNumbers(await queryRecords(book, { range }));
    assert.deepEqual(await readRecordNumbers('Sheet1'), [2]);
    assert.deepEqual(await readRecordNumbers('Orders'), [3]);
    assert.deepEqual(await readRecordNumbers('orders[#All]'), [3]);
    assert.deepEqual(await readRecords('Orders[Sum]'), [{ row: 3, fields: { Sum: 1 } }]);
    assert.deepEqual(await readRecordNumbers('All'), [3, 4, 6]);
    await book.addSheet('Orders');
    assert.deepEqual(await readRecordNumbers('Orders'), []);
    for (const range of ['Fixed', 'Nothing', "'x", 'Orders2[#All]']) {
      const { status, body } = await queryRecords(book, { range });
      assert.deepEqual(
        [status, body],
        [422, { message: 'Invalid range', errors: { range: ['Invalid range'] } }],
        range,
      );
    }
    assert.equal((await queryRecords(book, { range: 'Nothing!A:B' })).status, 404);
  });
});

describe('the formula of a query', () => {
  it('is evaluated to the right of each record, in its sheet', async () => {
    const book = await world.createBook();
    await book.addSheet('Data');
    await book.addSheet('Last');
    await book.put('A1', [['of the first sheet'], [1], [1]]);
    await book.put('Data!A1', [
      ['Number', 'Sum'],
      [5, 10],
      [6, 20],
      [7, 30],
    ]);
    await book.put('Last!A1', [['=SHEETS()']]);
    const FORMULAS: readonly (readonly [formula: string, rows: readonly number[]])[] = [
      ['=INDIRECT("B2")=10', [2, 3, 4]],
      ['=INDIRECT("RC[-1]";FALSE)=20', [3]],
      ['=INDIRECT("B"&ROW())>INDIRECT("A2")+5', [3, 4]],
      ['=SUM(OFFSET(A2;0;0;1;2))=26', [3]],
      ['=SHEET()=2', [2, 3, 4]],
      ['=SHEETS()=3', [2, 3, 4]],
      ['=Last!$A$1=3', [2, 3, 4]],
      ['=COLUMN()=3', [2, 3, 4]],
      ['=ROW()=3', [3]],
      ['=CELL("address")="$C$4"', [4]],
      ['=ISBLANK(INDIRECT("C"&ROW()))', [2, 3, 4]],
      ['=SUM(2:2)=15', [2]],
    ];
    for (const [formula, rows] of FORMULAS) {
      const answer = await queryRecords(book, { range: 'Data!A:B', formula });
      assert.equal(answer.status, 200, formula + JSON.stringify(answer.body));
      assert.deepEqual(readRowNumbers(answer), rows, formula);
    }
    assert.equal((await book.cell('Last!A1'))['v'], 3);
  });

  it("uses the names of the records' sheet and the permissions of the caller", async () => {
    const book = await writeOrders(await world.createBook());
    await book.addSheet('Secret');
    await book.put('Secret!A1', [['Sum'], [900]]);
    await book.post('/structure', { operations: [{ setName: { name: 'Least', refersTo: '=Secret!$A$2' } }] });
    // A copied sheet has its own names.
    await book.post('/structure', { operations: [{ duplicateSheet: { sheet: 'Secret', name: 'Copy' } }] });
    await book.put('Copy!A1', [['Sum'], [100], [200]]);
    const { api } = await world.addMember(book.document, 'view', ['sheets.read']);
    await world.protect(book.document, 'Secret', { hideValues: true });
    for (const formula of ['=[Sum]>INDIRECT("A2")', '=[Sum]>Least']) {
      for (const caller of [book, api]) {
        assert.deepEqual(readRowNumbers(await queryRecords(caller, { range: 'Copy!A:A', formula })), [3], formula);
      }
    }
    await world.protect(book.document, 'Copy', { hideValues: true });
    for (const formula of ['=[Sum]>Secret!A1', '=[Sum]>Least', '=[Sum]>INDIRECT("Secret!A1")']) {
      assert.equal((await queryRecords(api, { formula })).status, 403, formula);
    }
    assert.equal((await queryRecords(api, { formula: '=[Sum]>INDIRECT("Copy!A2")' })).status, 403);
  });
});

describe('the cost of a query', () => {
  it('is limited by the number of distinct sort columns', async () => {
    const names = Array.from({ length: 70 }, (_, i) => `c${i}`);
    const book = await writeOrders(await world.createBook(), [names, names, names.toReversed()]);
    const querySorted = (sort: readonly string[]) => queryRecords(book, { range: 'A:BR', sort });
    assert.deepEqual(readRowNumbers(await querySorted([...Array.from({ length: 500 }, () => '-c0'), 'c0'])), [3, 2]);
    assert.equal((await querySorted(names.slice(0, 64))).status, 200);
    for (const request of [
      { sort: names.slice(0, 65) },
      { sort: names.slice(0, 65), aggregate: { groupBy: names, measures: { n: { count: '*' } } } },
    ]) {
      const { status, body } = await queryRecords(book, { range: 'A:BR', ...request });
      assert.deepEqual([status, Object.keys(memberAt(body, 'errors'))], [422, ['sort']]);
    }
    const sortKeys = names.slice(0, 65).map((_, i) => ({ column: String.fromCharCode(65 + (i % 26)) }));
    const sortTwice = { sort: { range: 'Sheet1!A2:BR3', by: sortKeys } };
    assert.equal((await book.post('/structure?dryRun=true', { operations: [sortTwice] })).status, 200);
  });
});

describe('the permission to query records', () => {
  it('requires access to the sheet and to all cells that a formula reads', async () => {
    const book = await writeOrders(await world.createBook());
    await book.addSheet('Secret');
    await book.put('Secret!A1', ORDERS as unknown[][]);
    await world.protect(book.document, 'Secret', { hideValues: true });
    const { api } = await world.addMember(book.document, 'view', ['sheets.read']);
    assert.equal((await queryRecords(api, { formula: '=[Sum]>100' })).status, 200);
    for (const request of [
      { range: 'Secret!A:H' },
      { range: 'Secret!A:H', where: { Colour: 1 } },
      { formula: '=[Sum]>Secret!E2' },
    ]) {
      const { status, body } = await queryRecords(api, request);
      assert.deepEqual([status, body['message']], [403, 'Sheet values are hidden']);
    }
    const writer = await world.addMember(book.document, 'edit', ['sheets.write']);
    const refused = await queryRecords(writer.api, {});
    assert.equal(refused.status, 403);
    const challenge = refused.headers.get('www-authenticate');
    assert.equal(challenge, 'Bearer error="insufficient_scope", scope="sheets.read"');
  });

  it('does not store the formula', async () => {
    const revision = await orders.revision();
    await queryRecords(orders, { formula: '=[Sum]>2*[Paid]' });
    assert.equal(await orders.revision(), revision);
    assert.equal(((await orders.sheets()).body['sheets'] as unknown as unknown[]).length, 1);
  });
});
