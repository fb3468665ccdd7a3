import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Api, startWorld } from '../http/support.ts';
import { follow } from '../notify/event-stream.ts';
import { newPlace } from '../postgres/server.ts';
import { findNginx, startNginx } from './balancer.ts';

const NGINX = findNginx();
/** Set where leaving the test out would be a fault. */
const IS_REQUIRED = process.env['REQUIRE_PROXY'] === '1';
const DOCUMENTS = 24;
/** More text, in so many rows, than the balancer takes of other requests. */
const LONG_TEXT = 'x'.repeat(40_000);
const LONG_ROWS = 450;
/** A write whose node has just died is answered with an error and sent again by whoever sent it; not for ever. */
const MAX_TRIES = 20;

/** Skipped, and said so, where there is no nginx: docs/operations.md says what it was run with. */
test('behind nginx as configured, two nodes are one service', {
  // Only where nginx cannot be had: continuous integration installs it and sets REQUIRE_PROXY=1, which forbids this.
  skip: NGINX === null && !IS_REQUIRED ? 'no nginx on this machine' : false,
  timeout: 300_000,
}, async (t) => {
  const place = await newPlace();
  t.after(() => place.remove());
  const world = await startWorld({ databaseUrl: place.url });
  t.after(() => world.close());
  const other = await world.beside();
  let isOtherOpen = true;
  t.after(() => (isOtherOpen ? other.close() : undefined));
  const address = await startNginx(t, NGINX ?? '', [world.server.address, other.address]);
  const books = await Promise.all(Array.from({ length: DOCUMENTS }, () => world.book()));
  const behind = books.map((book) => new Api(address, book.token, book.document));
  const open = () => [world.server, other].map(({ service }) => service.context.documents.figures().open);
  const [first] = behind;
  assert.ok(first);

  await t.test('a document has its node, and both nodes have documents', async () => {
    const before = open();
    for (const round of [1, 2, 3])
      for (const book of behind) assert.equal((await book.put('A1', [[round]])).status, 200);
    for (const book of behind) assert.deepEqual((await book.cells('A1'))[0]?.[0]?.v, 3);
    const opened = open().map((count, i) => count - (before[i] ?? 0));
    assert.equal(opened[0]! + opened[1]!, DOCUMENTS);
    assert.ok(opened.every((count) => count > 0));
  });

  await t.test('addresses arrive as they were sent, and large bodies at the service', async () => {
    assert.equal((await first.here('POST', '/sheets', { body: { name: 'Mai/June 50%' } })).status, 200);
    assert.equal((await first.put("'Mai/June 50%'!A1", [['x']])).status, 200);
    assert.equal((await first.cells("'Mai/June 50%'!A1"))[0]?.[0]?.v, 'x');
    const tooLarge = await first.put('A1', [['x'.repeat(11 * 1024 * 1024)]]);
    assert.equal(tooLarge.status, 413);
    assert.equal(typeof tooLarge.body['message'], 'string');
  });

  await t.test('files arrive, however long they are', async () => {
    const rows = Array.from({ length: LONG_ROWS }, (_, i) => `${i}${LONG_TEXT}`);
    const file = { raw: `Text\n${rows.join('\n')}\n`, headers: { 'content-type': 'text/csv' } };
    const made = await first.request('POST', '/documents?title=Long', file);
    assert.equal(made.status, 200);
    const book = first.at(String(made.body['document']['id']));
    assert.equal((await book.cell(`A${LONG_ROWS + 1}`))['v'], rows.at(-1));
  });

  await t.test('events come as they happen', async (events) => {
    const stream = await follow(events, first);
    assert.equal(stream.status, 200);
    const next = stream.next();
    await first.put('B1', [[1]]);
    assert.ok(await next);
    stream.abort();
  });

  await t.test('a node that ends is missed by nobody for long', async () => {
    isOtherOpen = false;
    await other.close();
    for (const book of behind) assert.equal((await book.cells('A1'))[0]?.[0]?.v, 3);
    for (const book of behind) {
      let tries = 0;
      while ((await appended(book)) !== 200) assert.ok(++tries < MAX_TRIES);
    }
  });
});

/** What is not JSON comes from the balancer. */
async function appended(book: Api): Promise<number> {
  try {
    return (await book.put('C1', [['once']])).status;
  } catch (error) {
    assert.ok(error instanceof SyntaxError);
    return 502;
  }
}
