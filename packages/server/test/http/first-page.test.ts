import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Database, Query } from '@cellwire/store';
import { LARGE_DOCUMENT_CHUNKS } from '../../src/limits/open-documents.ts';
import { type Api, memberAt, startWorld, type World } from './support.ts';

const CHUNK_ROWS = 256;
const COLUMNS = 8;
/** Rows below the header; enough chunks for a document that is read in part while it opens. */
const ROWS = (LARGE_DOCUMENT_CHUNKS / COLUMNS) * CHUNK_ROWS;

const valueAt = (row: number, column: number) => (row * COLUMNS + column) / 4;
/** Each chunk has some rows with values. The other rows that tests read are at 50,000 and at the end. */
const hasValues = (row: number) => row % 32 === 0 || row === 49_998 || row === 49_999 || row >= ROWS - 2;
const EMPTY_ROW = ','.repeat(COLUMNS - 1);
const CSV = [
  Array.from({ length: COLUMNS }, (_, column) => `column ${column}`).join(),
  ...Array.from({ length: ROWS }, (_, row) =>
    hasValues(row) ? Array.from({ length: COLUMNS }, (_column, column) => valueAt(row, column)).join() : EMPTY_ROW,
  ),
].join('\n');

let world: World;
let owner: Api;
before(async () => {
  world = await startWorld();
  owner = await world.createBook();
});
after(() => world.close());

/** A large document that no node has opened. */
async function createClosedBook(): Promise<Api> {
  const { status, body } = await owner.request('POST', '/documents?locale=en-US', {
    raw: CSV,
    headers: { 'content-type': 'text/csv' },
  });
  assert.equal(status, 200, JSON.stringify(body));
  return owner.forDocument(String(memberAt(body, 'document')['id']));
}

const listValues = (cells: unknown) =>
  (cells as readonly (readonly ({ v: unknown } | null)[])[]).map((row) => row.map((cell) => cell?.v ?? null));

interface StoredBytes {
  readonly bytes: Uint8Array;
}

/** Flips one bit in a stored chunk of the document. */
async function damageChunk(database: Database, document: string, column: number, block: number): Promise<void> {
  const key = 'document_id = ? and column_index = ? and block = ?';
  const parameters = [document, column, block];
  const query: Query<StoredBytes> = { sql: `select bytes from chunks where ${key}`, parameters };
  const bytes = Uint8Array.from((await database.readOne(query))?.bytes ?? []);
  const middle = bytes.length >> 1;
  bytes[middle] = (bytes[middle] as number) ^ 16;
  const statement = { sql: `update chunks set bytes = ? where ${key}`, parameters: [bytes, ...parameters] };
  assert.equal((await database.write({ document, statements: [statement] })).kind, 'committed');
}

describe('the first page of a large document that is not open', () => {
  it('has the same cells and ETag as later answers, also if many ask at once', async () => {
    const book = await createClosedBook();
    const firstAnswers = await Promise.all(Array.from({ length: 4 }, () => book.get('B50000:C50001')));
    assert.equal((await book.put('A3', [['opens it']])).status, 200);
    assert.equal((await book.put('A3', [['again']])).status, 200);
    const later = await book.get('B50000:C50001');
    for (const { status, headers, body } of firstAnswers) {
      assert.equal(status, 200);
      assert.deepEqual(body, later.body);
      const repeated = await book.requestInDocument('GET', '/values/B50000%3AC50001', {
        headers: { 'if-none-match': headers.get('etag') ?? '' },
      });
      assert.equal(repeated.status, 304);
    }
    const expected = [49_998, 49_999].map((row) => [valueAt(row, 1), valueAt(row, 2)]);
    assert.deepEqual(listValues(memberAt(later.body, 'values', 'cells')), expected);
  });

  it('ends at the last used row if the range is open, and batches and lists of sheets are answered as well', async () => {
    const book = await createClosedBook();
    const batch = await book.batchGet([`A${ROWS}:B`, 'H1:K1', 'Missing!A1']);
    assert.equal(batch.status, 200, JSON.stringify(batch.body));
    const [last, first, missing] = memberAt(batch.body, 'valueRanges') as unknown as Record<string, never>[];
    assert.deepEqual(listValues(last?.['cells']), [
      [valueAt(ROWS - 2, 0), valueAt(ROWS - 2, 1)],
      [valueAt(ROWS - 1, 0), valueAt(ROWS - 1, 1)],
    ]);
    assert.deepEqual(listValues(first?.['cells']), [['column 7', null, null, null]]);
    assert.equal(typeof missing?.['error'], 'string');
    const other = await createClosedBook();
    assert.equal((await other.requestInDocument('GET', '/sheets')).status, 200);
    assert.equal((await other.get('Missing!A1')).status, 404);
  });

  it('is answered unless its own chunks are damaged; everything else is refused', async () => {
    const book = await createClosedBook();
    await damageChunk(world.server.service.context.database, book.document, 3, 100);
    const row = 100 * CHUNK_ROWS + 1;
    assert.equal((await book.get(`A${row}:C${row}`)).status, 200);
    for (const answer of [await book.get(`A${row}:D${row}`), await book.put('A1', [['x']])]) {
      assert.deepEqual([answer.status, answer.body['message']], [503, 'Document is damaged']);
    }
    assert.equal((await book.get(`E${row}:F${row}`)).status, 200);
  });
});

describe('the first request to a large document that is not open', () => {
  const readLast = async (book: Api, row: number) =>
    listValues(memberAt((await book.get(`A${row}:B${row}`)).body, 'values', 'cells'));

  it('may be a write: of a cell, below the last row, or of a new row', async () => {
    const changed = await createClosedBook();
    assert.equal((await changed.put('C50000', [['new']])).status, 200);
    const cells = memberAt((await changed.get('B50000:C50001')).body, 'values', 'cells');
    const next = [valueAt(49_999, 1), valueAt(49_999, 2)];
    assert.deepEqual(listValues(cells), [[valueAt(49_998, 1), 'new'], next]);

    const longer = await createClosedBook();
    const appended = await longer.append('A1', [['below', 1]]);
    assert.deepEqual([appended.status, memberAt(appended.body, 'updated')['startRow']], [200, ROWS + 2]);
    assert.deepEqual(await readLast(longer, ROWS + 2), [['below', 1]]);

    const shifted = await createClosedBook();
    const operations = [{ insertRows: { sheet: 'Sheet1', before: 10, count: 2 } }];
    const inserted = await shifted.requestInDocument('POST', '/structure', { body: { operations } });
    assert.equal(inserted.status, 200, JSON.stringify(inserted.body));
    assert.deepEqual(await readLast(shifted, ROWS + 3), [[valueAt(ROWS - 1, 0), valueAt(ROWS - 1, 1)]]);
  });

  it('may ask for records', async () => {
    const book = await createClosedBook();
    const where = { 'column 3': { gte: valueAt(ROWS - 2, 3) } };
    const found = await book.requestInDocument('POST', '/records/query', { body: { range: 'Sheet1', where } });
    assert.equal(found.status, 200, JSON.stringify(found.body));
    const rows = (memberAt(found.body, 'records') as unknown as readonly { row: number }[]).map(({ row }) => row);
    assert.deepEqual(rows, [ROWS, ROWS + 1]);
  });
});
