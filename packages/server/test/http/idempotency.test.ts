import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Database } from '@cellwire/store';
import { prepareQuery } from '../../../store/src/database/database.ts';
import { sql } from '../../../store/src/database/dialect.ts';
import { Interruption } from '../../../store/test/interruption.ts';
import { Api, type ApiResponse, memberAt, startWorld, type World } from './support.ts';

let world: World;
before(async () => {
  world = await startWorld();
});
after(() => world.close());

const isReplayed = (answer: ApiResponse) => answer.headers.get('idempotency-replayed') === 'true';

describe('a repeated request with the same Idempotency-Key', () => {
  it('writes once and returns the first response, for every write with a key', async () => {
    const book = await world.createBook();
    const writes: readonly [name: string, write: (key: string) => Promise<ApiResponse>][] = [
      ['put', (key) => book.put('A1', [['=SUM(1,2)']], { key })],
      ['batchUpdate', (key) => book.batchUpdate([{ range: 'A1', values: [[2]] }], { key })],
      ['append', (key) => book.append('A1', [[3]], { key })],
      ['clear', (key) => book.clear('A1', key)],
      ['add a sheet', (key) => book.addSheet(undefined, key)],
      ['rename a sheet', (key) => book.renameSheet('Sheet2', 'Other', key)],
      ['delete a sheet', (key) => book.deleteSheet('Other', key)],
    ];
    for (const [name, write] of writes) {
      const first = await write(`key of ${name}`);
      const revision = await book.revision();
      const second = await write(`key of ${name}`);
      assert.deepEqual([second.status, second.body], [200, first.body], name);
      assert.deepEqual([isReplayed(first), isReplayed(second)], [false, true], name);
      assert.equal(await book.revision(), revision, name);
    }
    // The audit log has one entry per write, too.
    assert.equal((await book.listAuditEntries())['total'], writes.length as never);
  });

  it('waits for the first request while it runs', async () => {
    const book = await world.createBook();
    const answers = await Promise.all(Array.from({ length: 10 }, () => book.append('A1', [[1]], { key: 'same' })));
    assert.equal(answers.filter(isReplayed).length, 9);
    for (const { body } of answers) assert.equal(memberAt(body, 'updated', 'startRow'), 1 as never);
    assert.equal(await book.revision(), '1');
  });

  it('is refused for another body; the order of names and white space do not matter', async () => {
    const book = await world.createBook();
    const send = (raw: string) => book.requestInDocument('POST', '/values/append', { raw, key: 'k' });
    assert.equal((await send('{"range":"A1","values":[[1]]}')).status, 200);
    assert.equal(isReplayed(await send('{ "values": [[1.0]], "range": "\\u00411" }')), true);
    for (const raw of ['{"range":"A1","values":[[2]]}', '{"range":"A1","values":[["1"]]}', '{"range":"A1"}', '{}']) {
      const { status, body } = await send(raw);
      assert.deepEqual([status, body], [422, { message: 'Idempotency-Key was used with a different request' }], raw);
    }
  });

  it('is compared before its fields are validated, up to the nesting limit', async () => {
    const book = await world.createBook();
    const createNestedBody = (depth: number) =>
      `{"range":"A1","values":[[1]],"note":${'['.repeat(depth)}${']'.repeat(depth)}}`;
    assert.equal((await book.append('A1', [[1]], { key: 'plain' })).status, 200);
    const { status, body } = await book.requestInDocument('POST', '/values/append', {
      raw: createNestedBody(10),
      key: 'plain',
    });
    assert.deepEqual([status, body], [422, { message: 'Idempotency-Key was used with a different request' }]);
    // These bodies are nested so deeply that they are refused before parsing.
    for (const raw of [createNestedBody(16), createNestedBody(100)]) {
      for (const key of [{}, { key: 'other' }]) {
        const refused = await book.requestInDocument('POST', '/values/append', { raw, ...key });
        assert.equal(refused.status, 422);
        assert.match(String(refused.body['message']), /nested deeper than 16 levels/);
      }
    }
    assert.equal(await book.revision(), '1');
  });

  it('is a new request for another path, method, document or user', async () => {
    const book = await world.createBook();
    const other = book.forDocument((await world.createBook()).document);
    const member = (await world.addMember(book.document, 'edit')).api;
    const put = (api: Api, range: string) => api.put(range, [[1]], { key: 'k' });
    assert.equal(isReplayed(await put(book, 'A1')), false);
    for (const answer of [
      await put(book, 'A2'),
      await put(other, 'A1'),
      await put(member, 'A1'),
      await book.append('A1', [[1]], { key: 'k' }),
    ]) {
      assert.deepEqual([answer.status, isReplayed(answer)], [200, false]);
    }
    // Percent-encoding does not change the path, and the user may use another token.
    const encoded = await book.requestInDocument('PUT', '/values/%41%31', { body: { values: [[1]] }, key: 'k' });
    assert.equal(isReplayed(encoded), true);
  });

  it('is stored only after success', async () => {
    const book = await world.createBook();
    assert.equal((await book.put('Later!A1', [[1]], { key: 'k' })).status, 404);
    await book.addSheet('Later');
    const now = await book.put('Later!A1', [[1]], { key: 'k' });
    assert.deepEqual([now.status, isReplayed(now)], [200, false]);
  });

  it('needs the same access as the first request', async () => {
    const owner = await world.createBook();
    const { id, api } = await world.addMember(owner.document, 'edit');
    await api.put('A1', [[1]], { key: 'k' });
    await world.share(owner.document, id, 'view');
    const answer = await api.put('A1', [[1]], { key: 'k' });
    assert.deepEqual([answer.status, answer.body], [403, { message: 'Insufficient permissions' }]);
    await world.share(owner.document, id, 'edit');
    assert.equal(isReplayed(await api.put('A1', [[1]], { key: 'k' })), true);
  });

  it('is answered before the body and the sheet are checked', async () => {
    const book = await world.createBook();
    await book.addSheet('Gone');
    await book.put('Gone!A1', [[1]], { key: 'k' });
    await book.deleteSheet('Gone');
    assert.equal(isReplayed(await book.put('Gone!A1', [[1]], { key: 'k' })), true);
  });

  it('accepts keys of 1 to 255 printable ASCII characters', async () => {
    const book = await world.createBook();
    for (const key of ['x', ' !~', '#'.repeat(255)]) {
      assert.equal((await book.put('A1', [[1]], { key })).status, 200, key);
    }
    for (const key of ['', 'x'.repeat(256), 'a\tb', 'ключ']) {
      const headers = { 'idempotency-key': Buffer.from(key).toString('latin1') };
      const { status, body } = await book.requestInDocument('PUT', '/values/A1', { body: { values: [[1]] }, headers });
      assert.deepEqual(
        [status, Object.keys(memberAt(body, 'errors'))],
        [422, ['Idempotency-Key']],
        JSON.stringify(key),
      );
    }
  });
});

describe('an idempotency key', () => {
  it('expires', async () => {
    let now = Date.now();
    const shortRetention = await startWorld({ idempotency: { retentionMs: 1_000 }, clock: () => now });
    try {
      const book = await shortRetention.createBook();
      await book.append('A1', [[1]], { key: 'k' });
      now += 1_000;
      const again = await book.append('A1', [[1]], { key: 'k' });
      assert.deepEqual([again.status, memberAt(again.body, 'updated', 'startRow'), isReplayed(again)], [200, 2, false]);
    } finally {
      await shortRetention.close();
    }
  });
});

describe('two services on the same data', () => {
  it('write once for two equal simultaneous requests, and both respond', { timeout: 120_000 }, async (t) => {
    const interruption = new Interruption();
    const first = await startWorld({ wrap: interruption.wrap });
    const second = await first.startSecondService({});
    t.after(async () => {
      await second.close();
      await first.close();
    });
    const book = await first.createBook();
    const secondApi = new Api(second.address, book.token, book.document);
    // The second service responds while the first service commits.
    let other: ApiResponse | null = null;
    interruption.beforeCommit(async () => {
      other = await secondApi.append('A1', [['once']], { key: 'k' });
    });
    const answer = await book.append('A1', [['once']], { key: 'k' });
    assert.deepEqual([answer.status, answer.body], [200, (other as unknown as ApiResponse).body]);
    assert.ok(isReplayed(answer));
    assert.deepEqual(await book.revision(), '1');
    const reused = await book.append('A1', [['twice']], { key: 'k' });
    assert.equal(reused.status, 422);
  });

  it('change subscriptions and names once for two equal simultaneous requests', { timeout: 120_000 }, async (t) => {
    const interruption = new Interruption();
    const first = await startWorld({ wrap: interruption.wrap });
    const second = await first.startSecondService({});
    t.after(async () => {
      await second.close();
      await first.close();
    });
    const book = await first.createBook();
    await book.put('A1', [[1]]);
    const secondApi = new Api(second.address, book.token, book.document);
    const requestTwice = async (table: string, request: (api: Api) => Promise<ApiResponse>): Promise<ApiResponse> => {
      let other: ApiResponse | null = null;
      interruption.beforeWriting(table, async () => {
        other = await request(secondApi);
      });
      const answer = await request(book);
      assert.deepEqual([answer.status, answer.body], [200, (other as unknown as ApiResponse).body]);
      assert.ok(isReplayed(answer));
      return answer;
    };
    const url = 'https://example.com/hook';
    const created = await requestTwice('webhooks', (api) => api.post('/webhooks', { url }, 'subscribe'));
    assert.match(String(created.body['secret']), /^whsec_/);
    const list = (await book.requestInDocument('GET', '/webhooks')).body['webhooks'];
    assert.deepEqual(list, [created.body['webhook']]);
    const path = `/webhooks/${memberAt(created.body, 'webhook', 'id')}`;
    await requestTwice('webhooks', (api) => api.post(`${path}/secret`, {}, 'rotate'));
    await requestTwice('notifications', (api) => api.post(`${path}/test`, undefined, 'test'));
    assert.equal(
      memberAt((await book.requestInDocument('GET', `${path}/deliveries`)).body, 'deliveries', 'total'),
      1 as never,
    );
    await requestTwice('webhooks', (api) =>
      api.requestInDocument('PATCH', path, { body: { active: false }, key: 'off' }),
    );
    const name = { body: { name: 'one' }, key: 'name' };
    await requestTwice('commits', (api) => api.requestInDocument('PUT', '/revisions/1', name));
    await requestTwice('webhooks', (api) => api.requestInDocument('DELETE', path, { key: 'end' }));
  });

  it('return the first response if it is stored between the lookup and a refusal', async (t) => {
    const first = await startWorld();
    let beforeNextLookup: (() => Promise<unknown>) | null = null;
    const readOne =
      (database: Database): Database['readOne'] =>
      async (query) => {
        const row = await database.readOne(query);
        const callback = query.sql.includes('from "idempotency"') ? beforeNextLookup : null;
        if (callback !== null) beforeNextLookup = null;
        await callback?.();
        return row;
      };
    const second = await first.startSecondService({
      wrap: (database) => ({ ...database, readOne: readOne(database) }),
    });
    t.after(async () => {
      await second.close();
      await first.close();
    });
    const book = await first.createBook();
    const secondApi = new Api(second.address, book.token, book.document);
    const tag = (await book.get('A1')).headers.get('etag') ?? '';
    const options = { body: { values: [['once']] }, headers: { 'if-match': tag }, key: 'k' };
    beforeNextLookup = () => book.requestInDocument('PUT', '/values/A1', options);
    const answer = await secondApi.requestInDocument('PUT', '/values/A1', options);
    assert.equal(answer.status, 200);
    assert.ok(isReplayed(answer));
    beforeNextLookup = () => book.addSheet('New', 'k');
    assert.equal((await secondApi.addSheet('New', 'k')).status, 200);
    assert.equal((await secondApi.addSheet('New', 'another')).status, 422);
    assert.equal(await book.revision(), '2');
  });

  it('respond to each of many equal requests', { timeout: 120_000 }, async (t) => {
    const first = await startWorld();
    const second = await first.startSecondService();
    t.after(async () => {
      await second.close();
      await first.close();
    });
    const book = await first.createBook();
    const secondApi = new Api(second.address, book.token, book.document);
    for (let round = 0; round < 20; round++) {
      const answers = await Promise.all(
        [book, secondApi, book, secondApi].map((api) => api.append('A1', [[round]], { key: `round ${round}` })),
      );
      assert.deepEqual(
        answers.map(({ status, body }) => [status, memberAt(body, 'updated', 'startRow')]),
        answers.map(() => [200, round + 1]),
      );
      assert.equal(answers.filter((one) => !isReplayed(one)).length, 1);
    }
  });
});

describe('an idempotency key of requests other than cell writes', () => {
  const URL = { url: 'https://example.com/hook' };
  const ALL_REPLIES = prepareQuery((_: object) => sql.selectFrom('idempotency').select('reply'));

  it('creates one subscription and returns its secret again', async () => {
    const book = await world.createBook();
    const first = await book.post('/webhooks', URL, 'subscribe');
    const again = await book.post('/webhooks', URL, 'subscribe');
    assert.equal(first.status, 200);
    assert.deepEqual(again.body, first.body);
    assert.equal(again.headers.get('idempotency-replayed'), 'true');
    assert.equal(memberAt((await book.requestInDocument('GET', '/webhooks')).body, 'webhooks', 'length'), 1 as never);
    const other = await book.post('/webhooks', { url: 'https://example.com/other' }, 'subscribe');
    assert.equal(other.status, 422);
  });

  it('changes, rotates and deletes a subscription once', async () => {
    const book = await world.createBook();
    const id = String(memberAt((await book.post('/webhooks', URL)).body, 'webhook', 'id'));
    const rotated = await book.post(`/webhooks/${id}/secret`, {}, 'rotate');
    assert.deepEqual((await book.post(`/webhooks/${id}/secret`, {}, 'rotate')).body, rotated.body);
    assert.notDeepEqual((await book.post(`/webhooks/${id}/secret`, {}, 'rotate again')).body, rotated.body);
    const change = { body: { active: false }, key: 'change' };
    const changed = await book.requestInDocument('PATCH', `/webhooks/${id}`, change);
    await book.requestInDocument('PATCH', `/webhooks/${id}`, { body: { active: true } });
    assert.deepEqual((await book.requestInDocument('PATCH', `/webhooks/${id}`, change)).body, changed.body);
    for (let i = 0; i < 2; i++) {
      assert.equal(
        (await book.requestInDocument('DELETE', `/webhooks/${id}`, { key: 'end' })).status,
        200,
        `time ${i + 1}`,
      );
    }
    assert.equal((await book.requestInDocument('DELETE', `/webhooks/${id}`, { key: 'another' })).status, 404);
  });

  it('applies to one subscription only', async () => {
    const book = await world.createBook();
    const [one, two] = [await book.post('/webhooks', URL), await book.post('/webhooks', URL)];
    for (const { body } of [one, two]) {
      assert.equal(
        (await book.requestInDocument('DELETE', `/webhooks/${memberAt(body, 'webhook', 'id')}`, { key: 'end' })).status,
        200,
      );
    }
    assert.deepEqual((await book.requestInDocument('GET', '/webhooks')).body, { webhooks: [] });
  });

  it('names a revision once', async () => {
    const book = await world.createBook();
    await book.put('A1', [[1]]);
    const firstNaming = await book.requestInDocument('PUT', '/revisions/1', { body: { name: 'first' }, key: 'name' });
    await book.requestInDocument('PUT', '/revisions/1', { body: { name: 'second' } });
    const again = await book.requestInDocument('PUT', '/revisions/1', { body: { name: 'first' }, key: 'name' });
    assert.deepEqual(again.body, firstNaming.body);
    assert.equal(memberAt(await book.listRevisions(), 'entries', 0, 'name'), 'second' as never);
  });

  it('deletes a document once, and another user gets no replay', async () => {
    const book = await world.createBook();
    const other = (await world.addMember(book.document, 'edit')).api;
    const deleted = await book.requestInDocument('DELETE', '', { key: 'delete' });
    assert.equal(deleted.status, 200);
    const again = await book.requestInDocument('DELETE', '', { key: 'delete' });
    assert.deepEqual([again.status, again.body], [200, deleted.body]);
    assert.equal((await book.requestInDocument('DELETE', '', { key: 'another' })).status, 404);
    assert.equal((await book.requestInDocument('GET', '')).status, 404);
    assert.equal((await other.requestInDocument('DELETE', '', { key: 'delete' })).status, 404);
  });

  it('stores a response with a secret encrypted', async () => {
    const book = await world.createBook();
    const secret = String((await book.post('/webhooks', URL, 'secret')).body['secret']);
    const rows = JSON.stringify(await world.server.service.context.database.read(ALL_REPLIES({})));
    assert.match(rows, /sealed /);
    assert.ok(!rows.includes(secret));
  });
});
