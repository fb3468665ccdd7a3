import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { AnswerCache } from '../../src/http/fast-path/answer-cache.ts';
import { RESPONSE_CACHE_BYTES } from '../../src/limits/http.ts';
import { type Api, memberAt, startWorld, type World } from './support.ts';

let world: World;
before(async () => {
  world = await startWorld();
});
after(() => world.close());

describe('a repeated read', () => {
  const READS: readonly (readonly [description: string, read: (api: Api) => ReturnType<Api['get']>])[] = [
    ['a cell', (api) => api.get('A1')],
    ['a page of several kilobytes', (api) => api.get('A1:Z20')],
    ['several ranges', (api) => api.batchGet(['A1:B2', 'Я!A1', 'nowhere!A1'])],
  ];
  for (const [description, read] of READS) {
    it(`returns the same bytes until the next change: ${description}`, async () => {
      const book = await world.createBook();
      await book.addSheet('Я');
      await book.put('A1', [['ÿ"\\', 2], ...Array.from({ length: 19 }, (_, i) => [i, `row ${i}`])]);
      const changes = [
        () => book.put('A1', [[1]]),
        () => book.put('A1', [['=Я!A1+1']]),
        () => book.put('Я!A1', [[41]]),
        () => book.renameSheet('Sheet1', 'First'),
        () => book.put('A1', [['ÿ"\\']]),
      ];
      const distinctBodies = new Set<string>();
      for (const change of [async () => {}, ...changes]) {
        await change();
        const first = await read(book);
        assert.equal(first.status, 200);
        for (let again = 0; again < 2; again++) {
          const answer = await read(book);
          assert.deepEqual(answer.body, first.body);
          assert.equal(answer.headers.get('etag'), first.headers.get('etag'));
          assert.equal(answer.headers.get('content-length'), first.headers.get('content-length'));
        }
        distinctBodies.add(JSON.stringify(first.body));
      }
      assert.equal(distinctBodies.size, 6);
    });
  }

  it('does not leak values of a hidden sheet to other users', async () => {
    const owner = await world.createBook();
    await owner.put('A1', [[7]]);
    const { id, api: editor } = await world.addMember(owner.document, 'edit');
    const read = (api: Api) => api.batchGet(['A1']).then(({ body }) => memberAt(body, 'valueRanges', 0));
    assert.deepEqual(await read(editor), await read(owner));
    await world.protect(owner.document, 'Sheet1', { hideValues: true });
    assert.equal((await editor.get('A1')).status, 403);
    assert.deepEqual(await read(editor), { range: 'A1', error: 'Sheet values are hidden' });
    assert.deepEqual((await read(owner))['cells'], [[{ v: 7, m: '7' }]]);
    await world.protect(owner.document, 'Sheet1', { hideValues: true, allow: [id] });
    assert.deepEqual(await read(editor), await read(owner));
  });
});

describe('cached responses', () => {
  const answer = { etag: '"r"', body: 'x'.repeat(RESPONSE_CACHE_BYTES.perAnswer / 2) };

  it('stay while they are used, within the byte limit', () => {
    const cache = new AnswerCache();
    cache.keepAnswer('asked', answer);
    const others = RESPONSE_CACHE_BYTES.all / answer.body.length;
    for (let i = 0; i < 3 * others; i++) {
      cache.keepAnswer(`other ${i}`, answer);
      assert.equal(cache.findAnswer('asked'), answer);
    }
    const remaining = Array.from({ length: 3 * others }, (_, i) => cache.findAnswer(`other ${i}`)).filter(
      (one) => one !== null,
    );
    assert.ok(remaining.length > 0 && remaining.length < others, `${remaining.length}`);
  });

  it('exclude long responses', () => {
    const cache = new AnswerCache();
    cache.keepAnswer('long', { ...answer, body: answer.body.repeat(2) });
    assert.equal(cache.findAnswer('long'), null);
  });
});
