import type { Query } from '@cellwire/store';
import { bumpAccessEpoch, endSession, endSessionsOfUser, sessionsOfUser, userById } from '@cellwire/store/accounts';
import type { Caller } from '../../access/callers.ts';
import type { ServiceContext } from '../context.ts';
import { formatStoredTime } from '../iso-time.ts';
import { type Refusal, SESSION_NOT_FOUND } from '../refusal.ts';
import { type AccountAction, type Actor, buildAccountEntry } from './actor.ts';
import { computeSessionEnd } from './me.ts';

/** A session, as its user sees it. Times are ISO 8601. */
export interface SessionView {
  readonly id: number;
  /** True for the session that sent this request. */
  readonly current: boolean;
  readonly createdAt: string;
  readonly lastUsedAt: string;
  /** When the session ends if it is not used. */
  readonly expiresAt: string;
  readonly address: string;
  readonly agent: string;
}

/** A user's active sessions, most recently used first. */
export async function listSessions(
  { database, clock }: Pick<ServiceContext, 'database' | 'clock'>,
  { userId, principal }: Caller,
): Promise<readonly SessionView[]> {
  const now = clock();
  const rows = await database.read(sessionsOfUser({ user_id: userId }));
  return rows.filter((row) => computeSessionEnd(row) > now).map((row) => toSessionView(row, row.id === principal.id));
}

type SessionRow = ReturnType<typeof sessionsOfUser> extends Query<infer R> ? R : never;

/** The session as the console shows it; `current` marks the one of this request. */
function toSessionView(row: SessionRow, current: boolean): SessionView {
  return {
    id: row.id,
    current,
    createdAt: formatStoredTime(row.created_at),
    lastUsedAt: formatStoredTime(row.seen_at),
    expiresAt: formatStoredTime(computeSessionEnd(row)),
    address: row.address,
    agent: row.agent,
  };
}

type SessionContext = Pick<ServiceContext, 'database' | 'clock'>;

/** Ends the session of this request. */
export async function signOut(context: SessionContext, caller: Caller, actor: Actor): Promise<void> {
  await endSessions(context, caller, actor, 'signOut', [
    endSession({ id: caller.principal.id, user_id: caller.userId }),
  ]);
}

/** Ends all of a user's sessions, including the session of this request. */
export async function signOutEverywhere(context: SessionContext, caller: Caller, actor: Actor): Promise<void> {
  await endSessions(context, caller, actor, 'signOut.everywhere', [endSessionsOfUser({ user_id: caller.userId })]);
}

/** Ends one of a user's sessions. Null on success. */
export async function endOneSession(
  context: SessionContext,
  caller: Caller,
  id: number,
  actor: Actor,
): Promise<Refusal | null> {
  const ended = await endSessions(context, caller, actor, 'session.end', [endSession({ id, user_id: caller.userId })]);
  return ended ? null : SESSION_NOT_FOUND;
}

/** True if a session ended. */
async function endSessions(
  { database, clock }: SessionContext,
  { userId }: Caller,
  actor: Actor,
  action: AccountAction,
  statements: readonly ReturnType<typeof endSession>[],
): Promise<boolean> {
  const user = await database.readOne(userById({ id: userId }));
  const entry = buildAccountEntry(actor, { action, workspaceId: user?.workspace_id ?? 0, at: clock() });
  const outcome = await database.write({ document: null, statements: [...statements, entry, bumpAccessEpoch({})] });
  return outcome.kind === 'committed';
}
