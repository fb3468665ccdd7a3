import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { ALL_SCOPES, type Api, memberAt, startWorld, type World } from './support.ts';

const EVENING = Date.parse('2026-03-31T20:59:00Z');
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

let now: number;
let world: World;
before(async () => {
  // The evening is 23:59 in Moscow, three hours ahead of UTC.
  world = await startWorld({ timeZone: 'Europe/Moscow', clock: () => now });
});
beforeEach(() => {
  now = EVENING;
});
after(() => world.close());

/** The formatted value of a cell. */
async function readFormattedValue(book: Api, cell: string): Promise<string> {
  return String((await book.cell(cell))['m']);
}

describe('a document with TODAY', () => {
  it('shows the day of its time zone, including dependent cells', async () => {
    const book = await world.createBook({ locale: 'ru-RU' });
    await book.put('A1', [['=TODAY()', '=A1+1', '=DAY(B1)', '=MONTH(TODAY())']]);
    assert.deepEqual(await book.cell('A1'), { v: 46112, m: '31.03.2026', f: '=TODAY()', t: 'd' });
    now += 2 * MINUTE_MS;
    assert.deepEqual(
      [
        await readFormattedValue(book, 'A1'),
        await readFormattedValue(book, 'B1'),
        await readFormattedValue(book, 'C1'),
        await readFormattedValue(book, 'D1'),
      ],
      ['01.04.2026', '02.04.2026', '2', '4'],
    );
  });

  it('is recalculated once a day, in a revision without a user, log entry or change of the document', async () => {
    const book = await world.createBook();
    await book.put('A1', [['=TODAY()', '=RAND()', '=NOW()']]);
    const { updatedAt } = (await book.requestInDocument('GET', '')).body['document'] as never as { updatedAt: string };
    now += 2 * MINUTE_MS;
    const first = await book.get('A1:C1');
    now += 60 * MINUTE_MS;
    const second = await book.get('A1:C1');
    assert.deepEqual(second.body, first.body);
    const document = memberAt((await book.requestInDocument('GET', '')).body, 'document');
    assert.deepEqual([document['revisionId'], document['updatedAt']], ['2', updatedAt]);
    assert.equal((await book.listAuditEntries())['total'], 1 as never);
  });

  it('is read with the new day by every operation, with or without a known ETag', async () => {
    const reads: readonly [name: string, read: (book: Api) => Promise<unknown>][] = [
      ['values', async (book) => memberAt((await book.get('A1')).body, 'values', 'cells', 0, 0)['v']],
      ['batchGet', async (book) => memberAt((await book.batchGet(['A1'])).body, 'valueRanges', 0, 'cells', 0, 0)['v']],
      [
        'content',
        async (book) =>
          memberAt((await book.requestInDocument('GET', '/content')).body, 'sheets', 0, 'cells', 'A1')['v'],
      ],
      [
        'values of several documents',
        async (book) => {
          const path = `/values/batchGet?ranges[]=${book.document}!A1`;
          return memberAt((await book.request('GET', path)).body, 'valueRanges', 0, 'cells', 0, 0)['v'];
        },
      ],
    ];
    for (const [name, read] of reads) {
      now = EVENING;
      const book = await world.createBook();
      await book.put('A1', [['=TODAY()']]);
      const tag = (await book.get('A1')).headers.get('etag') ?? '';
      now += 2 * MINUTE_MS;
      assert.equal(await read(book), 46113, name);
      const again = await book.requestInDocument('GET', '/values/A1', { headers: { 'if-none-match': tag } });
      assert.equal(again.status, 200, name);
    }
  });

  it('is recalculated by the first reader, also a viewer, and once for simultaneous readers', async () => {
    const book = await world.createBook();
    await book.put('A1', [['=TODAY()']]);
    const viewer = await world.addMember(book.document, 'view', ALL_SCOPES, 'free');
    now += 2 * MINUTE_MS;
    const answers = await Promise.all(Array.from({ length: 10 }, () => viewer.api.get('A1')));
    for (const { body } of answers) assert.equal(memberAt(body, 'values', 'cells', 0, 0)['v'], 46113 as never);
    assert.equal(await book.revision(), '2');
  });
});

describe('a document without volatile functions', () => {
  it('has no revisions of the clock', async () => {
    const book = await world.createBook();
    await book.put('A1', [['31.03.2026', '=A1+1']]);
    now += DAY_MS;
    await book.get('A1:B1');
    assert.equal(await book.revision(), '1');
  });
});
