import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Area, Edit } from '@cellwire/engine';
import type { Database } from '@cellwire/store';
import { readPartialState } from '../../src/documents/partial-state.ts';
import type { AreaLister, DocumentReading } from '../../src/documents/types.ts';
import { CHECKPOINT_ON_CLOSE_COMMITS } from '../../src/limits/documents.ts';
import { AREAS, COLUMNS, formatAreas, openInOneOfTwo, ROWS } from './large-document.ts';
import {
  createDocument,
  createFailingDatabase,
  createProposal,
  getFirstSheetId,
  type Installation,
  openDocument,
  openInstallation,
  setValue,
} from './support.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;
const MAX_BYTES = 1_000_000;
const UNKNOWN_ID = '00000000-0000-4000-8000-000000000000';

const listAreas =
  (areas: readonly Area[]): AreaLister =>
  (snapshot) =>
    areas.map((area) => ({ sheet: getFirstSheetId(snapshot), area }));

function readPart({ database, clock }: Installation, id: string, areas: readonly Area[], now = clock.now) {
  return readPartialState(database, id, { now, maxBytes: MAX_BYTES, listAreas: listAreas(areas) });
}

/** A database like a remote one: documents are open after all of their chunks were read. */
const withoutSnapshots = (database: Database): Database => ({
  ...createFailingDatabase(database, () => null),
  openSnapshot: null,
});

function assertSameCells(part: DocumentReading | null, whole: DocumentReading | null, areas = AREAS): void {
  assert.ok(part !== null && whole !== null);
  assert.equal(part.head, whole.head);
  assert.deepEqual(formatAreas(part.snapshot, areas), formatAreas(whole.snapshot, areas));
}

test('a part of a large document has the cells of the whole one, with the changes in the log', async (t) => {
  const { id, document, second } = await openInOneOfTwo(t);
  assertSameCells(await readPart(second, id, AREAS), await document.readLatest());
  const createEdits = (sheet: number): readonly Edit[] => [
    { kind: 'setValues', sheet, row: 255, column: 1, values: [['new'], [7]], mode: 'user' },
    { kind: 'setValues', sheet, row: 5, column: 4, values: [['=SUM(D2:D9)', '=TODAY()']], mode: 'user' },
    { kind: 'setValues', sheet, row: 20_000, column: 6, values: [[null]], mode: 'user' },
    { kind: 'setValues', sheet, row: ROWS + 600, column: 0, values: [['below']], mode: 'user' },
    { kind: 'moveCells', move: { kind: 'insert', sheet, axis: 'rows', at: ROWS - 20, count: 3 } },
  ];
  for (const i of createEdits(0).keys()) {
    await document.write((head) => createProposal([createEdits(getFirstSheetId(head))[i] as Edit]));
    const whole = await document.readLatest();
    const part = await readPart(second, id, AREAS);
    assertSameCells(part, whole);
    assert.deepEqual(part?.snapshot.names, whole?.snapshot.names);
  }
  assert.equal(
    await readPart(second, id, AREAS, second.clock.now + 2 * DAY_MS),
    null,
    'TODAY must be calculated again',
  );
});

test('a part of a large document knows the used size, and refuses to read other cells', async (t) => {
  const { id, document, second } = await openInOneOfTwo(t);
  const whole = await document.readLatest();
  const { clock, database } = second;
  const extents: unknown[] = [];
  const part = await readPartialState(database, id, {
    now: clock.now,
    maxBytes: MAX_BYTES,
    listAreas: (snapshot) => {
      const extent = snapshot.sheets[0]?.extent();
      extents.push(extent);
      return [];
    },
  });
  assert.deepEqual(extents, [whole?.snapshot.sheets[0]?.extent()]);
  assert.throws(() => part?.snapshot.sheets[0]?.value(12_345, 3), { code: 'MISSING_CHUNK' });
});

test('a document is opened instead if it is small, missing, or too much of it is needed', async (t) => {
  const { first, id } = await openInOneOfTwo(t);
  const small = await createDocument(first.documents);
  assert.equal(await readPart(first, small, AREAS), null);
  assert.equal(await readPart(first, UNKNOWN_ID, AREAS), null);
  assert.equal(await readPart(first, id, [{ top: 0, left: 0, bottom: ROWS, right: COLUMNS }]), null);
});

test('a reader never mixes chunks of two checkpoints', async (t) => {
  let readsLeft = Number.POSITIVE_INFINITY;
  let replaceCheckpoint = async (): Promise<void> => undefined;
  const wrap = (database: Database): Database => ({
    ...createFailingDatabase(database, () => null),
    readAll: async (queries) => {
      if (readsLeft-- === 0) await replaceCheckpoint();
      return database.readAll(queries);
    },
  });
  const { first, id, document, second } = await openInOneOfTwo(t, wrap);
  replaceCheckpoint = async () => {
    const writer = openInstallation(t, first.folder);
    const open = await openDocument(writer.documents, id);
    for (let row = 250; row < 250 + CHECKPOINT_ON_CLOSE_COMMITS; row++)
      await open.write(setValue(row, 2, `before read ${readsLeft} of ${row}`));
    await writer.documents.close();
  };
  const outcomes: boolean[] = [];
  for (let isReplaced = true; isReplaced; ) {
    readsLeft = outcomes.length;
    const part = await readPart(second, id, AREAS);
    outcomes.push(part !== null);
    isReplaced = readsLeft < 0;
    if (part !== null) assertSameCells(part, await document.readLatest());
  }
  // Before the sizes, before the state, before each of the other reads, and after the last one.
  assert.deepEqual(outcomes, [true, true, ...Array.from({ length: 9 }, () => false), true]);
});

test('readers of areas are answered before the document is open, and it is opened for later ones', async (t) => {
  const { id, document, second } = await openInOneOfTwo(t, withoutSnapshots);
  const part = await second.documents.readAreas(id, null, listAreas(AREAS));
  assert.equal(second.documents.isOpen(id), false);
  assertSameCells(part, await document.readLatest());
  const opened = await openDocument(second.documents, id);
  assert.equal(second.documents.isOpen(id), true);
  assert.deepEqual(await second.documents.readAreas(id, null, listAreas(AREAS)), await opened.readLatest());
  assert.equal(await second.documents.readAreas(UNKNOWN_ID, null, listAreas(AREAS)), null);
});

test('closing waits for an opening in the background, also if it fails', async (t) => {
  const { id, second } = await openInOneOfTwo(t, withoutSnapshots);
  // The checksum of a chunk contains its position.
  const sql = 'update chunks set block = 300 where document_id = ? and column_index = 3 and block = 100';
  const unit = { document: id, statements: [{ sql, parameters: [id] }] };
  assert.equal((await second.database.write(unit)).kind, 'committed');
  assert.ok((await second.documents.readAreas(id, null, listAreas(AREAS.slice(0, 1)))) !== null);
  await second.documents.close();
  assert.match(String((second.errors[0] as { error: unknown }).error), /is damaged/);
});
