import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSchema } from '../../../store/test/postgres/server.ts';
import type { RunningServer } from '../../src/compose/server.ts';
import { sendHttp } from '../http/send.ts';
import { Api, memberAt, startWorld } from '../http/support.ts';
import { openEventStream } from '../notify/event-stream.ts';
import { findProgram, startNginx } from './balancer.ts';

const NGINX = findProgram('nginx');
/** Set where nginx must exist, so that the test fails instead of being skipped. */
const IS_REQUIRED = process.env['REQUIRE_PROXY'] === '1';
const DOCUMENTS = 24;
/** Lines of records of 20 MB in total, more than nginx accepts by default in other requests. */
const LINES = 20_000;
const LINES_PER_BATCH = 1_000;
const LINE_TEXT = 'x'.repeat(1_000);
/** Rows of text that exceed the balancer's limit for other requests. */
const LONG_TEXT = 'x'.repeat(40_000);
const LONG_ROWS = 450;
/** Skipped without nginx; docs/operations.md names the tested versions. */
test('two nodes behind nginx with the documented configuration work as one service', {
  // Continuous integration installs nginx and sets REQUIRE_PROXY=1, which forbids skipping.
  skip: NGINX === null && !IS_REQUIRED ? 'no nginx on this machine' : false,
  timeout: 300_000,
}, async (t) => {
  const schema = await createSchema();
  t.after(() => schema.remove());
  const world = await startWorld({ databaseUrl: schema.url });
  t.after(() => world.close());
  const nodes = [await world.startSecondService(), await world.startSecondService()];
  const running = new Set(nodes);
  const closeNode = async (node: RunningServer) => {
    if (running.delete(node)) await node.close();
  };
  t.after(async () => void (await Promise.all(nodes.map(closeNode))));
  const { address, log } = await startNginx(
    t,
    nodes.map((node) => node.address),
  );
  const books = await Promise.all(Array.from({ length: DOCUMENTS }, () => world.createBook()));
  const balancedBooks = books.map((book) => new Api(address, book.token, book.document));
  const countOpenDocuments = () => nodes.map(({ service }) => service.context.documents.collectMetrics().open);
  const [first] = balancedBooks;
  assert.ok(first);

  await t.test('each document has one node, and both nodes serve documents', async () => {
    const before = countOpenDocuments();
    for (const round of [1, 2, 3])
      for (const book of balancedBooks) assert.equal((await book.put('A1', [[round]])).status, 200);
    for (const book of balancedBooks) assert.deepEqual((await book.cells('A1'))[0]?.[0]?.v, 3);
    const opened = countOpenDocuments().map((count, i) => count - (before[i] ?? 0));
    assert.equal(opened[0]! + opened[1]!, DOCUMENTS);
    assert.ok(opened.every((count) => count > 0));
  });

  await t.test('request paths arrive unchanged, and large bodies reach the service', async () => {
    assert.equal((await first.requestInDocument('POST', '/sheets', { body: { name: 'Mai/June 50%' } })).status, 200);
    assert.equal((await first.put("'Mai/June 50%'!A1", [['x']])).status, 200);
    assert.equal((await first.cells("'Mai/June 50%'!A1"))[0]?.[0]?.v, 'x');
    const tooLarge = await first.put('A1', [['x'.repeat(11 * 1024 * 1024)]]);
    assert.equal(tooLarge.status, 413);
    assert.equal(typeof tooLarge.body['message'], 'string');
  });

  await t.test('record streams of any length are written, with the answers after the request body', async () => {
    assert.equal((await first.put('E1:F1', [['Key', 'Text']])).status, 200);
    const lines = Array.from({ length: LINES }, (_, i) => `${JSON.stringify({ Key: `k${i}`, Text: LINE_TEXT })}\n`);
    const response = await sendHttp(
      `${address}/api/v1/documents/${first.document}/records/append?range=E:F&batch=${LINES_PER_BATCH}`,
      {
        method: 'POST',
        headers: { authorization: `Bearer ${first.token}`, 'content-type': 'application/x-ndjson' },
        body: lines.join(''),
      },
    );
    assert.equal(response.status, 200);
    const answers = response.text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.equal(answers.length, LINES / LINES_PER_BATCH + 1);
    assert.equal(answers.at(-1).end, true);
    assert.equal(answers.at(-1).records, LINES);
  });

  await t.test('a write that is refused before its body arrives gets an answer', async () => {
    const stranger = new Api(address, 'cw_nobody', first.document);
    assert.equal((await stranger.put('A1', [['x'.repeat(3_000_000)]])).status, 401);
  });

  await t.test('answers of nginx itself have the form of the API', async () => {
    const metrics = await sendHttp(`${address}/metrics`);
    assert.equal(metrics.status, 404);
    assert.equal(JSON.parse(metrics.text).message, 'Not found');
    assert.equal(metrics.headers.get('content-type'), 'application/json; charset=utf-8');
    assert.ok(metrics.headers.has('x-request-id'));
    const long = await sendHttp(`${address}/${'x'.repeat(70_000)}`);
    assert.equal(long.status, 414);
    assert.equal(typeof JSON.parse(long.text).message, 'string');
    const header = await sendHttp(`${address}/readyz`, { headers: { 'x-long': 'x'.repeat(70_000) } });
    assert.equal(header.status, 431);
    assert.equal(typeof JSON.parse(header.text).message, 'string');
  });

  await t.test('nginx logs each request with the id in its response', async () => {
    const clientId = await first.requestInDocument('GET', '/values/A1?offset=0', {
      headers: { 'x-request-id': 'order-17' },
    });
    assert.equal(clientId.headers.get('x-request-id'), 'order-17');
    const generatedId = await first.get('A1');
    const ids = [clientId, generatedId].map(({ headers }) => headers.get('x-request-id'));
    // nginx logs a request after sending its response.
    while (!ids.every((id) => log().includes(String(id)))) await new Promise(setImmediate);
    const lines = log()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    for (const id of ids) {
      const line = lines.find(({ requestId }) => requestId === id);
      assert.equal(line?.path, `/api/v1/documents/${first.document}/values/A1`);
      assert.equal(line?.status, 200);
    }
  });

  await t.test('files of any length can be uploaded', async () => {
    const rows = Array.from({ length: LONG_ROWS }, (_, i) => `${i}${LONG_TEXT}`);
    const file = { raw: `Text\n${rows.join('\n')}\n`, headers: { 'content-type': 'text/csv' } };
    const created = await first.request('POST', '/documents?title=Long', file);
    assert.equal(created.status, 200);
    const book = first.forDocument(String(memberAt(created.body, 'document', 'id')));
    assert.equal((await book.cell(`A${LONG_ROWS + 1}`))['v'], rows.at(-1));
  });

  await t.test('events arrive as they happen', async (events) => {
    const stream = await openEventStream(events, first);
    assert.equal(stream.status, 200);
    const next = stream.next();
    await first.put('B1', [[1]]);
    assert.ok(await next);
    stream.abort();
  });

  await t.test('requests succeed after one node stops', async () => {
    await closeNode(nodes[1] as RunningServer);
    for (const book of balancedBooks) assert.equal((await book.cells('A1'))[0]?.[0]?.v, 3);
    for (const book of balancedBooks) assert.equal((await book.put('C1', [['once']])).status, 200);
    for (const book of balancedBooks) assert.equal((await book.append('C1', [['twice']])).status, 200);
  });

  await t.test('requests get 503 with Retry-After while no node runs', async () => {
    await closeNode(nodes[0] as RunningServer);
    for (const answer of [await first.get('A1'), await first.put('A1', [[1]]), await first.append('A1', [[1]])]) {
      assert.equal(answer.status, 503);
      assert.equal(answer.body['message'], 'Service busy');
      assert.ok(Number(answer.headers.get('retry-after')) >= 1);
    }
  });
});
