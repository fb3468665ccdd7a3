import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { after, before, suite, test } from 'node:test';
import { ORDERS, query, rowsOf, withOrders } from './records-support.ts';
import { send } from './send.ts';
import { type Api, type Json, startWorld, type World } from './support.ts';

let world: World;
before(async () => {
  world = await startWorld();
});
after(() => world.close());

interface Sent {
  readonly status: number;
  readonly lines: readonly Json[];
}

const LINES = 'application/x-ndjson';

async function stream(
  book: Api,
  path: string,
  lines: string | Uint8Array,
  headers: Readonly<Record<string, string>> = {},
): Promise<Sent> {
  const { status, text } = await send(`${book.base}/api/v1/documents/${book.document}/records/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${book.token}`, 'content-type': LINES, ...headers },
    body: lines,
  });
  return {
    status,
    lines: text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Json),
  };
}

function linesOf(records: readonly unknown[]): string {
  return records.map((record) => `${JSON.stringify(record)}\n`).join('');
}

function orders(count: number, from = 1): readonly object[] {
  return Array.from({ length: count }, (_, i) => ({ Number: `S-${from + i}`, Sum: from + i, Status: 'new' }));
}

/** Lines without what is different at every run. */
function plain({ lines }: Sent): readonly unknown[] {
  return JSON.parse(JSON.stringify(lines, (name, value) => (name === 'revisionId' ? undefined : value)));
}

test('records are appended batch by batch, each a commit, and the last line says that it is the last', async () => {
  const book = await withOrders(await world.book());
  const sent = await stream(book, 'append?range=A:H&batch=2', linesOf(orders(5)));
  assert.equal(sent.status, 200);
  assert.deepEqual(plain(sent), [
    { batch: 1, appended: { created: 2, cells: 6 } },
    { batch: 2, appended: { created: 2, cells: 6 } },
    { batch: 3, appended: { created: 1, cells: 3 } },
    { end: true, records: 5, batches: 3 },
  ]);
  assert.deepEqual(
    sent.lines.map((line) => line['revisionId'] ?? line['appended']?.['revisionId']),
    ['2', '3', '4', '4'],
  );
  assert.deepEqual(
    rowsOf(await query(book, { where: { Status: 'new', Number: { startsWith: 'S-' } } })),
    [7, 8, 9, 10, 11],
  );
});

test('without batch all are one commit; blank lines, ends of lines and the last line’s missing end do not matter', async () => {
  const book = await withOrders(await world.book());
  const text = linesOf(orders(3)).replaceAll('\n', '\r\n\n').trimEnd();
  const sent = await stream(book, 'append?range=A:H', text);
  assert.deepEqual(plain(sent), [
    { batch: 1, appended: { created: 3, cells: 9 } },
    { end: true, records: 3, batches: 1 },
  ]);
});

test('records are upserted by a key, with types and what to do with matches', async () => {
  const book = await withOrders(await world.book());
  const types = encodeURIComponent(JSON.stringify({ Customer: 'text' }));
  const sent = await stream(
    book,
    `upsert?range=A:H&key[]=Number&batch=2&types=${types}&onMissing=skip`,
    linesOf([{ Number: 'A-1001', Customer: 501 }, { Number: 'A-1002', Status: 'paid' }, { Number: 'B-1' }]),
  );
  assert.deepEqual(plain(sent), [
    { batch: 1, upserted: { created: 0, updated: 1, unchanged: 1, skipped: 0, cells: 1 } },
    { batch: 2, upserted: { created: 0, updated: 0, unchanged: 0, skipped: 1, cells: 0 } },
    { end: true, records: 3, batches: 2 },
  ]);
  assert.equal((await book.cell('B2'))['v'], '501');
});

test('a bad record ends the lines after the batches before it, and there is no end line', async () => {
  const book = await withOrders(await world.book());
  const sent = await stream(book, 'append?range=A:H&batch=2', linesOf([...orders(4), { Nothing: 1 }, ...orders(2)]));
  assert.equal(sent.status, 200);
  assert.deepEqual(plain(sent).slice(2), [{ batch: 3, status: 422, message: 'There is no column "Nothing"' }]);
  assert.equal(await book.revision(), '3');
  const numbered = await stream(book, 'append?range=A:H&batch=2', linesOf([...orders(3), {}]));
  assert.match(String(numbered.lines[1]?.['message']), /^records\.3 must/);
});

const REFUSED: readonly (readonly [what: string, path: string, lines: string | Uint8Array, field: string])[] = [
  ['an unknown column', 'append?range=A:H&batch=2', linesOf([{ Nothing: 1 }]), 'records.0.Nothing'],
  ['no JSON', 'append?range=A:H&batch=2', '{"Number": 1}\n{"Number"\n', 'records.1'],
  ['a list', 'append?range=A:H', '[1]\n', 'records.0'],
  ['no UTF-8', 'append?range=A:H', Buffer.from([0x22, 0xff, 0x22, 0x0a]), 'records.0'],
  ['nothing', 'append?range=A:H', '', 'records'],
  ['blank lines', 'append?range=A:H', '\n \n', 'records'],
  ['no range', 'append', linesOf(orders(1)), 'range'],
  ['no key', 'upsert?range=A:H', linesOf(orders(1)), 'key'],
  ['batch 0', 'append?range=A:H&batch=0', linesOf(orders(1)), 'batch'],
  ['batch x', 'append?range=A:H&batch=x', linesOf(orders(1)), 'batch'],
  ['types that are no JSON', 'append?range=A:H&types={', linesOf(orders(1)), 'types'],
  ['a key twice in a batch', 'upsert?range=A:H&key[]=Number', linesOf([...orders(1), ...orders(1)]), 'records.1'],
  ['a dry run', 'append?range=A:H&dryRun=true', linesOf(orders(1)), 'dryRun'],
  ['a nested bomb', 'append?range=A:H', `${'['.repeat(100_000)}\n`, 'records.0'],
];
for (const [what, path, lines, field] of REFUSED) {
  test(`${what} before the first commit is a plain 422 on ${field}`, async () => {
    const book = await withOrders(await world.book());
    const sent = await stream(book, path, lines);
    assert.equal(sent.status, 422, JSON.stringify(sent.lines));
    assert.deepEqual(Object.keys(sent.lines[0]?.['errors'] as object), [field]);
    assert.equal(await book.revision(), '1');
  });
}

test('a stream that is sent again with its key goes on where it ended', async () => {
  const book = await withOrders(await world.book());
  const key = { 'idempotency-key': 'import-1' };
  const path = 'append?range=A:H&batch=2';
  await stream(book, path, linesOf(orders(4)), key);
  const again = await stream(book, path, linesOf(orders(5)), key);
  assert.deepEqual(plain(again), [
    { batch: 1, appended: { created: 2, cells: 6 }, replayed: true },
    { batch: 2, appended: { created: 2, cells: 6 }, replayed: true },
    { batch: 3, appended: { created: 1, cells: 3 } },
    { end: true, records: 5, batches: 3 },
  ]);
  const other = await stream(book, path, linesOf(orders(2, 100)), key);
  assert.equal(other.status, 422);
  assert.match(String(other.lines[0]?.['message']), /different request/);
  assert.equal((await query(book, { where: { Number: { startsWith: 'S-' } } })).body['pagination']?.['total'], 5);
});

test('the same stream twice at once is written once', async () => {
  const book = await withOrders(await world.book());
  const both = await Promise.all(
    [1, 2].map(() => stream(book, 'append?range=A:H&batch=10', linesOf(orders(50)), { 'idempotency-key': 'twin' })),
  );
  for (const { status, lines } of both) assert.deepEqual([status, lines.at(-1)?.['records']], [200, 50]);
  const replayed = [0, 1, 2, 3, 4].map((i) => both.filter(({ lines }) => lines[i]?.['replayed'] !== undefined).length);
  assert.deepEqual(replayed, [1, 1, 1, 1, 1]);
  assert.equal((await query(book, { where: { Number: { startsWith: 'S-' } } })).body['pagination']?.['total'], 50);
});

test('what a request asks of the document holds for its first commit', async () => {
  const book = await withOrders(await world.book());
  const refused = await stream(book, 'append?range=A:H&batch=1&ifRevision=7', linesOf(orders(2)));
  assert.deepEqual([refused.status, refused.lines[0]?.['revisionId']], [412, '1']);
  const written = await stream(book, 'append?range=A:H&batch=1&ifRevision=1', linesOf(orders(2)));
  assert.equal(written.lines.at(-1)?.['batches'], 2);
});

suite('a stream that comes slowly', () => {
  interface Slow {
    readonly write: (text: string) => void;
    readonly end: () => void;
    readonly cut: () => void;
    readonly response: Promise<IncomingMessage>;
  }

  function slowly(book: Api, path: string, key: string): Slow {
    const request = httpRequest(`${book.base}/api/v1/documents/${book.document}/records/${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${book.token}`, 'content-type': LINES, 'idempotency-key': key },
      agent: false,
    });
    request.on('error', () => {});
    const response = once(request, 'response').then(([answer]) => answer as IncomingMessage);
    return {
      write: (text) => void request.write(text),
      end: () => void request.end(),
      cut: () => void request.destroy(),
      response,
    };
  }

  test('is answered while it comes; cut off, what was whole is kept and the rest is not', async () => {
    const book = await withOrders(await world.book());
    const path = 'append?range=A:H&batch=2';
    const slow = slowly(book, path, 'slow');
    slow.write(linesOf(orders(3)));
    const answer = await slow.response;
    const [first] = (await once(answer, 'data')) as [Buffer];
    assert.equal(JSON.parse(first.toString())['batch'], 1);
    answer.on('error', () => {});
    slow.cut();
    assert.equal(await book.revision(), '2');
    const again = await stream(book, path, linesOf(orders(4)), { 'idempotency-key': 'slow' });
    assert.deepEqual(
      again.lines.map((line) => line['replayed']),
      [true, undefined, undefined],
    );
    assert.deepEqual(rowsOf(await query(book, { where: { Number: { startsWith: 'S-' } } })), [7, 8, 9, 10]);
  });

  test('ends with the right to write', async () => {
    const book = await withOrders(await world.book());
    const { id, api } = await world.member(book.document, 'edit');
    const slow = slowly(api, 'append?range=A:H&batch=1', 'rights');
    slow.write(linesOf(orders(1)));
    const answer = await slow.response;
    await once(answer, 'data');
    await world.share(book.document, id, 'view');
    let text = '';
    answer.on('data', (piece) => {
      text += String(piece);
    });
    slow.write(linesOf(orders(1, 2)));
    slow.end();
    await once(answer, 'end');
    assert.deepEqual(JSON.parse(text), { batch: 2, status: 403, message: 'Insufficient permissions' });
  });
});

test('a stream is longer than a body may be, in little memory, and others are answered meanwhile', async () => {
  const small = await startWorld({ limits: { maxBodyBytes: 64 * 1024 } });
  const book = await withOrders(await small.book(), ORDERS.slice(0, 1));
  const text = linesOf(orders(5_000));
  assert.ok(text.length > 3 * 64 * 1024);
  const streaming = stream(book, 'append?range=A:H&batch=500', text);
  assert.equal((await book.get('A1')).status, 200);
  const sent = await streaming;
  assert.deepEqual([sent.lines.length, sent.lines.at(-1)?.['records']], [11, 5_000]);
  const whole = await stream(book, 'append?range=A:H', text);
  assert.deepEqual([whole.status, Object.keys(whole.lines[0]?.['errors'] as object)], [422, ['batch']]);
  await small.close();
});

test('who may not write cannot stream either', async () => {
  const book = await withOrders(await world.book());
  const { api } = await world.member(book.document, 'view');
  assert.equal((await stream(api, 'append?range=A:H', linesOf(orders(1)))).status, 403);
  await world.protect(book.document, 'Sheet1', { lock: true });
  const { api: editor } = await world.member(book.document, 'edit');
  assert.equal((await stream(editor, 'append?range=A:H', linesOf(orders(1)))).status, 403);
});

suite('a stream that is resumed from a batch on', () => {
  test('writes only what is missing, and counts from the beginning', async () => {
    const book = await withOrders(await world.book());
    const key = { 'idempotency-key': 'resumed' };
    await stream(book, 'append?range=A:H&batch=2', linesOf(orders(4)), key);
    const rest = await stream(book, 'append?range=A:H&batch=2&from=2', linesOf(orders(5, 3)), key);
    assert.deepEqual(plain(rest), [
      { batch: 2, appended: { created: 2, cells: 6 }, replayed: true },
      { batch: 3, appended: { created: 2, cells: 6 } },
      { batch: 4, appended: { created: 1, cells: 3 } },
      { end: true, records: 7, batches: 4 },
    ]);
    const written = await query(book, { where: { Number: { startsWith: 'S-' } } });
    assert.deepEqual(rowsOf(written), [7, 8, 9, 10, 11, 12, 13]);
  });

  test('may have nothing left to send', async () => {
    const book = await withOrders(await world.book());
    const key = { 'idempotency-key': 'whole' };
    const sent = await stream(book, 'append?range=A:H&batch=2', linesOf(orders(4)), key);
    const rest = await stream(book, 'append?range=A:H&batch=2&from=3', '', key);
    assert.deepEqual(rest.lines, [sent.lines.at(-1)]);
  });

  test('counts records, not rows, where a key is held by several', async () => {
    const book = await withOrders(await world.book());
    const key = { 'idempotency-key': 'many' };
    const path = 'upsert?range=A:H&key[]=Status&onMany=all&onMissing=skip&batch=1';
    await stream(book, path, linesOf([{ Status: 'open', Sum: 1 }]), key);
    const rest = await stream(book, `${path}&from=2`, linesOf([{ Status: 'nowhere', Sum: 1 }]), key);
    assert.deepEqual(rest.lines.at(-1)?.['records'], 2);
  });

  test('is refused where the batches before are not kept under its key', async () => {
    const book = await withOrders(await world.book());
    await stream(book, 'append?range=A:H&batch=2', linesOf(orders(4)), { 'idempotency-key': 'one' });
    const before = await book.revision();
    const REFUSED: readonly (readonly [path: string, headers: Readonly<Record<string, string>>])[] = [
      ['append?range=A:H&batch=2&from=2', {}],
      ['append?range=A:H&batch=2&from=2', { 'idempotency-key': 'another' }],
      ['append?range=A:H&batch=2&from=4', { 'idempotency-key': 'one' }],
      ['upsert?range=A:H&key[]=Number&batch=2&from=2', { 'idempotency-key': 'one' }],
      ['append?range=A:H&batch=2&from=0', { 'idempotency-key': 'one' }],
    ];
    for (const [path, headers] of REFUSED) {
      const sent = await stream(book, path, linesOf(orders(2)), headers);
      assert.deepEqual([sent.status, Object.keys(sent.lines[0]?.['errors'] ?? {})], [422, ['from']], path);
    }
    assert.equal(await book.revision(), before);
  });
});
