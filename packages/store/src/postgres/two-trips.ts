import { setTimeout as delay } from 'node:timers/promises';
import { type Statement, type StatementResult, StoreError, type Unit } from '../database/database.ts';
import { POSTGRES_FIND_OUT_MS, POSTGRES_STATUS_MS } from '../database/limits.ts';
import { type Attempt, isUndoneByServer, UNKNOWN_OUTCOME } from './attempt.ts';
import { failure, UNAVAILABLE } from './failure.ts';
import type { Answer, Link } from './link.ts';
import type { Links } from './links.ts';
import { accessLockOf, lockStatements, NUMBER } from './locks.ts';
import { settled } from './settled.ts';

/** Names a transaction so that its end can be asked for, also after the connection was lost. */
interface TransactionName {
  /** The database's number of it. */
  readonly id: string;
  /** As `Link.history`: the number belongs to it. */
  readonly history: string;
}

const BEGIN = 'begin isolation level read committed';
const STATUS = 'select pg_xact_status(?::text::xid8) as status';

/**
 * The locks, what the transaction is called and all statements go out at once; when their answers hold, the commit
 * follows. Where its answer is lost, the transaction's number says what became of it.
 */
export async function writeInTwoTrips(links: Links, units: readonly Unit[]): Promise<Attempt> {
  const until = performance.now() + POSTGRES_FIND_OUT_MS;
  try {
    const ending = await links.use((link) => transaction(link, units));
    if (ending.kind !== 'lost') return ending;
    const isCommitted = await isCommittedAfterAll(links, ending.name, until);
    if (isCommitted) return { kind: 'committed', results: ending.results };
    return { kind: 'failed', error: ending.error, isUndone: true };
  } catch (error) {
    return { kind: 'failed', error: failure(error), isUndone: false };
  }
}

/** The connection was lost between asking for the commit and the answer. */
interface Lost {
  readonly kind: 'lost';
  readonly name: TransactionName;
  readonly results: readonly (readonly StatementResult[])[];
  readonly error: StoreError;
}

/**
 * All statements go out at once; when their answers hold, the commit follows. Every statement sees what was committed
 * before it began, and those after the locks see all that others did before they let go of them.
 */
async function transaction(link: Link, units: readonly Unit[]): Promise<Attempt | Lost> {
  const [before, sent] = link.together(() => {
    const locks = lockStatements(units[0]?.document ?? null, accessLockOf(units));
    return [
      [link.send(BEGIN), link.send(NUMBER), ...locks.map(({ sql, parameters }) => link.send(sql, parameters))],
      units.map(({ statements }) => statements.map(({ sql, parameters }) => link.send(sql, parameters))),
    ] as const;
  });
  const answers = await Promise.allSettled([...before, ...sent.flat()]);
  const problem = problemOf(
    answers,
    before.length,
    units.flatMap(({ statements }) => statements),
    link,
  );
  if (problem !== null) {
    if (!link.isBroken) await link.send('rollback');
    return problem;
  }
  const [, number] = await Promise.all(before);
  const id = String(number?.rows[0]?.['id']);
  const results = await Promise.all(sent.map(async (one) => (await Promise.all(one)).map(resultOf)));
  try {
    await link.send('commit');
    return { kind: 'committed', results };
  } catch (error) {
    const failed = failure(error);
    if (link.isBroken) return { kind: 'lost', name: { id, history: link.history }, results, error: failed };
    return { kind: 'failed', error: failed, isUndone: isUndoneByServer(failed) };
  }
}

function resultOf({ count, rows }: Answer): StatementResult {
  return { changes: count, rows };
}

/** The first thing that keeps a transaction from being committed. */
function problemOf(
  answers: readonly PromiseSettledResult<Answer>[],
  before: number,
  statements: readonly Statement[],
  link: Link,
): Attempt | null {
  for (const [i, answer] of answers.entries()) {
    if (answer.status === 'rejected') return failedAttempt(failure(answer.reason), link);
    const guard = statements[i - before]?.guard;
    if (guard !== undefined && answer.value.count !== guard.rows) return { kind: 'conflict', conflict: guard.conflict };
  }
  return null;
}

/** Before the commit was asked for nothing can stand: a connection that had died while nobody used it is no loss. */
function failedAttempt(error: StoreError, link: Link): Attempt {
  return { kind: 'failed', error, isUndone: isUndoneByServer(error) || link.isBroken };
}

/**
 * Asks the database what became of a transaction. Rejects where it does not come back in time, or where its history is
 * another one, in which the number may be another transaction's.
 */
async function isCommittedAfterAll(links: Links, { id, history }: TransactionName, until: number): Promise<boolean> {
  for (;;) {
    try {
      const status = await links.use((link) => statusOf(link, { id, history }));
      if (status === 'committed') return true;
      if (status === 'aborted') return false;
    } catch (error) {
      if (failure(error).code !== UNAVAILABLE) throw error;
    }
    if (performance.now() > until) throw new StoreError('The database does not say what it did', UNKNOWN_OUTCOME);
    await delay(POSTGRES_STATUS_MS);
  }
}

async function statusOf(link: Link, { id, history }: TransactionName): Promise<unknown> {
  if (link.history !== history) throw new StoreError('The database has recovered, or is another one', UNKNOWN_OUTCOME);
  const { rows } = await link.send(STATUS, [id]);
  const status = rows[0]?.['status'];
  if (status === 'committed') await settled(link);
  return status;
}
