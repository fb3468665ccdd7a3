import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { CHUNK_ROWS, cellView, type Edit, type Scalar } from '@cellwire/engine';
import { type Database, StoreError } from '@cellwire/store';
import { checkpointOf, checkpointRevision, chunkSheets } from '@cellwire/store/documents';
import { getStoreLocation } from '../../../store/test/postgres/folder-databases.ts';
import { CalculationPool } from '../../src/documents/calculation/pool.ts';
import { loadDocument, readDocument } from '../../src/documents/load-state.ts';
import type { Documents, OpenDocument } from '../../src/documents/types.ts';
import { INLINE_LOAD_BYTES } from '../../src/limits/calculation.ts';
import { CHECKPOINT_ON_CLOSE_COMMITS } from '../../src/limits/documents.ts';
import { CHUNK_PAGE_BYTES, CHUNK_PAGE_ROWS } from '../../src/limits/open-documents.ts';
import { storeAsLaterVersion } from './later-version.ts';
import {
  CHECKPOINT_COMMITS,
  createDocument,
  createFailingDatabase,
  createInstallation,
  createProposal,
  getFirstSheetId,
  NOTHING_INLINE,
  openDocument,
  openInstallation,
  readSnapshot,
  readValue,
  SETTINGS,
  setValue,
} from './support.ts';

/** The number of commits that a checkpoint at a clean shutdown requires. */
async function writeCommits(document: OpenDocument, count = CHECKPOINT_ON_CLOSE_COMMITS): Promise<void> {
  await Promise.all(Array.from({ length: count }, (_, i) => document.write(setValue(i % 300, 5, i))));
}

/** Records the number of chunks in each saved checkpoint. */
function countSavedChunks(database: Database, savedChunkCounts: number[]): Database {
  return {
    ...createFailingDatabase(database, () => null),
    write: async (unit) => {
      const outcome = await database.write(unit);
      const replaces = unit.statements.some(({ sql: text }) => text.startsWith('update "checkpoints"'));
      if (replaces && outcome.kind === 'committed') {
        savedChunkCounts.push(unit.statements.filter(({ sql: text }) => text.includes('"chunks"')).length);
      }
      return outcome;
    },
  };
}

test('a long log is folded into a checkpoint in the background', async (t) => {
  const { documents, database, errors, folder } = await createInstallation(t);
  const id = await createDocument(documents);
  const document = await openDocument(documents, id);
  const count = CHECKPOINT_COMMITS + 20;
  await Promise.all(Array.from({ length: count }, (_, i) => document.write(setValue(i, i % 3, i))));
  await documents.close();
  const savedChunkCounts = await database.readOne(checkpointRevision({ id }));
  assert.ok((savedChunkCounts?.revision ?? 0) >= CHECKPOINT_COMMITS);
  assert.deepEqual(errors, []);
  const snapshot = await readSnapshot(await openDocument(openInstallation(t, folder).documents, id));
  assert.equal(snapshot.revision, count);
  for (let i = 0; i < count; i++) assert.equal(readValue(snapshot, i, i % 3), i);
});

test('a version never overwrites data of a later version that it cannot read', async (t) => {
  const { documents, database, errors, folder } = await createInstallation(t);
  const id = await createDocument(documents);
  const document = await openDocument(documents, id);
  await document.write(setValue(0, 0, 1));
  const restarted = await storeAsLaterVersion(database, id, 1);
  const readStoredRevision = async () => (await database.readOne(checkpointOf({ id })))?.revision;
  while (errors.length === 0 && (await readStoredRevision()) === 1) await writeCommits(document, CHECKPOINT_COMMITS);
  await documents.close();
  assert.deepEqual((await database.readOne(checkpointOf({ id })))?.meta, restarted);
  assert.match(inspect(errors), /stored document has version 9/);
  const pool = new CalculationPool(1, NOTHING_INLINE);
  t.after(() => pool.close());
  for (const threads of [{}, { threads: { pool, store: getStoreLocation(folder) } }]) {
    await assert.rejects(loadDocument({ database, ...threads }, id), { code: 'LATER_FORM' });
  }
});

test('a document stays complete if two processes save its checkpoints', async (t) => {
  const first = await createInstallation(t);
  const second = openInstallation(t, first.folder);
  const id = await createDocument(first.documents);
  const sides = [await openDocument(first.documents, id), await openDocument(second.documents, id)] as const;
  for (let round = 0; round < 3; round++) {
    for (const side of sides) {
      await Promise.all(
        Array.from({ length: CHECKPOINT_COMMITS }, (_, i) => side.write(setValue(i, round, i + round))),
      );
    }
  }
  await first.documents.close();
  await second.documents.close();
  const snapshot = await readSnapshot(await openDocument(openInstallation(t, first.folder).documents, id));
  assert.equal(snapshot.revision, 6 * CHECKPOINT_COMMITS);
  for (let i = 0; i < CHECKPOINT_COMMITS; i++) {
    for (let round = 0; round < 3; round++) assert.equal(readValue(snapshot, i, round), i + round);
  }
});

/** Creates a document of one sheet with a value in each cell of some columns. */
async function createFilledDocument(documents: Documents, columns: number, rows: number, value: (i: number) => Scalar) {
  const cells = Array.from({ length: columns * rows }, (_, i) => {
    return { row: Math.floor(i / columns), column: i % columns, value: value(i) };
  });
  const plain = { hidden: false, color: null, hiddenRows: [], columnFormats: new Map<number, string>() };
  const data = { settings: SETTINGS, names: [], tables: [], sheets: [{ ...plain, name: 'Filled', cells }] };
  const document = { ownerId: 1, title: 'T', type: 'table', format: 'collaborative' } as const;
  const created = await documents.create({ ...document, content: { kind: 'data', data } });
  assert.ok(created.kind === 'created');
  return created.id;
}

test('cells are read without a thread, however many', async (t) => {
  const { documents, database } = await createInstallation(t);
  const rows = 4 * CHUNK_ROWS;
  const columns = Math.ceil(INLINE_LOAD_BYTES / (8 * rows)) + 1;
  const id = await createFilledDocument(documents, columns, rows, (i) => i / 7);
  const pool = new CalculationPool(1);
  t.after(() => pool.close());
  const loaded = await loadDocument({ database, threads: { pool, store: { kind: 'sqlite', folder: '/nowhere' } } }, id);
  assert.ok(loaded);
  assert.equal(readValue(loaded.state.snapshot, rows - 1, columns - 1), (rows * columns - 1) / 7);
});

test('long texts are read a few at a time', async (t) => {
  const { documents, database } = await createInstallation(t);
  const text = 'long'.repeat(5_000);
  const id = await createFilledDocument(documents, 12, 30, (i) => (i % 12 < 6 ? text : i));
  const parts: (readonly Uint8Array[])[] = [];
  const watched: Pick<Database, 'readAll'> = {
    readAll: async (queries) => {
      const answers = await database.readAll(queries);
      const rows = (answers as readonly (readonly object[])[]).flat();
      const chunks = rows.flatMap((row) => ('block' in row && 'bytes' in row ? [row.bytes] : []));
      parts.push(chunks.filter((bytes) => bytes instanceof Uint8Array));
      return answers;
    },
  };
  const loaded = await readDocument(watched, id);
  assert.ok(loaded);
  assert.equal(readValue(loaded.state.snapshot, 29, 5), text);
  assert.equal(parts.flat().length, 12);
  for (const part of parts) {
    const bytes = part.reduce((sum, { length }) => sum + length, 0);
    assert.ok(part.length <= 1 || bytes <= CHUNK_PAGE_BYTES, `${bytes} bytes at once`);
  }
});

test('a document of many chunks is read in pages, and again if the checkpoint is replaced during it', async (t) => {
  const { documents, database } = await createInstallation(t);
  const columns = CHUNK_PAGE_ROWS + 100;
  const id = await createFilledDocument(documents, columns, 1, (column) => column);
  let reads = 0;
  const changed: Pick<Database, 'readAll'> = {
    readAll: async (queries) => {
      if (++reads === 2) {
        const otherDocument = await openDocument(documents, id);
        await otherDocument.write(setValue(0, columns - 1, 'new'));
        await writeCommits(otherDocument);
        await documents.close();
      }
      return database.readAll(queries);
    },
  };
  const loaded = await readDocument(changed, id);
  assert.ok(loaded);
  const { snapshot } = loaded.state;
  assert.deepEqual(
    [0, 1, columns - 2, columns - 1].map((column) => readValue(snapshot, 0, column)),
    [0, 1, columns - 2, 'new'],
  );
  assert.equal(snapshot.revision, 1 + CHECKPOINT_ON_CLOSE_COMMITS);
  assert.deepEqual(loaded.stored.checkpointRevision, snapshot.revision);
  assert.equal(reads, 5, 'what it begins with and a part of another checkpoint, then that and two parts');
});

test('number formats survive checkpoints of processes that learned them in another order', async (t) => {
  let failing: Error | null = null;
  const first = await createInstallation(t);
  const ownInstallation = openInstallation(t, first.folder, (inner) => createFailingDatabase(inner, () => failing));
  const id = await createDocument(first.documents);
  const ownDocument = await openDocument(ownInstallation.documents, id);
  failing = new StoreError('disk full', 'SQLITE_FULL');
  await assert.rejects(ownDocument.write(setValue(9, 0, '12,5%')), 'a format that only this process has seen');
  failing = null;
  const otherDocument = await openDocument(first.documents, id);
  await otherDocument.write(setValue(0, 0, '31.12.2026'));
  await writeCommits(otherDocument);
  await first.documents.close();
  await ownDocument.write(setValue(300, 0, '12,5%'));
  await writeCommits(ownDocument, 2 * CHECKPOINT_COMMITS);
  await ownInstallation.documents.close();
  const snapshot = await readSnapshot(await openDocument(openInstallation(t, first.folder).documents, id));
  const sheet = getFirstSheetId(snapshot);
  assert.equal(cellView(snapshot, sheet, 0, 0)?.m, '31.12.2026');
  assert.equal(cellView(snapshot, sheet, 0, 0)?.t, 'd');
  assert.equal(cellView(snapshot, sheet, 300, 0)?.m, '12,50%', 'two decimals, as spreadsheets do');
});

test('a process continues from the checkpoint of another and writes only the chunks changed since', async (t) => {
  const first = await createInstallation(t);
  const id = await createDocument(first.documents);
  const savedChunkCounts: number[] = [];
  const ownInstallation = openInstallation(t, first.folder, (inner) => countSavedChunks(inner, savedChunkCounts));
  const ownDocument = await openDocument(ownInstallation.documents, id);
  const otherDocument = await openDocument(first.documents, id);
  await Promise.all(
    Array.from({ length: 40 }, (_, column) => otherDocument.write(setValue(0, column, `${column},5%`))),
  );
  await writeCommits(otherDocument);
  await first.documents.close();
  // The first attempt conflicts with the checkpoint of the other process. The commits write cells of two chunks.
  while (savedChunkCounts.length === 0) await writeCommits(ownDocument);
  assert.deepEqual(ownInstallation.errors, []);
  assert.ok((savedChunkCounts[0] ?? 0) <= 2, `${savedChunkCounts[0]} chunks`);
  await ownInstallation.documents.close();
  const snapshot = await readSnapshot(await openDocument(openInstallation(t, first.folder).documents, id));
  for (let column = 6; column < 40; column++) {
    assert.equal(cellView(snapshot, getFirstSheetId(snapshot), 0, column)?.m, `${column},50%`);
  }
});

test('a deleted sheet leaves the store with the next checkpoint', async (t) => {
  const { documents, database, folder } = await createInstallation(t);
  const id = await createDocument(documents);
  const document = await openDocument(documents, id);
  await document.write(() => createProposal([{ kind: 'addSheet', name: 'Second' }]));
  const second = (await readSnapshot(document)).sheetByName('Second')?.id ?? 0;
  await document.write(() =>
    createProposal([
      { kind: 'setValues', sheet: second, row: 0, column: 0, values: [['x']], mode: 'raw' },
    ] satisfies Edit[]),
  );
  await writeCommits(document);
  await documents.close();
  assert.equal((await database.read(chunkSheets({ id }))).length, 2);
  const restarted = openInstallation(t, folder);
  const reopened = await openDocument(restarted.documents, id);
  await reopened.write(() => createProposal([{ kind: 'deleteSheet', sheet: second }]));
  await writeCommits(reopened);
  await restarted.documents.close();
  assert.deepEqual(
    (await database.read(chunkSheets({ id }))).map(({ sheet_id }) => sheet_id),
    [getFirstSheetId(await readSnapshot(reopened))],
  );
});

test('a document whose checkpoint fails is restored from its log', async (t) => {
  let failing: Error | null = null;
  const first = await createInstallation(t);
  const id = await createDocument(first.documents);
  const ownInstallation = openInstallation(t, first.folder, (inner) => createFailingDatabase(inner, () => failing));
  await writeCommits(await openDocument(ownInstallation.documents, id));
  failing = new StoreError('disk full', 'SQLITE_FULL');
  await ownInstallation.documents.close();
  assert.equal(ownInstallation.errors.length, 1);
  const snapshot = await readSnapshot(await openDocument(first.documents, id));
  assert.equal(snapshot.revision, CHECKPOINT_ON_CLOSE_COMMITS);
});
