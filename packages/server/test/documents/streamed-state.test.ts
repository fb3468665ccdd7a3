import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Edit, exportData, type Snapshot } from '@cellwire/engine';
import { readStreamedState } from '../../src/documents/streamed-state.ts';
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

/** Creates a document whose stored cells exceed the size that is read into memory for a scan. */
async function createLargeDocument(documents: Documents): Promise<string> {
  const cells = Array.from({ length: ROWS * COLUMNS }, (_, i) => {
    const [row, column] = [Math.floor(i / COLUMNS), i % COLUMNS];
    return { row, column, value: row === 0 ? `column ${column}` : i / 7 };
  });
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

test('a large document is streamed with its cells in a file, including commits after its checkpoint', async (t) => {
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
  assert.ok(streamed && existsSync(path));
  assert.equal(streamed.head, open.head);
  assert.deepEqual(exportSheets(streamed.snapshot), exportSheets(open.snapshot));
  assert.equal(second.documents.collectMetrics().open, 0);
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
