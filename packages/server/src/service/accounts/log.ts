import type { Query } from '@cellwire/store';
import { userLogPage, userLogTotal, workspaceLogPage, workspaceLogTotal } from '@cellwire/store/accounts';
import type { Caller } from '../../access/callers.ts';
import { findCallerUser, isWorkspaceOwner, type MemberContext } from './members.ts';

/** A sign-in, or a change of rights. */
export interface AccountEntryView {
  readonly id: number;
  /** ISO 8601. */
  readonly at: string;
  readonly action: string;
  /** `browser`, or `operator` for the command line. */
  readonly origin: string;
  /** The acting user; empty for an operator and for a failed sign-in. */
  readonly userName: string;
  /** The user whom the entry concerns; empty: none. */
  readonly subject: string;
  readonly detail: string;
  readonly address: string;
}

interface AccountLog {
  readonly entries: readonly AccountEntryView[];
  readonly total: number;
  readonly offset: number;
  readonly limit: number;
}

type AccountLogRow = ReturnType<typeof workspaceLogPage> extends Query<infer R> ? R : never;

/**
 * Newest first. The workspace's owner gets the whole log, or the entries by and about one user (`user`); other callers
 * get the entries by and about themselves.
 */
export async function readAccountLog(
  context: MemberContext,
  caller: Caller,
  page: { readonly offset: number; readonly limit: number },
  user?: number,
): Promise<AccountLog> {
  const actor = await findCallerUser(context, caller);
  const { id, workspace_id } = actor;
  const isOwner = isWorkspaceOwner(actor);
  // Callers who do not own the workspace get their own entries, regardless of `user`.
  const own = { workspace_id, user_id: isOwner ? (user ?? id) : id };
  const [rows, totals] = await context.database.readAll(
    isOwner && user === undefined
      ? [workspaceLogPage({ workspace_id, ...page }), workspaceLogTotal({ workspace_id })]
      : [userLogPage({ ...own, ...page }), userLogTotal(own)],
  );
  return { entries: rows.map(toAccountEntryView), total: totals[0]?.total ?? 0, ...page };
}

function toAccountEntryView(row: AccountLogRow): AccountEntryView {
  return {
    id: row.id,
    at: new Date(row.at).toISOString(),
    action: row.action,
    origin: row.origin,
    userName: row.user_name,
    subject: row.subject,
    detail: row.detail,
    address: row.address,
  };
}
