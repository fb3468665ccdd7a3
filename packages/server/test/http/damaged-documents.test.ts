import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Database, Query } from '@cellwire/store';
import { Api, startWorld } from './support.ts';

interface StoredDelta {
  readonly bytes: Uint8Array;
}

/** Flips one bit in the stored delta of the document's last commit. */
async function damageLastCommit(database: Database, document: string): Promise<void> {
  const query: Query<StoredDelta> = {
    sql: 'select delta as bytes from commits where document_id = ? order by revision desc limit 1',
    parameters: [document],
  };
  const bytes = Uint8Array.from((await database.readOne(query))?.bytes ?? []);
  bytes[bytes.length >> 2] = (bytes[bytes.length >> 2] as number) ^ 4;
  const sql = `update commits set delta = ? where document_id = ?
    and revision = (select max(revision) from commits where document_id = ?)`;
  const unit = { document, statements: [{ sql, parameters: [bytes, document, document] }] };
  assert.equal((await database.write(unit)).kind, 'committed');
}

/** Replaces a text in a column of all rows of a document. */
async function damageTexts(database: Database, document: string, { table, column, text, damaged }: TextDamage) {
  const sql = `update ${table} set ${column} = replace(${column}, ?, ?) where document_id = ?`;
  const unit = { document, statements: [{ sql, parameters: [text, damaged, document] }] };
  assert.equal((await database.write(unit)).kind, 'committed');
}

interface TextDamage {
  readonly table: string;
  readonly column: string;
  readonly text: string;
  readonly damaged: string;
}

test('refuses requests that need damaged areas of a commit', async (t) => {
  const world = await startWorld();
  t.after(() => world.close());
  const { database } = world.server.service.context;
  const areas = { table: 'commits', column: 'areas', text: '"written"' };
  const cases = [
    { damage: { ...areas, damaged: '"written' }, paths: ['/revisions', '/changes?since=0', '/revisions/1/undo'] },
    { damage: { ...areas, damaged: '"wrktten"' }, paths: ['/revisions', '/changes?since=0', '/revisions/1/undo'] },
  ];
  for (const { damage, paths } of cases) {
    const book = await world.createBook();
    for (const value of [1, 2]) assert.equal((await book.put('A1', [[value]])).status, 200);
    await damageTexts(database, book.document, damage);
    for (const path of paths) {
      const answer = path.endsWith('undo')
        ? await book.requestInDocument('POST', path, { body: {} })
        : await book.requestInDocument('GET', path);
      assert.deepEqual([answer.status, answer.body['message']], [503, 'Document is damaged'], path);
    }
  }
});

test('refuses writes to a document with a damaged counter of audit entries', async (t) => {
  const world = await startWorld();
  t.after(() => world.close());
  const [book, other] = [await world.createBook(), await world.createBook()];
  for (const one of [book, other]) assert.equal((await one.put('A1', [[1]])).status, 200);
  const sql = 'update documents set audited = 0 where id = ?';
  const unit = { document: book.document, statements: [{ sql, parameters: [book.document] }] };
  assert.equal((await world.server.service.context.database.write(unit)).kind, 'committed');
  const { status, body } = await book.put('A1', [[2]]);
  assert.deepEqual([status, body['message']], [503, 'Document is damaged']);
  assert.equal((await other.put('A1', [[2]])).status, 200);
});

test('refuses every request to a damaged document and serves other documents', async (t) => {
  const before = await startWorld();
  const books = [await before.createBook(), await before.createBook()];
  for (const one of books) assert.equal((await one.put('A1', [[1]])).status, 200);
  await damageLastCommit(before.server.service.context.database, books[0]?.document ?? '');
  const world = await before.restart();
  t.after(() => world.close());
  const [book, other] = books.map(({ token, document }) => new Api(world.server.address, token, document)) as [
    Api,
    Api,
  ];
  for (const answer of [
    await book.get('A1'),
    await book.put('A1', [[2]]),
    await book.append('A1', [[2]]),
    await book.requestInDocument('GET', '/content'),
    await book.requestInDocument('POST', '/structure', {
      body: { operations: [{ insertRows: { sheet: 'Sheet1', before: 1, count: 1 } }] },
    }),
  ]) {
    assert.deepEqual([answer.status, answer.body['message']], [503, 'Document is damaged']);
    assert.ok(answer.headers.has('x-request-id'));
  }
  assert.equal((await other.cell('A1')).v, 1);
  assert.equal((await book.request('GET', '/documents')).status, 200);
});
