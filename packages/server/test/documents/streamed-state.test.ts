import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { type CellData, type Edit, exportData, type Snapshot } from '@cellwire/engine';
import { isLarge, readStreamedState } from '../../src/documents/streamed-state.ts';
import type { Documents } from '../../src/documents/types.ts';
import {
  createDocument,
  createInstallation,
  createProposal,
  getFirstSheetId,
  openDocument,
  openInstallation,
  SETTINGS,
} from './support.ts';

const COLUMNS = 12;
const ROWS = 50_000;
const DAY_MS = 24 * 60 * 60 * 1_000;

/** Cells of a document whose stored cells exceed the size that is read into memory for a scan. */
const MANY_CELLS: readonly CellData[] = Array.from({ length: ROWS * COLUMNS }, (_, i) => {
  const [row, column] = [Math.floor(i / COLUMNS), i % COLUMNS];
  return { row, column, value: row === 0 ? `column ${column}` : i / 7 };
});

async function createLargeDocument(documents: Documents, cells = MANY_CELLS): Promise<string> {
  const emptySheet = {
    name: 'Large',
    hidden: false,
    color: null,
    hiddenRows: [],
    columnFormats: new Map<number, string>(),
  };
  const data = { settings: SETTINGS, names: [], tables: [], sheets: [{ ...emptySheet, cells }] };
  const document = { ownerId: 1, title: 'T', type: 'table', format: 'collaborative' } as const;
  const created = await documents.create({ ...document, content: { kind: 'data', data } });
  if (created.kind !== 'created') throw new Error(JSON.stringify(created));
  return created.id;
}

function exportSheets(snapshot: Snapshot) {
  return exportData(snapshot).sheets.map(({ name, cells }) => ({ name, cells: [...cells] }));
}

test('a large document is streamed from the database, including commits after its checkpoint', async (t) => {
  const first = await createInstallation(t);
  const id = await createLargeDocument(first.documents);
  const document = await openDocument(first.documents, id);
  const createEdits = (sheet: number): Edit[] => [
    { kind: 'setValues', sheet, row: 300, column: 1, values: [['new']], mode: 'user' },
    { kind: 'setValues', sheet, row: ROWS, column: 0, values: [['=SUM(A2:A9)', 'below']], mode: 'user' },
    { kind: 'moveCells', move: { kind: 'insert', sheet, axis: 'rows', at: 700, count: 3 } },
    { kind: 'setValues', sheet, row: 40_000, column: 11, values: [[null]], mode: 'user' },
    { kind: 'setValues', sheet, row: ROWS, column: 5, values: [['=TODAY()']], mode: 'user' },
  ];
  for (const i of createEdits(0).keys()) {
    const written = await document.write((head) => createProposal([createEdits(getFirstSheetId(head))[i] as Edit]));
    assert.equal(written.kind, 'written');
  }
  const open = await document.readLatest();
  assert.ok(open);
  assert.equal(await first.documents.shouldStream(id), false, 'an open one is taken as it is');
  const second = openInstallation(t, first.folder);
  assert.equal(await second.documents.shouldStream(id), true);
  const path = join(first.folder, 'cells');
  const { now } = second.clock;
  assert.equal(
    await readStreamedState(second.database, id, { path, now: now + 2 * DAY_MS }),
    null,
    'TODAY has to be calculated again',
  );
  const streamed = await readStreamedState(second.database, id, { path, now });
  assert.ok(streamed);
  assert.equal(existsSync(path), second.database.openSnapshot === null, 'only a remote database needs a file');
  assert.equal(streamed.head, open.head);
  assert.deepEqual(exportSheets(streamed.snapshot), exportSheets(open.snapshot));
  assert.equal(second.documents.collectMetrics().open, 0);
  streamed.close();
});

test('a streamed state keeps its cells if the document is changed or deleted meanwhile', async (t) => {
  const { documents, database, folder, clock } = await createInstallation(t);
  const id = await createLargeDocument(documents);
  const streamed = await readStreamedState(database, id, { path: join(folder, 'cells'), now: clock.now });
  assert.ok(streamed);
  const document = await openDocument(documents, id);
  await document.write((head) => {
    const edit = { kind: 'setValues', sheet: getFirstSheetId(head), row: 40_000, column: 3, mode: 'user' } as const;
    return createProposal([{ ...edit, values: [['changed']] }]);
  });
  await documents.remove(id);
  const cells = exportSheets(streamed.snapshot)[0]?.cells.map(({ row, column, value }) => ({ row, column, value }));
  assert.deepEqual(cells, MANY_CELLS);
  streamed.close();
});

test('a large document with few cells in many blocks is streamed from a file', async (t) => {
  const { documents, database, folder, clock } = await createInstallation(t);
  const cells = Array.from({ length: 2_100 }, (_, column) => ({ row: 900_000 + (column % 7), column, value: column }));
  const id = await createLargeDocument(documents, cells);
  assert.equal(await isLarge(database, id), true);
  const path = join(folder, 'cells');
  const streamed = await readStreamedState(database, id, { path, now: clock.now });
  assert.ok(streamed && existsSync(path));
  const read = exportSheets(streamed.snapshot)[0]?.cells.map(({ row, column, value }) => ({ row, column, value }));
  assert.deepEqual(
    read?.sort((a, b) => a.column - b.column),
    cells,
  );
  streamed.close();
});

test('a small document is opened instead, and a missing one is not streamed', async (t) => {
  const { documents, database, folder, clock } = await createInstallation(t);
  const id = await createDocument(documents);
  assert.equal(await documents.shouldStream(id), false);
  const nowhere = '00000000-0000-4000-8000-000000000000';
  assert.equal(await documents.shouldStream(nowhere), false);
  assert.equal(await readStreamedState(database, nowhere, { path: join(folder, 'cells'), now: clock.now }), null);
});
