import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Api, memberAt, startWorld, type World } from './support.ts';

let world: World;
before(async () => {
  world = await startWorld();
});
after(() => world.close());

/** Pairs of texts, and whether they are equal in headers, keys, filters and sheet names. */
const PAIRS: readonly (readonly [a: string, b: string, same: boolean])[] = [
  ['straße', 'STRAẞE', true],
  ['straße', 'strasse', false],
  ['Café', 'CAFE\u0301', true],
  ['ΟΔΟΣ', 'οδος', true],
  ['ПРИВЕТ', 'привет', true],
  ['м²', 'м2', false],
  ['№ 5', 'No 5', false],
  ['a\u00a0b', 'a b', false],
  ['か', 'カ', false],
];

async function readKeys(book: Api): Promise<unknown[]> {
  const { body } = await book.post('/records/query', { range: 'A:B' });
  const records = body['records'] as unknown as { fields: Record<string, unknown> }[];
  return records.map(({ fields }) => fields['Key']);
}

describe('text equality', () => {
  for (const [a, b, same] of PAIRS) {
    it(`${JSON.stringify(a)} and ${JSON.stringify(b)} are ${same ? 'equal' : 'different'}`, async () => {
      const book = await world.createBook();
      await book.put(
        'A1',
        [
          ['Key', 'n'],
          [a, 1],
        ],
        { mode: 'RAW' },
      );

      const filtered = await book.post('/records/query', { range: 'A:B', where: { Key: b } });
      assert.equal((filtered.body['records'] as unknown as unknown[]).length, same ? 1 : 0);
      const listed = await book.post('/records/query', { range: 'A:B', where: { Key: { in: [b, 'other'] } } });
      assert.equal((listed.body['records'] as unknown as unknown[]).length, same ? 1 : 0);

      const upserted = await book.post('/records/upsert', { range: 'A:B', key: ['Key'], records: [{ Key: b, n: 2 }] });
      assert.equal(upserted.status, 200, JSON.stringify(upserted.body));
      assert.deepEqual(await readKeys(book), same ? [a] : [a, b]);

      const sheets = [a, b].map((name) => name.replace('/', ''));
      assert.equal((await book.addSheet(sheets[0])).status, 200);
      assert.equal((await book.addSheet(sheets[1])).status, same ? 422 : 200);
      assert.equal((await book.get(`'${sheets[1]}'!A1`)).status, 200);
    });
  }

  it('is the same for indexed columns and for scans', async () => {
    const book = await world.createBook();
    const rows = Array.from({ length: 2_000 }, (_, i) => [`Straße ${i}`, i]);
    await book.put('A1', [['Key', 'n'], ...rows, ['Cafe\u0301', 1], ['strasse 7', 2]], { mode: 'RAW' });
    const records = [
      { Key: 'STRAẞE 7', n: -1 },
      { Key: 'CAFÉ', n: -2 },
      { Key: 'Strasse 8', n: -3 },
    ];
    const { body } = await book.post('/records/upsert', { range: 'A:B', key: ['Key'], records });
    assert.deepEqual([memberAt(body, 'upserted')['updated'], memberAt(body, 'upserted')['created']], [2, 1]);
    assert.equal((await book.cell('B9'))['v'], -1);
    assert.equal((await book.cell('B2002'))['v'], -2);
    assert.equal((await book.cell('B2003'))['v'], 2);
  });

  it('applies to names in the header', async () => {
    const book = await world.createBook();
    await book.put(
      'A1',
      [
        ['Cafe\u0301', 'Straße'],
        [1, 2],
      ],
      { mode: 'RAW' },
    );
    const { status, body } = await book.post('/records/query', { range: 'A:B', where: { CAFÉ: 1, STRAẞE: 2 } });
    assert.equal(status, 200, JSON.stringify(body));
    assert.equal((body['records'] as unknown as unknown[]).length, 1);
    assert.equal((await book.post('/records/query', { range: 'A:B', where: { Strasse: 2 } })).status, 422);
  });
});
