import type { Database, Statement } from '@cellwire/store';
import { insertAccountEntry, sessionExists } from '@cellwire/store/accounts';
import { type Refusal, UNAUTHENTICATED } from '../refusal.ts';

/** The user or operator who changes accounts, and the origin of the change. */
export interface Actor {
  readonly origin: 'browser' | 'operator';
  /** Null: an operator, who has no account. */
  readonly userId: number | null;
  /** The session that authorizes the change; absent: a command, or a request that proves a password. */
  readonly session?: number;
  readonly userName: string;
  /** The network address of the request; empty for a command. */
  readonly address: string;
}

/** The command line. */
export const OPERATOR: Actor = { origin: 'operator', userId: null, userName: '', address: '' };

/** Logged actions: sign-ins and changes of rights. */
export type AccountAction =
  | 'signIn'
  | 'signIn.failed'
  | 'signOut'
  | 'signOut.everywhere'
  | 'session.end'
  | 'password.change'
  | 'password.reset'
  | 'invitation.create'
  | 'invitation.withdraw'
  | 'invitation.accept'
  | 'user.create'
  | 'user.disable'
  | 'user.enable'
  | 'user.rename'
  | 'user.email'
  | 'user.erase'
  | 'user.export'
  | 'workspace.plan'
  | 'workspace.locale'
  | 'workspace.rename'
  | 'document.create'
  | 'documents.transfer'
  | 'token.create'
  | 'token.revoke'
  | 'token.rotate';

interface AccountNote {
  readonly action: AccountAction;
  readonly workspaceId: number;
  readonly at: number;
  /** The user whom the log entry is about. */
  readonly subject?: { readonly id: number | null; readonly name: string };
  /** The other subject of the entry; never a secret. */
  readonly detail?: string;
}

/** Part of every unit that a session authorizes. Conflict `NO_SESSION`: the session has ended since. */
export function buildSessionGuard({ session }: Actor): readonly Statement[] {
  return session === undefined ? [] : [sessionExists({ id: session })];
}

/** Commits the statements if the session of `actor` still exists. Resolves to `null` on success, otherwise to 401. */
export async function commitWithSession(
  database: Pick<Database, 'write'>,
  actor: Actor,
  statements: readonly Statement[],
): Promise<Refusal | null> {
  const outcome = await database.write({ document: null, statements: [...buildSessionGuard(actor), ...statements] });
  return outcome.kind === 'conflict' ? UNAUTHENTICATED : null;
}

/** Builds an entry of the log; part of the unit that it records. */
export function buildAccountEntry(
  actor: Actor,
  { action, workspaceId, at, subject, detail = '' }: AccountNote,
): Statement {
  return insertAccountEntry({
    workspace_id: workspaceId,
    at,
    action,
    origin: actor.origin,
    user_id: actor.userId,
    user_name: actor.userName,
    subject_id: subject?.id ?? null,
    subject: subject?.name ?? '',
    detail,
    address: actor.address,
  });
}
