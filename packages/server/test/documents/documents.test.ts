import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Database, StoreError } from '@cellwire/store';
import { checkpointRevision, documentById } from '@cellwire/store/documents';
import { prepareQuery, prepareStatement } from '../../../store/src/database/database.ts';
import { sql } from '../../../store/src/database/dialect.ts';
import type { Preview } from '../../src/documents/preview.ts';
import {
  AUTHOR,
  addOwner,
  createDocument,
  createFailingDatabase,
  createInstallation,
  createProposal,
  createTemporaryFolder,
  getFirstSheetId,
  openDocument,
  openInstallation,
  readSnapshot,
  readValue,
  setValue,
} from './support.ts';

const UNKNOWN = '00000000-0000-4000-8000-000000000000';

const insertNote = prepareStatement((p: { name: string }) =>
  sql.insertInto('meta').values({ name: p.name, value: '' }),
);
const insertNoteOnce = prepareStatement(
  (p: { name: string }) =>
    sql
      .insertInto('meta')
      .values({ name: p.name, value: '' })
      .onConflict((conflict) => conflict.column('name').doNothing()),
  { rows: 1, conflict: 'noted before' },
);
const allNotes = prepareQuery(() => sql.selectFrom('meta').select('name').orderBy('name'));
const commitsOf = prepareQuery((p: { id: string }) =>
  sql
    .selectFrom('commits')
    .select(['revision', 'origin', 'author_id', 'at'])
    .where('document_id', '=', p.id)
    .orderBy('revision'),
);

test('a new document is empty, at revision 0, and accepts a write', async (t) => {
  const { documents } = await createInstallation(t);
  const document = await openDocument(documents, await createDocument(documents));
  assert.equal((await readSnapshot(document)).revision, 0);
  const outcome = await document.write(setValue(0, 0, 'one'));
  assert.equal(outcome.kind === 'written' && outcome.reply, 1);
  assert.equal(readValue(await readSnapshot(document), 0, 0), 'one');
});

test('an unknown document does not open', async (t) => {
  const { documents } = await createInstallation(t);
  assert.equal(await documents.open(UNKNOWN), null);
});

test('written cells survive a restart', async (t) => {
  const { documents, folder } = await createInstallation(t);
  const id = await createDocument(documents);
  const document = await openDocument(documents, id);
  await Promise.all(Array.from({ length: 20 }, (_, row) => document.write(setValue(row, 0, row))));
  await documents.close();
  const reopened = await openDocument(openInstallation(t, folder).documents, id);
  const snapshot = await readSnapshot(reopened);
  assert.equal(snapshot.revision, 20);
  assert.deepEqual(
    Array.from({ length: 20 }, (_, row) => readValue(snapshot, row, 0)),
    Array.from({ length: 20 }, (_, row) => row),
  );
});

test('concurrent writes get one revision each, in the order of their calls', async (t) => {
  const { documents } = await createInstallation(t);
  const document = await openDocument(documents, await createDocument(documents));
  const outcomes = await Promise.all(Array.from({ length: 300 }, (_, i) => document.write(setValue(i % 7, 0, i))));
  assert.deepEqual(
    outcomes.map((outcome) => outcome.kind === 'written' && outcome.reply),
    Array.from({ length: 300 }, (_, i) => i + 1),
  );
});

test('a commit is logged with its author, time and areas, and moves the document', async (t) => {
  const { documents, database, clock } = await createInstallation(t);
  const id = await createDocument(documents);
  clock.now = 5_000;
  await (await openDocument(documents, id)).write(setValue(2, 1, 'x'));
  assert.deepEqual(await database.read(commitsOf({ id })), [{ revision: 1, origin: 'api', author_id: 1, at: 5_000 }]);
  const row = await database.readOne(documentById({ id }));
  assert.deepEqual([row?.revision, row?.updated_at, row?.calculated_at], [1, 5_000, 5_000]);
});

test('the statements of a write are stored if and only if its commit is stored', async (t) => {
  const { documents, database } = await createInstallation(t);
  const document = await openDocument(documents, await createDocument(documents));
  const write = (row: number, name: string) =>
    document.write((head) => ({
      ...createProposal([
        { kind: 'setValues', sheet: getFirstSheetId(head), row, column: 0, values: [[name]], mode: 'raw' },
      ]),
      finish: () => ({ reply: name, statements: [insertNoteOnce({ name })] }),
    }));
  const outcomes = await Promise.all([write(0, 'a'), write(1, 'a'), write(2, 'b')]);
  assert.deepEqual(
    outcomes.map(({ kind }) => kind),
    ['written', 'conflict', 'written'],
  );
  assert.deepEqual(outcomes[1], { kind: 'conflict', conflict: 'noted before' });
  assert.deepEqual(
    (await database.read(allNotes({}))).map(({ name }) => name),
    ['a', 'b'],
  );
  const snapshot = await readSnapshot(document);
  assert.equal(snapshot.revision, 2);
  assert.deepEqual([readValue(snapshot, 0, 0), readValue(snapshot, 1, 0), readValue(snapshot, 2, 0)], ['a', null, 'b']);
});

test('a refusal by the plan or the engine changes nothing', async (t) => {
  const { documents } = await createInstallation(t);
  const document = await openDocument(documents, await createDocument(documents));
  assert.deepEqual(await document.write(() => ({ kind: 'declined', reason: 'no' })), {
    kind: 'declined',
    reason: 'no',
  });
  const outcome = await document.write(() =>
    createProposal([{ kind: 'setValues', sheet: 99, row: 0, column: 0, values: [['x']], mode: 'raw' }]),
  );
  assert.deepEqual(outcome, { kind: 'refusal', reason: 'sheetNotFound', edit: 0 });
  assert.equal((await readSnapshot(document)).revision, 0);
});

test('a write whose planner throws fails, and other writes succeed', async (t) => {
  const { documents } = await createInstallation(t);
  const document = await openDocument(documents, await createDocument(documents));
  const results = await Promise.allSettled([
    document.write(setValue(0, 0, 'a')),
    document.write(() => {
      throw new Error('a bug');
    }),
    document.write(setValue(1, 0, 'b')),
  ]);
  assert.deepEqual(
    results.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  );
  assert.equal((await readSnapshot(document)).revision, 2);
});

test('a reader sees a write exactly when it is on the disk', async (t) => {
  const { documents, database } = await createInstallation(t);
  const id = await createDocument(documents);
  const document = await openDocument(documents, id);
  let acknowledged = 0;
  const writing = Promise.all(
    Array.from({ length: 200 }, async (_, i) => {
      await document.write(setValue(i, 0, i));
      acknowledged++;
    }),
  );
  for (let isComplete = false; !isComplete; ) {
    const before = acknowledged;
    const { revision } = await readSnapshot(document);
    const durable = (await database.readOne(documentById({ id })))?.revision ?? 0;
    assert.ok(revision >= before, 'what was acknowledged is read');
    assert.ok(revision <= durable, 'what is read is durable');
    isComplete = revision === 200;
    await new Promise(setImmediate);
  }
  await writing;
});

test('acknowledges nothing while the disk is full; later writes continue from the last durable state', async (t) => {
  let failing: Error | null = null;
  const folder = createTemporaryFolder(t);
  const { documents, database } = openInstallation(t, folder, (inner) => createFailingDatabase(inner, () => failing));
  await addOwner(database);
  const document = await openDocument(documents, await createDocument(documents));
  await document.write(setValue(0, 0, 'kept'));
  failing = new StoreError('disk full', 'SQLITE_FULL');
  const results = await Promise.allSettled([
    document.write(setValue(0, 0, 'lost')),
    document.write(setValue(1, 0, 'lost')),
  ]);
  assert.deepEqual(
    results.map(({ status }) => status),
    ['rejected', 'rejected'],
  );
  assert.equal(readValue(await readSnapshot(document), 0, 0), 'kept');
  failing = null;
  const outcome = await document.write(setValue(2, 0, 'after'));
  assert.equal(outcome.kind === 'written' && outcome.reply, 2);
  const snapshot = await readSnapshot(document);
  assert.deepEqual(
    [readValue(snapshot, 0, 0), readValue(snapshot, 1, 0), readValue(snapshot, 2, 0)],
    ['kept', null, 'after'],
  );
});

test('a reader sees what another process wrote', async (t) => {
  const first = await createInstallation(t);
  const second = openInstallation(t, first.folder);
  const id = await createDocument(first.documents);
  const firstDocument = await openDocument(first.documents, id);
  const secondDocument = await openDocument(second.documents, id);
  await secondDocument.write(setValue(0, 0, 'theirs'));
  assert.equal(readValue(await readSnapshot(firstDocument), 0, 0), 'theirs');
  const outcome = await firstDocument.write(setValue(1, 0, 'ours'));
  assert.equal(outcome.kind === 'written' && outcome.reply, 2);
  const snapshot = await readSnapshot(secondDocument);
  assert.deepEqual([readValue(snapshot, 0, 0), readValue(snapshot, 1, 0)], ['theirs', 'ours']);
});

test('two processes that write to one document concurrently lose nothing', async (t) => {
  const first = await createInstallation(t);
  const second = openInstallation(t, first.folder);
  const id = await createDocument(first.documents);
  const sides = [await openDocument(first.documents, id), await openDocument(second.documents, id)] as const;
  // A process that loses the race for a revision too often refuses the write; then its client repeats it.
  const writeUntilAccepted = async (i: number): Promise<unknown> => {
    const outcome = await sides[i % 2 === 0 ? 0 : 1].write(setValue(i, 0, i));
    if (outcome.kind === 'busy') return writeUntilAccepted(i);
    return outcome.kind === 'written' ? outcome.reply : outcome.kind;
  };
  const revisions = (await Promise.all(Array.from({ length: 200 }, (_, i) => writeUntilAccepted(i)))).map(Number);
  assert.deepEqual(
    revisions.toSorted((a, b) => a - b),
    Array.from({ length: 200 }, (_, i) => i + 1),
  );
  for (const side of sides) {
    const snapshot = await readSnapshot(side);
    for (let row = 0; row < 200; row++) assert.equal(readValue(snapshot, row, 0), row);
  }
});

test('a removed document is removed for readers and writers in every process', async (t) => {
  const first = await createInstallation(t);
  const second = openInstallation(t, first.folder);
  const id = await createDocument(first.documents);
  const secondDocument = await openDocument(second.documents, id);
  await secondDocument.write(setValue(0, 0, 'x'));
  assert.deepEqual(await first.documents.remove(id, { after: [insertNote({ name: 'removed' })] }), { kind: 'removed' });
  assert.equal(await secondDocument.readSnapshot(), null);
  assert.deepEqual(await secondDocument.write(setValue(0, 0, 'y')), { kind: 'removed' });
  assert.equal(await second.documents.open(id), null);
  assert.deepEqual(await first.documents.remove(id), { kind: 'absent' });
  assert.deepEqual(await first.database.read(commitsOf({ id })), []);
  assert.deepEqual(await first.database.read(checkpointRevision({ id })), []);
  assert.deepEqual(await first.database.read(allNotes({})), [{ name: 'removed' }]);
});

test('a commit is not applied on top of another one with the same number', async (t) => {
  const { documents, database, folder } = await createInstallation(t);
  const id = await createDocument(documents);
  const other = await openDocument(documents, id);
  const [arrived, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let units = 0;
  // The first unit fails as on a full disk while a second unit waits behind it. The second unit reaches the database
  // later.
  const { documents: ownDocuments } = openInstallation(t, folder, (inner) => ({
    ...createFailingDatabase(inner, () => null),
    write: async (unit) => {
      units++;
      if (units === 1) {
        await arrived.promise;
        throw new StoreError('disk full', 'SQLITE_FULL');
      }
      arrived.resolve();
      await released.promise;
      return inner.write(unit);
    },
  }));
  const document = await openDocument(ownDocuments, id);
  const lost = document.write(setValue(0, 0, 'lost'));
  const second = document.write((head) =>
    createProposal([
      {
        kind: 'setValues',
        sheet: getFirstSheetId(head),
        row: 1,
        column: 0,
        values: [[head.sheets[0]?.name ?? 'none']],
        mode: 'raw',
      },
    ]),
  );
  await assert.rejects(lost);
  await other.write((head) => createProposal([{ kind: 'renameSheet', sheet: getFirstSheetId(head), name: 'Theirs' }]));
  released.resolve();
  assert.equal((await second).kind, 'written');
  const snapshot = await readSnapshot(document);
  assert.deepEqual([snapshot.revision, readValue(snapshot, 0, 0), readValue(snapshot, 1, 0)], [2, null, 'Theirs']);
  assert.equal((await database.readOne(documentById({ id })))?.revision, 2);
});

const dropLastCommit = prepareStatement((p: { id: string; revision: number }) =>
  sql.deleteFrom('commits').where('document_id', '=', p.id).where('revision', '=', p.revision),
);
const headOf = prepareQuery((p: { id: string; revision: number }) =>
  sql.selectFrom('commits').select('head').where('document_id', '=', p.id).where('revision', '=', p.revision),
);
const setRevision = prepareStatement((p: { id: string; revision: number; head: string }) =>
  sql.updateTable('documents').set({ revision: p.revision, head: p.head }).where('id', '=', p.id),
);

/** Removes the last commit, like the restore of an older copy of the database. */
async function revertTo(database: Database, id: string, revision: number): Promise<void> {
  const head = (await database.readOne(headOf({ id, revision })))?.head ?? '';
  const statements = [dropLastCommit({ id, revision: revision + 1 }), setRevision({ id, revision, head })];
  await database.write({ document: id, statements });
}

test('a process reads a document again if the history of its copy no longer exists', async (t) => {
  const first = await createInstallation(t);
  const id = await createDocument(first.documents);
  const document = await openDocument(first.documents, id);
  for (const [row, value] of ['a', 'b', 'lost'].entries()) await document.write(setValue(row, 0, value));
  await revertTo(first.database, id, 2);
  assert.equal((await readSnapshot(document)).revision, 2);
  const other = await openDocument(openInstallation(t, first.folder).documents, id);
  await document.write(setValue(2, 0, 'c'));
  assert.equal(readValue(await readSnapshot(other), 2, 0), 'c');
  await revertTo(first.database, id, 2);
  await other.write(setValue(2, 0, 'other'));
  const snapshot = await readSnapshot(document);
  assert.deepEqual([snapshot.revision, readValue(snapshot, 2, 0)], [3, 'other']);
});

test('a trial returns the changes without applying them', async (t) => {
  const { documents } = await createInstallation(t);
  const document = await openDocument(documents, await createDocument(documents));
  await document.write(setValue(0, 0, 1));
  await document.write(setValue(1, 0, '=A1*2'));
  const outcome = await document.write<never, Preview>((head) => ({
    kind: 'trial',
    edits: [{ kind: 'setValues', sheet: getFirstSheetId(head), row: 0, column: 0, values: [[5]], mode: 'user' }],
    author: AUTHOR,
    show: (preview) => preview,
  }));
  const previewedCells = outcome.kind === 'declined' ? outcome.reason.cells : [];
  assert.deepEqual(
    previewedCells.map(({ row, before, after, how }) => [row, before, after, how]),
    [
      [0, 1, 5, 'written'],
      [1, 2, 10, 'recalculated'],
    ],
  );
  const { revision } = await readSnapshot(document);
  assert.deepEqual([revision, readValue(await readSnapshot(document), 1, 0)], [2, 2]);
  await document.write(setValue(0, 0, 3));
  assert.equal(readValue(await readSnapshot(document), 1, 0), 6);
});
