import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as immediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { WorkbookData } from '@cellwire/engine';
import { type Database, StoreError } from '@cellwire/store';
import { insertAudits, removedDocument } from '@cellwire/store/audit';
import { storeCreationReply, storeReply } from '@cellwire/store/documents';
import { decideProposal, insertProposal, useConfirmation } from '@cellwire/store/proposals';
import { prepareQuery } from '../../../store/src/database/database.ts';
import { sql } from '../../../store/src/database/dialect.ts';
import { runMaintenanceRound } from '../../src/documents/maintenance.ts';
import { CHECKPOINT_COMMITS as DEFAULT_CHECKPOINT_COMMITS } from '../../src/limits/documents.ts';
import { COMMIT_LOG_COUNT, COMMIT_LOG_MS, DELETE_BATCH_ROWS, STALE_CREATION_MS } from '../../src/limits/retention.ts';
import {
  addOwner,
  CHECKPOINT_COMMITS,
  createDocument,
  createFailingDatabase,
  createInstallation,
  createTemporaryFolder,
  type Installation,
  openDocument,
  openInstallation,
  readSnapshot,
  readValue,
  rowCounts,
  SETTINGS,
  setValue,
} from './support.ts';

const RETENTION = {
  auditDays: 365,
  trashDays: 30,
  idempotencyMs: 24 * 60 * 60 * 1000,
  history: { retentionDays: 30, maxRevisions: 10_000 },
};
const DAY_MS = 24 * 60 * 60 * 1000;

/** More cells than one transaction of a creation stores. */
const ROWS = 300_000;
const COLUMNS = 3;

function* generateCells() {
  for (let column = 0; column < COLUMNS; column++) {
    for (let row = 0; row < ROWS; row++) yield { row, column, value: Math.sqrt(row + column / 7) };
  }
}

const LARGE: WorkbookData = {
  settings: SETTINGS,
  names: [],
  tables: [],
  sheets: [
    { name: 'Data', hidden: false, color: null, hiddenRows: [], columnFormats: new Map(), cells: generateCells() },
  ],
};

const revisions = prepareQuery(() => sql.selectFrom('commits').select('revision').orderBy('revision'));
const auditTimes = prepareQuery(() => sql.selectFrom('audit').select(['id', 'at']).orderBy('id'));
const replyKeys = prepareQuery(() => sql.selectFrom('idempotency').select('key').orderBy('key'));
const makingKeys = prepareQuery(() => sql.selectFrom('makings').select('key').orderBy('key'));

function runMaintenance({ database, clock, errors }: Installation) {
  return runMaintenanceRound(
    {
      database,
      clock: () => clock.now,
      onError: (what, error) => assert.fail(`${what}: ${error}, ${errors}`),
    },
    RETENTION,
  );
}

function createLargeDocument({ documents }: Installation) {
  return documents.create({
    ownerId: 1,
    title: 'Large',
    type: 'table',
    format: 'collaborative',
    content: {
      kind: 'data',
      data: { ...LARGE, sheets: LARGE.sheets.map((sheet) => ({ ...sheet, cells: generateCells() })) },
    },
  });
}

test('a large import is complete and leaves no temporary rows', async (t) => {
  const installation = await createInstallation(t);
  const created = await createLargeDocument(installation);
  assert.equal(created.kind, 'created');
  const again = openInstallation(t, installation.folder);
  const document = await openDocument(again.documents, created.kind === 'created' ? created.id : '');
  assert.equal(readValue(await readSnapshot(document), ROWS - 1, 2), Math.sqrt(ROWS - 1 + 2 / 7));
  assert.equal((await again.database.readOne(rowCounts({})))?.unfinished, 0);
});

test('an interrupted creation is invisible, and deleted once it is stale', async (t) => {
  let writes = Infinity;
  const folder = createTemporaryFolder(t);
  const full = new StoreError('disk full', 'SQLITE_FULL');
  const broken = openInstallation(t, folder, (inner) =>
    createFailingDatabase(inner, () => (writes-- > 0 ? null : full)),
  );
  await addOwner(broken.database);
  writes = 2;
  await assert.rejects(createLargeDocument(broken), { code: 'SQLITE_FULL' });
  writes = Infinity;
  const remaining = await broken.database.readOne(rowCounts({}));
  assert.deepEqual([remaining?.documents, remaining?.unfinished], [0, 1]);
  assert.ok((remaining?.chunks ?? 0) > 0);
  broken.clock.now = STALE_CREATION_MS - 1;
  await runMaintenance(broken);
  assert.deepEqual(await broken.database.readOne(rowCounts({})), remaining, 'it might still go on');
  broken.clock.now = STALE_CREATION_MS + 1;
  await runMaintenance(broken);
  assert.deepEqual(await broken.database.readOne(rowCounts({})), {
    chunks: 0,
    checkpoints: 0,
    documents: 0,
    unfinished: 0,
  });
});

test('the next round completes an interrupted removal', async (t) => {
  let writes = Infinity;
  const folder = createTemporaryFolder(t);
  const full = new StoreError('disk full', 'SQLITE_FULL');
  const broken = openInstallation(t, folder, (inner) =>
    createFailingDatabase(inner, () => (writes-- > 0 ? null : full)),
  );
  await addOwner(broken.database);
  const created = await createLargeDocument(broken);
  writes = 1;
  await assert.rejects(broken.documents.remove(created.kind === 'created' ? created.id : ''));
  writes = Infinity;
  assert.equal((await broken.database.readOne(rowCounts({})))?.documents, 0);
  await runMaintenance(broken);
  assert.deepEqual(await broken.database.readOne(rowCounts({})), {
    chunks: 0,
    checkpoints: 0,
    documents: 0,
    unfinished: 0,
  });
});

async function insertAuditEntry(database: Database, document_id: string, at: number) {
  const actor = { user_id: 1, user_name: 'O', token_id: null, token_name: null, request_id: null };
  const subject = { subject_id: null, subject_address: null, proposal: null };
  const entry = { document_id, action: 'update', origin: 'api', ...actor, ...subject, range: 'A1', cells: 1, at };
  await database.write({ document: document_id, statements: insertAudits([entry]) });
}

test('audit entries and kept replies are deleted after their retention time', async (t) => {
  const installation = await createInstallation(t);
  const { database, documents, clock } = installation;
  const id = await createDocument(documents);
  clock.now = 1_000 * DAY_MS;
  const expiry = clock.now - 365 * DAY_MS;
  for (const at of [expiry - 2, expiry - 1, expiry, clock.now]) await insertAuditEntry(database, id, at);
  for (const [key, at] of [
    ['a', clock.now - DAY_MS - 1],
    ['b', clock.now - DAY_MS],
  ] as const) {
    const reply = {
      document_id: id,
      user_id: 1,
      method: 'PUT',
      path: '/',
      key,
      body_hash: '',
      status: 200,
      reply: '{}',
    };
    await database.write({ document: id, statements: [storeReply({ ...reply, at, expired: 0, revision: null })] });
    const creationReply = storeCreationReply({
      user_id: 1,
      path: '/',
      key,
      body_hash: '',
      reply: '{}',
      at,
      expired: 0,
    });
    await database.write({ document: null, statements: [creationReply] });
  }
  await runMaintenance(installation);
  assert.deepEqual(await database.read(auditTimes({})), [
    { id: 3, at: expiry },
    { id: 4, at: clock.now },
  ]);
  assert.deepEqual(await database.read(replyKeys({})), [{ key: 'b' }]);
  assert.deepEqual(await database.read(makingKeys({})), [{ key: 'b' }]);
});

const proposalIds = prepareQuery(() => sql.selectFrom('proposals').select('id').orderBy('id'));
const confirmationIds = prepareQuery(() => sql.selectFrom('used_confirmations').select('id').orderBy('id'));

test('deletes decided proposals after the time of the audit log, and expired confirmations', async (t) => {
  const installation = await createInstallation(t);
  const { database, documents, clock } = installation;
  const id = await createDocument(documents);
  clock.now = 1_000 * DAY_MS;
  const expiry = clock.now - 365 * DAY_MS;
  const proposer = { title: null, note: null, action: 'update', user_id: 1, token_id: null, token_name: null };
  const content = { origin: 'api', base_revision: 0, counts: '[]', preview: '[]', content: new Uint8Array() };
  const times = { created_at: expiry - DAY_MS, expires_at: clock.now + DAY_MS, now: expiry - DAY_MS };
  const decision = {
    state: 'rejected',
    decided_by: 1,
    reason: null,
    revision: null,
    preview: '[]',
    counts: '[]',
  } as const;
  for (const [name, at] of [
    ['a', expiry - 2],
    ['b', expiry - 1],
    ['c', expiry],
    ['open', null],
  ] as const) {
    const proposal = { document_id: id, id: name };
    const inserted = insertProposal({ ...proposal, ...proposer, ...content, ...times, limit: 10 });
    const decided = at === null ? [] : [decideProposal({ ...proposal, ...decision, version: 0, at })];
    await database.write({ document: id, statements: [inserted, ...decided] });
  }
  for (const [name, expires_at] of [
    ['a', clock.now - 1],
    ['b', clock.now],
  ] as const) {
    await database.write({ document: id, statements: [useConfirmation({ document_id: id, id: name, expires_at })] });
  }
  await runMaintenance(installation);
  assert.deepEqual(await database.read(proposalIds({})), [{ id: 'c' }, { id: 'open' }]);
  assert.deepEqual(await database.read(confirmationIds({})), [{ id: 'b' }]);
});

test('one round deletes more old entries than one step can', async (t) => {
  const installation = await createInstallation(t);
  const { database, documents, clock } = installation;
  const id = await createDocument(documents);
  await Promise.all(Array.from({ length: DELETE_BATCH_ROWS + 5 }, () => insertAuditEntry(database, id, 0)));
  clock.now = 400 * DAY_MS;
  await runMaintenance(installation);
  assert.deepEqual(await database.read(auditTimes({})), []);
  await insertAuditEntry(database, id, clock.now);
  assert.deepEqual(
    await database.read(auditTimes({})),
    [{ id: DELETE_BATCH_ROWS + 6, at: clock.now }],
    'no number is given twice',
  );
});

test('the audit log of a deleted document is kept for its retention time and then deleted', async (t) => {
  const installation = await createInstallation(t);
  const { database, documents, clock } = installation;
  const id = await createDocument(documents);
  clock.now = 1_000 * DAY_MS;
  await insertAuditEntry(database, id, clock.now);
  assert.deepEqual(await documents.remove(id), { kind: 'removed' });
  await runMaintenance(installation);
  assert.deepEqual(await database.read(auditTimes({})), [{ id: 1, at: clock.now }]);
  assert.equal((await database.readOne(removedDocument({ id })))?.title, 'T');
  clock.now += 366 * DAY_MS;
  await runMaintenance(installation);
  assert.deepEqual(await database.read(auditTimes({})), []);
  assert.equal(await database.readOne(removedDocument({ id })), null);
});

test('old commits are deleted, except commits that the checkpoint does not cover', async (t) => {
  const installation = await createInstallation(t);
  const { database, documents, clock, folder } = installation;
  const id = await createDocument(documents);
  const document = await openDocument(documents, id);
  for (let i = 0; i < CHECKPOINT_COMMITS; i++) await document.write(setValue(i, 0, i));
  await document.write(setValue(0, 1, 'later'));
  await documents.close();
  clock.now = COMMIT_LOG_MS + 1;
  await runMaintenance(installation);
  const remainingRevisions = (await database.read(revisions({}))).map(({ revision }) => revision);
  assert.deepEqual(remainingRevisions, [CHECKPOINT_COMMITS + 1]);
  const snapshot = await readSnapshot(await openDocument(openInstallation(t, folder).documents, id));
  assert.deepEqual([snapshot.revision, readValue(snapshot, 0, 1)], [CHECKPOINT_COMMITS + 1, 'later']);
});

test('a process whose copy is older than the log reads the document again', async (t) => {
  const installation = await createInstallation(t);
  const { documents, clock, folder } = installation;
  const id = await createDocument(documents);
  const reader = await openDocument(openInstallation(t, folder).documents, id);
  const document = await openDocument(documents, id);
  for (let i = 0; i < CHECKPOINT_COMMITS; i++) await document.write(setValue(i, 0, i));
  await documents.close();
  clock.now = COMMIT_LOG_MS + 1;
  await runMaintenance(installation);
  const snapshot = await readSnapshot(reader);
  assert.deepEqual([snapshot.revision, readValue(snapshot, 7, 0)], [CHECKPOINT_COMMITS, 7]);
});

test('recent commits stay, up to a maximum number', async (t) => {
  assert.ok(COMMIT_LOG_COUNT > DEFAULT_CHECKPOINT_COMMITS, 'the log always reaches back behind the checkpoint');
  const installation = await createInstallation(t);
  const id = await createDocument(installation.documents);
  const document = await openDocument(installation.documents, id);
  for (let i = 0; i < 3; i++) await document.write(setValue(i, 0, i));
  await runMaintenance(installation);
  assert.equal((await installation.database.read(revisions({}))).length, 3);
});

const SMALL_CAPACITY = { documents: 3, workbooks: 2, bytes: 1024 ** 3 };

test('recently used documents stay open; the others are closed and open again unchanged', async (t) => {
  const folder = createTemporaryFolder(t);
  const { documents, database } = openInstallation(t, folder, (inner) => inner, SMALL_CAPACITY);
  await addOwner(database);
  const ids: string[] = [];
  for (let i = 0; i < 8; i++) {
    const id = await createDocument(documents);
    ids.push(id);
    await (await openDocument(documents, id)).write(setValue(0, 0, i));
  }
  const last = await openDocument(documents, ids[7] as string);
  const first = await openDocument(documents, ids[0] as string);
  assert.equal(await openDocument(documents, ids[7] as string), last, 'still the same object');
  for (const [i, id] of ids.entries()) {
    const document = await openDocument(documents, id);
    assert.equal(readValue(await readSnapshot(document), 0, 0), i);
    await document.write(setValue(1, 0, i));
  }
  assert.notEqual(await openDocument(documents, ids[0] as string), first, 'closed meanwhile');
  const outcome = await first.write(setValue(2, 0, 'still usable'));
  assert.equal(outcome.kind === 'written' && outcome.reply, 3);
});

test('memory bounds the open documents, but a requested document always opens', async (t) => {
  const folder = createTemporaryFolder(t);
  const { documents, database } = openInstallation(t, folder, (inner) => inner, { ...SMALL_CAPACITY, bytes: 1 });
  await addOwner(database);
  const first = await createDocument(documents);
  const second = await createDocument(documents);
  const opened = await openDocument(documents, first);
  await openDocument(documents, second);
  assert.notEqual(await openDocument(documents, first), opened);
});

test('the document used last is released from memory when it is removed, found removed, or all are closed', async (t) => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const { documents, folder } = await createInstallation(t);
  const elsewhere = openInstallation(t, folder);
  const endings: Readonly<Record<string, (id: string) => Promise<unknown>>> = {
    removed: (id) => documents.remove(id),
    'found gone': async (id) => {
      await elsewhere.documents.remove(id);
      assert.equal(await (await documents.open(id))?.readSnapshot(), null);
    },
    closed: () => documents.close(),
  };
  for (const [ending, end] of Object.entries(endings)) {
    const id = await createDocument(documents);
    const reference = await (async () => new WeakRef(await openDocument(documents, id)))();
    await end(id);
    // Promises and timers of the ended work may hold the document for some turns.
    for (let turn = 0; turn < 100 && reference.deref() !== undefined; turn++) {
      await immediate();
      collect();
    }
    assert.equal(reference.deref(), undefined, ending);
  }
});
