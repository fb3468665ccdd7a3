import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { scaleRunCount } from '../../../../test/depth.ts';
import { listTokens, revokeToken } from '../../src/service/operator/tokens.ts';
import { isRefusal } from '../../src/service/refusal.ts';
import { type Api, type Json, memberAt, startWorld, type World } from '../http/support.ts';
import { type EventStreamReader, openEventStream } from './event-stream.ts';
import { toElements } from './support.ts';

let world: World;
before(async () => {
  world = await startWorld();
});
after(() => world.close());

const FILTERS = ['', '&range=A1:B3', '&range=B:C', '&range=Secret!A:B', '&range=A1:C9&key[]=Name', '&range=A:A'];

/** A reader of the document: user, filter and start revision. */
const follower = fc.record({
  reader: fc.constantFrom('owner' as const, 'member' as const),
  filter: fc.constantFrom(...FILTERS),
  values: fc.boolean(),
  /** `after`: number of writes before the stream opens; `back`: number of earlier revisions that it reads. */
  after: fc.nat(8),
  back: fc.nat(3),
});
const write = fc.record({
  at: fc.constantFrom('A2', 'A3', 'B2', 'B3', 'C2', 'C7', 'Secret!A1', 'Secret!B2'),
  value: fc.constantFrom('x', 'y', 7, '=A2', '=COUNTA(A:A)', ''),
});

/** The events of a stream up to a revision. */
async function readEventsUntil(stream: EventStreamReader, until: number): Promise<readonly Json[]> {
  const events: Json[] = [];
  for (;;) {
    const event = await stream.next();
    assert.ok(event !== null, 'the stream continues');
    events.push(event.data);
    if (Number(event.id) >= until) return events;
  }
}

test('each of many streams sends the same changes as /changes for its reader', async (t) => {
  const cases = fc.tuple(
    fc.array(follower, { minLength: 6, maxLength: 14 }),
    fc.array(write, { minLength: 6, maxLength: 12 }),
  );
  await fc.assert(
    fc.asyncProperty(cases, async ([followers, writes]) => {
      const book = await world.createBook();
      await book.put('A1', [['Name', 'Status', 'n']]);
      await book.addSheet('Secret');
      await book.put('Secret!A1', [[1, 2]]);
      const { api: member } = await world.addMember(book.document, 'view');
      await world.protect(book.document, 'Secret', { hideValues: true });
      const readers = { owner: book, member };
      const open: { stream: EventStreamReader; api: Api; query: string }[] = [];
      for (const [i, { at, value }] of [...writes, ...writes].entries()) {
        for (const follower_ of followers.filter(({ after: count }) => count === i)) {
          const since = Math.max(0, Number(await book.revision()) - follower_.back);
          const query = `?since=${since}${follower_.filter}${follower_.values ? '&values=true' : ''}`;
          const stream = await openEventStream(t, readers[follower_.reader], {}, query);
          if (stream.status === 200) open.push({ stream, api: readers[follower_.reader], query });
          else assert.ok(follower_.reader === 'member' && follower_.filter.includes('Secret'), `${stream.status}`);
        }
        assert.equal((await book.put(at, [[value]])).status, 200);
      }
      // Every filter except the one for the other sheet matches this write.
      await book.put('A2', [['the end', 'of', 'it']]);
      const end = Number((await book.put('Secret!A1', [['the end']])).status === 200 ? await book.revision() : 0);
      for (const { stream, api, query } of open) {
        const answer = memberAt((await api.requestInDocument('GET', `/changes${query}&limit=500`)).body, 'changes');
        const expected = toElements(answer['entries']).filter(
          ({ records, truncated }) =>
            records === undefined || toElements(records).length > 0 || String(truncated) === 'true',
        );
        const last = Number(expected.at(-1)?.['revision'] ?? end);
        assert.deepEqual(await readEventsUntil(stream, last), expected, query);
        stream.abort();
      }
    }),
    { numRuns: scaleRunCount(12) },
  );
});

test('a revoked token ends its own stream only, and slow readers do not delay others', async (t) => {
  const book = await world.createBook();
  const member = await world.addMember(book.document, 'view');
  const firstRevision = Number(await book.revision()) + 1;
  const streams = await Promise.all(Array.from({ length: 8 }, () => openEventStream(t, book)));
  const revoked = await openEventStream(t, member.api);
  const slow = await openEventStream(t, book);
  slow.pause();
  const text = 'x'.repeat(40_000);
  for (let i = 0; i < 30; i++) await book.put('A1', [[`${i}${text}`]]);
  const { context } = world.server.service;
  const tokens = await listTokens(context, member.id);
  assert.ok(!isRefusal(tokens));
  for (const { id } of tokens) await revokeToken(context, id);
  await book.put('A1', [['after']]);
  const end = Number(await book.revision());
  for (const stream of streams) {
    assert.deepEqual(
      (await readEventsUntil(stream, end)).map(({ revision }) => Number(revision)),
      createRange(firstRevision, end),
    );
  }
  await revoked.streamClosed;
  assert.doesNotMatch(revoked.text(), new RegExp(`id: ${end}\n`));
  slow.resume();
  assert.deepEqual(
    (await readEventsUntil(slow, end)).map(({ revision }) => Number(revision)),
    createRange(firstRevision, end),
  );
});

function createRange(from: number, to: number): readonly number[] {
  return Array.from({ length: to - from + 1 }, (_, i) => from + i);
}
