import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { setSheetHidden } from '../../src/service/operator/sheets.ts';
import { type Api, type Json, memberAt, startWorld, type World } from '../http/support.ts';
import {
  countStandardSignatures,
  hasServiceSignature,
  listDeliveries,
  QUICK,
  subscribe,
  toElements,
} from './support.ts';

/** Related edits may take a while on a busy machine. The tests wait for their windows in parallel. */
const LONG_WINDOWS = { quietMs: 15_000, maxWaitMs: 120_000 };
const IN_PARALLEL = { concurrency: 24 };

let world: World;
before(async () => {
  world = await startWorld({ notifications: { ...QUICK, ...LONG_WINDOWS, maxCells: 50, maxBytes: 20_000 } });
  // The first user owns all documents.
  await world.createBook();
});
after(() => world.close());

function listCellReferences(body: Json | undefined): readonly string[] {
  return toElements(body?.['cells']).map((cell) => `${cell['sheetName']}!${cell['ref']}`);
}

suite('the content of a notification', IN_PARALLEL, () => {
  test('has the body and headers of the contract', async (t) => {
    const { receiver, book, secret } = await subscribe(t, world);
    await book.put('A1', [[1.5, 'text', true, '31.12.2026', '=1/0', '=A1*2']]);
    const [request] = await receiver.waitForRequests(1);
    assert.ok(request);
    const { body, headers } = request;
    const { documentUrl, changedAt, deliveredAt, deliveryId, authors, workspace, ...otherFields } =
      body as unknown as Record<string, unknown>;
    assert.equal(documentUrl, `${world.server.address}/documents/${book.document}`);
    assert.ok(Math.abs(Date.parse(String(changedAt)) - Date.now()) < 120_000);
    // The steady clock times the wait; the other clock gives the timestamps.
    assert.ok(Date.parse(String(deliveredAt)) >= Date.parse(String(changedAt)) + LONG_WINDOWS.quietMs - 100);
    assert.match(String(deliveryId), /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    assert.deepEqual(authors, [{ id: 1, name: 'User 1' }]);
    assert.deepEqual(workspace, { id: 1, name: 'User 1' });
    const createCell = (ref: string, col: number, v: unknown, m: string, f: string | null, type: string) => {
      return { sheetName: 'Sheet1', ref, row: 0, col, v, m, f, t: type };
    };
    const changes = 'A1 = 1.5; B1 = text; C1 = TRUE; D1 = 12/31/2026; E1 = #DIV/0!; F1 = 3';
    assert.deepEqual(otherFields, {
      schemaVersion: '1.0',
      event: 'document.updated',
      source: 'api',
      sourceToken: 'test token',
      documentId: book.document,
      documentTitle: 'Book',
      revision: { from: 1, to: 1 },
      cellCount: 6,
      changes: changes.replace(/([A-F]1) =/g, 'Sheet1!$1 ='),
      ranges: ['Sheet1!A1:F1'],
      cells: [
        createCell('A1', 0, 1.5, '1.5', null, 'number'),
        createCell('B1', 1, 'text', 'text', null, 'string'),
        createCell('C1', 2, true, 'TRUE', null, 'boolean'),
        createCell('D1', 3, 46_387, '12/31/2026', null, 'date'),
        createCell('E1', 4, '#DIV/0!', '#DIV/0!', '=1/0', 'error'),
        createCell('F1', 5, 3, '3', '=A1*2', 'number'),
      ],
      truncated: false,
      attempt: 1,
    });
    assert.equal(headers['content-type'], 'application/json');
    assert.equal(headers['x-service-event'], 'document.updated');
    assert.equal(headers['x-service-timestamp'], deliveredAt);
    assert.equal(headers['webhook-id'], deliveryId);
    assert.equal(headers['webhook-timestamp'], String(Math.floor(Date.parse(String(deliveredAt)) / 1000)));
    assert.ok(hasServiceSignature(request, secret));
    assert.equal(countStandardSignatures(request, secret), 1);
  });

  test('includes cells with a new number format', async (t) => {
    const { receiver, book } = await subscribe(t, world);
    await book.put('A1', [[46_000, '=A1+1']]);
    await receiver.waitForRequests(1);
    await book.put('A1', [['12/09/2025']]);
    const [, request] = await receiver.waitForRequests(2);
    assert.deepEqual(
      toElements(request?.body['cells']).map((cell) => [cell['ref'], cell['v'], cell['m'], cell['t'], cell['derived']]),
      [
        ['A1', 46_000, '12/9/2025', 'date', undefined],
        ['B1', 46_001, '12/10/2025', 'date', true],
      ],
    );
  });

  test('merges close edits: each cell once, with its values at delivery', async (t) => {
    const { receiver, book } = await subscribe(t, world);
    await book.put('B1', [['=A1+1']]);
    await book.put('A1', [[1]]);
    await book.put('A1:B2', [[2], [3]]);
    const [request] = await receiver.waitForRequests(1);
    assert.deepEqual(request?.body['revision'], { from: 1, to: 3 });
    assert.deepEqual(request?.body['ranges'], ['Sheet1!A1:B1', 'Sheet1!A2']);
    assert.equal(request?.body['changes'], 'Sheet1!A1 = 2; Sheet1!B1 = 3; Sheet1!A2 = 3');
    // The first edit wrote B1. Later edits only recalculated it.
    assert.ok(toElements(request?.body['cells']).every((cell) => cell['derived'] === undefined));
  });

  test('marks derived cells', async (t) => {
    const book = await world.createBook();
    await book.put('B1', [['=A1+1'], ['=B1+1']]);
    const { receiver } = await subscribe(t, world, book);
    await book.put('A1', [[1]]);
    const [request] = await receiver.waitForRequests(1);
    assert.deepEqual(
      toElements(request?.body['cells']).map((cell) => [cell['ref'], cell['derived'] ?? false]),
      [
        ['A1', false],
        ['B1', true],
        ['B2', true],
      ],
    );
  });

  test('orders sheets as in the document, quotes names if needed, and lists cells row by row', async (t) => {
    const { receiver, book } = await subscribe(t, world);
    await book.addSheet("It's 2");
    await book.put("'It''s 2'!C3", [[1, 2], [3]]);
    await book.put('Sheet1!A2', [['x']]);
    await book.put('Sheet1!B1', [['y']]);
    const [request] = await receiver.waitForRequests(1);
    assert.deepEqual(request?.body['ranges'], ['Sheet1!B1', 'Sheet1!A2', "'It''s 2'!C3:D3", "'It''s 2'!C4"]);
    assert.equal(
      request?.body['changes'],
      "Sheet1!B1 = y; Sheet1!A2 = x; 'It''s 2'!C3 = 1; 'It''s 2'!D3 = 2; 'It''s 2'!C4 = 3",
    );
    assert.equal(toElements(request?.body['cells'])[2]?.['sheetName'], "It's 2");
  });

  test('counts all cells, and shows the first ones up to the limit', async (t) => {
    const { receiver, book } = await subscribe(t, world);
    await book.put(
      'A1',
      Array.from({ length: 30 }, () => [1, 2]),
    );
    const [request] = await receiver.waitForRequests(1);
    assert.equal(request?.body['cellCount'], 60);
    assert.equal(request?.body['truncated'], true);
    assert.equal(toElements(request?.body['cells']).length, 50);
    assert.equal(toElements(request?.body['ranges']).length, 25);
    assert.equal(String(request?.body['changes']).split('; ').length, 50);
  });

  test('counts all cells of a commit with more areas than the log stores', async (t) => {
    const { receiver, book } = await subscribe(t, world);
    const checkerboard = Array.from({ length: 60 }, (_, row) =>
      Array.from({ length: 60 }, (_, column) => ((row + column) % 2 === 0 ? row : null)),
    );
    await book.put('A1', checkerboard);
    const [request] = await receiver.waitForRequests(1);
    assert.deepEqual([request?.body['cellCount'], request?.body['truncated']], [1_800, true]);
    assert.deepEqual(
      [memberAt(request?.body, 'ranges')[0], memberAt(request?.body, 'ranges')[30]],
      ['Sheet1!A1', 'Sheet1!B2'],
    );
    assert.equal(toElements(request?.body['cells']).length, 50);
  });

  test('fits into the byte limit and uses it', async (t) => {
    const { receiver, book } = await subscribe(t, world);
    await book.put(
      'A1',
      Array.from({ length: 40 }, (_, row) => [`${row} ${'Ж"\\\n'.repeat(50)}`]),
    );
    const [request] = await receiver.waitForRequests(1);
    assert.ok(request);
    assert.ok(request.raw.length <= 20_000 && request.raw.length > 17_000, `${request.raw.length} bytes`);
    assert.equal(request.body['truncated'], true);
    assert.equal(request.body['cellCount'], 40);
  });

  test('omits a cell that exceeds the byte limit, but counts it', async (t) => {
    const { receiver, book } = await subscribe(t, world);
    await book.put('A1', [['x'.repeat(30_000)]]);
    const [request] = await receiver.waitForRequests(1);
    assert.deepEqual(
      [request?.body['cells'], request?.body['cellCount'], request?.body['truncated'], request?.body['ranges']],
      [[], 1, true, []],
    );
  });

  test('separates the sources', async (t) => {
    const { receiver, book } = await subscribe(t, world);
    const { api } = await world.addMember(book.document, 'edit');
    await book.put('A1', [[1]]);
    await api.put('B1', [[2]]);
    await writeAs(book, 2, { userId: 1, origin: 'browser' });
    await book.put('D1', [[4]]);
    const notified = (await receiver.waitForRequests(3)).map(({ body }) => [
      body['source'],
      body['sourceToken'],
      memberAt(body, 'revision')['from'],
      memberAt(body, 'revision')['to'],
      String(listCellReferences(body)),
    ]);
    assert.deepEqual(notified.sort(), [
      ['api', 'test token', 1, 4, 'Sheet1!A1,Sheet1!D1'],
      ['api', 'test token', 2, 2, 'Sheet1!B1'],
      ['browser', null, 3, 3, 'Sheet1!C1'],
    ]);
  });

  /** Writes one cell without an API request, with an author and an origin. */
  async function writeAs(book: Api, column: number, author: { userId: number | null; origin: string }): Promise<void> {
    const document = await world.server.service.context.documents.open(book.document);
    await document?.write((state) => ({
      kind: 'proposal',
      edits: [{ kind: 'setValues', sheet: state.sheets[0]?.id ?? 0, row: 0, column, values: [[1]], mode: 'raw' }],
      author: { ...author, tokenId: null, tokenName: null },
      finish: () => ({ reply: null, statements: [] }),
    }));
  }

  test('lists all authors of a window once', async (t) => {
    const { receiver, book } = await subscribe(t, world);
    const other = await world.createUser();
    for (const userId of [Number(other.id), 1, Number(other.id)]) await writeAs(book, 0, { userId, origin: 'browser' });
    const [request] = await receiver.waitForRequests(1);
    assert.deepEqual(request?.body['authors'], [
      { id: 1, name: 'User 1' },
      { id: Number(other.id), name: other.name },
    ]);
  });

  test('excludes the recalculation at a day change; revisions are the document’s revisions', async (t) => {
    const { receiver, book } = await subscribe(t, world);
    await writeAs(book, 0, { userId: null, origin: 'clock' });
    await writeAs(book, 1, { userId: 1, origin: 'browser' });
    const [request] = await receiver.waitForRequests(1);
    assert.deepEqual(
      [listCellReferences(request?.body), request?.body['revision']],
      [['Sheet1!B1'], { from: 2, to: 2 }],
    );
    assert.equal(await book.revision(), '2');
  });

  test("excludes sheets hidden from the subscription's creator", async (t) => {
    const book = await world.createBook();
    await book.addSheet('Salaries');
    await world.protect(book.document, 'Salaries', { hideValues: true });
    const { api } = await world.addMember(book.document, 'edit');
    const memberSubscription = await subscribe(t, world, api);
    const ownerSubscription = await subscribe(t, world, book);
    await book.put('Salaries!A1', [[5_000]]);
    await book.put('Sheet1!A1', [['public']]);
    const [member] = await memberSubscription.receiver.waitForRequests(1);
    const [owner] = await ownerSubscription.receiver.waitForRequests(1);
    assert.deepEqual(listCellReferences(member?.body), ['Sheet1!A1']);
    assert.equal(member?.body['cellCount'], 1);
    assert.doesNotMatch(member?.raw.toString() ?? '', /5000|Salaries/);
    assert.deepEqual(listCellReferences(owner?.body), ['Sheet1!A1', 'Salaries!A1']);
  });

  test('excludes in a retry a sheet that was hidden after the first attempt', async (t) => {
    const book = await world.createBook();
    const { api } = await world.addMember(book.document, 'edit');
    const { receiver } = await subscribe(t, world, api);
    receiver.behaviour = (response, _, count) => {
      if (count > 1) response.writeHead(200).end();
      else world.protect(book.document, 'Sheet1', { hideValues: true }).then(() => response.writeHead(500).end());
    };
    await book.put('A1', [['secret']]);
    const [first, second] = await receiver.waitForRequests(2);
    assert.deepEqual([listCellReferences(first?.body), listCellReferences(second?.body)], [['Sheet1!A1'], []]);
  });

  test('handles a sheet that was renamed or deleted before a retry', async (t) => {
    const { receiver, book } = await subscribe(t, world);
    await book.addSheet('Old');
    await book.addSheet('Gone');
    receiver.behaviour = (response, _, count) => {
      if (count > 1) response.writeHead(200).end();
      else
        Promise.all([book.renameSheet('Old', 'New'), book.deleteSheet('Gone')]).then(() =>
          response.writeHead(500).end(),
        );
    };
    await book.batchUpdate([
      { range: 'Old!A1', values: [[1]] },
      { range: 'Gone!A1', values: [[2]] },
    ]);
    const [first, second] = await receiver.waitForRequests(2);
    assert.deepEqual(listCellReferences(first?.body), ['Old!A1', 'Gone!A1']);
    assert.deepEqual(
      toElements(second?.body['cells']).map((cell) => [cell['sheetName'], cell['v'], cell['t']]),
      [
        ['New', 1, 'number'],
        ['Gone', null, 'empty'],
      ],
    );
  });

  test('covers only changes after the subscription', async (t) => {
    const first = await subscribe(t, world);
    const { book } = first;
    await book.put('A1', [[1]]);
    const second = await subscribe(t, world, book);
    await book.put('B1', [[2]]);
    const [firstRequest] = await first.receiver.waitForRequests(1);
    const [secondRequest] = await second.receiver.waitForRequests(1);
    assert.equal(memberAt(firstRequest?.body, 'revision')['from'], 1);
    assert.deepEqual(secondRequest?.body['revision'], { from: 2, to: 2 });
    assert.deepEqual(listCellReferences(secondRequest?.body), ['Sheet1!B1']);
  });

  test('names added and deleted sheets', async (t) => {
    const { receiver, book } = await subscribe(t, world);
    await book.addSheet('Plan');
    await book.deleteSheet('Plan');
    const [request] = await receiver.waitForRequests(1);
    assert.deepEqual(request?.body['structure'], [{ addSheet: { name: 'Plan' } }, { deleteSheet: { sheet: 'Plan' } }]);
    assert.deepEqual(
      [request?.body['cellCount'], request?.body['changes'], request?.body['cells'], request?.body['truncated']],
      [0, '', [], false],
    );
  });

  test('excludes revisions without changes of cells or sheets, which the change feed contains', async (t) => {
    const { receiver, book } = await subscribe(t, world);
    const inputs = [
      [1, '=A1+1', '=sum( A1;B1 )', '=SEQUENCE(2)', '=INDIRECT("A1")', '=1+', '5%', '2026-06-02', 'text'],
    ];
    await book.put('A1', inputs);
    await receiver.waitForRequests(1);
    await book.put('A1', inputs);
    await book.put('A1:B2', [[null, null], [null]]);
    await book.clear('A3:E5');
    await book.renameSheet('Sheet1', 'Other');
    const { document } = book;
    const { context } = world.server.service;
    await setSheetHidden(context, { document, sheet: (await addSheet(book)) ?? '', hidden: true });
    const [, second] = await receiver.waitForRequests(2);
    assert.deepEqual(second?.body['structure'], [{ addSheet: { name: 'Sheet2' } }], 'the first that says something');
    assert.equal(second?.body['cellCount'], 0);
    const { entries } = (await book.requestInDocument('GET', '/changes?since=1')).body['changes'] as unknown as {
      readonly entries: readonly Json[];
    };
    assert.deepEqual(
      entries.map((entry) => entry['cellCount']),
      [0, 0, 0, 0, 0, 0],
    );
  });

  async function addSheet(book: Api): Promise<string> {
    return String(memberAt((await book.addSheet()).body, 'sheet')['name']);
  }

  test('excludes cells of a sheet hidden from the creator', async (t) => {
    const book = await world.createBook();
    await book.addSheet('Salaries');
    await world.protect(book.document, 'Salaries', { hideValues: true });
    const { api } = await world.addMember(book.document, 'edit');
    const member = await subscribe(t, world, api);
    const owner = await subscribe(t, world, book);
    await book.put('Salaries!A1', [[5000]]);
    await owner.receiver.waitForRequests(1);
    assert.equal((await listDeliveries(member, member.webhook))['total'], 0);
  });

  test('gives moved cells with their current addresses', async (t) => {
    const { receiver, book } = await subscribe(t, world);
    const other = world.apiFor(await world.createToken('1'), book.document);
    const insert = (before: number) => [{ insertRows: { sheet: 'Sheet1', before, count: 2 } }];
    const waitForAttempt = async (attemptNumber: number) => {
      for (let count = 1; ; count++) {
        const body = (await receiver.waitForRequests(count))[count - 1]?.body;
        if (Number(body?.['revision']?.['from']) === 1 && Number(body?.['attempt']) === attemptNumber) return body;
      }
    };
    // The first attempt gets no response until the rows have moved again.
    let respond = () => {};
    const moved = new Promise<void>((resolve) => {
      respond = resolve;
    });
    receiver.behaviour = (response, _request, count) => {
      const body = receiver.received[count - 1]?.body;
      const isFirst = Number(body?.['revision']?.['from']) === 1 && Number(body?.['attempt']) === 1;
      if (isFirst) void moved.then(() => response.writeHead(500).end());
      else response.end();
    };
    await book.put('A5', [['told', 'also', 'gone']]);
    assert.equal((await other.post('/structure', { operations: insert(2) })).status, 200);
    const first = await waitForAttempt(1);
    const operations = [...insert(7), { deleteColumns: { sheet: 'Sheet1', from: 'C', count: 1 } }];
    assert.equal((await book.post('/structure', { operations })).status, 200);
    respond();
    const retry = await waitForAttempt(2);
    const values = toElements(first?.['cells']).map((cell) => cell['v'] as unknown);
    assert.deepEqual(values, ['told', 'also', 'gone']);
    const retriedCells = toElements(retry?.['cells']).map((cell) => `${cell['ref']} ${cell['v']}`);
    assert.deepEqual(retriedCells, ['A9 told', 'B9 also']);
    assert.deepEqual([retry?.['cellCount'], retry?.['ranges']], [2, ['Sheet1!A9:B9']]);
  });

  test('has the source api without a token for a change from the command line', async (t) => {
    const { receiver, book } = await subscribe(t, world);
    await book.addSheet('Second');
    await receiver.waitForRequests(1);
    const { context } = world.server.service;
    const document = await context.documents.open(book.document);
    await document?.write(({ sheets }) => ({
      kind: 'proposal',
      edits: [{ kind: 'setValues', sheet: sheets[0]?.id ?? 0, row: 0, column: 0, values: [['by hand']], mode: 'user' }],
      author: { userId: null, origin: 'operator', tokenId: null, tokenName: null },
      finish: () => ({ reply: null, statements: [] }),
    }));
    const [, request] = await receiver.waitForRequests(2);
    assert.deepEqual([request?.body['source'], request?.body['sourceToken']], ['api', null]);
  });
});
