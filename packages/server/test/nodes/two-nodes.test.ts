import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { createSchema, type TestSchema } from '../../../store/test/postgres/server.ts';
import type { RunningServer } from '../../src/compose/server.ts';
import { listTokens, revokeToken } from '../../src/service/operator/tokens.ts';
import { createUser } from '../../src/service/operator/users.ts';
import { isRefusal } from '../../src/service/refusal.ts';
import { storeAsLaterVersion } from '../documents/later-version.ts';
import { Browser, createPerson, signInAs } from '../http/browser.ts';
import { Api, type Json, startWorld, type World } from '../http/support.ts';
import { openEventStream } from '../notify/event-stream.ts';

const ROUNDS = 12;

/** What stands in cells, row by row. */
function valuesOf(cells: Json): readonly unknown[] {
  return (cells as unknown as readonly (readonly { v: unknown }[])[]).flat().map(({ v }) => v);
}

suite('two nodes on one PostgreSQL database', { timeout: 300_000 }, () => {
  let place: TestSchema;
  let world: World;
  let other: RunningServer;

  before(async () => {
    place = await createSchema();
    const plans = {
      free: { requestsPerSecond: 1_000 },
      standard: { agentQuota: { window: 'month', limit: 3 } },
      professional: { webhooksPerDocument: 3 },
    } as const;
    world = await startWorld({ databaseUrl: place.url, plans, notifications: { allowPrivateNetworks: true } });
    other = await world.startSecondService();
  });
  after(async () => {
    await other.close();
    await world.close();
    await place.remove();
  });

  const there = (book: Api) => new Api(other.address, book.token, book.document);
  const rounds = Array.from({ length: ROUNDS }, (_, i) => i);

  test('each reads at once what was written at the other', async () => {
    const here = await world.book();
    for (const i of rounds) {
      const [writer, reader] = i % 2 === 0 ? [here, there(here)] : [there(here), here];
      await writer.put('A1:B1', [[i, '=A1*2']], { mode: 'USER_ENTERED' });
      assert.deepEqual(valuesOf(await reader.cells('A1:B1')), [i, i * 2]);
    }
  });

  test('rows that both append at once stand each in a place of its own', async () => {
    const here = await world.book();
    const answers = await Promise.all(
      rounds.flatMap((i) => [here, there(here)].map((one, n) => one.append('A1', [[`node ${n} row ${i}`]]))),
    );
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
    const appended = valuesOf(await here.cells(`A1:A${2 * ROUNDS}`)).toSorted();
    assert.deepEqual(appended, rounds.flatMap((i) => [`node 0 row ${i}`, `node 1 row ${i}`]).sort());
    const { entries } = (await here.audit('?limit=100')) as unknown as { entries: readonly Json[] };
    assert.equal(entries.length, 2 * ROUNDS);
  });

  test('one key is one write, wherever it comes', async () => {
    const here = await world.book();
    for (const i of rounds) {
      const [first, second] = await Promise.all(
        [here, there(here)].map((one) => one.append('A1', [[i]], { key: `k${i}` })),
      );
      assert.deepEqual([first?.status, second?.status], [200, 200]);
      assert.deepEqual(first?.body, second?.body);
    }
    assert.equal(await here.revision(), String(ROUNDS));
  });

  test('of two writes on condition of one ETag one is done', async () => {
    const here = await world.book();
    for (const i of rounds) {
      const tag = (await here.get('A1')).headers.get('etag') ?? '';
      const options = { body: { values: [[i]] }, headers: { 'if-match': tag } };
      const answers = await Promise.all([here, there(here)].map((one) => one.here('PUT', '/values/A1', options)));
      assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 412]);
    }
  });

  test('a right that ended at one has ended at the other', async () => {
    const here = await world.book();
    const { id, api } = await world.member(here.document, 'edit');
    const guest = there(api);
    assert.equal((await guest.put('A1', [[1]])).status, 200);
    await world.share(here.document, id, 'view');
    assert.equal((await guest.put('A1', [[2]])).status, 403);
    await world.share(here.document, id, 'none');
    assert.notEqual((await guest.get('A1')).status, 200);
    assert.equal((await guest.request('GET', '/documents')).status, 200);
    const { context } = world.server.service;
    const tokens = await listTokens(context, id);
    const tokenId = isRefusal(tokens) ? Number.NaN : Number(tokens[0]?.id);
    assert.ok(!isRefusal(await revokeToken(context, tokenId)));
    assert.equal((await guest.request('GET', '/documents')).status, 401);
  });

  test('who follows a document at one is told of what is written at the other', async (t) => {
    const here = await world.book();
    const stream = await openEventStream(t, there(here));
    for (const i of rounds.slice(0, 3)) {
      await here.put('A1', [[i]]);
      assert.equal((await stream.next())?.event, 'document.updated');
    }
    stream.abort();
  });

  test('who signs in at one is signed in at the other, and seen where the others are', async () => {
    const [olga, mia] = [await createPerson(world), await createPerson(world)];
    const { document } = await world.book();
    for (const { id } of [olga, mia]) await world.share(document, String(id), 'edit');
    const here = await signInAs(world, olga);
    const there = new Browser(other.address);
    assert.equal((await there.signIn(mia)).status, 200);
    const look = (browser: Browser, tab: string, range: string | null) =>
      browser.ask('PUT', `/documents/${document}/presence`, { body: { tab, range } });
    const seen = async () => {
      const { present } = (await look(here, 'a', 'Sheet1!A1')).body as unknown as { present: readonly Json[] };
      return present.map(({ range }) => range);
    };
    await look(there, 'b', 'Sheet1!B2');
    // One node tells the others a little later.
    for (let all = await seen(); all.length === 0; all = await seen()) await look(there, 'b', 'Sheet1!B2');
    assert.deepEqual(await seen(), ['Sheet1!B2']);
    for (let all = await seen(); all.length > 0; all = await seen()) await look(there, 'b', null);
    const elsewhere = new Browser(other.address);
    elsewhere.cookie = here.cookie;
    assert.equal((await elsewhere.ask('GET', '/me')).status, 200);
    assert.equal((await elsewhere.ask('DELETE', '/session')).status, 200);
    assert.equal((await here.ask('GET', `/documents/${document}/shares`)).status, 401);
  });

  test('a bound on subscriptions holds for both together', async () => {
    const here = await world.book({ plan: 'professional' });
    const subscribe = (one: Api, i: number) => one.post('/webhooks', { url: `https://127.0.0.1/${i}` });
    const answers = await Promise.all(
      rounds.slice(0, 4).flatMap((i) => [here, there(here)].map((one) => subscribe(one, i))),
    );
    assert.equal(answers.filter(({ status }) => status === 200).length, 3);
  });

  test('requests are counted for both together', async () => {
    const here = await world.book({ plan: 'free' });
    const left = async (one: Api) => Number(/r=(\d+)/.exec((await one.get('A1')).headers.get('ratelimit') ?? '')?.[1]);
    // A second may end between two of them: then once more.
    for (let isCounted = false; !isCounted; ) {
      const seen: number[] = [];
      for (const one of [here, there(here), here, there(here)]) seen.push(await left(one));
      assert.ok(
        seen.every((number) => number >= 0),
        String(seen),
      );
      isCounted = seen.every((number, i) => number === (seen[0] as number) - i);
    }
  });

  test('an agent’s quota is one for both', async () => {
    const here = await world.book({ plan: 'professional' });
    const { id, api } = await world.member(here.document, 'edit', ['sheets.read', 'sheets.agent.write'], 'standard');
    assert.ok(id !== '');
    const answers = await Promise.all(rounds.map((i) => (i % 2 === 0 ? api : there(api)).get('A1')));
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 200, 200, ...Array(ROUNDS - 3).fill(429)]);
  });

  test('a document that a later version has stored is refused for the moment by a node that cannot read it', async () => {
    const here = await world.book();
    await here.put('A1', [[1]]);
    await storeAsLaterVersion(world.server.service.context.database, here.document, 1);
    for (const answer of [await there(here).get('A1'), await there(here).put('A1', [[2]])]) {
      assert.equal(answer.status, 503);
      assert.ok(Number(answer.headers.get('retry-after')) >= 1);
    }
    assert.equal((await here.cell('A1')).v, 1, 'who has it open goes on');
  });

  test('users made at both at once get workspaces of their own', async () => {
    const contexts = [world.server, other].map(({ service }) => service.context);
    const made = await Promise.all(
      contexts.map((context, i) => createUser(context, { email: `n${i}@example.org`, name: `N ${i}` })),
    );
    const workspaces = made.map((one) => (isRefusal(one) ? null : one.workspaceId));
    assert.equal(new Set(workspaces).size, 2);
  });
});
