import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DEFAULTS } from '../../src/config/defaults.ts';
import { sendHttp } from './send.ts';
import { type ApiResponse, memberAt, startWorld } from './support.ts';
import { ENDLESS, LIMIT_EXCEEDED, runWithTimeLimit } from './time-limit.ts';

/** A formula that refers to a cell, so that it is calculated again when the cell changes. */
const ENDLESS_WITH_REFERENCE = `${ENDLESS}+0*A1`;
const MIB = 1024 * 1024;

/** A promise with a flag that tells whether it has settled. */
function trackSettled(promise: Promise<ApiResponse>) {
  const state = { ended: false, answer: promise };
  state.answer = promise.finally(() => {
    state.ended = true;
  });
  return state;
}

describe('a document with a long calculation', () => {
  it('delays no other user, reader or document', async () => {
    await runWithTimeLimit(DEFAULTS.workers, async (world) => {
      const heavy = await world.createBook();
      const light = await world.createBook();
      const other = await world.addMember(light.document, 'edit');
      await heavy.put('B1', [['before']]);
      const longWrite = trackSettled(heavy.put('A2', [[ENDLESS_WITH_REFERENCE]]));
      assert.equal((await light.put('A1', [[1]])).status, 200);
      assert.equal((await other.api.put('A2', [['=A1+1']])).status, 200);
      assert.equal(await other.api.cells('A2').then((cells) => memberAt(cells, 0, 0)['v']), 2);
      assert.equal(await heavy.cell('B1').then((cell) => cell['v']), 'before');
      assert.equal((await sendHttp(`${world.server.address}/healthz`)).status, 200);
      const isLast = !longWrite.ended;
      const refused = await longWrite.answer;
      assert.deepEqual([refused.status, refused.body], [422, { message: LIMIT_EXCEEDED }]);
      assert.equal((await heavy.put('A2', [['=B1&"!"']])).status, 200);
      assert.equal((await heavy.cell('A2'))['v'], 'before!');
      return isLast;
    });
  });

  it('queues a limited number of bytes: further writes get 503 with Retry-After, other documents stay writable', async () => {
    await runWithTimeLimit(DEFAULTS.workers, async (world) => {
      const heavy = await world.createBook();
      const light = await world.createBook();
      const longWrite = trackSettled(heavy.put('A1', [[ENDLESS_WITH_REFERENCE]]));
      const body = `{"values":[[1]]${' '.repeat(9 * MIB)}}`;
      const large = [1, 2, 3].map((row) => heavy.requestInDocument('PUT', `/values/B${row}`, { raw: body }));
      const first = await Promise.race([longWrite.answer, ...large]);
      if (longWrite.ended) return false;
      assert.equal(first.status, 503);
      assert.deepEqual(first.body, { message: 'Service busy' });
      assert.match(String(first.headers.get('retry-after')), /^[1-9][0-9]*$/);
      assert.equal((await light.put('A1', [[1]])).status, 200);
      const isLast = !longWrite.ended;
      const statuses = (await Promise.all(large)).map(({ status }) => status);
      if (isLast) assert.deepEqual(statuses.toSorted(), [200, 200, 503]);
      return isLast;
    });
  });

  it('continues after a restart', async (t) => {
    let world = await startWorld({ oneNode: true });
    t.after(() => world.close());
    const book = await world.createBook();
    const rows = Array.from({ length: 3_000 }, (_, row) => [row, `=A${row + 1}*2+${row}`]);
    assert.equal((await book.put('A1', rows)).status, 200);
    assert.equal((await book.put('A1', [[5]])).status, 200);
    world = await world.restart();
    const restartedApi = world.apiFor(book.token, book.document);
    assert.equal((await restartedApi.cell('B1'))['v'], 10);
    assert.equal((await restartedApi.cell('B3000'))['f'], '=A3000*2+2999');
    assert.equal((await restartedApi.put('A3000', [[1]])).status, 200);
    assert.equal((await restartedApi.cell('B3000'))['v'], 3_001);
  });
});
