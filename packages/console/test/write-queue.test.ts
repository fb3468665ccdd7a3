import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Result } from '../src/data/http.ts';
import { RequestOrder } from '../src/grid/session/request-order.ts';
import { WriteQueue } from '../src/grid/session/write-queue.ts';

/** Response to a write; `revision` is null if it changed nothing. */
function createAcceptedResult(revision: number | null): Result<null> {
  return { ok: true, value: null, headers: new Headers(revision === null ? {} : { 'x-revision': `${revision}` }) };
}

function createRefusedResult(status: number): Result<null> {
  return { ok: false, status, message: '', errors: {}, body: {} };
}

/** A document with a revision number, whose undo creates further revisions. */
class RecordedDocument {
  /** Requests in order: writes by their revision, undos by the revision that they undo. */
  readonly requests: string[] = [];
  revision: number;
  /** Status that refuses the next undo; null if it is accepted. */
  refusal: number | null = null;
  readonly queue = new WriteQueue({
    undo: async (revision) => {
      this.requests.push(`back ${revision}`);
      const { refusal } = this;
      this.refusal = null;
      return refusal === null ? createAcceptedResult(++this.revision) : createRefusedResult(refusal);
    },
    waitForRetry: async () => {},
    onChange: () => {},
  });

  constructor(revision: number) {
    this.revision = revision;
  }

  write(changesDocument = true) {
    return this.queue.send(async () => {
      if (changesDocument) this.requests.push(`write ${++this.revision}`);
      return createAcceptedResult(changesDocument ? this.revision : null);
    });
  }
}

suite('write queue', () => {
  test('undoes writes from the last one, and redoes them', async () => {
    const log = new RecordedDocument(4);
    // All writes get their keys before the first answer.
    const all = [
      log.write(),
      log.write(),
      ...(['undo', 'undo', 'redo'] as const).map((action) => log.queue.undoOrRedo(action)),
    ];
    assert.equal(log.queue.pendingCount, 5);
    await Promise.all(all);
    assert.deepEqual(log.requests, ['write 5', 'write 6', 'back 6', 'back 5', 'back 8']);
    assert.deepEqual([log.queue.canUndo, log.queue.canRedo, log.queue.pendingCount], [true, true, 0]);
  });

  test('ignores writes of others and writes without a change', async () => {
    const log = new RecordedDocument(4);
    await log.write();
    log.revision = 9;
    await log.write(false);
    await log.queue.undoOrRedo('undo');
    assert.deepEqual(log.requests, ['write 5', 'back 5']);
    assert.equal(await log.queue.undoOrRedo('undo'), null);
  });

  test('clears redo after a new write', async () => {
    const log = new RecordedDocument(0);
    await log.write();
    await log.queue.undoOrRedo('undo');
    await log.write();
    assert.equal(await log.queue.undoOrRedo('redo'), null);
  });

  test('repeats a write with the same key until it is answered, while later writes wait', async () => {
    const log = new RecordedDocument(0);
    const keys: string[] = [];
    const statuses = [0, 503, 0];
    const first = log.queue.send(async (key) => {
      keys.push(key);
      const status = statuses.shift();
      assert.equal(log.queue.isRetrying, keys.length > 1);
      return status === undefined ? createAcceptedResult(++log.revision) : createRefusedResult(status);
    });
    const second = log.write();
    assert.equal((await first).ok, true);
    await second;
    assert.equal(keys.length, 4);
    assert.equal(new Set(keys).size, 1);
    assert.deepEqual([log.requests, log.queue.isRetrying, log.queue.pendingCount], [['write 2'], false, 0]);
    await log.queue.undoOrRedo('undo');
    await log.queue.undoOrRedo('undo');
    assert.deepEqual(log.requests, ['write 2', 'back 2', 'back 1']);
  });

  test('gives each write its own key', async () => {
    const log = new RecordedDocument(0);
    const keys = new Set<string>();
    for (let i = 0; i < 3; i++) await log.queue.send(async (key) => createAcceptedResult(keys.add(key).size));
    assert.equal(keys.size, 3);
  });

  test('keeps an undo after a temporary failure and drops it after a final one', async () => {
    const log = new RecordedDocument(0);
    await log.write();
    await log.write();
    log.refusal = 401;
    assert.equal((await log.queue.undoOrRedo('undo'))?.ok, false);
    log.refusal = 412;
    assert.equal((await log.queue.undoOrRedo('undo'))?.ok, false);
    assert.equal((await log.queue.undoOrRedo('undo'))?.ok, true);
    assert.deepEqual(log.requests, ['write 1', 'write 2', 'back 2', 'back 2', 'back 1']);
  });
});

suite('request order', () => {
  test('accepts an answer unless a later request was answered before', () => {
    const order = new RequestOrder();
    const [first, second, third] = [order.startRequest(), order.startRequest(), order.startRequest()];
    assert.deepEqual(
      [second, first, third].map((question) => order.acceptAnswer(question)),
      [true, false, true],
    );
  });
});
