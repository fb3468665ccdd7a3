import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { StoreError } from '@cellwire/store';
import { documentById } from '@cellwire/store/documents';
import { prepareQuery } from '../../../store/src/database/database.ts';
import { sql } from '../../../store/src/database/dialect.ts';
import { Interruption } from '../../../store/test/interruption.ts';
import { MAX_NEW_DAY_READERS, NEW_DAY_WAIT_MS } from '../../src/limits/open-documents.ts';
import {
  addOwner,
  createDocument,
  createFailingDatabase,
  createInstallation,
  createTemporaryFolder,
  openDocument,
  openInstallation,
  readSnapshot,
  setValue,
} from './support.ts';

const HOUR = 60 * 60 * 1000;

const commitsOf = prepareQuery((p: { id: string }) =>
  sql.selectFrom('commits').select(['origin', 'author_id']).where('document_id', '=', p.id).orderBy('revision'),
);

test('the first read of a new day in the zone recalculates, as a commit without author', async (t) => {
  const { documents, database, clock } = await createInstallation(t);
  clock.now = Date.UTC(2026, 0, 10, 20, 0);
  const id = await createDocument(documents, 'Europe/Moscow');
  const document = await openDocument(documents, id);
  await document.write(setValue(0, 0, '=TODAY()'));
  clock.now = Date.UTC(2026, 0, 10, 20, 59, 59);
  assert.equal((await readSnapshot(document)).revision, 1);
  clock.now = Date.UTC(2026, 0, 10, 21, 0);
  const [a, b] = await Promise.all([readSnapshot(document), readSnapshot(document)]);
  assert.deepEqual([a.revision, b.revision], [2, 2]);
  clock.now += HOUR;
  assert.equal((await readSnapshot(document)).revision, 2);
  const commits = await database.read(commitsOf({ id }));
  assert.deepEqual(
    commits.map(({ origin, author_id }) => [origin, author_id]),
    [
      ['api', 1],
      ['clock', null],
    ],
  );
  const row = await database.readOne(documentById({ id }));
  assert.equal(row?.updated_at, Date.UTC(2026, 0, 10, 20, 0), 'no user has changed the document');
});

test('machines whose clocks are an hour apart keep the later day', async (t) => {
  const { documents, clock } = await createInstallation(t);
  const [before, after] = [23.5 * HOUR, 24.5 * HOUR];
  clock.now = before;
  const document = await openDocument(documents, await createDocument(documents));
  await document.write(setValue(0, 0, '=TODAY()'));
  for (const now of [after, before, after, before]) {
    clock.now = now;
    assert.equal((await readSnapshot(document)).revision, 2);
  }
});

test('a document without clock functions is never recalculated by a reader', async (t) => {
  const { documents, clock } = await createInstallation(t);
  const document = await openDocument(documents, await createDocument(documents));
  await document.write(setValue(0, 0, 'x'));
  clock.now = 10 * 24 * HOUR;
  assert.equal((await readSnapshot(document)).revision, 1);
});

test('readers get the previous day if the new day cannot be written', async (t) => {
  let failure: Error | null = null;
  const folder = createTemporaryFolder(t);
  const { documents, database, clock, errors } = openInstallation(t, folder, (inner) =>
    createFailingDatabase(inner, () => failure),
  );
  await addOwner(database);
  const document = await openDocument(documents, await createDocument(documents));
  await document.write(setValue(0, 0, '=TODAY()'));
  clock.now = 25 * HOUR;
  failure = new StoreError('disk full', 'SQLITE_FULL');
  assert.equal((await readSnapshot(document)).revision, 1);
  assert.equal((await readSnapshot(document)).revision, 1);
  assert.equal(errors.length, 1, 'not tried again at every read');
  failure = null;
  clock.now = 26 * HOUR;
  assert.equal((await readSnapshot(document)).revision, 2);
});

/**
 * Starts a document of the previous day. After a read, `calculated` resolves, and `release` lets the recalculation be
 * stored.
 */
async function startSlowNewDay(t: TestContext) {
  const interruption = new Interruption();
  const { documents, database, clock } = openInstallation(t, createTemporaryFolder(t), interruption.wrap);
  await addOwner(database);
  const document = await openDocument(documents, await createDocument(documents));
  await document.write(setValue(0, 0, '=TODAY()'));
  clock.now = 25 * HOUR;
  const { promise: gate, resolve: release } = Promise.withResolvers<void>();
  const { promise: calculated, resolve: markCalculated } = Promise.withResolvers<void>();
  interruption.beforeCommit(() => {
    markCalculated();
    return gate;
  });
  return { document, calculated, release };
}

const OVERLOADED = { code: 'OVERLOADED' };

test('a bounded number of readers waits for a new day; further readers are refused', async (t) => {
  const { document, release } = await startSlowNewDay(t);
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const reads = Array.from({ length: MAX_NEW_DAY_READERS + 1 }, () => readSnapshot(document));
  await Promise.race(reads.map((reader) => assert.rejects(reader, OVERLOADED)));
  release();
  const revisionsRead = (await Promise.allSettled(reads)).flatMap((one) =>
    one.status === 'fulfilled' ? [one.value.revision] : [],
  );
  assert.deepEqual(revisionsRead, Array(MAX_NEW_DAY_READERS).fill(2));
  assert.equal((await readSnapshot(document)).revision, 2);
});

test('readers stop waiting for a slow new day, which is still written', async (t) => {
  const { document, calculated, release } = await startSlowNewDay(t);
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const readers = [readSnapshot(document), readSnapshot(document)];
  const refused = Promise.all(readers.map((reader) => assert.rejects(reader, OVERLOADED)));
  // Before this point, the read waits for the database, which has its own time limit.
  await calculated;
  let isRefused = false;
  void refused.then(() => (isRefused = true));
  while (!isRefused) {
    await new Promise(setImmediate);
    t.mock.timers.tick(NEW_DAY_WAIT_MS);
  }
  await refused;
  const lateRead = readSnapshot(document);
  release();
  assert.equal((await lateRead).revision, 2);
});
