import type { Database, Query, Unit, UnitOutcome } from '../src/database/database.ts';

/** Returns an integer from 0 up to, but excluding, `below`. */
export type RandomBelow = (below: number) => number;

/** Running units of one document. */
interface PendingUnits {
  /** Resolves when the last unit was submitted to the database. */
  readonly submitted: Promise<unknown>;
  /** Resolves when the caller got the result of the last unit. */
  readonly completed: Promise<unknown>;
}

const NO_PENDING: PendingUnits = { submitted: Promise.resolve(), completed: Promise.resolve() };

/**
 * A database that guarantees no more than the contract of `Database`, like a remote database. Operations run later and
 * in another order than they were called, and their results arrive even later. Only units of the same document keep
 * their order.
 */
export function delayDatabase(database: Database, draw: RandomBelow): Database {
  const running = new Set<Promise<unknown>>();
  const pendingUnits = new Map<string, PendingUnits>();

  function trackPending<T>(work: Promise<T>): Promise<T> {
    const settled: Promise<unknown> = work.then(
      () => running.delete(settled),
      () => running.delete(settled),
    );
    running.add(settled);
    return work;
  }

  /** Delays the call and its result. Neither happens before that of the previous unit. */
  function delayCall<T>(call: () => Promise<T>, { submitted, completed }: PendingUnits = NO_PENDING) {
    const ready = submitted.then(() => waitTurns(drawTurns(draw)));
    const result = ready.then(call);
    const delayedEnd = Promise.allSettled([result, completed]).then(() => waitTurns(drawTurns(draw)));
    return { submitted: ready, completed: delayedEnd, answer: trackPending(delayedEnd.then(() => result)) };
  }

  function inOrder(document: string, unit: Unit): Promise<UnitOutcome> {
    const { answer, ...pending } = delayCall(() => database.write(unit), pendingUnits.get(document));
    pendingUnits.set(document, pending);
    void pending.completed.then(() => {
      if (pendingUnits.get(document) === pending) pendingUnits.delete(document);
    });
    return answer;
  }

  return {
    read: (query) => delayCall(() => database.read(query)).answer,
    readOne: (query) => delayCall(() => database.readOne(query)).answer,
    readLatest: <R>(query: Query<R>) => delayCall(() => database.readOne(query)).answer,
    readAll: (queries) => delayCall(() => database.readAll(queries)).answer,
    readInBackground: (queries) => delayCall(() => database.readInBackground(queries)).answer,
    readInBatches: (query, size) => database.readInBatches(query, size),
    openSnapshot: null,
    commitPositions: database.commitPositions,
    write: (unit) =>
      unit.document === null ? delayCall(() => database.write(unit)).answer : inOrder(unit.document, unit),
    countConnections: () => database.countConnections(),
    checkIntegrity: () => database.checkIntegrity(),
    async close() {
      while (running.size > 0) await Promise.all(running);
      await database.close();
    },
  };
}

/** Maximum delays in turns of the event loop: most are short, some as long as other whole requests. */
const FEW_TURNS = 3;
const SOME_TURNS = 24;
const MANY_TURNS = 60;
/** Maximum delay in milliseconds, because the turns of a busy event loop are long. */
const MAX_DELAY_MS = 5;

function drawTurns(draw: RandomBelow): number {
  const kind = draw(10);
  if (kind < 5) return draw(FEW_TURNS);
  return draw(kind < 9 ? SOME_TURNS : MANY_TURNS);
}

async function waitTurns(count: number): Promise<void> {
  const end = performance.now() + MAX_DELAY_MS;
  for (let i = 0; i < count && performance.now() < end; i++) await new Promise(setImmediate);
}
