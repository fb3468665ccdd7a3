import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import type { SqlValue } from '@cellwire/store';
import { documentIdsAfter, unfinishedDocuments } from '@cellwire/store/documents';
import { openArchive, type TableShape, type TransferSource, writeArchive } from '@cellwire/store/transfer';
import type { TransferRow } from '../../../store/src/transfer/table-shape.ts';
import { toStoreLocation } from '../../src/compose/compose.ts';
import { exportBundle, importBundle } from '../../src/service/operator/bundle.ts';
import { createUser } from '../../src/service/operator/users.ts';
import { createTemporaryFolder } from '../documents/support.ts';
import { type Api, memberAt, requireAccepted, startWorld, type World } from '../http/support.ts';
import { readReason, startWorldOn } from './support.ts';

const ignoreSteps = (): void => {};
const SECRET = 42;

/** Creates a document shared with Anna, who may see the hidden sheet, and with Ben, who no longer may. */
async function createSharedBook(world: World) {
  // The two installations must assign different ids.
  await world.createUser();
  await world.createUser();
  const book = await world.createBook({ title: 'Orders' });
  const anna = await world.addMember(book.document, 'edit');
  const ben = await world.addMember(book.document, 'edit');
  assert.equal((await book.requestInDocument('POST', '/sheets', { body: { name: 'Secret' } })).status, 200);
  await book.put('Secret!A1', [[SECRET]]);
  await book.put('Sheet1!B1:B3', [[1], [2], [3]]);
  const mode = 'USER_ENTERED';
  await anna.api.put('Sheet1!A1', [['=Secret!A1+B1']], { mode });
  await ben.api.put('Sheet1!A2', [['=Secret!A1+B2']], { mode });
  await ben.api.put('Sheet1!A3', [['=SUM(B1:B3)']], { mode });
  await world.protect(book.document, 'Secret', { hideValues: true, allow: [anna.id] });
  return { book, anna };
}

async function createBundle(world: World, book: Api, folder: string): Promise<string> {
  const file = join(folder, 'orders.cellwire');
  const { context } = world.server.service;
  requireAccepted(await exportBundle(context, book.document, file, toStoreLocation(context.config)));
  assert.equal(statSync(file).mode & 0o777, 0o600);
  return file;
}

async function createUserWithEmail(world: World, email: string): Promise<string> {
  const created = requireAccepted(
    await createUser(world.server.service.context, { email, name: email, password: 'long enough' }),
  );
  return String(created.id);
}

suite('a document in a bundle', () => {
  test('continues in another installation with its history and with the rights of users known there', async (t) => {
    const [here, there] = [await startWorldOn(t, 'the embedded database'), await startWorldOn(t, 'PostgreSQL')];
    const { book, anna } = await createSharedBook(here);
    const file = await createBundle(here, book, createTemporaryFolder(t));
    const annaThere = await createUserWithEmail(there, 'user4@example.org');
    const host = await createUserWithEmail(there, 'host@example.org');
    assert.notEqual(annaThere, anna.id);

    const { context } = there.server.service;
    const { document, unknownUsers } = requireAccepted(await importBundle(context, { from: file, owner: host }));
    assert.deepEqual(
      [document.title, document.sheets, unknownUsers],
      ['Orders', ['Sheet1', 'Secret'], ['user5@example.org']],
    );
    assert.notEqual(document.id, book.document);
    const moved = there.apiFor(await there.createToken(host), document.id);
    for (const range of ['Sheet1!A1:B3', 'Secret!A1'])
      assert.deepEqual(await moved.cells(range), await book.cells(range));

    const readRevisions = async (api: Api) => {
      const { body } = await api.requestInDocument('GET', '/revisions?limit=50');
      const entries = memberAt(body, 'revisions', 'entries') as unknown as readonly Record<string, unknown>[];
      // A request is known in the installation that served it.
      return entries.map((entry) => ({ ...entry, userId: null, userName: null, requestId: null }));
    };
    assert.deepEqual(await readRevisions(moved), await readRevisions(book));
    const readPastValues = async (api: Api) =>
      (await api.requestInDocument('GET', '/values/Sheet1!B1:B3?revision=3')).body;
    assert.deepEqual(await readPastValues(moved), await readPastValues(book));

    // Anna still sees the hidden sheet; a new member does not; formulas of unknown users read no hidden values.
    const annas = there.apiFor(await there.createToken(annaThere), document.id);
    assert.equal((await annas.cells('Secret!A1'))[0]?.[0]?.v, SECRET);
    const other = await there.addMember(document.id, 'edit');
    assert.equal((await other.api.requestInDocument('GET', '/values/Secret!A1')).status, 403);
    assert.equal((await moved.put('Sheet1!B1:B3', [[10], [20], [30]])).status, 200);
    const column = ((await moved.cells('Sheet1!A1:A3')) as unknown as readonly { v: unknown }[][]).map(
      ([cell]) => cell?.v,
    );
    assert.deepEqual(column, [SECRET + 10, '#REF!', 60]);
    const newest = memberAt(await moved.listRevisions('?limit=1'), 'entries', 0);
    assert.equal((await moved.post(`/revisions/${newest['revision']}/undo`, undefined)).status, 200);
    assert.deepEqual(await moved.cells('Sheet1!A1:B3'), await book.cells('Sheet1!A1:B3'));
  });

  test('can be undone after rows were sorted, a name was added and a revision was restored', async (t) => {
    const world = await startWorld();
    t.after(() => world.close());
    const book = await world.createBook({ title: 'Sorted' });
    await book.put('A1', [['b'], ['a'], ['c']]);
    const first = await book.revision();
    await book.post('/structure', { operations: [{ sort: { range: 'A1:A3', by: [{ column: 'A' }] } }] });
    await book.post('/structure', { operations: [{ setName: { name: 'total', refersTo: '=Sheet1!A1' } }] });
    assert.equal((await book.restore(first)).status, 200);
    const file = await createBundle(world, book, createTemporaryFolder(t));
    const { id: owner } = await world.createUser();
    const { document } = requireAccepted(await importBundle(world.server.service.context, { from: file, owner }));
    const moved = world.apiFor(await world.createToken(owner), document.id);
    assert.deepEqual(await moved.cells('A1:A3'), await book.cells('A1:A3'));
    const { status, body } = await moved.undo(await moved.revision());
    assert.equal(status, 200, JSON.stringify(body));
    assert.equal((await moved.cell('A1'))['v'], 'a');
  });

  test('keeps its id if it was never used, and is a copy otherwise', async (t) => {
    const [here, there] = [await startWorldOn(t, 'the embedded database'), await startWorld()];
    t.after(() => there.close());
    const { book } = await createSharedBook(here);
    const file = await createBundle(here, book, createTemporaryFolder(t));
    const owner = (await there.createUser()).id;
    const { context } = there.server.service;
    const withSameId = requireAccepted(await importBundle(context, { from: file, owner, keepId: true }));
    assert.equal(withSameId.document.id, book.document);
    assert.match(readReason(await importBundle(context, { from: file, owner, keepId: true })), /There is, or was/);
    assert.match(
      readReason(await importBundle(here.server.service.context, { from: file, owner: '1', keepId: true })),
      /was/,
    );
    const copy = requireAccepted(await importBundle(context, { from: file, owner, title: ' Copy ' }));
    assert.equal(copy.document.title, 'Copy');
    assert.match(
      readReason(await exportBundle(context, copy.document.id, file, toStoreLocation(context.config))),
      /exists already/,
    );
    assert.match(readReason(await importBundle(context, { from: file, owner: 'nobody@example.org' })), /no user/);
  });

  test('is refused if its file was changed, and nothing of it is stored', async (t) => {
    const world = await startWorldOn(t, 'the embedded database');
    const { book } = await createSharedBook(world);
    const folder = createTemporaryFolder(t);
    const file = await createBundle(world, book, folder);
    const { context } = world.server.service;
    const truncate = (bytes: SqlValue) => (bytes as Uint8Array).subarray(0, 20);
    const damages: readonly (readonly [table: string, column: string, change: (value: SqlValue) => SqlValue])[] = [
      ['document', 'locale', () => 'xx-XX'],
      ['document', 'time_zone', () => 'Nowhere/Else'],
      ['document', 'type', () => 'folder'],
      ['document', 'revision', (revision) => Number(revision) + 1],
      ['document', 'head', () => 'another'],
      ['document', 'id', () => '../../etc'],
      ['document', 'title', () => 'x'.repeat(2_000)],
      ['shares', 'role', () => 'owner'],
      ['protections', 'allowed', () => '{}'],
      ['protections', 'allowed', () => '["1"]'],
      ['checkpoint', 'meta', truncate],
      ['checkpoint', 'meta', () => new Uint8Array(3)],
      ['chunks', 'block', () => 1e9],
      ['chunks', 'column_index', () => 1e9],
      ['chunks', 'bytes', truncate],
      ['commits', 'delta', truncate],
      ['commits', 'inverse', (inverse) => (inverse === null ? null : new Uint8Array([1, 1, 1]))],
      ['commits', 'revision', (revision) => Number(revision) * 2],
      ['commits', 'areas', () => '[]'],
      ['commits', 'areas', () => '{"written":[["x"]],"derived":[]}'],
      ['commits', 'structure', () => '{"a":1}'],
    ];
    let tried = 0;
    for (const [table, column, change] of damages) {
      const damagedFile = await rewriteColumn(file, join(folder, `harm-${tried}.cellwire`), table, column, change);
      if (damagedFile === null) continue;
      tried++;
      const reason = readReason(await importBundle(context, { from: damagedFile, owner: '3' }));
      assert.match(reason, /damaged/, `${table}.${column}`);
    }
    assert.ok(tried >= damages.length - 3, `${tried}`);
    const [documents, unfinished] = await context.database.readAll([
      documentIdsAfter({ after: '', limit: 10 }),
      unfinishedDocuments({}),
    ]);
    assert.deepEqual([documents.length, unfinished.length], [1, 0]);
  });
});

/** Rewrites the values of a column in a well-formed bundle; null: the table is empty. */
async function rewriteColumn(
  from: string,
  to: string,
  table: string,
  column: string,
  change: (value: SqlValue) => SqlValue,
): Promise<string | null> {
  const archive = await openArchive(from);
  if ((archive.counts[table] ?? 0) === 0) return null;
  const source: TransferSource = {
    ...archive,
    rows: async function* (shape: TableShape) {
      const columnIndex = shape.name === table ? shape.columns.findIndex(({ name }) => name === column) : -1;
      for await (const rows of archive.rows(shape)) {
        yield rows.map((row): TransferRow => row.map((value, i) => (i === columnIndex ? change(value) : value)));
      }
    },
  };
  await writeArchive(to, source, { holds: 'document', at: '', key: null }, ignoreSteps);
  await archive.close();
  return to;
}
