import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, type TestContext, test } from 'node:test';
import { cachedDataVersionTag, getHeapStatistics } from 'node:v8';
import type { Worker } from 'node:worker_threads';
import { type Edit, type Snapshot, Workbook } from '@cellwire/engine';
import { bumpAccessEpoch } from '@cellwire/store/accounts';
import fc from 'fast-check';
import { HEAP_RESERVE_BYTES } from '../../../event-loop/src/limits.ts';
import { getStoreLocation } from '../../../store/test/postgres/folder-databases.ts';
import { type CalculatedBatch, Calculator } from '../../src/documents/calculation/calculator.ts';
import { CalculationPool, type ThreadBounds } from '../../src/documents/calculation/pool.ts';
import { type CalculationWorker, isEndedTask } from '../../src/documents/calculation/worker.ts';
import { Trials } from '../../src/documents/pipeline/trials.ts';
import { WriteAdmission } from '../../src/documents/pipeline/write-admission.ts';
import type { OpenDocument } from '../../src/documents/types.ts';
import {
  MAX_WAITING_BYTES,
  MAX_WAITING_BYTES_PER_DOCUMENT,
  MAX_WAITING_BYTES_PER_USER,
} from '../../src/limits/documents.ts';
import { DocumentJobs } from '../../src/service/document/document-jobs.ts';
import {
  addOwner,
  createDocument,
  createProposal,
  createTemporaryFolder,
  getFirstSheetId,
  NOTHING_INLINE,
  openDocument,
  openInstallation,
  readSnapshot,
  readValue,
  SETTINGS,
  setValue,
} from './support.ts';

const MIB = 1024 * 1024;
const CONTEXT = { now: 0, seed: 7, budget: { cells: 10_000_000, milliseconds: 60_000 } };
/** A formula that runs longer than any test unless it is stopped. */
const ENDLESS = '=REDUCE(0;SEQUENCE(1000000);LAMBDA(a;b;a+SUM(SEQUENCE(1000000))))';

let pool: CalculationPool;
before(() => {
  pool = new CalculationPool(1, NOTHING_INLINE);
});
after(() => pool.close());

const input = fc.constantFrom(
  ...['=A1+1', '=SUM(A1:C3)', '=A1:B2', '=RAND()', '=INDIRECT("A1")', '=SEQUENCE(3)', '=1+', 'text', '', '31.12.2026'],
  ...['12,5%', 'я'.repeat(300), 1, 2.5, true],
);
const edit: fc.Arbitrary<Edit> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('setValues' as const),
      sheet: fc.constant(1),
      row: fc.nat(4),
      column: fc.nat(3),
      values: fc.array(fc.array(input, { minLength: 1, maxLength: 2 }), { minLength: 1, maxLength: 3 }),
      mode: fc.constant('user' as const),
    }),
  },
  fc.constant<Edit>({ kind: 'clear', sheet: 1, area: { top: 0, left: 0, bottom: 2, right: 1 } }),
  fc.constant<Edit>({ kind: 'recalculate', everything: true }),
  fc.constant<Edit>({ kind: 'addSheet' }),
);

test('a thread returns the same delta, areas, outcomes and warnings as this thread', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(edit, { minLength: 1, maxLength: 8 }), async (edits) => {
      const inline = new Calculator(null, { built: 0 });
      const inThread = new Calculator(pool, { built: 0 });
      let inlineState = Workbook.create(SETTINGS, 'Sheet1').head;
      let threadState = Workbook.create(SETTINGS, 'Sheet1').head;
      for (const singleEdit of edits) {
        const context = { ...CONTEXT, writer: null };
        const expected = (await inline.calculate(inlineState, [singleEdit], context, 1)) as CalculatedBatch;
        const { after: nextThreadState, ...figures } = (await inThread.calculate(
          threadState,
          [singleEdit],
          context,
          1,
        )) as CalculatedBatch;
        const { after: state, ...expectedFigures } = expected;
        assert.deepEqual(figures, expectedFigures);
        assert.equal(nextThreadState.revision, state.revision);
        inlineState = state;
        threadState = nextThreadState;
      }
      inThread.freeWriterState();
    }),
    { numRuns: 40 },
  );
});

/** Returns a free thread of a pool. */
async function startAnyThread(threads: CalculationPool): Promise<CalculationWorker> {
  const thread = await threads.calculate({ user: null, expectedMs: 0 }, async (worker) => worker);
  assert.ok(!isEndedTask(thread));
  return thread;
}

/** Opens an installation whose documents are all calculated in one thread. */
async function openInOneThread(t: TestContext, threadBounds: Partial<ThreadBounds> = {}) {
  const threads = new CalculationPool(1, NOTHING_INLINE, threadBounds);
  t.after(() => threads.close());
  const installation = openInstallation(t, createTemporaryFolder(t), undefined, undefined, {
    pool: threads,
    limits: { calculationMs: 60_000, calculationCells: Number.MAX_SAFE_INTEGER },
  });
  await addOwner(installation.database);
  return { ...installation, threads, thread: await startAnyThread(threads) };
}

/** Limits a thread to 2 s instead of 60 s. On a busy machine a small calculation takes long, but not that long. */
const SHORT_TIME_LIMIT: Partial<ThreadBounds> = { grace: -58_000 };

test('cached compiled code is valid before and after the first thread starts', async () => {
  const before = cachedDataVersionTag();
  await new Calculator(pool, { built: 0 }).calculate(Workbook.create(SETTINGS, 'Sheet1').head, [], CONTEXT, 1);
  assert.equal(cachedDataVersionTag(), before);
});

test('earlier states are dropped in both threads once all commits are durable, and a dropped state is sent again when it is needed', async () => {
  const graphs = { built: 0 };
  const calculator = new Calculator(pool, graphs);
  const applyValue = async (state: Snapshot, value: string | number): Promise<Snapshot> => {
    const setting: Edit = { kind: 'setValues', sheet: 1, row: 0, column: 0, values: [[value]], mode: 'user' };
    const calculated = await calculator.calculate(state, [setting], CONTEXT, 1);
    assert.ok(calculated.kind === 'calculated');
    assert.equal(calculated.after.revision, state.revision + 1);
    return calculated.after;
  };
  const first = await applyValue(Workbook.create(SETTINGS, 'Sheet1').head, 1);
  const second = await applyValue(first, '=1+1');
  assert.equal(readValue(await applyValue(first, '=2+1'), 0, 0), 3, 'the second did not reach the disk');
  assert.equal(graphs.built, 1);
  calculator.forgetOldStates();
  const third = await applyValue(second, '=3+1');
  assert.equal(graphs.built, 2, 'nothing was kept but the newest state');
  calculator.forgetOldStates();
  const fourth = await applyValue(third, '=A2+4');
  assert.equal(readValue(await applyValue(fourth, '=5+1'), 0, 0), 6);
  assert.equal(graphs.built, 2, 'the newest is there');
});

test('the preview thread keeps only the newest state', async (t) => {
  const graphs = { built: 0 };
  const previewPool = new CalculationPool(1, { ...NOTHING_INLINE, bytes: MIB });
  t.after(() => previewPool.close());
  const trials = new Trials(previewPool, graphs);
  const writer = new Calculator(pool, { built: 0 });
  const previewRequest = {
    edits: [enterFormula('=1+1')],
    tested: null,
    form: 'cells',
    read: null,
    details: null,
    window: null,
  } as const;
  const states = [Workbook.create(SETTINGS, 'Sheet1').head];
  for (let write = 0; write < 3; write++) {
    const before = states.at(-1) as Snapshot;
    const preview = await trials.previewBatch(before, previewRequest, CONTEXT, 1);
    assert.ok('outcomes' in preview);
    const written = await writer.calculate(before, [enterFormula(`=${write}+1`)], CONTEXT, 1);
    assert.ok(written.kind === 'calculated');
    trials.recordCommits({ before, after: written.after, deltas: [written.delta] });
    states.push(written.after);
  }
  assert.equal(graphs.built, 1, 'the copy followed the writes');
  await trials.previewBatch(states[0] as Snapshot, previewRequest, CONTEXT, 1);
  assert.equal(graphs.built, 2, 'the first state was no longer there');
});

test('ends a thread that exceeds its time: its write is refused, and another thread takes over the document', async (t) => {
  const { documents, thread } = await openInOneThread(t, SHORT_TIME_LIMIT);
  const document = await openDocument(documents, await createDocument(documents));
  await document.write(setValue(0, 0, 1));
  const { life } = thread;
  assert.deepEqual(await document.write(setValue(0, 1, ENDLESS)), { kind: 'refusal', reason: 'calculationLimit' });
  assert.equal(thread.life, life + 1);
  assert.equal((await document.write(setValue(1, 0, '=A1+1'))).kind, 'written');
  const snapshot = await readSnapshot(document);
  assert.deepEqual([snapshot.revision, readValue(snapshot, 0, 1), readValue(snapshot, 1, 0)], [2, null, 2]);
});

test('no document of a thread loses a write if the thread fails', async (t) => {
  const { documents, threads, folder } = await openInOneThread(t);
  const ids = [await createDocument(documents), await createDocument(documents)];
  const [first, second] = await Promise.all(ids.map((id) => openDocument(documents, id)));
  for (const document of [first, second]) await document?.write(setValue(0, 0, 5));
  const input = { store: getStoreLocation(folder), id: '' };
  const lost = threads.calculate({ user: null, expectedMs: 0 }, (thread) =>
    thread.runTask('load', input, { milliseconds: 0 }),
  );
  const waiting = [first, second].map((document) => document?.write(setValue(1, 0, '=A1*2')));
  assert.ok(isEndedTask(await lost));
  assert.deepEqual(
    (await Promise.all(waiting)).map((outcome) => outcome?.kind),
    ['written', 'written'],
  );
  for (const document of [first, second]) {
    const snapshot = await readSnapshot(document as NonNullable<typeof document>);
    assert.deepEqual([snapshot.revision, readValue(snapshot, 1, 0)], [2, 10]);
  }
});

/** Resolves with the next thread that this process starts. */
function waitForNextThread(): Promise<Worker> {
  return new Promise((resolve) => process.once('worker', resolve));
}

test('another thread calculates the batch of a thread that ends in the middle of it', async (t) => {
  const { documents } = await openInOneThread(t);
  const document = await openDocument(documents, await createDocument(documents));
  const started = waitForNextThread();
  const writing = document.write(setValue(0, 0, '=SUM(SEQUENCE(1000))'));
  void (await started).terminate();
  assert.equal((await writing).kind, 'written');
  assert.equal(readValue(await readSnapshot(document), 0, 0), 500_500);
});

test('a batch that exceeds the memory or time of every thread writes nothing and can be sent again; the document accepts other writes', async (t) => {
  const { documents, errors } = await openInOneThread(t);
  const document = await openDocument(documents, await createDocument(documents));
  const started = waitForNextThread();
  await document.write(setValue(0, 0, 1));
  const end = (thread: Worker) => void thread.terminate();
  process.on('worker', end);
  t.after(() => process.off('worker', end));
  const writing = document.write(setValue(0, 1, ENDLESS));
  end(await started);
  assert.deepEqual(await writing, { kind: 'busy' });
  assert.deepEqual(
    errors.map((reported) => String((reported as { error: unknown }).error)),
    ['Error: The calculation thread ended'],
  );
  process.off('worker', end);
  assert.equal((await document.write(setValue(1, 0, '=A1+1'))).kind, 'written');
  const snapshot = await readSnapshot(document);
  assert.deepEqual([snapshot.revision, readValue(snapshot, 0, 1), readValue(snapshot, 1, 0)], [2, null, 2]);
});

test('refuses a write that needs more memory than its thread has, and keeps the thread', async (t) => {
  // The program itself takes 20 MiB. A thread that is half full after a refusal is replaced.
  const { documents, thread } = await openInOneThread(t, { heap: 64 * MIB });
  const document = await openDocument(documents, await createDocument(documents));
  await document.write(setValue(0, 0, 1));
  const { life } = thread;
  const large = await document.write(setValue(0, 1, '=SUM(SEQUENCE(5000;1000))'));
  assert.deepEqual([large, thread.life], [{ kind: 'refusal', reason: 'calculationLimit' }, life]);
  assert.equal((await document.write(setValue(1, 0, '=A1+1'))).kind, 'written');
  const snapshot = await readSnapshot(document);
  assert.deepEqual([snapshot.revision, readValue(snapshot, 0, 1), readValue(snapshot, 1, 0)], [2, null, 2]);
});

test('replaces a thread that its documents fill without refusing a write', async (t) => {
  const { documents, thread } = await openInOneThread(t, { heap: 32 * MIB });
  const values = Array.from({ length: 2_000 }, (_, row) => [`=LEN("text${row}")+${row}`]);
  const { life } = thread;
  const opened: OpenDocument[] = [];
  while (thread.life === life) {
    const document = await openDocument(documents, await createDocument(documents));
    opened.push(document);
    const outcome = await document.write((head) =>
      createProposal([{ kind: 'setValues', sheet: getFirstSheetId(head), row: 0, column: 0, values, mode: 'user' }]),
    );
    assert.equal(outcome.kind, 'written');
  }
  for (const document of opened.slice(-2)) {
    assert.equal((await document.write(setValue(0, 1, '=A1+1'))).kind, 'written');
    assert.equal(readValue(await readSnapshot(document), 0, 1), 6);
  }
});

test('threads for calculation, reading and file jobs may each use half of the heap limit of the process', async (t) => {
  const threads = new CalculationPool(1);
  const documentJobs = new DocumentJobs(true);
  t.after(() => Promise.all([threads.close(), documentJobs.close()]));
  const maxHeapMib = (getHeapStatistics().heap_size_limit / 2 + HEAP_RESERVE_BYTES) / MIB;
  const { folder } = await openInOneThread(t);
  const stored = { store: getStoreLocation(folder), id: 'none' };
  const csv = join(folder, 'a.csv');
  writeFileSync(csv, 'a,b\n1,2\n');
  const file = {
    path: csv,
    format: 'csv',
    options: { ...SETTINGS, csv: {} },
    chunkFile: `${csv}.chunks`,
    now: 0,
  } as const;
  const starts: Readonly<Record<string, () => Promise<unknown>>> = {
    calculates: () =>
      threads.calculate({ user: 1, expectedMs: 0 }, (thread) =>
        thread.runTask('load', stored, { milliseconds: 60_000 }),
      ),
    reads: () => threads.runReadTask('load', stored, { user: 1, expectedMs: 0 }),
    makes: () => documentJobs.runInThread('file', file, { user: 1, signal: new AbortController().signal, bytes: 8 }),
  };
  for (const [name, start] of Object.entries(starts)) {
    const startedThread = waitForNextThread();
    const done = start();
    const { maxOldGenerationSizeMb = Number.POSITIVE_INFINITY } = (await startedThread).resourceLimits ?? {};
    await done;
    assert.ok(maxOldGenerationSizeMb <= Math.ceil(maxHeapMib), `${name}: ${maxOldGenerationSizeMb} MiB`);
  }
});

test('ends an idle thread, and another one takes over its documents', async (t) => {
  const { documents, thread } = await openInOneThread(t, { idle: 1 });
  const document = await openDocument(documents, await createDocument(documents));
  for (let i = 0; i < 3; i++) {
    const { life } = thread;
    assert.equal((await document.write(setValue(i, 0, i === 0 ? 1 : `=A${i}*2`))).kind, 'written');
    // The thread's idle timer was set before this one.
    await new Promise((resolve) => setTimeout(resolve, 1));
    assert.equal(thread.life, life + 1);
  }
  const snapshot = await readSnapshot(document);
  assert.deepEqual([snapshot.revision, readValue(snapshot, 2, 0)], [3, 4]);
});

test('users take turns: one request does not wait for the many requests of another user', async (t) => {
  const { folder, threads } = await openInOneThread(t);
  const order: string[] = [];
  const calculateFor = async (user: number, name: string) => {
    const input = { store: getStoreLocation(folder), id: name };
    await threads.calculate({ user, expectedMs: 0 }, (thread) =>
      thread.runTask('load', input, { milliseconds: 60_000 }),
    );
    order.push(name);
  };
  await Promise.all([
    calculateFor(1, 'a1'),
    calculateFor(1, 'a2'),
    calculateFor(1, 'a3'),
    calculateFor(2, 'b1'),
    calculateFor(2, 'b2'),
    calculateFor(3, 'c1'),
  ]);
  assert.deepEqual(order.slice(0, 3), ['a1', 'b1', 'c1']);
  assert.equal(order.at(-1), 'a3');
});

test('a long write is calculated once even if access to other documents changes during it', async (t) => {
  const { documents, database } = await openInOneThread(t);
  const document = await openDocument(documents, await createDocument(documents));
  await document.write(setValue(0, 0, 1));
  let calculations = 0;
  const outcome = await document.write((head) => {
    calculations++;
    void database.write({ document: null, statements: [bumpAccessEpoch({})] });
    const edit = { kind: 'setValues', sheet: getFirstSheetId(head), row: 1, column: 0, mode: 'user' } as const;
    return createProposal([{ ...edit, values: [['=REDUCE(0;SEQUENCE(200000);LAMBDA(a;b;a+b))+A1']] }]);
  });
  assert.deepEqual([outcome.kind, calculations], ['written', 1]);
  assert.equal(readValue(await readSnapshot(document), 1, 0), 20_000_100_001);
});

test('a document can be read while its batch is calculated, and its next write waits for the batch', async (t) => {
  const { documents } = await openInOneThread(t, SHORT_TIME_LIMIT);
  const document = await openDocument(documents, await createDocument(documents));
  await document.write(setValue(0, 0, 1));
  const long = document.write(setValue(0, 1, ENDLESS));
  const next = document.write((head) =>
    createProposal([
      { kind: 'setValues', sheet: getFirstSheetId(head), row: 2, column: 0, values: [[head.revision]], mode: 'raw' },
    ]),
  );
  assert.equal(readValue(await readSnapshot(document), 0, 0), 1);
  assert.equal((await long).kind, 'refusal');
  assert.equal((await next).kind, 'written');
  assert.equal(readValue(await readSnapshot(document), 2, 0), 1);
});

/** Calculates for tens of milliseconds, longer than the serving thread allows. */
const LONG = '=REDUCE(0;SEQUENCE(200000);LAMBDA(a;b;a+b))';
const LONG_RESULT = 20_000_100_000;

function enterFormula(formula: string): Edit {
  return { kind: 'setValues', sheet: 1, row: 0, column: 0, values: [[formula]], mode: 'user' };
}

test('a small batch is calculated here, and one that takes longer than expected is moved to a thread', async (t) => {
  const threads = new CalculationPool(1);
  t.after(() => threads.close());
  const calculator = new Calculator(threads, { built: 0 });
  const thread = await startAnyThread(threads);
  const { head } = Workbook.create(SETTINGS, 'Sheet1');
  const small = calculator.calculate(head, [enterFormula('=1+1')], CONTEXT, 1);
  assert.ok(!(small instanceof Promise) && small.kind === 'calculated');
  assert.equal(thread.documents.size, 0);
  const long = calculator.calculate(small.after, [enterFormula(LONG)], CONTEXT, 1);
  assert.ok(long instanceof Promise);
  const calculated = await long;
  assert.ok(calculated.kind === 'calculated');
  assert.equal(readValue(calculated.after, 0, 0), LONG_RESULT);
  assert.equal(thread.documents.size, 1);
});

test('a small document returns from its thread after a few cheap batches', async (t) => {
  const threads = new CalculationPool(1);
  t.after(() => threads.close());
  const calculator = new Calculator(threads, { built: 0 });
  const { head } = Workbook.create(SETTINGS, 'Sheet1');
  const long = await calculator.calculate(head, [enterFormula(LONG)], CONTEXT, 1);
  assert.ok(long.kind === 'calculated');
  let state = long.after;
  let batchesInThread = 0;
  for (; batchesInThread < 20; batchesInThread++) {
    const result = calculator.calculate(state, [enterFormula('=1+1')], CONTEXT, 1);
    if (!(result instanceof Promise)) break;
    const calculated = await result;
    assert.ok(calculated.kind === 'calculated');
    state = calculated.after;
  }
  assert.ok(batchesInThread > 0 && batchesInThread < 20);
  assert.equal(readValue(state, 0, 0), 2);
});

test('slow documents are distributed over the threads', async (t) => {
  const threads = new CalculationPool(4);
  t.after(() => threads.close());
  const { head } = Workbook.create(SETTINGS, 'Sheet1');
  const calculate = () => new Calculator(threads, { built: 0 }).calculate(head, [enterFormula(LONG)], CONTEXT, 1);
  const started: Worker[] = [];
  const recordStart = (thread: Worker) => started.push(thread);
  process.on('worker', recordStart);
  await Promise.all([calculate(), calculate(), calculate()]);
  process.off('worker', recordStart);
  assert.equal(started.length, 2, 'one user has half of the threads');
});

test('documents of one thread that are written to at the same time are calculated at the same time', async (t) => {
  const threads = new CalculationPool(8);
  t.after(() => threads.close());
  const { head } = Workbook.create(SETTINGS, 'Sheet1');
  const calculators = [1, 2, 3].map(() => new Calculator(threads, { built: 0 }));
  const states: Snapshot[] = [];
  for (const calculator of calculators) {
    const calculated = await calculator.calculate(head, [enterFormula(LONG)], CONTEXT, 1);
    assert.ok(calculated.kind === 'calculated');
    states.push(calculated.after);
  }
  const next = await Promise.all(
    calculators.map((calculator, i) =>
      calculator.calculate(states[i] as Snapshot, [enterFormula(`${LONG}+1`)], CONTEXT, 1),
    ),
  );
  for (const calculated of next) {
    assert.ok(calculated.kind === 'calculated');
    assert.equal(readValue(calculated.after, 0, 0), LONG_RESULT + 1);
  }
});

test('waiting writes are bounded in bytes: in total, for each document, and for each user', () => {
  const admission = new WriteAdmission();
  const enter = (document: string, user: number | null, bytes: number) =>
    admission.admitWrite(document, { user, bytes });
  const first = enter('a', 1, MAX_WAITING_BYTES_PER_DOCUMENT + MIB);
  assert.ok(first, 'one alone gets in, whatever its weight');
  assert.equal(enter('a', 2, 1), null, 'the document has no room');
  assert.equal(enter('b', 1, MAX_WAITING_BYTES_PER_USER - MAX_WAITING_BYTES_PER_DOCUMENT), null, 'nor has the user');
  assert.ok(enter('b', 2, MIB), 'others have');
  assert.equal(enter('c', 3, MAX_WAITING_BYTES - MAX_WAITING_BYTES_PER_DOCUMENT), null, 'all have no more than this');
  first();
  assert.ok(enter('a', 2, 1));
});
