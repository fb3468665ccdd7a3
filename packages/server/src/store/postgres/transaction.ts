import { randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import {
  MAX_TRANSACTION_ATTEMPTS,
  POSTGRES_FIND_OUT_MS,
  POSTGRES_RETRY_MS,
  POSTGRES_STATUS_MS,
} from '../../limits/limits.ts';
import { type Statement, type StatementResult, StoreError, type Unit, type UnitOutcome } from '../database.ts';
import { type Answer, failure, type Link, UNAVAILABLE } from './link.ts';
import type { Links } from './links.ts';
import { lockStatement } from './locks.ts';

/** An outcome, or why there is none. */
export type UnitResult = UnitOutcome | { readonly kind: 'failed'; readonly error: StoreError };

/** Names a transaction so that its end can be asked for, also after the connection was lost. */
interface TransactionName {
  /** The database's number of it. */
  readonly id: string;
  /** As `Link.history`: the number belongs to it. */
  readonly history: string;
}

/** Nobody knows whether a unit was written; whoever reads from then on sees what is. */
const UNKNOWN_OUTCOME = 'UNKNOWN_OUTCOME';
const BEGIN = 'begin isolation level read committed';
const STATUS = 'select pg_xact_status(?::text::xid8) as status';

/** The transaction was undone by the database for no fault of its own: the same again may well be committed. */
const AGAIN: ReadonlySet<string> = new Set(['40001', '40P01']);

/**
 * Writes units of one document (or, those of none, of the installation) in one transaction, so that they share its
 * commit. Where one of them fails, nothing of the transaction stands, and each is written again in one of its own.
 */
export async function writeUnits(links: Links, units: readonly Unit[]): Promise<readonly UnitResult[]> {
  const together = await write(links, units);
  if (together.kind === 'committed') return together.results.map((results) => ({ kind: 'committed', results }));
  if (units.length === 1) return [alone(together)];
  const results: UnitResult[] = [];
  for (const unit of units) results.push(alone(await write(links, [unit])));
  return results;
}

type Written =
  | { readonly kind: 'committed'; readonly results: readonly (readonly StatementResult[])[] }
  | { readonly kind: 'conflict'; readonly conflict: string }
  | { readonly kind: 'failed'; readonly error: StoreError };

function alone(written: Written): UnitResult {
  if (written.kind !== 'committed') return written;
  return { kind: 'committed', results: written.results[0] as readonly StatementResult[] };
}

/** Units are data: written again after they were undone, they are the same. */
async function write(links: Links, units: readonly Unit[]): Promise<Written> {
  for (let attempt = 1; ; attempt++) {
    const written = await writeOnce(links, units);
    if (written.kind !== 'failed' || attempt >= MAX_TRANSACTION_ATTEMPTS || !written.isUndone) return written;
    await delay(randomInt(POSTGRES_RETRY_MS));
  }
}

/** `isUndone`: nothing of it stands, and the same may well be committed when it is tried again. */
type Attempt = Exclude<Written, { kind: 'failed' }> | (Extract<Written, { kind: 'failed' }> & Undone);
interface Undone {
  readonly isUndone: boolean;
}

async function writeOnce(links: Links, units: readonly Unit[]): Promise<Attempt> {
  try {
    const ending = await links.use((link) => transaction(link, units));
    if (ending.kind !== 'lost') return ending;
    const isCommitted = await isCommittedAfterAll(links, ending.name);
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
    const locks = locksOf(units);
    return [
      [link.send(BEGIN), link.send(locks.sql, locks.parameters)],
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
    return { kind: 'failed', error: failed, isUndone: AGAIN.has(failed.code) };
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
  return { kind: 'failed', error, isUndone: AGAIN.has(error.code) || link.isBroken };
}

/** What a unit needs of rights is read from its texts, so that none can forget to say it. */
function locksOf(units: readonly Unit[]): Omit<Statement, 'guard'> {
  const texts = units.flatMap(({ statements }) => statements.map(({ sql }) => sql));
  const access = texts.some(changesAccess) ? 'alone' : texts.some(asksForAccess) ? 'shared' : 'none';
  return lockStatement(units[0]?.document ?? null, access);
}

function changesAccess(sql: string): boolean {
  return sql.startsWith('update "access_epoch"');
}

function asksForAccess(sql: string): boolean {
  return sql.includes('"access_epoch"');
}

/**
 * Asks the database what became of a transaction. Rejects where it does not come back in time, or where its history is
 * another one, in which the number may be another transaction's.
 */
async function isCommittedAfterAll(links: Links, { id, history }: TransactionName): Promise<boolean> {
  const until = performance.now() + POSTGRES_FIND_OUT_MS;
  for (;;) {
    try {
      const status = await links.use((link) => statusOf(link, { id, history }));
      if (status === 'committed') return true;
      if (status === 'aborted') return false;
    } catch (error) {
      if (failure(error).code !== UNAVAILABLE) throw error;
      if (performance.now() > until) throw error;
    }
    if (performance.now() > until) throw new StoreError('The database does not say what it did', UNAVAILABLE);
    await delay(POSTGRES_STATUS_MS);
  }
}

async function statusOf(link: Link, { id, history }: TransactionName): Promise<unknown> {
  if (link.history !== history) throw new StoreError('The database has recovered, or is another one', UNKNOWN_OUTCOME);
  const { rows } = await link.send(STATUS, [id]);
  return rows[0]?.['status'];
}
