import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { REVISION_CONFLICT } from '../../src/database/conflicts.ts';
import type { UnitOutcome } from '../../src/database/database.ts';
import { commitsFrom } from '../../src/documents/commits.ts';
import { KEY_TAKEN, storedReply, storeReply } from '../../src/documents/idempotency.ts';
import { CommitBench, createCommit } from './commit-units.ts';
import { DatabaseProxy } from './database-proxy.ts';

const DOCUMENTS = ['d1', 'd2', 'd3', 'd4', 'd5', 'd6'];

const listKinds = (outcomes: readonly UnitOutcome[]) => outcomes.map(({ kind }) => kind);
const countTransactions = (commits: readonly { readonly transaction_id: string }[]) =>
  new Set(commits.map((commit) => commit.transaction_id)).size;

test('commits of several documents share a transaction and are stored like single ones', async (t) => {
  const bench = await CommitBench.create(t, DOCUMENTS);
  const node = await bench.open();
  await node.write(createCommit('d1', 'd1-1'));
  const next = { revision: 1, parent: 'd1-1' };
  const units = [createCommit('d1', 'd1-2', next), ...DOCUMENTS.slice(1).map((id) => createCommit(id, `${id}-1`))];
  assert.deepEqual(
    new Set(listKinds(await Promise.all(units.map((unit) => node.write(unit))))),
    new Set(['committed']),
  );
  const [single, ...grouped] = await bench.listCommits();
  assert.equal(countTransactions(grouped), 1);
  const [first, second] = await node.read(commitsFrom({ id: 'd1', revision: 1 }));
  assert.deepEqual({ ...second, ...SAME }, { ...first, ...SAME });
  assert.equal(single?.head, 'd1-1');
  assert.deepEqual(
    await bench.listEntries(),
    DOCUMENTS.map((id, i) => ({
      id,
      audited: i === 0 ? '2' : '1',
      api_audited: i === 0 ? '2' : '1',
      entries: i === 0 ? '2' : '1',
    })),
  );
});

/** The columns in which two commits of a document differ. */
const SAME = { revision: 0, head: '', parent: '', facts_sum: 0, changes_sum: 0 };

test('several commits of a document share the transaction of a group', async (t) => {
  const bench = await CommitBench.create(t, DOCUMENTS);
  const node = await bench.open();
  const units = DOCUMENTS.flatMap((id) => [
    createCommit(id, `${id}-1`),
    createCommit(id, `${id}-2`, { revision: 1, parent: `${id}-1` }),
  ]);
  assert.deepEqual(
    new Set(listKinds(await Promise.all(units.map((unit) => node.write(unit))))),
    new Set(['committed']),
  );
  const commits = await bench.listCommits();
  assert.deepEqual(
    commits.map(({ head }) => head),
    DOCUMENTS.flatMap((id) => [`${id}-1`, `${id}-2`]),
  );
  assert.equal(countTransactions(commits), 1);
});

test('a commit that is not on top of the latest one does not undo the others of its group', async (t) => {
  const bench = await CommitBench.create(t, DOCUMENTS);
  const node = await bench.open();
  const units = DOCUMENTS.map((id) => createCommit(id, `${id}-1`, id === 'd3' ? { parent: 'another' } : {}));
  const outcomes = await Promise.all(units.map((unit) => node.write(unit)));
  assert.deepEqual(outcomes[2], { kind: 'conflict', conflict: REVISION_CONFLICT });
  assert.deepEqual(new Set(listKinds(outcomes.toSpliced(2, 1))), new Set(['committed']));
  const commits = await bench.listCommits();
  assert.deepEqual(
    commits.map((commit) => commit.document_id),
    DOCUMENTS.toSpliced(2, 1),
  );
  assert.equal(countTransactions(commits), 1);
});

const KEY = { user_id: 1, method: 'PUT', path: '/values', key: 'k' };
const createReply = (document: string, reply: string) =>
  storeReply({ ...KEY, document_id: document, body_hash: 'h', status: 200, reply, at: 2, expired: 1, revision: 1 });

test('replies are stored with the commits of a group', async (t) => {
  const bench = await CommitBench.create(t, DOCUMENTS);
  const node = await bench.open();
  const units = DOCUMENTS.map((id) => createCommit(id, `${id}-1`, { statements: [createReply(id, `reply of ${id}`)] }));
  await Promise.all(units.map((unit) => node.write(unit)));
  assert.equal(countTransactions(await bench.listCommits()), 1);
  for (const id of DOCUMENTS) {
    const row = await node.readOne(storedReply({ ...KEY, document_id: id, after: 0 }));
    assert.equal(row?.reply, `reply of ${id}`);
  }
});

test('a taken key prevents only the commit of its own document', async (t) => {
  const bench = await CommitBench.create(t, DOCUMENTS);
  const node = await bench.open();
  await node.write({ document: 'd2', statements: [createReply('d2', 'earlier')] });
  const units = DOCUMENTS.map((id) => createCommit(id, `${id}-1`, { statements: [createReply(id, 'new')] }));
  const outcomes = await Promise.all(units.map((unit) => node.write(unit)));
  assert.deepEqual(outcomes[1], { kind: 'conflict', conflict: KEY_TAKEN });
  assert.deepEqual(new Set(listKinds(outcomes.toSpliced(1, 1))), new Set(['committed']));
  assert.deepEqual(
    (await bench.listCommits()).map((commit) => commit.document_id),
    DOCUMENTS.toSpliced(1, 1),
  );
});

for (const when of ['before commit', 'after commit', 'late'] as const) {
  test(`commits of a group whose connection is cut are written once: ${when}`, async (t) => {
    const bench = await CommitBench.create(t, DOCUMENTS);
    const proxy = await DatabaseProxy.start(bench.schema.url);
    t.after(() => proxy.close());
    const node = await bench.open(proxy.url);
    // The first commit of d6 is on top of an unknown one; the second one is on top of the first.
    const units = [
      ...DOCUMENTS.slice(0, 5).flatMap((id) => [
        createCommit(id, `${id}-1`),
        createCommit(id, `${id}-2`, { revision: 1, parent: id === 'd5' ? 'another' : `${id}-1` }),
      ]),
      createCommit('d6', 'd6-1', { parent: 'another' }),
    ];
    proxy.cutAtCommit(when);
    const outcomes = await Promise.all(units.map((unit) => node.write(unit)));
    assert.equal(proxy.isWaitingToCut, false);
    proxy.deliverCommit();
    const expected = ['d1', 'd2', 'd3', 'd4'].flatMap((id) => [`${id}-1`, `${id}-2`]).concat('d5-1');
    assert.deepEqual(
      listKinds(outcomes),
      units.map((_, i) => (i < expected.length ? 'committed' : 'conflict')),
    );
    assert.equal((await node.write(createCommit('d1', 'd1-3', { revision: 2, parent: 'd1-2' }))).kind, 'committed');
    assert.deepEqual(
      (await bench.listCommits()).map(({ head }) => head).filter((head) => head !== 'd1-3'),
      expected,
    );
  });
}

/** Locks a document's row as a unit of another node does. Returns a function that ends the transaction. */
async function lockRow(url: string, document: string): Promise<() => Promise<void>> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('begin');
  await client.query('select 1 from documents where id = $1 for no key update', [document]);
  return async () => {
    await client.query('commit');
    await client.end();
  };
}

test('a group does not wait for a document that another node has locked', async (t) => {
  const bench = await CommitBench.create(t, DOCUMENTS);
  const node = await bench.open();
  const unlock = await lockRow(bench.schema.url, 'd4');
  const writes = DOCUMENTS.map((id) => node.write(createCommit(id, `${id}-1`)));
  await Promise.all(writes.toSpliced(3, 1));
  const commits = await bench.listCommits();
  assert.deepEqual(
    commits.map((commit) => commit.document_id),
    DOCUMENTS.toSpliced(3, 1),
  );
  assert.equal(countTransactions(commits), 1);
  await unlock();
  assert.equal((await writes[3])?.kind, 'committed');
});

test('a document that is alone in its turn and waits for another node does not hold up later groups', async (t) => {
  const bench = await CommitBench.create(t, DOCUMENTS);
  const node = await bench.open();
  const unlock = await lockRow(bench.schema.url, 'd1');
  const locked = node.write(createCommit('d1', 'd1-1'));
  for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
  await Promise.all(DOCUMENTS.slice(1).map((id) => node.write(createCommit(id, `${id}-1`))));
  await unlock();
  assert.equal((await locked).kind, 'committed');
});

test('groups of two nodes with the same documents in opposite orders commit each document once', async (t) => {
  const bench = await CommitBench.create(t, DOCUMENTS);
  const nodes = [await bench.open(), await bench.open()];
  const heads = new Map(DOCUMENTS.map((id) => [id, 'first']));
  for (let revision = 0; revision < 20; revision++) {
    const outcomes = nodes.map((node, n) => {
      const order = n === 0 ? DOCUMENTS : DOCUMENTS.toReversed();
      const write = async (id: string) => {
        const head = `${id}-${revision}-${n}`;
        const { kind } = await node.write(createCommit(id, head, { revision, parent: heads.get(id) as string }));
        return kind === 'committed' ? [[id, head] as const] : [];
      };
      return Promise.all(order.map(write));
    });
    const committed = (await Promise.all(outcomes)).flat(2);
    assert.deepEqual(committed.map(([id]) => id).toSorted(), DOCUMENTS);
    for (const [id, head] of committed) heads.set(id, head);
  }
  assert.deepEqual(
    (await bench.listCommits()).filter(({ revision }) => Number(revision) === 20).map(({ head }) => head),
    DOCUMENTS.map((id) => heads.get(id)),
  );
});
