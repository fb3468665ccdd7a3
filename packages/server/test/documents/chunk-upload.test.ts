import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { StoreError } from '@cellwire/store';
import { prepareDocument } from '../../src/service/document/job-tasks.ts';
import { isRefusal } from '../../src/service/refusal.ts';
import {
  addOwner,
  createFailingDatabase,
  createInstallation,
  createTemporaryFolder,
  type Installation,
  openDocument,
  openInstallation,
  readSnapshot,
  readValue,
  rowCounts,
} from './support.ts';

/** The chunks of these rows fill two transactions. */
const ROWS = 120_000;
const COLUMNS = 8;

const NOTHING = { chunks: 0, checkpoints: 0, documents: 0, unfinished: 0 };

/** The number of a cell. It needs eight bytes in a chunk. */
function computeNumber(row: number, column: number): number {
  return (row * COLUMNS + column) / 7;
}

/** Writes a file of numbers whose last line makes the first column a column of texts. */
function writeNumbers(t: TestContext): string {
  const path = join(createTemporaryFolder(t), 'large.csv');
  const lines = Array.from({ length: ROWS }, (_, row) =>
    Array.from({ length: COLUMNS }, (_column, column) => computeNumber(row, column)).join(','),
  );
  writeFileSync(path, `${[...lines, '007'].join('\n')}\n`);
  return path;
}

/** Writes a file of long texts, whose chunks fill two transactions with fewer rows, with `lastLine` after them. */
function writeTexts(t: TestContext, lastLine = ''): string {
  const path = join(createTemporaryFolder(t), 'texts.csv');
  const lines = Array.from({ length: 10_000 }, (_, row) => `${`${row},`.repeat(2)}${row}`.padEnd(1_000, 'x'));
  writeFileSync(path, `${[...lines, lastLine].join('\n')}\n`);
  return path;
}

/** Imports a file as a command does. Resolves to the id of the document; null if the file is refused. */
async function importFile({ documents }: Installation, path: string): Promise<string | null> {
  const upload = documents.startUpload();
  try {
    const options = { locale: 'en-US', timeZone: 'UTC', csv: {} } as const;
    const imported = await prepareDocument({ path, format: 'csv', options, now: 0 }, upload, undefined);
    if (isRefusal(imported)) return null;
    assert.notEqual(imported.state.uploaded, null);
    const { state } = imported;
    const settings = { ownerId: 1, title: 'Large', type: 'table', format: 'collaborative' } as const;
    const created = await documents.create({ ...settings, content: { kind: 'state', state } });
    assert.equal(created.kind, 'created');
    return created.kind === 'created' ? created.id : null;
  } finally {
    await upload.remove();
  }
}

test('a large file is stored while it is read, with the type that the last line gives a column', async (t) => {
  const installation = await createInstallation(t);
  const id = (await importFile(installation, writeNumbers(t))) ?? '';
  const again = openInstallation(t, installation.folder);
  const snapshot = await readSnapshot(await openDocument(again.documents, id));
  assert.equal(readValue(snapshot, ROWS, 0), '007');
  for (const row of [...Array.from({ length: Math.floor(ROWS / 97) }, (_, i) => 1 + 97 * i), ROWS - 1]) {
    assert.equal(readValue(snapshot, row, 0), String(computeNumber(row, 0)));
    for (let column = 1; column < COLUMNS; column++)
      assert.equal(readValue(snapshot, row, column), computeNumber(row, column));
  }
  assert.deepEqual(await again.database.readOne(rowCounts({})), {
    chunks: Math.ceil((ROWS + 1) / 256) + Math.ceil(ROWS / 256) * (COLUMNS - 1),
    checkpoints: 1,
    documents: 1,
    unfinished: 0,
  });
});

test('a file that is refused at its end leaves nothing', async (t) => {
  const installation = await createInstallation(t);
  assert.equal(await importFile(installation, writeTexts(t, '1,"open')), null);
  assert.deepEqual(await installation.database.readOne(rowCounts({})), NOTHING);
});

test('an import that cannot be stored fails and leaves nothing', async (t) => {
  let writes = Infinity;
  const broken = openInstallation(t, createTemporaryFolder(t), (inner) =>
    createFailingDatabase(inner, () => (writes-- === 0 ? new StoreError('disk full', 'SQLITE_FULL') : null)),
  );
  await addOwner(broken.database);
  writes = 1;
  await assert.rejects(importFile(broken, writeTexts(t)), { code: 'SQLITE_FULL' });
  assert.deepEqual(await broken.database.readOne(rowCounts({})), NOTHING);
});
