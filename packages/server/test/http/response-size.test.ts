import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Api, type ApiResponse, memberAt, startWorld, type World } from './support.ts';

const MAX_BYTES = 20_000;

let world: World;
before(async () => {
  world = await startWorld({ limits: { maxResponseBytes: MAX_BYTES } });
});
after(() => world.close());

const ROWS = 300;
const createText = (row: number, column: number) => `${row}/${column} ${'é"'.repeat((row * 7 + column) % 90)}`;

async function createFilledBook(): Promise<Api> {
  const book = await world.createBook();
  const values = Array.from({ length: ROWS }, (_, row) => [row, createText(row, 1), createText(row, 2)]);
  assert.equal((await book.put('A1', values, { mode: 'RAW' })).status, 200);
  return book;
}

function countBytes({ headers, body }: ApiResponse): number {
  const length = Number(headers.get('content-length'));
  assert.equal(length, Buffer.byteLength(JSON.stringify(body)));
  return length;
}

type PageCells = readonly (readonly { readonly v: unknown }[])[];

describe('a response with cells', () => {
  it('has as many rows as fit, and following pages contain the rest', async () => {
    const book = await createFilledBook();
    for (const majorDimension of ['ROWS', 'COLUMNS']) {
      const rows_: unknown[][] = [];
      let pages = 0;
      for (let offset: number | null = 0; offset !== null; pages++) {
        const answer = await book.get('A:C', { offset: String(offset), majorDimension });
        assert.equal(answer.status, 200);
        assert.ok(countBytes(answer) <= MAX_BYTES);
        const { range, cells, pagination } = answer.body['values'] as unknown as {
          range: string;
          cells: PageCells;
          pagination: { returned: number; hasMore: boolean; nextOffset: number | null; total: number };
        };
        const { returned, hasMore, nextOffset, total } = pagination;
        assert.deepEqual([total, hasMore], [ROWS, nextOffset !== null]);
        assert.equal(range, `A${offset + 1}:C${offset + returned}`);
        const values = cells.map((line) => line.map((cell) => cell.v));
        const rows =
          majorDimension === 'ROWS'
            ? values
            : Array.from({ length: returned }, (_, i) => values.map((line) => line[i]));
        assert.equal(rows.length, returned);
        rows_.push(...rows);
        assert.ok(nextOffset === null || nextOffset > offset);
        offset = nextOffset;
      }
      assert.ok(pages > 3);
      assert.deepEqual(
        rows_,
        Array.from({ length: ROWS }, (_, row) => [row, createText(row, 1), createText(row, 2)]),
      );
    }
  });

  it('has the same ETag on each read, truncated or not', async () => {
    const book = await createFilledBook();
    const tag = String((await book.get('A:C')).headers.get('etag'));
    const path = `/values/${encodeURIComponent('A:C')}`;
    assert.equal((await book.requestInDocument('GET', path, { headers: { 'if-none-match': tag } })).status, 304);
    assert.equal((await book.put('C300', [['other']])).status, 200);
    assert.equal((await book.requestInDocument('GET', path, { headers: { 'if-none-match': tag } })).status, 200);
  });

  it('is refused with 422 if its first row does not fit', async () => {
    const book = await world.createBook();
    await book.put('A2', [['\u0001'.repeat(2_000), 'x', '\u0001'.repeat(2_000)]], { mode: 'RAW' });
    for (const majorDimension of ['ROWS', 'COLUMNS']) {
      const { status, body } = await book.get('A2:C9', { majorDimension });
      assert.deepEqual([status, body], [422, { message: 'Response too large' }]);
      // The row before the first row is on another page.
      assert.equal(memberAt((await book.get('A1:C9', { majorDimension })).body, 'values', 'pagination')['returned'], 1);
    }
    assert.equal((await book.get('B2:B9')).status, 200);
  });
});

describe('a batch read', () => {
  it('shares the byte limit: ranges that do not fit are empty, with more rows to read', async () => {
    const book = await createFilledBook();
    const answer = await book.batchGet(['A1:C40', 'A41:C300', 'A1:C1', 'A1', 'Nope!A1']);
    assert.ok(countBytes(answer) <= MAX_BYTES);
    const [first, second, third, fourth, fifth] = answer.body['valueRanges'] as unknown as [
      RangeEntry,
      RangeEntry,
      RangeEntry,
      RangeEntry,
      FailedRange,
    ];
    assert.ok(first.pagination.returned > 0);
    assert.ok(second.pagination.hasMore);
    assert.ok(third.pagination.returned <= 1 && fourth.pagination.returned <= 1);
    assert.equal(fifth.error, 'Sheet not found');
  });

  it('returns an error for a range that cannot be returned', async () => {
    const book = await world.createBook();
    const long = '\u0001'.repeat(2_000);
    await book.put('A1', [[long, long, 1]], { mode: 'RAW' });
    const { body } = await book.batchGet(['A1:B1', 'C1']);
    assert.deepEqual(memberAt(body, 'valueRanges')[0], { range: 'A1:B1', error: 'Response too large' });
    assert.equal(memberAt(body, 'valueRanges', 1, 'cells', 0, 0)['v'], 1);
    const across = await book.request('GET', `/values/batchGet?ranges[]=${book.document}!A1:B1`);
    assert.equal(memberAt(across.body, 'valueRanges', 0)['error'], 'Response too large');
  });
});

it('a batchUpdate whose response would exceed the byte limit is refused with 422 and writes nothing', async () => {
  const book = await world.createBook();
  const name = 'é'.repeat(255);
  await book.addSheet(name);
  const before = await book.revision();
  const data = Array.from({ length: 10_000 }, (_, i) => ({ range: `'${name}'!A${i + 1}`, values: [[1]] }));
  assert.equal((await book.batchUpdate(data)).status, 422);
  assert.equal(await book.revision(), before);
  assert.equal((await book.batchUpdate(data.slice(0, 1_000))).status, 200);
});

interface RangeEntry {
  readonly pagination: { readonly returned: number; readonly hasMore: boolean };
}

interface FailedRange {
  readonly error: string;
}
