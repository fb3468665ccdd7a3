import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { send } from './send.ts';
import { type ApiResponse, memberAt, startWorld, type World } from './support.ts';

/** Longer than a busy machine needs for the other requests of a test. */
const BUDGET_MS = 6_000;
/** Exceeds the calculation time of the test service. */
const ENDLESS = '=REDUCE(0;SEQUENCE(1000000);LAMBDA(a;b;a+SUM(SEQUENCE(1000000))))+0*A1';
const MIB = 1024 * 1024;

let world: World;
before(async () => {
  world = await startWorld({
    limits: { calculationMs: BUDGET_MS, calculationCells: Number.MAX_SAFE_INTEGER },
    oneNode: true,
  });
});
after(() => world.close());

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
    const heavy = await world.createBook();
    const light = await world.createBook();
    const other = await world.addMember(light.document, 'edit');
    await heavy.put('B1', [['before']]);
    const longWrite = trackSettled(heavy.put('A2', [[ENDLESS]]));
    assert.equal((await light.put('A1', [[1]])).status, 200);
    assert.equal((await other.api.put('A2', [['=A1+1']])).status, 200);
    assert.equal(await other.api.cells('A2').then((cells) => memberAt(cells, 0, 0)['v']), 2);
    assert.equal(await heavy.cell('B1').then((cell) => cell['v']), 'before');
    assert.equal((await send(`${world.server.address}/healthz`)).status, 200);
    assert.equal(longWrite.ended, false);
    const refused = await longWrite.answer;
    assert.deepEqual([refused.status, refused.body], [422, { message: 'Calculation limit exceeded' }]);
    assert.equal((await heavy.put('A2', [['=B1&"!"']])).status, 200);
    assert.equal((await heavy.cell('A2'))['v'], 'before!');
  });

  it('queues a limited number of bytes: further writes get 503 with Retry-After, other documents stay writable', async () => {
    const heavy = await world.createBook();
    const light = await world.createBook();
    const longWrite = trackSettled(heavy.put('A1', [[ENDLESS]]));
    const body = `{"values":[[1]]${' '.repeat(9 * MIB)}}`;
    const large = [1, 2, 3].map((row) => heavy.requestInDocument('PUT', `/values/B${row}`, { raw: body }));
    const first = await Promise.race([longWrite.answer, ...large]);
    assert.equal(first.status, 503);
    assert.deepEqual(first.body, { message: 'Service busy' });
    assert.match(String(first.headers.get('retry-after')), /^[1-9][0-9]*$/);
    assert.equal((await light.put('A1', [[1]])).status, 200);
    assert.equal(longWrite.ended, false);
    const statuses = (await Promise.all(large)).map(({ status }) => status);
    assert.deepEqual(statuses.toSorted(), [200, 200, 503]);
  });

  it('continues after a restart', async () => {
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
