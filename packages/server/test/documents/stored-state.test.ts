import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Edit } from '@cellwire/engine';
import type { Database } from '@cellwire/store';
import { WITH_FOLDER } from '../../../store/test/postgres/folder-databases.ts';
import { openStoredState } from '../../src/documents/stored-state.ts';
import { CHECKPOINT_ON_CLOSE_COMMITS } from '../../src/limits/documents.ts';
import { AREAS, CELLS, COLUMNS, formatAreas, openInOneOfTwo, ROWS } from './large-document.ts';
import {
  createDocument,
  createFailingDatabase,
  createProposal,
  getFirstSheetId,
  openDocument,
  openInstallation,
  readSnapshot,
  readValue,
  setValue,
} from './support.ts';

const UNKNOWN_ID = '00000000-0000-4000-8000-000000000000';
const failTest = (error: unknown): never => assert.fail(String(error));

const listEdits = (sheet: number): readonly Edit[] => [
  { kind: 'setValues', sheet, row: 255, column: 1, values: [['new'], [7]], mode: 'user' },
  { kind: 'setValues', sheet, row: 5, column: 4, values: [['=SUM(D2:D9)', '=COUNT(A:H)']], mode: 'user' },
  { kind: 'setValues', sheet, row: 20_000, column: 6, values: [[null]], mode: 'user' },
  { kind: 'append', sheet, column: 0, values: [['below']], mode: 'user' },
  { kind: 'moveCells', move: { kind: 'insert', sheet, axis: 'rows', at: ROWS - 20, count: 3 } },
  { kind: 'moveCells', move: { kind: 'delete', sheet, axis: 'rows', at: 700, count: 1 } },
];

/** Moves a chunk to another block. The checksum of a chunk contains its position. */
async function moveChunk(database: Database, document: string, from: number, to: number): Promise<void> {
  const sql = 'update chunks set block = ? where document_id = ? and column_index = 3 and block = ?';
  const unit = { document, statements: [{ sql, parameters: [to, document, from] }] };
  assert.equal((await database.write(unit)).kind, 'committed');
}

test('a large document is written to before its chunks are read, with the same results', WITH_FOLDER, async (t) => {
  const { id, document, second } = await openInOneOfTwo(t);
  for (const i of listEdits(0).keys()) {
    const propose = (head: Parameters<typeof getFirstSheetId>[0]) =>
      createProposal([listEdits(getFirstSheetId(head))[i] as Edit]);
    // The other process opens the document for each edit, so that its log contains all edits before.
    const fresh = openInstallation(t, second.folder);
    const opened = await openDocument(fresh.documents, id);
    const outcome = await opened.write(propose);
    assert.equal(outcome.kind, 'written');
    const expected = formatAreas(await readSnapshot(document), AREAS);
    assert.deepEqual(formatAreas(await readSnapshot(opened), AREAS), expected);
    assert.deepEqual(
      (await readSnapshot(opened)).sheets[0]?.extent(),
      (await readSnapshot(document)).sheets[0]?.extent(),
    );
    await fresh.documents.close();
    assert.deepEqual(fresh.errors, []);
  }
});

test('chunks come from the moment of the opening, also after another checkpoint', WITH_FOLDER, async (t) => {
  const { first, id, document, second } = await openInOneOfTwo(t);
  const before = formatAreas(await readSnapshot(document), AREAS);
  const opened = openStoredState(second.database, id, failTest);
  assert.ok(opened !== null);
  const writer = openInstallation(t, first.folder);
  const open = await openDocument(writer.documents, id);
  for (let row = 250; row < 250 + CHECKPOINT_ON_CLOSE_COMMITS; row++) await open.write(setValue(row, 2, 'changed'));
  await writer.documents.close();
  const { snapshot } = opened.loaded.state;
  assert.deepEqual(formatAreas(snapshot, AREAS), before);
  await opened.chunks.readInBackground();
  assert.equal(opened.chunks.isReading, false);
  assert.deepEqual(formatAreas(snapshot, AREAS), before);
  assert.equal(readValue(await readSnapshot(document), 250, 2), 'changed');
});

test('cells that are not in memory cannot be read after the end of reading', WITH_FOLDER, async (t) => {
  const { id, second } = await openInOneOfTwo(t);
  const opened = openStoredState(second.database, id, failTest);
  const { snapshot } = opened?.loaded.state ?? {};
  assert.equal(snapshot?.sheets[0]?.value(12_345, 3), (12_345 * COLUMNS + 3) / 8);
  opened?.chunks.close();
  assert.equal(snapshot?.sheets[0]?.value(12_345, 3), (12_345 * COLUMNS + 3) / 8);
  assert.throws(() => snapshot?.sheets[0]?.value(54_321, 3), { code: 'CLOSED' });
});

test('a document is read whole if it is small or missing, or if the database is remote', WITH_FOLDER, async (t) => {
  const { first, id } = await openInOneOfTwo(t);
  const small = await createDocument(first.documents);
  const remote = openInstallation(t, first.folder, (database) => ({
    ...createFailingDatabase(database, () => null),
    openSnapshot: null,
  }));
  assert.equal(openStoredState(remote.database, id, failTest), null);
  assert.equal(openStoredState(first.database, UNKNOWN_ID, failTest), null);
  assert.equal(await first.documents.open(UNKNOWN_ID), null);
  assert.equal(readValue(await readSnapshot(await openDocument(remote.documents, id)), 1, 1), (COLUMNS + 1) / 8);
  assert.equal(readValue(await readSnapshot(await openDocument(remote.documents, small)), 1, 1), null);
});

test('memory of chunks counts when they are in memory', WITH_FOLDER, async (t) => {
  const { id, second } = await openInOneOfTwo(t);
  const document = await openDocument(second.documents, id);
  const { bytes } = second.documents.collectMetrics();
  // The memory is measured again some time after a change.
  while (second.documents.collectMetrics().bytes < bytes + CELLS.length * 8) await document.write(setValue(0, 0, 'x'));
});

test('after a chunk was found damaged, the document is refused until it is repaired', WITH_FOLDER, async (t) => {
  const { id, second } = await openInOneOfTwo(t);
  await moveChunk(second.database, id, 100, 300);
  const document = await openDocument(second.documents, id);
  const snapshot = await readSnapshot(document);
  assert.equal(readValue(snapshot, 1, 3), (COLUMNS + 3) / 8);
  assert.throws(() => readValue(snapshot, 300 * 256, 3), { code: 'DAMAGED_DOCUMENT' });
  assert.equal(second.documents.isOpen(id), false);
  await assert.rejects(async () => openDocument(second.documents, id), { code: 'DAMAGED_DOCUMENT' });
  assert.match(String((second.errors[0] as { error: unknown }).error), /is damaged/);
  await moveChunk(second.database, id, 300, 100);
  const repaired = await openDocument(second.documents, id);
  assert.equal(readValue(await readSnapshot(repaired), 100 * 256, 3), (100 * 256 * COLUMNS + 3) / 8);
  assert.equal(second.errors.length, 1);
});

test('damage is found in the background, and a write that needs the chunk fails', WITH_FOLDER, async (t) => {
  const { id, second } = await openInOneOfTwo(t);
  await moveChunk(second.database, id, 100, 300);
  const opened = openStoredState(second.database, id, () => found.push('damage'));
  const found: string[] = [];
  await opened?.chunks.readInBackground();
  assert.deepEqual(found, ['damage']);
  const document = await openDocument(second.documents, id);
  await assert.rejects(document.write(setValue(300 * 256, 3, 'x')), { code: 'DAMAGED_DOCUMENT' });
});
