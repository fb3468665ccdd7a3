import type { Database, Query, Unit, UnitOutcome } from '../src/database/database.ts';

/** A whole number from 0 up to `below`, excluded. */
export type RandomBelow = (below: number) => number;

/** The units of one document that are under way. */
interface PendingUnits {
  /** The last one has been handed over. */
  readonly handed: Promise<unknown>;
  /** The last one has been answered. */
  readonly answered: Promise<unknown>;
}

const NO_PENDING: PendingUnits = { handed: Promise.resolve(), answered: Promise.resolve() };

/**
 * A database that keeps what `Database` promises and nothing more, as one on another machine does: what is asked is
 * done later, in another order than it was asked, and answered later still. Only the units of one document keep theirs.
 */
export function delayDatabase(database: Database, draw: RandomBelow): Database {
  const underWay = new Set<Promise<unknown>>();
  const rows = new Map<string, PendingUnits>();

  function tracked<T>(work: Promise<T>): Promise<T> {
    const done: Promise<unknown> = work.then(
      () => underWay.delete(done),
      () => underWay.delete(done),
    );
    underWay.add(done);
    return work;
  }

  /** Hands over and answers late, each not before what comes before it. */
  function delayed<T>(ask: () => Promise<T>, { handed, answered }: PendingUnits = NO_PENDING) {
    const ready = handed.then(() => waitTurns(drawTurns(draw)));
    const asked = ready.then(ask);
    const heard = Promise.allSettled([asked, answered]).then(() => waitTurns(drawTurns(draw)));
    return { handed: ready, answered: heard, answer: tracked(heard.then(() => asked)) };
  }

  function inOrder(document: string, unit: Unit): Promise<UnitOutcome> {
    const { answer, ...row } = delayed(() => database.write(unit), rows.get(document));
    rows.set(document, row);
    void row.answered.then(() => {
      if (rows.get(document) === row) rows.delete(document);
    });
    return answer;
  }

  return {
    read: (query) => delayed(() => database.read(query)).answer,
    readOne: (query) => delayed(() => database.readOne(query)).answer,
    readLatest: <R>(query: Query<R>) => delayed(() => database.readOne(query)).answer,
    readAll: (queries) => delayed(() => database.readAll(queries)).answer,
    readInBackground: (queries) => delayed(() => database.readInBackground(queries)).answer,
    readInBatches: (query, size) => database.readInBatches(query, size),
    write: (unit) =>
      unit.document === null ? delayed(() => database.write(unit)).answer : inOrder(unit.document, unit),
    connections: () => database.connections(),
    check: () => database.check(),
    async close() {
      while (underWay.size > 0) await Promise.all(underWay);
      await database.close();
    },
  };
}

/** So many turns of the event loop at most: hardly any most often, sometimes as many as whole requests of others take. */
const FEW_TURNS = 3;
const SOME_TURNS = 24;
const MANY_TURNS = 60;
/** Where others keep the event loop busy its turns are long: nobody waits for many of those, in milliseconds. */
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
