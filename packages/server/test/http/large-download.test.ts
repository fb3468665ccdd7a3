import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import type { Database } from '@cellwire/store';
import { replaceMethods } from '../../../store/test/interruption.ts';
import { type Api, memberAt, startWorld, type World } from './support.ts';

const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
const ROWS = 700;
const ROW_HASHES = 200;

/** Runs once, before the next query for the size of a document. */
let beforeSizeQuery: (() => Promise<unknown>) | null = null;

function interruptSizeQuery(database: Database): Database {
  return replaceMethods(database, {
    readAll: async (queries) => {
      const callback = queries.length === 1 && /octet_length/.test(queries[0]?.sql ?? '') ? beforeSizeQuery : null;
      if (callback !== null) beforeSizeQuery = null;
      await callback?.();
      return database.readAll(queries);
    },
  });
}

let world: World;
let owner: Api;
/** More than a single pass keeps in memory: numbers and incompressible texts. */
const CSV = `n,w\n${Array.from({ length: ROWS }, (_, i) => `${i},word${createNoise(i)}`).join('\n')}\n`;
before(async () => {
  world = await startWorld({ wrap: interruptSizeQuery, oneNode: true });
  owner = await world.createBook();
});
after(() => world.close());

function createNoise(row: number): string {
  return Array.from({ length: ROW_HASHES }, (_, i) =>
    createHash('sha256').update(`${row} ${i}`).digest('base64url'),
  ).join('');
}

/** A document that is not open. */
async function createLargeBook(): Promise<Api> {
  const { status, body } = await upload(CSV, 'text/csv');
  assert.equal(status, 200, JSON.stringify(body));
  return owner.forDocument(String(memberAt(body, 'document')['id']));
}

function upload(raw: string | Uint8Array, type: string) {
  return owner.request('POST', '/documents?locale=en-US', { raw, headers: { 'content-type': type } });
}

async function download(api: Api, query: string, headers: Readonly<Record<string, string>> = {}) {
  const response = await fetch(`${api.base}/api/v1/documents/${api.document}/export${query}`, {
    headers: { authorization: `Bearer ${api.token}`, ...headers },
  });
  return {
    status: response.status,
    tag: response.headers.get('etag'),
    bytes: Buffer.from(await response.arrayBuffer()),
  };
}

function countOpenDocuments(): number {
  return world.server.service.context.documents.collectMetrics().open;
}

describe('a download of a large closed document', () => {
  it('streams the stored cells without opening the document, with the same result as an open one', async () => {
    const before = countOpenDocuments();
    const book = await createLargeBook();
    const csv = await download(book, '?format=csv');
    const xlsx = await download(book, '');
    assert.deepEqual([csv.status, xlsx.status, countOpenDocuments()], [200, 200, before]);
    assert.notEqual(csv.tag, xlsx.tag);
    // `equal` would print millions of characters.
    assert.ok(csv.bytes.equals(Buffer.from(CSV.replaceAll('\n', '\r\n'))));
    const unchanged = await download(book, '?format=csv', { 'if-none-match': csv.tag ?? '' });
    assert.deepEqual([unchanged.status, unchanged.tag, unchanged.bytes.length], [304, csv.tag, 0]);
    assert.equal(countOpenDocuments(), before + 1, 'who has the file is told whether it is still the same');
    const open = await download(book, '?format=csv');
    assert.equal(open.tag, csv.tag);
    assert.ok(open.bytes.equals(csv.bytes));
    const reimported = owner.forDocument(String(memberAt((await upload(xlsx.bytes, XLSX)).body, 'document')['id']));
    for (const cell of ['A701', 'B701']) assert.deepEqual(await reimported.cell(cell), await book.cell(cell));
  });

  it('is refused for hidden or missing sheets, and the document stays closed', async () => {
    const before = countOpenDocuments();
    const book = await createLargeBook();
    assert.equal((await download(book, '?format=csv&sheet=Nope')).status, 404);
    const { api: reader } = await world.addMember(book.document, 'view');
    assert.equal((await download(reader, '?format=csv&sheet=sheet1')).status, 200);
    await world.protect(book.document, 'Sheet1', { hideValues: true });
    const opened = countOpenDocuments();
    for (const query of ['', '?format=csv']) {
      const { status, tag, bytes } = await download(reader, query);
      assert.deepEqual([status, tag, JSON.parse(String(bytes))], [403, null, { message: 'Sheet values are hidden' }]);
    }
    assert.ok(countOpenDocuments() <= opened && opened <= before + 1);
  });

  it("is refused if the caller's access ends before the read", async () => {
    const accessChanges: readonly [endAccess: (book: Api, reader: string) => Promise<unknown>, body: unknown][] = [
      [(book) => world.protect(book.document, 'Sheet1', { hideValues: true }), { message: 'Sheet values are hidden' }],
      [(book, reader) => world.share(book.document, reader, 'none'), { success: false, access: false }],
    ];
    for (const [endAccess, body] of accessChanges) {
      const book = await createLargeBook();
      const { api: reader, id } = await world.addMember(book.document, 'view');
      beforeSizeQuery = () => endAccess(book, id);
      const { status, tag, bytes } = await download(reader, '?format=csv');
      assert.equal(beforeSizeQuery, null);
      assert.deepEqual([status, tag, JSON.parse(String(bytes))], [403, null, body]);
    }
  });
});
