import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Edit } from '@cellwire/engine';
import { SLICE_MS } from '../../../event-loop/src/limits.ts';
import { CalculationPool } from '../../src/documents/calculation/pool.ts';
import type { OpenDocument } from '../../src/documents/types.ts';
import { TRUSTING_COMMITS } from '../../src/limits/documents.ts';
import {
  addOwner,
  createDocument,
  createProposal,
  createTemporaryFolder,
  getFirstSheetId,
  type Installation,
  NOTHING_INLINE,
  openDocument,
  openInstallation,
  readSnapshot,
  readValue,
} from './support.ts';

const ROUNDS = 6;
const FORMULAS = 20;

/** Enters a row of inputs like a user. */
function enterRow(row: number, values: readonly string[]) {
  return (head: { readonly sheets: readonly { readonly id: number; readonly name: string }[] }) =>
    createProposal([
      {
        kind: 'setValues',
        sheet: getFirstSheetId(head as never),
        row,
        column: 0,
        values: [values],
        mode: 'user',
      } as Edit,
    ]);
}

async function writeRow(document: OpenDocument, row: number, values: readonly string[]): Promise<void> {
  assert.equal((await document.write(enterRow(row, values))).kind, 'written');
}

/** Opens a document in two processes on one database. */
async function openInTwoProcesses(t: TestContext, pool: () => CalculationPool | null) {
  const folder = createTemporaryFolder(t);
  const open = (): Installation => {
    const ownPool = pool();
    if (ownPool !== null) t.after(() => ownPool.close());
    return openInstallation(t, folder, undefined, undefined, ownPool === null ? {} : { pool: ownPool });
  };
  const [firstProcess, secondProcess] = [open(), open()];
  await addOwner(firstProcess.database);
  const id = await createDocument(firstProcess.documents);
  return {
    firstProcess,
    secondProcess,
    first: await openDocument(firstProcess.documents, id),
    second: await openDocument(secondProcess.documents, id),
  };
}

const CALCULATION_PLACES: Readonly<Record<string, () => CalculationPool | null>> = {
  'in the thread that serves': () => null,
  'in calculation threads': () => new CalculationPool(1, { ...NOTHING_INLINE, bytes: 1_000_000 }),
};

for (const [location, pool] of Object.entries(CALCULATION_PLACES)) {
  test(`processes that write to a document in turn each build its formula graph once: ${location}`, async (t) => {
    const { firstProcess, secondProcess, first, second } = await openInTwoProcesses(t, pool);
    for (let row = 1; row <= FORMULAS; row++) await writeRow(first, row, [`=A${row}+B1`]);
    for (let round = 1; round <= ROUNDS; round++) {
      await writeRow(second, 0, [String(round), `${round} %`]);
      await writeRow(first, 0, [String(10 * round), `2${round}.0${round}.2026`, `=A${FORMULAS + 1}`]);
      const snapshots = await Promise.all([first, second].map(readSnapshot));
      const [one, other] = snapshots.map((snapshot) => [readValue(snapshot, FORMULAS, 0), readValue(snapshot, 0, 2)]);
      assert.deepEqual(one, other);
      assert.equal(one?.[0], one?.[1]);
    }
    assert.deepEqual(
      [firstProcess.documents.collectMetrics().graphsBuilt, secondProcess.documents.collectMetrics().graphsBuilt],
      [1, 1],
    );
  });

  test(`processes that write to a document concurrently each build its formula graph once: ${location}`, async (t) => {
    const { firstProcess, secondProcess, first, second } = await openInTwoProcesses(t, pool);
    await writeRow(first, 0, ['=SUM(B1:B100)']);
    for (let round = 1; round <= ROUNDS; round++) {
      await Promise.all([
        writeRow(first, 2 * round, ['', String(round), `=B${2 * round + 1}*A1`]),
        writeRow(second, 2 * round + 1, ['', `${round} %`]),
      ]);
      const sum = (round * (round + 1) * 1.01) / 2;
      for (const document of [first, second]) {
        const actual = Number(readValue(await readSnapshot(document), 0, 0));
        assert.ok(Math.abs(actual - sum) < 1e-9, `${actual} is not ${sum}`);
      }
    }
    assert.deepEqual(
      [firstProcess.documents.collectMetrics().graphsBuilt, secondProcess.documents.collectMetrics().graphsBuilt],
      [1, 1],
    );
  });
}

test('reports a declined write even if its proposal takes long', async (t) => {
  const { first } = await openInTwoProcesses(t, () => null);
  // After a series of own writes, the process stops asking the database before each write.
  for (let row = 0; row <= TRUSTING_COMMITS; row++) await writeRow(first, row, ['1']);
  let proposed = 0;
  const outcome = await first.write(() => {
    if (++proposed > 10) throw new Error('it is proposed again and again');
    for (const end = performance.now() + 2 * SLICE_MS; performance.now() < end; );
    return { kind: 'declined', reason: 'no' };
  });
  assert.deepEqual(outcome, { kind: 'declined', reason: 'no' });
});
