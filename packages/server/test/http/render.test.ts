import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Api, memberAt, startWorld, type World } from './support.ts';

let world: World;
let book: Api;
before(async () => {
  world = await startWorld({ limits: { maxResponseBytes: 4_000 } });
  book = await world.createBook({ locale: 'ru-RU' });
  await book.put('A1', [
    ['31.12.2026', '31.12.2026 12:30', '12:30'],
    ['1234,5', true, '=1/0'],
    ['text', '', '25%'],
  ]);
});
after(() => world.close());

const PLAIN = [
  ['2026-12-31', '2026-12-31T12:30:00', '12:30:00'],
  [1234.5, true, '#DIV/0!'],
  ['text', null, 0.25],
];
const DISPLAY = [
  ['31.12.2026', '31.12.2026 12:30', '12:30'],
  ['1234,5', 'TRUE', '#DIV/0!'],
  ['text', null, '25%'],
];

describe('rendered cells', () => {
  for (const [render, expected] of [
    ['plain', PLAIN],
    ['display', DISPLAY],
  ] as const) {
    it(`are ${render} values, by rows, by columns and in a batch`, async () => {
      const rows = memberAt((await book.get('A1:C3', { render })).body, 'values');
      assert.deepEqual([rows['cells'], rows['range'], memberAt(rows, 'pagination')['total']], [expected, 'A1:C3', 3]);
      const columns = memberAt((await book.get('A1:C3', { render, majorDimension: 'COLUMNS' })).body, 'values')[
        'cells'
      ];
      assert.deepEqual(
        columns,
        [0, 1, 2].map((i) => expected.map((row) => row[i])),
      );
      const batch = await book.batchGet(['A1:A3', 'C:C'], { render });
      assert.deepEqual(
        memberAt(batch.body, 'valueRanges', 1)['cells'],
        expected.map((row) => [row[2]]),
      );
    });
  }

  it('have a separate ETag for each form, and writes accept each', async () => {
    const tags = new Set<string>();
    for (const query of [{}, { render: 'plain' }, { render: 'display' }]) {
      const tag = (await book.get('A1:C3', query as Record<string, string>)).headers.get('etag') ?? '';
      tags.add(tag);
      const body = { values: [['text']] };
      const written = await book.requestInDocument('PUT', '/values/A1:C3', { body, headers: { 'if-match': tag } });
      assert.equal(written.status, 200);
      await book.put('A1', [['31.12.2026']]);
    }
    assert.equal(tags.size, 3);
  });

  it('are limited in bytes, and unknown forms are refused', async () => {
    const wideBook = await world.createBook();
    await wideBook.put(
      'A1',
      Array.from({ length: 40 }, () => ['é'.repeat(200)]),
    );
    for (const majorDimension of ['ROWS', 'COLUMNS']) {
      const { status, body } = await wideBook.get('A1:A40', { render: 'plain', majorDimension });
      assert.equal(status, 200);
      const { returned, hasMore } = memberAt(body, 'values')['pagination'] as unknown as {
        returned: number;
        hasMore: boolean;
      };
      assert.ok(returned > 1 && returned < 10 && hasMore, String(returned));
    }
    await wideBook.put('A1', [['x'.repeat(5_000)]]);
    assert.equal((await wideBook.get('A1', { render: 'plain' })).body['message'], 'Response too large');
    assert.equal((await wideBook.get('A1', { render: 'html' })).status, 422);
  });
});
