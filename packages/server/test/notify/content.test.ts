import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { setSheetHidden } from '../../src/service/operator/sheets.ts';
import { type Api, type Json, startWorld, type World } from '../http/support.ts';
import { deliveries, hasServiceSignature, items, QUICK, standardSignatures, subscribe } from './support.ts';

/** Edits that belong together may take a while on a busy machine. The tests wait for their windows at the same time. */
const PATIENT = { quietMs: 15_000, maxWaitMs: 120_000 };
const AT_ONCE = { concurrency: 24 };

let world: World;
before(async () => {
  world = await startWorld({ notifications: { ...QUICK, ...PATIENT, maxCells: 50, maxBytes: 20_000 } });
  // The owner of all books is the first user.
  await world.book();
});
after(() => world.close());

function refs(body: Json | undefined): readonly string[] {
  return items(body?.['cells']).map((cell) => `${cell['sheetName']}!${cell['ref']}`);
}

suite('what a notification tells', AT_ONCE, () => {
  test('the body and headers of the contract', async (t) => {
    const { receiver, book, secret } = await subscribe(t, world);
    await book.put('A1', [[1.5, 'text', true, '31.12.2026', '=1/0', '=A1*2']]);
    const [request] = await receiver.take(1);
    assert.ok(request);
    const { body, headers } = request;
    const { documentUrl, changedAt, deliveredAt, deliveryId, authors, workspace, ...rest } = body as unknown as Record<
      string,
      unknown
    >;
    assert.equal(documentUrl, `${world.server.address}/documents/${book.document}`);
    assert.ok(Math.abs(Date.parse(String(changedAt)) - Date.now()) < 120_000);
    // The wait is of the steady clock, the moments are of the other.
    assert.ok(Date.parse(String(deliveredAt)) >= Date.parse(String(changedAt)) + PATIENT.quietMs - 100);
    assert.match(String(deliveryId), /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    assert.deepEqual(authors, [{ id: 1, name: 'User 1' }]);
    assert.deepEqual(workspace, { id: 1, name: 'User 1' });
    const cell = (ref: string, col: number, v: unknown, m: string, f: string | null, type: string) => {
      return { sheetName: 'Sheet1', ref, row: 0, col, v, m, f, t: type };
    };
    const changes = 'A1 = 1.5; B1 = text; C1 = TRUE; D1 = 12/31/2026; E1 = #DIV/0!; F1 = 3';
    assert.deepEqual(rest, {
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
        cell('A1', 0, 1.5, '1.5', null, 'number'),
        cell('B1', 1, 'text', 'text', null, 'string'),
        cell('C1', 2, true, 'TRUE', null, 'boolean'),
        cell('D1', 3, 46_387, '12/31/2026', null, 'date'),
        cell('E1', 4, '#DIV/0!', '#DIV/0!', '=1/0', 'error'),
        cell('F1', 5, 3, '3', '=A1*2', 'number'),
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
    assert.equal(standardSignatures(request, secret), 1);
  });

  test('a cell that only shows another number format', async (t) => {
    const { receiver, book } = await subscribe(t, world);
    await book.put('A1', [[46_000, '=A1+1']]);
    await receiver.take(1);
    await book.put('A1', [['12/09/2025']]);
    const [, request] = await receiver.take(2);
    assert.deepEqual(
      items(request?.body['cells']).map((cell) => [cell['ref'], cell['v'], cell['m'], cell['t'], cell['derived']]),
      [
        ['A1', 46_000, '12/9/2025', 'date', undefined],
        ['B1', 46_001, '12/10/2025', 'date', true],
      ],
    );
  });

  test('close edits are one notification, each cell once, values as of delivery', async (t) => {
    const { receiver, book } = await subscribe(t, world);
    await book.put('B1', [['=A1+1']]);
    await book.put('A1', [[1]]);
    await book.put('A1:B2', [[2], [3]]);
    const [request] = await receiver.take(1);
    assert.deepEqual(request?.body['revision'], { from: 1, to: 3 });
    assert.deepEqual(request?.body['ranges'], ['Sheet1!A1:B1', 'Sheet1!A2']);
    assert.equal(request?.body['changes'], 'Sheet1!A1 = 2; Sheet1!B1 = 3; Sheet1!A2 = 3');
    // B1 was written in the first edit, though later ones only recalculated it.
    assert.ok(items(request?.body['cells']).every((cell) => cell['derived'] === undefined));
  });

  test('cells that only follow are marked', async (t) => {
    const book = await world.book();
    await book.put('B1', [['=A1+1'], ['=B1+1']]);
    const { receiver } = await subscribe(t, world, book);
    await book.put('A1', [[1]]);
    const [request] = await receiver.take(1);
    assert.deepEqual(
      items(request?.body['cells']).map((cell) => [cell['ref'], cell['derived'] ?? false]),
      [
        ['A1', false],
        ['B1', true],
        ['B2', true],
      ],
    );
  });

  test('sheets in their order, names quoted where needed, cells row by row', async (t) => {
    const { receiver, book } = await subscribe(t, world);
    await book.addSheet("It's 2");
    await book.put("'It''s 2'!C3", [[1, 2], [3]]);
    await book.put('Sheet1!A2', [['x']]);
    await book.put('Sheet1!B1', [['y']]);
    const [request] = await receiver.take(1);
    assert.deepEqual(request?.body['ranges'], ['Sheet1!B1', 'Sheet1!A2', "'It''s 2'!C3:D3", "'It''s 2'!C4"]);
    assert.equal(
      request?.body['changes'],
      "Sheet1!B1 = y; Sheet1!A2 = x; 'It''s 2'!C3 = 1; 'It''s 2'!D3 = 2; 'It''s 2'!C4 = 3",
    );
    assert.equal(items(request?.body['cells'])[2]?.['sheetName'], "It's 2");
  });

  test('more cells than the cap: all counted, the first shown', async (t) => {
    const { receiver, book } = await subscribe(t, world);
    await book.put(
      'A1',
      Array.from({ length: 30 }, () => [1, 2]),
    );
    const [request] = await receiver.take(1);
    assert.equal(request?.body['cellCount'], 60);
    assert.equal(request?.body['truncated'], true);
    assert.equal(items(request?.body['cells']).length, 50);
    assert.equal(items(request?.body['ranges']).length, 25);
    assert.equal(String(request?.body['changes']).split('; ').length, 50);
  });

  test('more areas than the log keeps of a commit: all cells counted, the first shown', async (t) => {
    const { receiver, book } = await subscribe(t, world);
    const checkerboard = Array.from({ length: 60 }, (_, row) =>
      Array.from({ length: 60 }, (_, column) => ((row + column) % 2 === 0 ? row : null)),
    );
    await book.put('A1', checkerboard);
    const [request] = await receiver.take(1);
    assert.deepEqual([request?.body['cellCount'], request?.body['truncated']], [1_800, true]);
    assert.deepEqual([request?.body['ranges'][0], request?.body['ranges'][30]], ['Sheet1!A1', 'Sheet1!B2']);
    assert.equal(items(request?.body['cells']).length, 50);
  });

  test('more bytes than the cap: the body stays below, and is full of what fits', async (t) => {
    const { receiver, book } = await subscribe(t, world);
    await book.put(
      'A1',
      Array.from({ length: 40 }, (_, row) => [`${row} ${'Ж"\\\n'.repeat(50)}`]),
    );
    const [request] = await receiver.take(1);
    assert.ok(request);
    assert.ok(request.raw.length <= 20_000 && request.raw.length > 17_000, `${request.raw.length} bytes`);
    assert.equal(request.body['truncated'], true);
    assert.equal(request.body['cellCount'], 40);
  });

  test('one cell beyond the cap leaves no cells, but their number', async (t) => {
    const { receiver, book } = await subscribe(t, world);
    await book.put('A1', [['x'.repeat(30_000)]]);
    const [request] = await receiver.take(1);
    assert.deepEqual(
      [request?.body['cells'], request?.body['cellCount'], request?.body['truncated'], request?.body['ranges']],
      [[], 1, true, []],
    );
  });

  test('each source has its own notification', async (t) => {
    const { receiver, book } = await subscribe(t, world);
    const { api } = await world.member(book.document, 'edit');
    await book.put('A1', [[1]]);
    await api.put('B1', [[2]]);
    await writeAs(book, 2, { userId: 1, origin: 'browser' });
    await book.put('D1', [[4]]);
    const told = (await receiver.take(3)).map(({ body }) => [
      body['source'],
      body['sourceToken'],
      body['revision']['from'],
      body['revision']['to'],
      String(refs(body)),
    ]);
    assert.deepEqual(told.sort(), [
      ['api', 'test token', 1, 4, 'Sheet1!A1,Sheet1!D1'],
      ['api', 'test token', 2, 2, 'Sheet1!B1'],
      ['browser', null, 3, 3, 'Sheet1!C1'],
    ]);
  });

  /** Writes one cell as the service itself does when nobody asked over the API. */
  async function writeAs(book: Api, column: number, author: { userId: number | null; origin: string }): Promise<void> {
    const document = await world.server.service.context.documents.open(book.document);
    await document?.write((head) => ({
      kind: 'proposal',
      edits: [{ kind: 'setValues', sheet: head.sheets[0]?.id ?? 0, row: 0, column, values: [[1]], mode: 'raw' }],
      author: { ...author, tokenId: null, tokenName: null },
      finish: () => ({ reply: null, statements: [] }),
    }));
  }

  test('all who wrote in a window are its authors, once each', async (t) => {
    const { receiver, book } = await subscribe(t, world);
    const other = await world.user();
    for (const userId of [Number(other.id), 1, Number(other.id)]) await writeAs(book, 0, { userId, origin: 'browser' });
    const [request] = await receiver.take(1);
    assert.deepEqual(request?.body['authors'], [
      { id: 1, name: 'User 1' },
      { id: Number(other.id), name: other.name },
    ]);
  });

  test('a new day’s recalculation is told to nobody; revisions are those of the document', async (t) => {
    const { receiver, book } = await subscribe(t, world);
    await writeAs(book, 0, { userId: null, origin: 'clock' });
    await writeAs(book, 1, { userId: 1, origin: 'browser' });
    const [request] = await receiver.take(1);
    assert.deepEqual([refs(request?.body), request?.body['revision']], [['Sheet1!B1'], { from: 2, to: 2 }]);
    assert.equal(await book.revision(), '2');
  });

  test('sheets that the subscription’s creator may not see are left out', async (t) => {
    const book = await world.book();
    await book.addSheet('Salaries');
    await world.protect(book.document, 'Salaries', { hideValues: true });
    const { api } = await world.member(book.document, 'edit');
    const ofMember = await subscribe(t, world, api);
    const ofOwner = await subscribe(t, world, book);
    await book.put('Salaries!A1', [[5_000]]);
    await book.put('Sheet1!A1', [['public']]);
    const [member] = await ofMember.receiver.take(1);
    const [owner] = await ofOwner.receiver.take(1);
    assert.deepEqual(refs(member?.body), ['Sheet1!A1']);
    assert.equal(member?.body['cellCount'], 1);
    assert.doesNotMatch(member?.raw.toString() ?? '', /5000|Salaries/);
    assert.deepEqual(refs(owner?.body), ['Sheet1!A1', 'Salaries!A1']);
  });

  test('a sheet hidden before a retry is not in the retry', async (t) => {
    const book = await world.book();
    const { api } = await world.member(book.document, 'edit');
    const { receiver } = await subscribe(t, world, api);
    receiver.behaviour = (response, _, count) => {
      if (count > 1) response.writeHead(200).end();
      else world.protect(book.document, 'Sheet1', { hideValues: true }).then(() => response.writeHead(500).end());
    };
    await book.put('A1', [['secret']]);
    const [first, second] = await receiver.take(2);
    assert.deepEqual([refs(first?.body), refs(second?.body)], [['Sheet1!A1'], []]);
  });

  test('a sheet renamed or deleted before the attempt', async (t) => {
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
    const [first, second] = await receiver.take(2);
    assert.deepEqual(refs(first?.body), ['Old!A1', 'Gone!A1']);
    assert.deepEqual(
      items(second?.body['cells']).map((cell) => [cell['sheetName'], cell['v'], cell['t']]),
      [
        ['New', 1, 'number'],
        ['Gone', null, 'empty'],
      ],
    );
  });

  test('a new subscription hears only of what comes after it', async (t) => {
    const first = await subscribe(t, world);
    const { book } = first;
    await book.put('A1', [[1]]);
    const second = await subscribe(t, world, book);
    await book.put('B1', [[2]]);
    const [toFirst] = await first.receiver.take(1);
    const [toSecond] = await second.receiver.take(1);
    assert.equal(toFirst?.body['revision']['from'], 1);
    assert.deepEqual(toSecond?.body['revision'], { from: 2, to: 2 });
    assert.deepEqual(refs(toSecond?.body), ['Sheet1!B1']);
  });

  test('sheets that are added and deleted are told by name', async (t) => {
    const { receiver, book } = await subscribe(t, world);
    await book.addSheet('Plan');
    await book.deleteSheet('Plan');
    const [request] = await receiver.take(1);
    assert.deepEqual(request?.body['structure'], [{ addSheet: { name: 'Plan' } }, { deleteSheet: { sheet: 'Plan' } }]);
    assert.deepEqual(
      [request?.body['cellCount'], request?.body['changes'], request?.body['cells'], request?.body['truncated']],
      [0, '', [], false],
    );
  });

  test('what changes no cell and no sheet is not told, and stands in the change feed', async (t) => {
    const { receiver, book } = await subscribe(t, world);
    const typed = [[1, '=A1+1', '=sum( A1;B1 )', '=SEQUENCE(2)', '=INDIRECT("A1")', '=1+', '5%', '2026-06-02', 'text']];
    await book.put('A1', typed);
    await receiver.take(1);
    await book.put('A1', typed);
    await book.put('A1:B2', [[null, null], [null]]);
    await book.clear('A3:E5');
    await book.renameSheet('Sheet1', 'Other');
    const { document } = book;
    const { context } = world.server.service;
    await setSheetHidden(context, { document, sheet: (await addedSheet(book)) ?? '', hidden: true });
    const [, second] = await receiver.take(2);
    assert.deepEqual(second?.body['structure'], [{ addSheet: { name: 'Sheet2' } }], 'the first that says something');
    assert.equal(second?.body['cellCount'], 0);
    const { entries } = (await book.here('GET', '/changes?since=1')).body['changes'] as unknown as {
      readonly entries: readonly Json[];
    };
    assert.deepEqual(
      entries.map((entry) => entry['cellCount']),
      [0, 0, 0, 0, 0, 0],
    );
  });

  async function addedSheet(book: Api): Promise<string> {
    return String((await book.addSheet()).body['sheet']['name']);
  }

  test('who may not see the changed sheet hears nothing of its cells', async (t) => {
    const book = await world.book();
    await book.addSheet('Salaries');
    await world.protect(book.document, 'Salaries', { hideValues: true });
    const { api } = await world.member(book.document, 'edit');
    const member = await subscribe(t, world, api);
    const owner = await subscribe(t, world, book);
    await book.put('Salaries!A1', [[5000]]);
    await owner.receiver.take(1);
    assert.equal((await deliveries(member, member.webhook))['total'], 0);
  });

  test('cells that others have moved are told where they are, whenever that was', async (t) => {
    const { receiver, book } = await subscribe(t, world);
    const other = world.api(await world.token('1'), book.document);
    const insert = (before: number) => [{ insertRows: { sheet: 'Sheet1', before, count: 2 } }];
    const attempt = async (wanted: number) => {
      for (let count = 1; ; count++) {
        const body = (await receiver.take(count))[count - 1]?.body;
        if (Number(body?.['revision']['from']) === 1 && Number(body?.['attempt']) === wanted) return body;
      }
    };
    // Its first attempt gets no answer until rows have moved once more.
    let answer = () => {};
    const isMoved = new Promise<void>((resolve) => {
      answer = resolve;
    });
    receiver.behaviour = (response, _request, count) => {
      const body = receiver.received[count - 1]?.body;
      const isFirst = Number(body?.['revision']['from']) === 1 && Number(body?.['attempt']) === 1;
      if (isFirst) void isMoved.then(() => response.writeHead(500).end());
      else response.end();
    };
    await book.put('A5', [['told', 'also', 'gone']]);
    assert.equal((await other.post('/structure', { operations: insert(2) })).status, 200);
    const first = await attempt(1);
    const operations = [...insert(7), { deleteColumns: { sheet: 'Sheet1', from: 'C', count: 1 } }];
    assert.equal((await book.post('/structure', { operations })).status, 200);
    answer();
    const again = await attempt(2);
    const values = items(first?.['cells']).map((cell) => cell['v'] as unknown);
    assert.deepEqual(values, ['told', 'also', 'gone']);
    const shown = items(again?.['cells']).map((cell) => `${cell['ref']} ${cell['v']}`);
    assert.deepEqual(shown, ['A9 told', 'B9 also']);
    assert.deepEqual([again?.['cellCount'], again?.['ranges']], [2, ['Sheet1!A9:B9']]);
  });

  test('a change by the command line is the API’s, without a token', async (t) => {
    const { receiver, book } = await subscribe(t, world);
    await book.addSheet('Second');
    await receiver.take(1);
    const { context } = world.server.service;
    const document = await context.documents.open(book.document);
    await document?.write(({ sheets }) => ({
      kind: 'proposal',
      edits: [{ kind: 'setValues', sheet: sheets[0]?.id ?? 0, row: 0, column: 0, values: [['by hand']], mode: 'user' }],
      author: { userId: null, origin: 'operator', tokenId: null, tokenName: null },
      finish: () => ({ reply: null, statements: [] }),
    }));
    const [, request] = await receiver.take(2);
    assert.deepEqual([request?.body['source'], request?.body['sourceToken']], ['api', null]);
  });
});
