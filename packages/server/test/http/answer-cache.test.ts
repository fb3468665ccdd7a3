import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { AnswerCache } from '../../src/http/fast-path/answer-cache.ts';
import { RESPONSE_CACHE_BYTES } from '../../src/limits/http.ts';
import { type Api, startWorld, type World } from './support.ts';

let world: World;
before(async () => {
  world = await startWorld();
});
after(() => world.close());

describe('the same question asked again', () => {
  const ASKED: readonly (readonly [what: string, read: (api: Api) => ReturnType<Api['get']>])[] = [
    ['a cell', (api) => api.get('A1')],
    ['a page of several kilobytes', (api) => api.get('A1:Z20')],
    ['several ranges', (api) => api.batchGet(['A1:B2', 'Я!A1', 'nowhere!A1'])],
  ];
  for (const [what, read] of ASKED) {
    it(`is answered in the same bytes, and anew after each change: ${what}`, async () => {
      const book = await world.book();
      await book.addSheet('Я');
      await book.put('A1', [['ÿ"\\', 2], ...Array.from({ length: 19 }, (_, i) => [i, `row ${i}`])]);
      const changes = [
        () => book.put('A1', [[1]]),
        () => book.put('A1', [['=Я!A1+1']]),
        () => book.put('Я!A1', [[41]]),
        () => book.renameSheet('Sheet1', 'First'),
        () => book.put('A1', [['ÿ"\\']]),
      ];
      const seen = new Set<string>();
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
        seen.add(JSON.stringify(first.body));
      }
      assert.equal(seen.size, 6);
    });
  }

  it('shows what is hidden only to whom it is not', async () => {
    const owner = await world.book();
    await owner.put('A1', [[7]]);
    const { id, api: editor } = await world.member(owner.document, 'edit');
    const read = (api: Api) => api.batchGet(['A1']).then(({ body }) => body['valueRanges'][0]);
    assert.deepEqual(await read(editor), await read(owner));
    await world.protect(owner.document, 'Sheet1', { hideValues: true });
    assert.equal((await editor.get('A1')).status, 403);
    assert.deepEqual(await read(editor), { range: 'A1', error: 'Sheet values are hidden' });
    assert.deepEqual((await read(owner))['cells'], [[{ v: 7, m: '7' }]]);
    await world.protect(owner.document, 'Sheet1', { hideValues: true, allow: [id] });
    assert.deepEqual(await read(editor), await read(owner));
  });
});

describe('answers that are kept', () => {
  const answer = { etag: '"r"', body: 'x'.repeat(RESPONSE_CACHE_BYTES.perAnswer / 2) };

  it('stay for as long as they are asked for, within their bytes', () => {
    const kept = new AnswerCache();
    kept.keep('asked', answer);
    const others = RESPONSE_CACHE_BYTES.all / answer.body.length;
    for (let i = 0; i < 3 * others; i++) {
      kept.keep(`other ${i}`, answer);
      assert.equal(kept.find('asked'), answer);
    }
    const left = Array.from({ length: 3 * others }, (_, i) => kept.find(`other ${i}`)).filter((one) => one !== null);
    assert.ok(left.length > 0 && left.length < others, `${left.length}`);
  });

  it('are none of the long ones', () => {
    const kept = new AnswerCache();
    kept.keep('long', { ...answer, body: answer.body.repeat(2) });
    assert.equal(kept.find('long'), null);
  });
});
