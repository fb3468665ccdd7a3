import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { memberAt, startWorld, type World } from './support.ts';

let world: World;
before(async () => {
  world = await startWorld();
});
after(() => world.close());

interface AuditEntry {
  readonly id: number;
  readonly action: string;
  readonly origin: string;
  readonly userName: string;
  readonly token: string;
  readonly properties: { readonly range: string; readonly cells: number };
  readonly createdAt: string;
}

interface AuditPage {
  readonly entries: readonly AuditEntry[];
  readonly total: number;
  readonly offset: number;
  readonly limit: number;
  readonly tokens: readonly string[];
}

describe('the change log', () => {
  it('contains every change made through the API, newest first', async () => {
    const book = await world.createBook();
    await book.put('B2', [[1, 2]]);
    await book.batchUpdate([
      { range: 'A1', values: [[1]] },
      { range: 'A2', values: [['x'], [null]] },
    ]);
    await book.append('A1', [[3]]);
    await book.clear('A1:B9');
    await book.addSheet('New sheet');
    await book.put("'New sheet'!A1", [[1]]);
    await book.renameSheet('New sheet', 'Other');
    await book.deleteSheet('Other');
    const { body } = await book.post('/webhooks', { url: 'https://example.com/hook' });
    await book.requestInDocument('DELETE', `/webhooks/${memberAt(body, 'webhook')['id']}`);
    // A refused write is not logged.
    await book.put('nonsense', [[1]]);
    const log = (await book.listAuditEntries()) as unknown as AuditPage;
    assert.deepEqual(
      log.entries.map(({ action, properties }) => [action, properties.range, properties.cells]),
      [
        ['webhook.delete', '', 0],
        ['webhook.create', '', 0],
        ['sheet.delete', '', 0],
        ['sheet.rename', '', 0],
        ['update', "'New sheet'!A1", 1],
        ['sheet.create', '', 0],
        ['clear', 'Sheet1!A1:B9', 4],
        ['append', 'Sheet1!A3', 1],
        ['update', 'Sheet1!A2:A3', 1],
        ['update', 'Sheet1!A1', 1],
        ['update', 'Sheet1!B2:C2', 2],
      ],
    );
    assert.deepEqual([log.total, log.offset, log.limit, log.tokens], [11, 0, 50, ['test token']]);
    for (const entry of log.entries) {
      assert.equal(entry.origin, 'api');
      assert.equal(entry.token, 'test token');
      assert.equal(new Date(entry.createdAt).toISOString(), entry.createdAt);
    }
  });

  it('has pages of at most 200 entries', async () => {
    const book = await world.createBook();
    for (let i = 1; i <= 5; i++) await book.put(`A${i}`, [[i]]);
    const readPage = async (query: string) => {
      const { entries, total, offset, limit } = (await book.listAuditEntries(query)) as unknown as AuditPage;
      return { ranges: entries.map(({ properties }) => properties.range), total, offset, limit };
    };
    assert.deepEqual(await readPage('?offset=1&limit=2'), {
      ranges: ['Sheet1!A4', 'Sheet1!A3'],
      total: 5,
      offset: 1,
      limit: 2,
    });
    assert.deepEqual(await readPage('?offset=9'), { ranges: [], total: 5, offset: 9, limit: 50 });
    assert.equal((await readPage('?limit=1000')).limit, 200);
    assert.deepEqual((await readPage(`?offset=${'9'.repeat(30)}`)).ranges, []);
    for (const query of ['?limit=0', '?offset=-1', '?limit=x']) {
      assert.equal((await book.requestInDocument('GET', `/audit${query}`)).status, 422, query);
    }
  });

  it('lists each token of the whole log once', async () => {
    const book = await world.createBook();
    const member = await world.addMember(book.document, 'edit');
    await book.put('A1', [[1]]);
    await member.api.put('A1', [[2]]);
    const log = (await book.listAuditEntries('?limit=1')) as unknown as AuditPage;
    assert.deepEqual([log.entries.length, log.tokens], [1, ['test token']]);
    assert.equal(log.entries[0]?.userName.startsWith('User '), true);
  });
});

describe('a batch of 250 blocks', () => {
  it('has one entry per block, numbered in order', async () => {
    const book = await world.createBook();
    await book.put('A1', [[0]]);
    const blocks = Array.from({ length: 250 }, (_, i) => ({ range: `A${2 * i + 3}`, values: [[i]] }));
    assert.equal((await book.batchUpdate(blocks)).status, 200);
    await book.put('A1', [[1]]);
    const allEntries: AuditEntry[] = [];
    for (const offset of [0, 200]) {
      const log = (await book.listAuditEntries(`?offset=${offset}&limit=200`)) as unknown as AuditPage;
      allEntries.push(...log.entries);
    }
    const ranges = ['Sheet1!A1', ...blocks.map(({ range }) => `Sheet1!${range}`), 'Sheet1!A1'];
    assert.deepEqual(
      allEntries.reverse().map(({ id, properties }) => [id, properties.range]),
      ranges.map((range, i) => [i + 1, range]),
    );
    assert.ok(
      allEntries.every(({ action, userName, token }) => action === 'update' && userName !== '' && token !== ''),
    );
  });
});
