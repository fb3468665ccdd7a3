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

/** Cell values, row by row. */
function listValues(cells: Json): readonly unknown[] {
  return (cells as unknown as readonly (readonly { v: unknown }[])[]).flat().map(({ v }) => v);
}

suite('two nodes on one PostgreSQL database', { timeout: 300_000 }, () => {
  let schema: TestSchema;
  let world: World;
  let other: RunningServer;

  before(async () => {
    schema = await createSchema();
    const plans = {
      free: { requestsPerSecond: 1_000 },
      standard: { agentQuota: { window: 'month', limit: 3 } },
      professional: { webhooksPerDocument: 3 },
    } as const;
    world = await startWorld({ databaseUrl: schema.url, plans, notifications: { allowPrivateNetworks: true } });
    other = await world.startSecondService();
  });
  after(async () => {
    await other.close();
    await world.close();
    await schema.remove();
  });

  const useOtherNode = (book: Api) => new Api(other.address, book.token, book.document);
  const rounds = Array.from({ length: ROUNDS }, (_, i) => i);

  test("each node reads the other's writes at once", async () => {
    const here = await world.createBook();
    for (const i of rounds) {
      const [writer, reader] = i % 2 === 0 ? [here, useOtherNode(here)] : [useOtherNode(here), here];
      await writer.put('A1:B1', [[i, '=A1*2']], { mode: 'USER_ENTERED' });
      assert.deepEqual(listValues(await reader.cells('A1:B1')), [i, i * 2]);
    }
  });

  test('concurrent appends at both nodes get separate rows', async () => {
    const here = await world.createBook();
    const answers = await Promise.all(
      rounds.flatMap((i) => [here, useOtherNode(here)].map((one, n) => one.append('A1', [[`node ${n} row ${i}`]]))),
    );
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
    const appended = listValues(await here.cells(`A1:A${2 * ROUNDS}`)).toSorted();
    assert.deepEqual(appended, rounds.flatMap((i) => [`node 0 row ${i}`, `node 1 row ${i}`]).sort());
    const { entries } = (await here.listAuditEntries('?limit=100')) as unknown as { entries: readonly Json[] };
    assert.equal(entries.length, 2 * ROUNDS);
  });

  test('one idempotency key is one write across nodes', async () => {
    const here = await world.createBook();
    for (const i of rounds) {
      const [first, second] = await Promise.all(
        [here, useOtherNode(here)].map((one) => one.append('A1', [[i]], { key: `k${i}` })),
      );
      assert.deepEqual([first?.status, second?.status], [200, 200]);
      assert.deepEqual(first?.body, second?.body);
    }
    assert.equal(await here.revision(), String(ROUNDS));
  });

  test('one of two writes with the same ETag succeeds', async () => {
    const here = await world.createBook();
    for (const i of rounds) {
      const tag = (await here.get('A1')).headers.get('etag') ?? '';
      const options = { body: { values: [[i]] }, headers: { 'if-match': tag } };
      const answers = await Promise.all(
        [here, useOtherNode(here)].map((one) => one.requestInDocument('PUT', '/values/A1', options)),
      );
      assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 412]);
    }
  });

  test('permissions that end at one node have ended at the other', async () => {
    const here = await world.createBook();
    const { id, api } = await world.addMember(here.document, 'edit');
    const guest = useOtherNode(api);
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

  test('an event stream at one node reports writes at the other', async (t) => {
    const here = await world.createBook();
    const stream = await openEventStream(t, useOtherNode(here));
    for (const i of rounds.slice(0, 3)) {
      await here.put('A1', [[i]]);
      assert.equal((await stream.next())?.event, 'document.updated');
    }
    stream.abort();
  });

  test('sessions and presence are shared between nodes', async () => {
    const [olga, mia] = [await createPerson(world), await createPerson(world)];
    const { document } = await world.createBook();
    for (const { id } of [olga, mia]) await world.share(document, String(id), 'edit');
    const here = await signInAs(world, olga);
    const atOtherNode = new Browser(other.address);
    assert.equal((await atOtherNode.signIn(mia)).status, 200);
    const reportPresence = (browser: Browser, tab: string, range: string | null) =>
      browser.request('PUT', `/documents/${document}/presence`, { body: { tab, range } });
    const readPresence = async () => {
      const { present } = (await reportPresence(here, 'a', 'Sheet1!A1')).body as unknown as {
        present: readonly Json[];
      };
      return present.map(({ range }) => range);
    };
    await reportPresence(atOtherNode, 'b', 'Sheet1!B2');
    // Nodes exchange presence with a short delay.
    for (let all = await readPresence(); all.length === 0; all = await readPresence())
      await reportPresence(atOtherNode, 'b', 'Sheet1!B2');
    assert.deepEqual(await readPresence(), ['Sheet1!B2']);
    for (let all = await readPresence(); all.length > 0; all = await readPresence())
      await reportPresence(atOtherNode, 'b', null);
    const elsewhere = new Browser(other.address);
    elsewhere.cookie = here.cookie;
    assert.equal((await elsewhere.request('GET', '/me')).status, 200);
    assert.equal((await elsewhere.request('DELETE', '/session')).status, 200);
    assert.equal((await here.request('GET', `/documents/${document}/shares`)).status, 401);
  });

  test('a limit on subscriptions holds across nodes', async () => {
    const here = await world.createBook({ plan: 'professional' });
    const subscribe = (one: Api, i: number) => one.post('/webhooks', { url: `https://127.0.0.1/${i}` });
    const answers = await Promise.all(
      rounds.slice(0, 4).flatMap((i) => [here, useOtherNode(here)].map((one) => subscribe(one, i))),
    );
    assert.equal(answers.filter(({ status }) => status === 200).length, 3);
  });

  test('requests are counted across nodes', async () => {
    const here = await world.createBook({ plan: 'free' });
    const readRemainingRequests = async (one: Api) =>
      Number(/r=(\d+)/.exec((await one.get('A1')).headers.get('ratelimit') ?? '')?.[1]);
    // A second may end between two requests; then the loop repeats.
    for (let isCounted = false; !isCounted; ) {
      const remainders: number[] = [];
      for (const one of [here, useOtherNode(here), here, useOtherNode(here)])
        remainders.push(await readRemainingRequests(one));
      assert.ok(
        remainders.every((number) => number >= 0),
        String(remainders),
      );
      isCounted = remainders.every((number, i) => number === (remainders[0] as number) - i);
    }
  });

  test("an agent's quota holds across nodes", async () => {
    const here = await world.createBook({ plan: 'professional' });
    const { id, api } = await world.addMember(here.document, 'edit', ['sheets.read', 'sheets.agent.write'], 'standard');
    assert.ok(id !== '');
    const answers = await Promise.all(rounds.map((i) => (i % 2 === 0 ? api : useOtherNode(api)).get('A1')));
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 200, 200, ...Array(ROUNDS - 3).fill(429)]);
  });

  test('a document stored by a later version gets 503 from a node that cannot read it', async () => {
    const here = await world.createBook();
    await here.put('A1', [[1]]);
    await storeAsLaterVersion(world.server.service.context.database, here.document, 1);
    for (const answer of [await useOtherNode(here).get('A1'), await useOtherNode(here).put('A1', [[2]])]) {
      assert.equal(answer.status, 503);
      assert.ok(Number(answer.headers.get('retry-after')) >= 1);
    }
    assert.equal((await here.cell('A1')).v, 1, 'a page that has it open continues');
  });

  test('users created at both nodes at once get different workspaces', async () => {
    const contexts = [world.server, other].map(({ service }) => service.context);
    const created = await Promise.all(
      contexts.map((context, i) => createUser(context, { email: `n${i}@example.org`, name: `N ${i}` })),
    );
    const workspaces = created.map((one) => (isRefusal(one) ? null : one.workspaceId));
    assert.equal(new Set(workspaces).size, 2);
  });
});
