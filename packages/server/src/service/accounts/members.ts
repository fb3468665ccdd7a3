import type { Query } from '@cellwire/store';
import {
  bumpAccessEpoch,
  disableUser as disableRow,
  enableUser as enableRow,
  endSessionsOfUser,
  userById,
  usersOfWorkspace,
} from '@cellwire/store/accounts';
import type { Caller } from '../../access/callers.ts';
import { ROLE_FORBIDS } from '../../access/refusal.ts';
import type { ServiceContext } from '../context.ts';
import { formatOptionalTime, formatStoredTime } from '../iso-time.ts';
import { invalidRequest, isRefusal, type Refusal, USER_NOT_FOUND } from '../refusal.ts';
import { type Actor, buildAccountEntry, commitWithSession } from './actor.ts';
import { resetPassword } from './password.ts';

export type MemberContext = Pick<ServiceContext, 'database' | 'clock'>;

/** A user, as the members of the workspace see it. Times are ISO 8601. */
export interface MemberView {
  readonly id: number;
  readonly name: string;
  readonly email: string;
  /** True if the user manages the other users. */
  readonly owner: boolean;
  readonly disabled: boolean;
  readonly createdAt: string;
  /** Start of the newest session; null: none. */
  readonly lastSignInAt: string | null;
  /** True: the stored row is damaged, and the user can neither sign in nor act; otherwise absent. */
  readonly damaged?: true;
}

export type AccountUserRow = ReturnType<typeof userById> extends Query<infer R> ? R : never;

/** The caller's own row. */
export async function findCallerUser({ database }: MemberContext, { userId }: Caller): Promise<AccountUserRow> {
  const user = await database.readOne(userById({ id: userId }));
  if (user === null) throw new Error(`user ${userId} is gone`);
  return user;
}

/** The workspace's owner; a refusal for other callers. */
export async function requireOwner(context: MemberContext, caller: Caller): Promise<AccountUserRow | Refusal> {
  const user = await findCallerUser(context, caller);
  return isWorkspaceOwner(user) ? user : ROLE_FORBIDS;
}

/** True if the user manages the workspace. Nobody does if it is damaged who that is. */
export function isWorkspaceOwner({
  id,
  owner_id,
  damage,
}: Pick<AccountUserRow, 'id' | 'owner_id' | 'damage'>): boolean {
  return owner_id === id && !damage.some(({ sums }) => sums.includes('owner_sum'));
}

/** All users of the caller's workspace. */
export async function listMembers(context: MemberContext, caller: Caller): Promise<readonly MemberView[]> {
  const { workspace_id, owner_id } = await findCallerUser(context, caller);
  const rows = await context.database.read(usersOfWorkspace({ workspace_id }));
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    email: row.email,
    owner: row.id === owner_id,
    disabled: row.disabled_at !== null,
    createdAt: formatStoredTime(row.created_at),
    lastSignInAt: formatOptionalTime(row.signed_in_at),
    ...(row.damage.length > 0 && { damaged: true }),
  }));
}

/** A user whom the caller manages, and the caller's own row. */
export async function findManagedMember(
  context: MemberContext,
  caller: Caller,
  id: number,
): Promise<{ readonly owner: AccountUserRow; readonly user: AccountUserRow } | Refusal> {
  const owner = await requireOwner(context, caller);
  if (isRefusal(owner)) return owner;
  const user = await context.database.readOne(userById({ id }));
  return user === null || user.workspace_id !== owner.workspace_id ? USER_NOT_FOUND : { owner, user };
}

/** Disables a user with all sessions and tokens, or enables the user again. Null on success. */
export async function setMemberDisabled(
  context: MemberContext,
  caller: Caller,
  { id, disabled, by }: { readonly id: number; readonly disabled: boolean; readonly by: Actor },
): Promise<Refusal | null> {
  const found = await findManagedMember(context, caller, id);
  if (isRefusal(found)) return found;
  if (found.user.id === found.owner.id) {
    return invalidRequest('id', 'The owner of the workspace cannot be disabled');
  }
  return (disabled ? disableUser : enableUser)(context, found.user, by);
}

type UserIdentity = Pick<AccountUserRow, 'id' | 'name' | 'workspace_id'>;

/** Disables a user. Null on success. */
export function disableUser(
  { database, clock }: MemberContext,
  user: UserIdentity,
  actor: Actor,
): Promise<Refusal | null> {
  return commitWithSession(database, actor, [
    disableRow({ id: user.id, now: clock() }),
    endSessionsOfUser({ user_id: user.id }),
    buildAccountEntry(actor, { action: 'user.disable', workspaceId: user.workspace_id, at: clock(), subject: user }),
    bumpAccessEpoch({}),
  ]);
}

/** Null on success. */
export function enableUser(
  { database, clock }: MemberContext,
  user: UserIdentity,
  actor: Actor,
): Promise<Refusal | null> {
  return commitWithSession(database, actor, [
    enableRow({ id: user.id }),
    buildAccountEntry(actor, { action: 'user.enable', workspaceId: user.workspace_id, at: clock(), subject: user }),
    bumpAccessEpoch({}),
  ]);
}

/** Sets a new one-time password for a user who has lost the old one. */
export async function resetMemberPassword(
  context: MemberContext & Pick<ServiceContext, 'passwords'>,
  caller: Caller,
  { id, by }: { readonly id: number; readonly by: Actor },
): Promise<{ readonly password: string } | Refusal> {
  const found = await findManagedMember(context, caller, id);
  if (isRefusal(found)) return found;
  if (found.user.id === found.owner.id) return invalidRequest('id', 'One’s own password is changed, not reset');
  return resetPassword(context, found.user, { isOnce: true, by });
}
