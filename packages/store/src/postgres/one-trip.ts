import { setTimeout as delay } from 'node:timers/promises';
import { type Statement, type StatementResult, StoreError, type Unit } from '../database/database.ts';
import { POSTGRES_FIND_OUT_MS, POSTGRES_STATUS_MS } from '../database/limits.ts';
import { type Attempt, isUndoneByServer, UNKNOWN_OUTCOME } from './attempt.ts';
import { failure } from './failure.ts';
import { BROKEN_OFF, breakingOff, canBreakOff } from './guards.ts';
import type { Links } from './links.ts';
import { accessLockOf, lockStatements } from './locks.ts';
import { settled } from './settled.ts';
import { JOINED_STATEMENTS, wholeCommit } from './whole-commit.ts';

/** Every unit can be asked for afterwards, and what keeps it from being committed can be told to the server. */
export function fitsOneTrip(units: readonly Unit[]): boolean {
  return units.every(({ proof, statements }) => proof !== undefined && statements.every(canBreakOff));
}

/**
 * Sends units with the commit behind them, in one round trip. Where the connection is lost nobody knows what became of
 * them, and the server may still have them before it; so they are sent again. A unit of this kind stands on a state that
 * never comes back, so of the two only one is committed, and where the second is refused the unit's proof tells whether
 * it was the first.
 */
export async function writeInOneTrip(links: Links, units: readonly Unit[]): Promise<Attempt> {
  const until = performance.now() + POSTGRES_FIND_OUT_MS;
  for (let isDoubtful = false; ; ) {
    const sent = await send(links, units);
    if (sent.kind !== 'lost' && !isDoubtful) return sent;
    if (sent.kind === 'committed') return sent;
    if (sent.kind === 'conflict') return afterAll(links, units, sent);
    if (performance.now() > until) return doubtful(sent.error);
    isDoubtful = true;
    await delay(POSTGRES_STATUS_MS);
  }
}

/** The connection broke after the units went out. */
interface Lost {
  readonly kind: 'lost';
  readonly error: StoreError;
}

async function send(links: Links, units: readonly Unit[]): Promise<Attempt | Lost> {
  const statements = units.flatMap(toSend);
  const locks = locksOf(units);
  try {
    return await links.use(async (link): Promise<Attempt | Lost> => {
      const told = await link.commit([...locks, ...statements]);
      if (told.kind === 'committed') return committed(units);
      const { error, at } = told;
      if (link.isBroken) return { kind: 'lost', error };
      const guard = statements[at - locks.length]?.guard;
      if (guard !== undefined && error.code === BROKEN_OFF) return { kind: 'conflict', conflict: guard.conflict };
      return { kind: 'failed', error, isUndone: isUndoneByServer(error) };
    });
  } catch (error) {
    return { kind: 'failed', error: failure(error), isUndone: false };
  }
}

/** As they go out: the server is told what keeps them from being committed. */
function toSend({ statements }: Unit): readonly Statement[] {
  const commit = wholeCommit(statements);
  if (commit === null) return statements.map(breakingOff);
  return [commit, ...statements.slice(JOINED_STATEMENTS).map(breakingOff)];
}

/** The document's row need not be locked where the first statement changes it. */
function locksOf(units: readonly Unit[]): readonly Omit<Statement, 'guard'>[] {
  const [first] = units;
  const isLockedByFirst = first?.statements[0]?.sql.startsWith('update "documents"') ?? false;
  return lockStatements(isLockedByFirst ? null : (first?.document ?? null), accessLockOf(units));
}

function committed(units: readonly Unit[]): Attempt {
  return { kind: 'committed', results: units.map(() => NO_RESULTS) };
}

const NO_RESULTS: readonly StatementResult[] = [];

async function afterAll(links: Links, units: readonly Unit[], conflict: Attempt): Promise<Attempt> {
  try {
    return (await isProved(links, units)) ? committed(units) : conflict;
  } catch (error) {
    return doubtful(failure(error));
  }
}

function doubtful({ message }: StoreError): Attempt {
  return { kind: 'failed', error: new StoreError(message, UNKNOWN_OUTCOME), isUndone: false };
}

/** The units were together in what was lost: one stands for all. */
async function isProved(links: Links, units: readonly Unit[]): Promise<boolean> {
  const proof = units[0]?.proof;
  if (proof === undefined) return false;
  return links.read(async (link) => {
    const { count } = await link.send(proof.sql, proof.parameters);
    if (count > 0) await settled(link);
    return count > 0;
  });
}
