import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { compileQuery } from '../../../store/src/database/database.ts';
import { sql } from '../../../store/src/database/dialect.ts';
import { runMaintenanceRound } from '../../src/documents/maintenance.ts';
import { readAudit } from '../../src/service/operator/audit.ts';
import { deleteDocument, listDocuments, restoreTrashedDocument } from '../../src/service/operator/documents.ts';
import { type Browser, createPerson, type Person, signInAs } from './browser.ts';
import { type Api, type Json, memberAt, pickStatusAndBody, startWorld, type World } from './support.ts';

const DAY_MS = 86_400_000;
const RETENTION = {
  auditDays: 365,
  idempotencyMs: DAY_MS,
  history: { retentionDays: 30, maxRevisions: 10_000 },
  trashDays: 30,
};
const NOT_FOUND = [404, { message: 'Document not found' }];

let world: World;
let anna: Person;
let browser: Browser;

before(async () => {
  world = await startWorld();
  anna = await createPerson(world);
  browser = await signInAs(world, anna);
});
after(() => world.close());

async function createAnnaBook(title: string): Promise<Api> {
  return world.apiFor(await world.createToken(String(anna.id)), await world.createDocument(String(anna.id), { title }));
}

async function readTrash(viewer: Browser = browser): Promise<readonly Json[]> {
  return memberAt((await viewer.request('GET', '/trash')).body, 'trash')['documents'] as unknown as readonly Json[];
}

async function readTrashedIds(viewer?: Browser): Promise<readonly string[]> {
  return (await readTrash(viewer)).map(({ id }) => String(id));
}

describe('a deleted document', () => {
  it('is not found by the API, and is complete after a restore', async () => {
    const book = await createAnnaBook('Orders');
    const { api: reader } = await world.addMember(book.document, 'view');
    await book.put('A1', [[1], ['=A1+1']], { key: 'k' });
    await book.put('A1', [[2]]);
    const before = [
      (await book.requestInDocument('GET', '')).body,
      await book.cells('A1:A2'),
      (await book.listAuditEntries())['total'],
    ];
    const entryIds = ((await book.listAuditEntries())['entries'] as unknown as Json[]).map(({ id }) => Number(id));

    assert.equal((await book.requestInDocument('DELETE', '')).status, 200);
    for (const [method, path, body] of [
      ['GET', '', undefined],
      ['GET', '/values/A1', undefined],
      ['PUT', '/values/A1', { values: [[9]] }],
      ['GET', '/audit', undefined],
      ['GET', '/webhooks', undefined],
      ['DELETE', '', undefined],
    ] as const) {
      const answer = await book.requestInDocument(method, path, body === undefined ? {} : { body });
      assert.deepEqual(pickStatusAndBody(answer), NOT_FOUND, `${method} ${path}`);
    }
    assert.deepEqual(pickStatusAndBody(await book.put('A1', [[1], ['=A1+1']], { key: 'k' })), NOT_FOUND);
    const documentList = (await book.request('GET', '/documents')).body['documents'] as unknown as Json[];
    assert.ok(!documentList.some(({ id }) => String(id) === book.document));
    assert.ok((await readTrashedIds()).includes(book.document));

    const restored = await browser.request('POST', `/trash/${book.document}/restore`);
    assert.deepEqual(pickStatusAndBody(restored), [200, { document: { id: book.document, title: 'Orders' } }]);
    const after = [
      (await book.requestInDocument('GET', '')).body,
      await book.cells('A1:A2'),
      (await book.listAuditEntries())['total'],
    ];
    assert.deepEqual(after.slice(0, 2), before.slice(0, 2));
    assert.equal((await reader.get('A1')).status, 200);
    assert.equal((await book.put('A1', [[1], ['=A1+1']], { key: 'k' })).headers.get('idempotency-replayed'), 'true');
    assert.deepEqual(await readTrashedIds(), []);
    await book.put('A1', [[3]]);
    assert.equal((await book.cell('A2'))['v'], 4);
    const laterEntryIds = ((await book.listAuditEntries())['entries'] as unknown as Json[]).map(({ id }) => Number(id));
    assert.deepEqual(laterEntryIds.slice(-entryIds.length), entryIds);
    assert.deepEqual(
      laterEntryIds,
      [...laterEntryIds].sort((a, b) => b - a),
    );
    assert.equal(new Set(laterEntryIds).size, laterEntryIds.length);
  });

  it('is restored and purged by its owner only', async () => {
    const book = await createAnnaBook('Mine');
    const ben = await createPerson(world);
    const benBrowser = await signInAs(world, ben);
    await book.post('/share', { user: ben.id, role: 'edit' });
    await book.requestInDocument('DELETE', '');
    assert.deepEqual(await readTrashedIds(benBrowser), []);
    assert.equal((await benBrowser.request('POST', `/trash/${book.document}/restore`)).status, 404);
    assert.equal((await benBrowser.request('DELETE', `/trash/${book.document}`)).status, 404);
    assert.equal((await browser.request('DELETE', `/trash/${book.document}`)).status, 200);
    assert.equal((await browser.request('POST', `/trash/${book.document}/restore`)).status, 404);
    const log = await readAudit(world.server.service.context, { document: book.document, offset: 0, limit: 10 });
    assert.ok('entries' in log);
    assert.ok(log.entries.some(({ action }) => action === 'document.delete'));
    const { database } = world.server.service.context;
    for (const table of ['chunks', 'commits', 'shares', 'checkpoints', 'trash'] as const) {
      const rows = await database.read(
        compileQuery(sql.selectFrom(table).select('document_id').where('document_id', '=', book.document)),
      );
      assert.deepEqual(rows, [], table);
    }
  });

  it('is restored once by simultaneous requests', async () => {
    const book = await createAnnaBook('Twice');
    await book.requestInDocument('DELETE', '');
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => browser.request('POST', `/trash/${book.document}/restore`)),
    );
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 404, 404, 404]);
    assert.equal((await book.get('A1')).status, 200);
  });

  it('has inactive subscriptions, which are active again after a restore', async () => {
    const book = await createAnnaBook('Subscribed');
    const webhook = await book.post('/webhooks', { url: 'https://example.com/hook' });
    assert.equal(webhook.status, 200, JSON.stringify(webhook.body));
    const inactive = await book.post('/webhooks', { url: 'https://example.com/off' });
    const inactiveId = memberAt(inactive.body, 'webhook')['id'];
    assert.equal(
      (await book.requestInDocument('PATCH', `/webhooks/${inactiveId}`, { body: { active: false } })).status,
      200,
    );
    const readActiveIds = async () =>
      ((await book.requestInDocument('GET', '/webhooks')).body['webhooks'] as unknown as Json[]).map(
        (one) => one['active'],
      );
    const before = await readActiveIds();
    await book.requestInDocument('DELETE', '');
    const { database } = world.server.service.context;
    const rows = await database.read(
      compileQuery(sql.selectFrom('webhooks').select('active').where('document_id', '=', book.document)),
    );
    assert.deepEqual(rows, [{ active: 0 }, { active: 0 }]);
    await browser.request('POST', `/trash/${book.document}/restore`);
    assert.deepEqual(await readActiveIds(), before);
  });

  it('is purged after the retention time, and not earlier', async () => {
    const { context } = world.server.service;
    const expiredBook = await createAnnaBook('Old');
    await expiredBook.requestInDocument('DELETE', '');
    const runMaintenance = (clock: () => number) =>
      runMaintenanceRound({ database: context.database, clock, onError: () => undefined }, RETENTION);
    await runMaintenance(() => Date.now() + 30 * DAY_MS - 60_000);
    assert.ok((await readTrashedIds()).includes(expiredBook.document));
    await runMaintenance(() => Date.now() + 30 * DAY_MS + 60_000);
    assert.ok(!(await readTrashedIds()).includes(expiredBook.document));
    assert.equal((await browser.request('POST', `/trash/${expiredBook.document}/restore`)).status, 404);
  });

  it('can be listed, restored and purged by the operator', async () => {
    const { context } = world.server.service;
    const book = await createAnnaBook('Operated');
    const list = async () => {
      const page = await listDocuments(context, { owner: String(anna.id), deleted: true });
      assert.ok('documents' in page);
      return page.documents;
    };
    assert.deepEqual(await deleteDocument(context, book.document), { id: book.document });
    const [row] = (await list()).filter(({ id }) => id === book.document);
    assert.equal(row?.title, 'Operated');
    assert.match(String(row?.deletedAt), /^\d{4}-/);
    const secondDeletion = await deleteDocument(context, book.document);
    assert.ok('reason' in secondDeletion);
    assert.deepEqual(await restoreTrashedDocument(context, book.document), { id: book.document, title: 'Operated' });
    assert.equal((await book.get('A1')).status, 200);
    assert.deepEqual(await deleteDocument(context, book.document, true), { id: book.document });
    assert.ok('reason' in (await restoreTrashedDocument(context, book.document)));
  });
});

describe('a service without a trash', () => {
  it('deletes documents immediately', async () => {
    const worldWithoutTrash = await startWorld({ trash: { days: 0 } });
    try {
      const owner = await createPerson(worldWithoutTrash);
      const ownBrowser = await signInAs(worldWithoutTrash, owner);
      const id = await worldWithoutTrash.createDocument(String(owner.id), { title: 'Gone' });
      assert.equal((await ownBrowser.request('DELETE', `/api/documents/${id}`)).status, 200);
      assert.deepEqual((await ownBrowser.request('GET', '/trash')).body['trash'], { documents: [], days: 0 });
      assert.equal((await ownBrowser.request('POST', `/trash/${id}/restore`)).status, 404);
    } finally {
      await worldWithoutTrash.close();
    }
  });
});
