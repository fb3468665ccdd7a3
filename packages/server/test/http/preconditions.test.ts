import assert from 'node:assert/strict';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { WITH_FOLDER } from '../../../store/test/postgres/folder-databases.ts';
import { startServer } from '../../src/compose/server.ts';
import { Api, type ApiResponse, memberAt, startWorld, type World } from './support.ts';

let world: World;
before(async () => {
  world = await startWorld();
});
after(() => world.close());

const getTag = ({ headers }: ApiResponse): string => headers.get('etag') ?? '';
const PRECONDITION_FAILED = 'Precondition failed';

/** Writes a value to a range if the entity tag still matches. */
function putValueIfMatch(book: Api, range: string, tag: string, value: unknown = 'new') {
  const body = { values: [[value]] };
  return book.requestInDocument('PUT', `/values/${encodeURIComponent(range)}`, { body, headers: { 'if-match': tag } });
}

function readIfNoneMatch(book: Api, path: string, tag: string): Promise<ApiResponse> {
  return book.requestInDocument('GET', path, { headers: { 'if-none-match': tag } });
}

describe('an ETag', () => {
  it('of a range stays valid while the range is unchanged, even after a restart and many other commits', async () => {
    const ownWorld = await startWorld();
    const book = await ownWorld.createBook();
    await book.put('A1:B2', [[1, '=A1*2']]);
    const tag = getTag(await book.get('A1:B2'));
    for (let i = 0; i < 70; i++) await book.put('D9', [[i]]);
    assert.equal((await readIfNoneMatch(book, '/values/A1:B2', tag)).status, 304);
    const restartedWorld = await ownWorld.restart();
    const restartedApi = restartedWorld.apiFor(book.token, book.document);
    assert.equal((await readIfNoneMatch(restartedApi, '/values/A1:B2', tag)).status, 304);
    assert.equal((await putValueIfMatch(restartedApi, 'A1:B2', tag)).status, 200);
    assert.equal((await readIfNoneMatch(restartedApi, '/values/A1:B2', tag)).status, 200, 'written');
    assert.equal((await readIfNoneMatch(restartedApi, '/values/B1', getTag(await restartedApi.get('B1')))).status, 304);
    await restartedWorld.close();
  });

  it('of a range changes with calculated values and with its sheet', async () => {
    const book = await world.createBook();
    await book.put('A1', [[1, '=A1*2']]);
    const tag = getTag(await book.get('B1'));
    await book.put('A1', [[2]]);
    assert.equal((await readIfNoneMatch(book, '/values/B1', tag)).status, 200);
    const tagBeforeRename = getTag(await book.get('B1'));
    await book.renameSheet('Sheet1', 'Other');
    assert.equal((await readIfNoneMatch(book, '/values/B1', tagBeforeRename)).status, 200);
  });

  it('of several ranges names the commit, and writes accept it', async () => {
    const book = await world.createBook();
    const path = '/values/batchGet?ranges[]=A1&ranges[]=Nope!A1';
    const tag = getTag(await book.requestInDocument('GET', path));
    assert.equal((await readIfNoneMatch(book, path, tag)).status, 304);
    assert.equal((await readIfNoneMatch(book, `${path}&render=plain`, tag)).status, 200);
    const body = { data: [{ range: 'Z9', values: [[1]] }] };
    const write = () => book.requestInDocument('POST', '/values/batchUpdate', { body, headers: { 'if-match': tag } });
    assert.equal((await write()).status, 200);
    assert.equal((await write()).status, 412);
    assert.equal((await readIfNoneMatch(book, path, tag)).status, 200);
  });

  it('of a document, its sheets, its content and its styles names the commit', async () => {
    const book = await world.createBook();
    for (const path of ['', '/sheets', '/content', '/styles']) {
      const tag = getTag(await book.requestInDocument('GET', path));
      assert.match(tag, /^"[^"]+"$/, path);
      assert.equal((await readIfNoneMatch(book, path, tag)).status, 304, path);
      await book.put('A1', [[path]]);
      assert.equal((await readIfNoneMatch(book, path, tag)).status, 200, path);
    }
    const list = getTag(await book.request('GET', '/documents'));
    const headers = { 'if-none-match': list };
    assert.equal((await book.request('GET', '/documents', { headers })).status, 304);
    await book.put('A1', [['more']]);
    assert.equal((await book.request('GET', '/documents', { headers })).status, 200);
  });

  it(
    'does not match other content after a folder was restored from a copy, nor does a position in the change feed',
    WITH_FOLDER,
    async () => {
      const ownWorld = await startWorld();
      const book = await ownWorld.createBook();
      await book.put('A1', [['both']]);
      const { config } = ownWorld.server.service.context;
      await ownWorld.server.close();
      const copy = await mkdtemp(join(tmpdir(), 'cellwire-copy-'));
      await cp(config.dataFolder, copy, { recursive: true });
      const [first, second] = [await startServer(config), await startServer({ ...config, dataFolder: copy })];
      const firstApi = new Api(first.address, book.token, book.document);
      const secondApi = new Api(second.address, book.token, book.document);
      const commonTag = getTag(await firstApi.get('A1'));
      assert.equal((await readIfNoneMatch(secondApi, '/values/A1', commonTag)).status, 304);
      await firstApi.put('A1', [['here']]);
      await secondApi.put('A1', [['there']]);
      for (const path of ['/values/A1', '', '/sheets', '/content', '/styles']) {
        const tag = getTag(await firstApi.requestInDocument('GET', path));
        assert.equal((await readIfNoneMatch(secondApi, path, tag)).status, 200, path);
      }
      assert.equal((await putValueIfMatch(secondApi, 'A1', getTag(await firstApi.get('A1')))).status, 412);
      const { next, incarnation } = (await firstApi.requestInDocument('GET', '/changes?since=0')).body[
        'changes'
      ] as unknown as {
        readonly next: number;
        readonly incarnation: string;
      };
      await secondApi.put('A2', [[1]]);
      const query = `/changes?since=${next}&incarnation=${incarnation}`;
      assert.equal(memberAt((await firstApi.requestInDocument('GET', query)).body, 'changes')['gap'], false);
      assert.equal(memberAt((await secondApi.requestInDocument('GET', query)).body, 'changes')['gap'], true);
      await Promise.all([first.close(), second.close()]);
      await Promise.all([rm(copy, { recursive: true }), rm(config.dataFolder, { recursive: true })]);
    },
  );
});

describe('If-Match', () => {
  it('lets a write through while the range is unchanged', async () => {
    const book = await world.createBook();
    await book.put('A1', [[1]]);
    const tag = getTag(await book.get('A1:B2', { limit: '1', majorDimension: 'COLUMNS' }));
    await book.put('C3', [[1]]);
    assert.equal((await putValueIfMatch(book, 'A1:B2', tag)).status, 200);
    const failed = await putValueIfMatch(book, 'A1:B2', tag);
    assert.deepEqual(
      [failed.status, failed.body],
      [412, { message: PRECONDITION_FAILED, revisionId: await book.revision() }],
    );
    assert.equal((await putValueIfMatch(book, 'A1', getTag(await book.get('A2')))).status, 412, 'of another range');
    assert.equal((await putValueIfMatch(book, 'A1', `W/${getTag(await book.get('A1'))}`)).status, 412, 'weak');
    assert.equal((await putValueIfMatch(book, 'A1', 'nonsense')).status, 412);
    assert.equal((await putValueIfMatch(book, 'A1', `"x", ${getTag(await book.get('A1'))}`)).status, 200, 'a list');
    assert.equal((await putValueIfMatch(book, 'A1', '*')).status, 200);
  });

  it('is checked by append, clear, batches and sheet operations', async () => {
    const book = await world.createBook();
    const send = (method: string, path: string, tag: string, body?: unknown) =>
      book.requestInDocument(method, path, { ...(body === undefined ? {} : { body }), headers: { 'if-match': tag } });
    const readRangeTag = async () => getTag(await book.get('A1'));
    const readDocumentTag = async () => getTag(await book.requestInDocument('GET', ''));
    const writes: readonly (readonly [string, string, () => Promise<string>, unknown?])[] = [
      ['POST', '/values/append', readRangeTag, { range: 'A1', values: [[1]] }],
      ['POST', '/values/clear', readRangeTag, { range: 'A1' }],
      ['POST', '/values/batchUpdate', readDocumentTag, { data: [{ range: 'A1', values: [['batch']] }] }],
      ['POST', '/sheets', readDocumentTag, { name: 'Second' }],
      ['PATCH', '/sheets/Second', readDocumentTag, { name: 'Third' }],
      ['DELETE', '/sheets/Third', readDocumentTag],
    ];
    for (const [method, path, current, body] of writes) {
      const tag = await current();
      await book.put('A1', [[`before ${method} ${path}`]]);
      assert.equal((await send(method, path, tag, body)).status, 412, path);
      assert.equal((await send(method, path, await current(), body)).status, 200, path);
    }
  });

  it('lets exactly one of several writes with the same tag through, on two services, even if the value is unchanged', async (t) => {
    const first = await startWorld();
    const second = await first.startSecondService();
    t.after(async () => {
      await second.close();
      await first.close();
    });
    const book = await first.createBook();
    const secondApi = new Api(second.address, book.token, book.document);
    await book.put('A1', [[0]]);
    for (let round = 0; round < 10; round++) {
      const tag = getTag(await book.get('A1'));
      const value = round % 2 === 0 ? round + 1 : round;
      const answers = await Promise.all(
        [book, secondApi, book, secondApi].map((api) => putValueIfMatch(api, 'A1', tag, value)),
      );
      assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 412, 412, 412], `round ${round}`);
    }
  });

  it('loses no update of twenty clients that count in one cell, on two services', async (t) => {
    const first = await startWorld();
    const second = await first.startSecondService();
    t.after(async () => {
      await second.close();
      await first.close();
    });
    const book = await first.createBook();
    await book.put('A1', [[0]]);
    const countOne = async (api: Api): Promise<void> => {
      for (;;) {
        const page = await api.get('A1');
        const next = Number(memberAt(page.body, 'values', 'cells', 0, 0)['v']) + 1;
        const { status } = await putValueIfMatch(api, 'A1', getTag(page), next);
        if (status === 200) return;
        assert.equal(status, 412);
      }
    };
    const clients = Array.from({ length: 20 }, (_, i) =>
      i % 2 === 0 ? book : new Api(second.address, book.token, book.document),
    );
    await Promise.all(clients.map(countOne));
    assert.equal((await book.cell('A1'))['v'], clients.length);
    assert.equal(await book.revision(), String(1 + clients.length));
  });

  it("is checked after a replay, and needs access to the sheet's values", async () => {
    const book = await world.createBook();
    const tag = getTag(await book.get('A1'));
    const headers = { 'if-match': tag };
    const send = () => book.requestInDocument('PUT', '/values/A1', { body: { values: [[1]] }, headers, key: 'k' });
    assert.deepEqual([(await send()).status, (await send()).status], [200, 200]);
    const member = await world.addMember(book.document, 'edit');
    const tagBefore = getTag(await member.api.get('A1'));
    await world.protect(book.document, 'Sheet1', { hideValues: true });
    const hidden = await putValueIfMatch(member.api, 'A1', tagBefore);
    assert.deepEqual([hidden.status, hidden.body], [403, { message: 'Sheet values are hidden' }]);
  });
});

it('a position in the change feed belongs to one history', async () => {
  const book = await world.createBook();
  const readFeed = async (query: string) =>
    memberAt((await book.requestInDocument('GET', `/changes?${query}`)).body, 'changes');
  const start = await readFeed('since=0');
  await book.put('A1', [[1]]);
  const first = await readFeed(`since=0&incarnation=${start['incarnation']}`);
  assert.deepEqual([first['gap'], first['next']], [false, 1]);
  await book.put('A1', [[2]]);
  assert.equal((await readFeed(`since=1&incarnation=${first['incarnation']}`))['gap'], false);
  assert.equal((await readFeed(`since=1&incarnation=${start['incarnation']}`))['gap'], false, 'of an earlier place');
  assert.equal((await readFeed('since=1&incarnation=nonsense'))['gap'], true);
  assert.equal((await readFeed('since=99'))['gap'], true);
});
