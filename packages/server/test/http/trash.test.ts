import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { query } from '../../../store/src/database/database.ts';
import { sql } from '../../../store/src/database/dialect.ts';
import { maintain } from '../../src/documents/maintenance.ts';
import { readAudit } from '../../src/service/operator/audit.ts';
import { deleteDocument, listDocuments, restoreTrashedDocument } from '../../src/service/operator/documents.ts';
import { type Browser, type Person, person, signedIn } from './browser.ts';
import { type Answer, type Api, type Json, startWorld, type World } from './support.ts';

const DAY_MS = 86_400_000;
const RETENTION = {
  auditDays: 365,
  idempotencyMs: DAY_MS,
  history: { retentionDays: 30, maxRevisions: 10_000 },
  trashDays: 30,
};
const GONE = [404, { message: 'Document not found' }];

let world: World;
let anna: Person;
let browser: Browser;

before(async () => {
  world = await startWorld();
  anna = await person(world);
  browser = await signedIn(world, anna);
});
after(() => world.close());

function shown({ status, body }: Answer): unknown {
  return [status, body];
}

async function annasBook(title: string): Promise<Api> {
  return world.api(await world.token(String(anna.id)), await world.document(String(anna.id), { title }));
}

async function trash(of: Browser = browser): Promise<readonly Json[]> {
  return (await of.ask('GET', '/trash')).body['trash']['documents'] as unknown as readonly Json[];
}

async function trashedIds(of?: Browser): Promise<readonly string[]> {
  return (await trash(of)).map(({ id }) => String(id));
}

describe('a deleted document', () => {
  it('is gone for the API, and comes back as it was with restore', async () => {
    const book = await annasBook('Orders');
    const { api: reader } = await world.member(book.document, 'view');
    await book.put('A1', [[1], ['=A1+1']], { key: 'k' });
    await book.put('A1', [[2]]);
    const before = [(await book.here('GET', '')).body, await book.cells('A1:A2'), (await book.audit())['total']];
    const numbers = ((await book.audit())['entries'] as unknown as Json[]).map(({ id }) => Number(id));

    assert.equal((await book.here('DELETE', '')).status, 200);
    for (const [method, path, body] of [
      ['GET', '', undefined],
      ['GET', '/values/A1', undefined],
      ['PUT', '/values/A1', { values: [[9]] }],
      ['GET', '/audit', undefined],
      ['GET', '/webhooks', undefined],
      ['DELETE', '', undefined],
    ] as const) {
      const answer = await book.here(method, path, body === undefined ? {} : { body });
      assert.deepEqual(shown(answer), GONE, `${method} ${path}`);
    }
    assert.deepEqual(shown(await book.put('A1', [[1], ['=A1+1']], { key: 'k' })), GONE);
    const listed = (await book.request('GET', '/documents')).body['documents'] as unknown as Json[];
    assert.ok(!listed.some(({ id }) => String(id) === book.document));
    assert.ok((await trashedIds()).includes(book.document));

    const restored = await browser.ask('POST', `/trash/${book.document}/restore`);
    assert.deepEqual(shown(restored), [200, { document: { id: book.document, title: 'Orders' } }]);
    const after = [(await book.here('GET', '')).body, await book.cells('A1:A2'), (await book.audit())['total']];
    assert.deepEqual(after.slice(0, 2), before.slice(0, 2));
    assert.equal((await reader.get('A1')).status, 200);
    assert.equal((await book.put('A1', [[1], ['=A1+1']], { key: 'k' })).headers.get('idempotency-replayed'), 'true');
    assert.deepEqual(await trashedIds(), []);
    await book.put('A1', [[3]]);
    assert.equal((await book.cell('A2'))['v'], 4);
    const later = ((await book.audit())['entries'] as unknown as Json[]).map(({ id }) => Number(id));
    assert.deepEqual(later.slice(-numbers.length), numbers);
    assert.deepEqual(
      later,
      [...later].sort((a, b) => b - a),
    );
    assert.equal(new Set(later).size, later.length);
  });

  it('is restored and deleted for good by its owner alone', async () => {
    const book = await annasBook('Mine');
    const ben = await person(world);
    const bens = await signedIn(world, ben);
    await book.post('/share', { user: ben.id, role: 'edit' });
    await book.here('DELETE', '');
    assert.deepEqual(await trashedIds(bens), []);
    assert.equal((await bens.ask('POST', `/trash/${book.document}/restore`)).status, 404);
    assert.equal((await bens.ask('DELETE', `/trash/${book.document}`)).status, 404);
    assert.equal((await browser.ask('DELETE', `/trash/${book.document}`)).status, 200);
    assert.equal((await browser.ask('POST', `/trash/${book.document}/restore`)).status, 404);
    const log = await readAudit(world.server.service.context, { document: book.document, offset: 0, limit: 10 });
    assert.ok('entries' in log);
    assert.ok(log.entries.some(({ action }) => action === 'document.delete'));
    const { database } = world.server.service.context;
    for (const table of ['chunks', 'commits', 'shares', 'checkpoints', 'trash'] as const) {
      const rows = await database.read(
        query(sql.selectFrom(table).select('document_id').where('document_id', '=', book.document)),
      );
      assert.deepEqual(rows, [], table);
    }
  });

  it('comes back once when two restore it at the same time', async () => {
    const book = await annasBook('Twice');
    await book.here('DELETE', '');
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => browser.ask('POST', `/trash/${book.document}/restore`)),
    );
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 404, 404, 404]);
    assert.equal((await book.get('A1')).status, 200);
  });

  it('has silent subscriptions, which tell again what comes after it is restored', async () => {
    const book = await annasBook('Told');
    const webhook = await book.post('/webhooks', { url: 'https://example.com/hook' });
    assert.equal(webhook.status, 200, JSON.stringify(webhook.body));
    const stopped = await book.post('/webhooks', { url: 'https://example.com/off' });
    const off = stopped.body['webhook']['id'];
    assert.equal((await book.here('PATCH', `/webhooks/${off}`, { body: { active: false } })).status, 200);
    const active = async () =>
      ((await book.here('GET', '/webhooks')).body['webhooks'] as unknown as Json[]).map((one) => one['active']);
    const before = await active();
    await book.here('DELETE', '');
    const { database } = world.server.service.context;
    const rows = await database.read(
      query(sql.selectFrom('webhooks').select('active').where('document_id', '=', book.document)),
    );
    assert.deepEqual(rows, [{ active: 0 }, { active: 0 }]);
    await browser.ask('POST', `/trash/${book.document}/restore`);
    assert.deepEqual(await active(), before);
  });

  it('goes for good after its days, and not earlier', async () => {
    const { context } = world.server.service;
    const old = await annasBook('Old');
    await old.here('DELETE', '');
    const round = (clock: () => number) =>
      maintain({ database: context.database, clock, onError: () => undefined }, RETENTION);
    await round(() => Date.now() + 30 * DAY_MS - 60_000);
    assert.ok((await trashedIds()).includes(old.document));
    await round(() => Date.now() + 30 * DAY_MS + 60_000);
    assert.ok(!(await trashedIds()).includes(old.document));
    assert.equal((await browser.ask('POST', `/trash/${old.document}/restore`)).status, 404);
  });

  it('is listed, restored and deleted for good by the operator', async () => {
    const { context } = world.server.service;
    const book = await annasBook('Operated');
    const list = async () => {
      const listed = await listDocuments(context, { owner: String(anna.id), deleted: true });
      assert.ok('documents' in listed);
      return listed.documents;
    };
    assert.deepEqual(await deleteDocument(context, book.document), { id: book.document });
    const [row] = (await list()).filter(({ id }) => id === book.document);
    assert.equal(row?.title, 'Operated');
    assert.match(String(row?.deletedAt), /^\d{4}-/);
    const again = await deleteDocument(context, book.document);
    assert.ok('reason' in again);
    assert.deepEqual(await restoreTrashedDocument(context, book.document), { id: book.document, title: 'Operated' });
    assert.equal((await book.get('A1')).status, 200);
    assert.deepEqual(await deleteDocument(context, book.document, true), { id: book.document });
    assert.ok('reason' in (await restoreTrashedDocument(context, book.document)));
  });
});

describe('without a bin', () => {
  it('deletes at once', async () => {
    const bare = await startWorld({ trash: { days: 0 } });
    try {
      const owner = await person(bare);
      const own = await signedIn(bare, owner);
      const id = await bare.document(String(owner.id), { title: 'Gone' });
      assert.equal((await own.ask('DELETE', `/api/documents/${id}`)).status, 200);
      assert.deepEqual((await own.ask('GET', '/trash')).body['trash'], { documents: [], days: 0 });
      assert.equal((await own.ask('POST', `/trash/${id}/restore`)).status, 404);
    } finally {
      await bare.close();
    }
  });
});
