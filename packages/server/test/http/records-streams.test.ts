import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { after, before, suite, test } from 'node:test';
import { ORDERS, queryRecords, readRowNumbers, writeOrders } from './records-support.ts';
import { sendHttp } from './send.ts';
import { type Api, type Json, startWorld, type World } from './support.ts';

let world: World;
before(async () => {
  world = await startWorld();
});
after(() => world.close());

interface StreamResponse {
  readonly status: number;
  readonly lines: readonly Json[];
}

const NDJSON = 'application/x-ndjson';

async function sendStream(
  book: Api,
  path: string,
  lines: string | Uint8Array,
  headers: Readonly<Record<string, string>> = {},
): Promise<StreamResponse> {
  const { status, text } = await sendHttp(`${book.base}/api/v1/documents/${book.document}/records/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${book.token}`, 'content-type': NDJSON, ...headers },
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

function toNdjson(records: readonly unknown[]): string {
  return records.map((record) => `${JSON.stringify(record)}\n`).join('');
}

function createOrders(count: number, from = 1): readonly object[] {
  return Array.from({ length: count }, (_, i) => ({ Number: `S-${from + i}`, Sum: from + i, Status: 'new' }));
}

/** Removes values that differ between runs from the lines. */
function toComparableLines({ lines }: StreamResponse): readonly unknown[] {
  return JSON.parse(JSON.stringify(lines, (name, value) => (name === 'revisionId' ? undefined : value)));
}

test('a stream appends records in batches, each a commit, and ends with an end line', async () => {
  const book = await writeOrders(await world.createBook());
  const streamed = await sendStream(book, 'append?range=A:H&batch=2', toNdjson(createOrders(5)));
  assert.equal(streamed.status, 200);
  assert.deepEqual(toComparableLines(streamed), [
    { batch: 1, appended: { created: 2, cells: 6 } },
    { batch: 2, appended: { created: 2, cells: 6 } },
    { batch: 3, appended: { created: 1, cells: 3 } },
    { end: true, records: 5, batches: 3 },
  ]);
  assert.deepEqual(
    streamed.lines.map((line) => line['revisionId'] ?? line['appended']?.['revisionId']),
    ['2', '3', '4', '4'],
  );
  assert.deepEqual(
    readRowNumbers(await queryRecords(book, { where: { Status: 'new', Number: { startsWith: 'S-' } } })),
    [7, 8, 9, 10, 11],
  );
});

/** Opens an upload whose body does not end, and sends the first lines. */
function openUpload(book: Api, path: string, lines: string): Upload {
  const sent = httpRequest(`${book.base}/api/v1/documents/${book.document}/records/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${book.token}`, 'content-type': NDJSON },
  });
  sent.on('error', () => {});
  sent.write(lines);
  return { sent, response: once(sent, 'response').then(([response]) => response as IncomingMessage) };
}

interface Upload {
  readonly sent: ReturnType<typeof httpRequest>;
  readonly response: Promise<IncomingMessage>;
}

test('one user can have several uploads at once, unless their batches are large', async (t) => {
  const book = await writeOrders(await world.createBook());
  const uploads = Array.from({ length: 7 }, (_, i) =>
    openUpload(book, 'append?range=A:H&batch=1', toNdjson(createOrders(1, i + 1))),
  );
  t.after(() => {
    for (const { sent } of uploads) sent.destroy();
  });
  for (const { response } of uploads) {
    const answer = await response;
    assert.equal(answer.statusCode, 200);
    const [line] = await once(answer, 'data');
    assert.match(String(line), /^\{"batch":1,"appended"/);
  }
  const record = { Number: 'x'.repeat(40_000), Status: 'new' };
  const large = openUpload(book, 'append?range=A:H', toNdjson(Array.from({ length: 120 }, () => record)));
  uploads.push(large);
  assert.equal((await large.response).statusCode, 503);
  for (const { sent } of uploads.splice(0)) sent.destroy();
});

test('a stream without a batch size is one commit; blank lines, line ends and a missing last line end are accepted', async () => {
  const book = await writeOrders(await world.createBook());
  const text = toNdjson(createOrders(3)).replaceAll('\n', '\r\n\n').trimEnd();
  const streamed = await sendStream(book, 'append?range=A:H', text);
  assert.deepEqual(toComparableLines(streamed), [
    { batch: 1, appended: { created: 3, cells: 9 } },
    { end: true, records: 3, batches: 1 },
  ]);
});

test('a stream upserts records by a key, with types and match options', async () => {
  const book = await writeOrders(await world.createBook());
  const types = encodeURIComponent(JSON.stringify({ Customer: 'text' }));
  const streamed = await sendStream(
    book,
    `upsert?range=A:H&key[]=Number&batch=2&types=${types}&onMissing=skip`,
    toNdjson([{ Number: 'A-1001', Customer: 501 }, { Number: 'A-1002', Status: 'paid' }, { Number: 'B-1' }]),
  );
  assert.deepEqual(toComparableLines(streamed), [
    { batch: 1, upserted: { created: 0, updated: 1, unchanged: 1, skipped: 0, cells: 1 } },
    { batch: 2, upserted: { created: 0, updated: 0, unchanged: 0, skipped: 1, cells: 0 } },
    { end: true, records: 3, batches: 2 },
  ]);
  assert.equal((await book.cell('B2'))['v'], '501');
});

test('an invalid record ends the stream after the previous batches, without an end line', async () => {
  const book = await writeOrders(await world.createBook());
  const streamed = await sendStream(
    book,
    'append?range=A:H&batch=2',
    toNdjson([...createOrders(4), { Nothing: 1 }, ...createOrders(2)]),
  );
  assert.equal(streamed.status, 200);
  assert.deepEqual(toComparableLines(streamed).slice(2), [
    { batch: 3, status: 422, message: 'There is no column "Nothing"' },
  ]);
  assert.equal(await book.revision(), '3');
  const numbered = await sendStream(book, 'append?range=A:H&batch=2', toNdjson([...createOrders(3), {}]));
  assert.match(String(numbered.lines[1]?.['message']), /^records\.3 must/);
});

const INVALID_STREAMS: readonly (readonly [
  description: string,
  path: string,
  lines: string | Uint8Array,
  field: string,
])[] = [
  ['an unknown column', 'append?range=A:H&batch=2', toNdjson([{ Nothing: 1 }]), 'records.0.Nothing'],
  ['no JSON', 'append?range=A:H&batch=2', '{"Number": 1}\n{"Number"\n', 'records.1'],
  ['a list', 'append?range=A:H', '[1]\n', 'records.0'],
  ['no UTF-8', 'append?range=A:H', Buffer.from([0x22, 0xff, 0x22, 0x0a]), 'records.0'],
  ['nothing', 'append?range=A:H', '', 'records'],
  ['blank lines', 'append?range=A:H', '\n \n', 'records'],
  ['no range', 'append', toNdjson(createOrders(1)), 'range'],
  ['no key', 'upsert?range=A:H', toNdjson(createOrders(1)), 'key'],
  ['batch 0', 'append?range=A:H&batch=0', toNdjson(createOrders(1)), 'batch'],
  ['batch x', 'append?range=A:H&batch=x', toNdjson(createOrders(1)), 'batch'],
  ['types that are no JSON', 'append?range=A:H&types={', toNdjson(createOrders(1)), 'types'],
  [
    'a key twice in a batch',
    'upsert?range=A:H&key[]=Number',
    toNdjson([...createOrders(1), ...createOrders(1)]),
    'records.1',
  ],
  ['a dry run', 'append?range=A:H&dryRun=true', toNdjson(createOrders(1)), 'dryRun'],
  ['a nested bomb', 'append?range=A:H', `${'['.repeat(100_000)}\n`, 'records.0'],
];
for (const [description, path, lines, field] of INVALID_STREAMS) {
  test(`${description} before the first commit is a 422 response for ${field}`, async () => {
    const book = await writeOrders(await world.createBook());
    const streamed = await sendStream(book, path, lines);
    assert.equal(streamed.status, 422, JSON.stringify(streamed.lines));
    assert.deepEqual(Object.keys(streamed.lines[0]?.['errors'] as object), [field]);
    assert.equal(await book.revision(), '1');
  });
}

test('a repeated stream with the same key continues where it ended', async () => {
  const book = await writeOrders(await world.createBook());
  const key = { 'idempotency-key': 'import-1' };
  const path = 'append?range=A:H&batch=2';
  await sendStream(book, path, toNdjson(createOrders(4)), key);
  const again = await sendStream(book, path, toNdjson(createOrders(5)), key);
  assert.deepEqual(toComparableLines(again), [
    { batch: 1, appended: { created: 2, cells: 6 }, replayed: true },
    { batch: 2, appended: { created: 2, cells: 6 }, replayed: true },
    { batch: 3, appended: { created: 1, cells: 3 } },
    { end: true, records: 5, batches: 3 },
  ]);
  const other = await sendStream(book, path, toNdjson(createOrders(2, 100)), key);
  assert.equal(other.status, 422);
  assert.match(String(other.lines[0]?.['message']), /different request/);
  assert.equal(
    (await queryRecords(book, { where: { Number: { startsWith: 'S-' } } })).body['pagination']?.['total'],
    5,
  );
});

test('two simultaneous streams with the same key are written once', async () => {
  const book = await writeOrders(await world.createBook());
  const responses = await Promise.all(
    [1, 2].map(() =>
      sendStream(book, 'append?range=A:H&batch=10', toNdjson(createOrders(50)), { 'idempotency-key': 'twin' }),
    ),
  );
  for (const { status, lines } of responses) assert.deepEqual([status, lines.at(-1)?.['records']], [200, 50]);
  const replayed = [0, 1, 2, 3, 4].map(
    (i) => responses.filter(({ lines }) => lines[i]?.['replayed'] !== undefined).length,
  );
  assert.deepEqual(replayed, [1, 1, 1, 1, 1]);
  assert.equal(
    (await queryRecords(book, { where: { Number: { startsWith: 'S-' } } })).body['pagination']?.['total'],
    50,
  );
});

test('a precondition applies to the first commit', async () => {
  const book = await writeOrders(await world.createBook());
  const refused = await sendStream(book, 'append?range=A:H&batch=1&ifRevision=7', toNdjson(createOrders(2)));
  assert.deepEqual([refused.status, refused.lines[0]?.['revisionId']], [412, '1']);
  const written = await sendStream(book, 'append?range=A:H&batch=1&ifRevision=1', toNdjson(createOrders(2)));
  assert.equal(written.lines.at(-1)?.['batches'], 2);
});

suite('a slow stream', () => {
  interface SlowStream {
    readonly write: (text: string) => void;
    readonly end: () => void;
    readonly cut: () => void;
    readonly response: Promise<IncomingMessage>;
  }

  function startSlowStream(book: Api, path: string, key: string): SlowStream {
    const request = httpRequest(`${book.base}/api/v1/documents/${book.document}/records/${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${book.token}`, 'content-type': NDJSON, 'idempotency-key': key },
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

  test('gets responses while it is sent, and keeps complete batches after an abort', async () => {
    const book = await writeOrders(await world.createBook());
    const path = 'append?range=A:H&batch=2';
    const slow = startSlowStream(book, path, 'slow');
    slow.write(toNdjson(createOrders(3)));
    const answer = await slow.response;
    const [first] = (await once(answer, 'data')) as [Buffer];
    assert.equal(JSON.parse(first.toString())['batch'], 1);
    answer.on('error', () => {});
    slow.cut();
    assert.equal(await book.revision(), '2');
    const again = await sendStream(book, path, toNdjson(createOrders(4)), { 'idempotency-key': 'slow' });
    assert.deepEqual(
      again.lines.map((line) => line['replayed']),
      [true, undefined, undefined],
    );
    assert.deepEqual(
      readRowNumbers(await queryRecords(book, { where: { Number: { startsWith: 'S-' } } })),
      [7, 8, 9, 10],
    );
  });

  test('ends when the permission to write ends', async () => {
    const book = await writeOrders(await world.createBook());
    const { id, api } = await world.addMember(book.document, 'edit');
    const slow = startSlowStream(api, 'append?range=A:H&batch=1', 'rights');
    slow.write(toNdjson(createOrders(1)));
    const answer = await slow.response;
    await once(answer, 'data');
    await world.share(book.document, id, 'view');
    let text = '';
    answer.on('data', (piece) => {
      text += String(piece);
    });
    slow.write(toNdjson(createOrders(1, 2)));
    slow.end();
    await once(answer, 'end');
    assert.deepEqual(JSON.parse(text), { batch: 2, status: 403, message: 'Insufficient permissions' });
  });
});

test('a stream may exceed the body limit, and other requests are served meanwhile', async () => {
  const limitedWorld = await startWorld({ limits: { maxBodyBytes: 64 * 1024 } });
  const book = await writeOrders(await limitedWorld.createBook(), ORDERS.slice(0, 1));
  const text = toNdjson(createOrders(5_000));
  assert.ok(text.length > 3 * 64 * 1024);
  const streaming = sendStream(book, 'append?range=A:H&batch=500', text);
  assert.equal((await book.get('A1')).status, 200);
  const streamed = await streaming;
  assert.deepEqual([streamed.lines.length, streamed.lines.at(-1)?.['records']], [11, 5_000]);
  const whole = await sendStream(book, 'append?range=A:H', text);
  assert.deepEqual([whole.status, Object.keys(whole.lines[0]?.['errors'] as object)], [422, ['batch']]);
  await limitedWorld.close();
});

test('a stream requires the permission to write', async () => {
  const book = await writeOrders(await world.createBook());
  const { api } = await world.addMember(book.document, 'view');
  assert.equal((await sendStream(api, 'append?range=A:H', toNdjson(createOrders(1)))).status, 403);
  await world.protect(book.document, 'Sheet1', { lock: true });
  const { api: editor } = await world.addMember(book.document, 'edit');
  assert.equal((await sendStream(editor, 'append?range=A:H', toNdjson(createOrders(1)))).status, 403);
});

suite('a resumed stream', () => {
  test('writes the missing batches only and counts from the start', async () => {
    const book = await writeOrders(await world.createBook());
    const key = { 'idempotency-key': 'resumed' };
    await sendStream(book, 'append?range=A:H&batch=2', toNdjson(createOrders(4)), key);
    const resumed = await sendStream(book, 'append?range=A:H&batch=2&from=2', toNdjson(createOrders(5, 3)), key);
    assert.deepEqual(toComparableLines(resumed), [
      { batch: 2, appended: { created: 2, cells: 6 }, replayed: true },
      { batch: 3, appended: { created: 2, cells: 6 } },
      { batch: 4, appended: { created: 1, cells: 3 } },
      { end: true, records: 7, batches: 4 },
    ]);
    const written = await queryRecords(book, { where: { Number: { startsWith: 'S-' } } });
    assert.deepEqual(readRowNumbers(written), [7, 8, 9, 10, 11, 12, 13]);
  });

  test('may have no records left', async () => {
    const book = await writeOrders(await world.createBook());
    const key = { 'idempotency-key': 'whole' };
    const streamed = await sendStream(book, 'append?range=A:H&batch=2', toNdjson(createOrders(4)), key);
    const resumed = await sendStream(book, 'append?range=A:H&batch=2&from=3', '', key);
    assert.deepEqual(resumed.lines, [streamed.lines.at(-1)]);
  });

  test('counts records, even if a key matches several rows', async () => {
    const book = await writeOrders(await world.createBook());
    const key = { 'idempotency-key': 'many' };
    const path = 'upsert?range=A:H&key[]=Status&onMany=all&onMissing=skip&batch=1';
    await sendStream(book, path, toNdjson([{ Status: 'open', Sum: 1 }]), key);
    const resumed = await sendStream(book, `${path}&from=2`, toNdjson([{ Status: 'nowhere', Sum: 1 }]), key);
    assert.deepEqual(resumed.lines.at(-1)?.['records'], 2);
  });

  test('is refused if the earlier batches are not stored under its key', async () => {
    const book = await writeOrders(await world.createBook());
    await sendStream(book, 'append?range=A:H&batch=2', toNdjson(createOrders(4)), { 'idempotency-key': 'one' });
    const before = await book.revision();
    const INVALID_STREAMS: readonly (readonly [path: string, headers: Readonly<Record<string, string>>])[] = [
      ['append?range=A:H&batch=2&from=2', {}],
      ['append?range=A:H&batch=2&from=2', { 'idempotency-key': 'another' }],
      ['append?range=A:H&batch=2&from=4', { 'idempotency-key': 'one' }],
      ['upsert?range=A:H&key[]=Number&batch=2&from=2', { 'idempotency-key': 'one' }],
      ['append?range=A:H&batch=2&from=0', { 'idempotency-key': 'one' }],
    ];
    for (const [path, headers] of INVALID_STREAMS) {
      const streamed = await sendStream(book, path, toNdjson(createOrders(2)), headers);
      assert.deepEqual([streamed.status, Object.keys(streamed.lines[0]?.['errors'] ?? {})], [422, ['from']], path);
    }
    assert.equal(await book.revision(), before);
  });
});
