import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Edit } from '@cellwire/engine';
import { SLICE_MS } from '../../../event-loop/src/limits.ts';
import { CalculationPool } from '../../src/documents/calculation/pool.ts';
import type { OpenDocument } from '../../src/documents/types.ts';
import { TRUSTING_COMMITS } from '../../src/limits/documents.ts';
import {
  addOwner,
  firstSheet,
  type Installation,
  NOTHING_INLINE,
  newDocument,
  openDocument,
  openInstallation,
  planOf,
  snapshotOf,
  temporaryFolder,
  valueAt,
} from './support.ts';

const ROUNDS = 6;
const FORMULAS = 20;

/** Enters a row of inputs as a user types them. */
function entering(row: number, values: readonly string[]) {
  return (head: { readonly sheets: readonly { readonly id: number; readonly name: string }[] }) =>
    planOf([
      { kind: 'setValues', sheet: firstSheet(head as never), row, column: 0, values: [values], mode: 'user' } as Edit,
    ]);
}

async function write(document: OpenDocument, row: number, values: readonly string[]): Promise<void> {
  assert.equal((await document.write(entering(row, values))).kind, 'written');
}

/** Two processes on one database, each with a document open. */
async function two(t: TestContext, pool: () => CalculationPool | null) {
  const folder = temporaryFolder(t);
  const open = (): Installation => {
    const own = pool();
    if (own !== null) t.after(() => own.close());
    return openInstallation(t, folder, undefined, undefined, own === null ? {} : { pool: own });
  };
  const [here, there] = [open(), open()];
  await addOwner(here.database);
  const id = await newDocument(here.documents);
  return { here, there, mine: await openDocument(here.documents, id), theirs: await openDocument(there.documents, id) };
}

const PLACES: Readonly<Record<string, () => CalculationPool | null>> = {
  'in the thread that serves': () => null,
  'in calculation threads': () => new CalculationPool(1, { ...NOTHING_INLINE, bytes: 1_000_000 }),
};

for (const [where, pool] of Object.entries(PLACES)) {
  test(`processes that write to a document by turns each build its formula graph once: ${where}`, async (t) => {
    const { here, there, mine, theirs } = await two(t, pool);
    for (let row = 1; row <= FORMULAS; row++) await write(mine, row, [`=A${row}+B1`]);
    for (let round = 1; round <= ROUNDS; round++) {
      await write(theirs, 0, [String(round), `${round} %`]);
      await write(mine, 0, [String(10 * round), `2${round}.0${round}.2026`, `=A${FORMULAS + 1}`]);
      const snapshots = await Promise.all([mine, theirs].map(snapshotOf));
      const [one, other] = snapshots.map((snapshot) => [valueAt(snapshot, FORMULAS, 0), valueAt(snapshot, 0, 2)]);
      assert.deepEqual(one, other);
      assert.equal(one?.[0], one?.[1]);
    }
    assert.deepEqual([here.documents.figures().graphsBuilt, there.documents.figures().graphsBuilt], [1, 1]);
  });

  test(`processes that write to a document concurrently each build its formula graph once: ${where}`, async (t) => {
    const { here, there, mine, theirs } = await two(t, pool);
    await write(mine, 0, ['=SUM(B1:B100)']);
    for (let round = 1; round <= ROUNDS; round++) {
      await Promise.all([
        write(mine, 2 * round, ['', String(round), `=B${2 * round + 1}*A1`]),
        write(theirs, 2 * round + 1, ['', `${round} %`]),
      ]);
      const sum = (round * (round + 1) * 1.01) / 2;
      for (const document of [mine, theirs]) {
        const found = Number(valueAt(await snapshotOf(document), 0, 0));
        assert.ok(Math.abs(found - sum) < 1e-9, `${found} is not ${sum}`);
      }
    }
    assert.deepEqual([here.documents.figures().graphsBuilt, there.documents.figures().graphsBuilt], [1, 1]);
  });
}

test('reports a declined write, however long its proposal takes', async (t) => {
  const { mine } = await two(t, () => null);
  // After a series of its own writes, the process does not ask the database before each of them.
  for (let row = 0; row <= TRUSTING_COMMITS; row++) await write(mine, row, ['1']);
  let proposed = 0;
  const outcome = await mine.write(() => {
    if (++proposed > 10) throw new Error('it is proposed again and again');
    for (const end = performance.now() + 2 * SLICE_MS; performance.now() < end; );
    return { kind: 'declined', reason: 'no' };
  });
  assert.deepEqual(outcome, { kind: 'declined', reason: 'no' });
});
