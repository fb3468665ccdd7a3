import type { Caller } from '../../access/callers.ts';
import type { ServiceContext } from '../context.ts';
import { eraseUser } from '../operator/erase.ts';
import { exportPerson } from '../operator/export-person.ts';
import { changeEmail, renameUser } from '../operator/people.ts';
import { invalidRequest, isRefusal, type Refusal, USER_NOT_FOUND } from '../refusal.ts';
import type { Actor } from './actor.ts';
import { findManagedMember, listMembers, type MemberView, setMemberDisabled } from './members.ts';

/** The member to change, and the workspace's owner who changes it. */
interface MemberTarget {
  readonly id: number;
  readonly by: Actor;
}

/** What changes of a member; undefined members stay. */
interface MemberChange extends MemberTarget {
  readonly name?: string | undefined;
  readonly email?: string | undefined;
  readonly disabled?: boolean | undefined;
}

/** Changes a member: one commit for each property, up to the first that is refused. */
export async function changeMember(
  context: ServiceContext,
  caller: Caller,
  { id, by, name, email, disabled }: MemberChange,
): Promise<MemberView | Refusal> {
  const found = await findManagedMember(context, caller, id);
  if (isRefusal(found)) return found;
  const user = String(id);
  const renamed = name === undefined ? null : await renameUser(context, { user, name }, by);
  if (isRefusal(renamed)) return renamed;
  const moved = email === undefined ? null : await changeEmail(context, { user, email }, by);
  if (isRefusal(moved)) return moved;
  const refusal = disabled === undefined ? null : await setMemberDisabled(context, caller, { id, disabled, by });
  if (refusal !== null) return refusal;
  const members = await listMembers(context, caller);
  return members.find((member) => member.id === id) ?? USER_NOT_FOUND;
}

/** Erases a member. `to`: the member who gets the documents; null: the documents are deleted. */
export async function eraseMember(
  context: ServiceContext,
  caller: Caller,
  { id, by, to }: MemberTarget & { readonly to: number | null },
): Promise<{ readonly transferred: number; readonly deleted: number } | Refusal> {
  const found = await findManagedMember(context, caller, id);
  if (isRefusal(found)) return found;
  if (found.user.id === found.owner.id) return invalidRequest('id', 'The owner of the workspace cannot be erased');
  const heir = to === null ? null : await findManagedMember(context, caller, to);
  if (isRefusal(heir)) return invalidRequest('to', 'Documents go to a member of the workspace');
  const choice = to === null ? { deleteDocuments: true } : { transferTo: String(to) };
  const erased = await eraseUser(context, { user: String(id), ...choice }, by);
  return isRefusal(erased) ? erased : erased.documents;
}

/** Exports a member's data into a file. Null on success. */
export async function exportMember(
  context: ServiceContext,
  caller: Caller,
  { id, by, file }: MemberTarget & { readonly file: string },
): Promise<Refusal | null> {
  const found = await findManagedMember(context, caller, id);
  if (isRefusal(found)) return found;
  const exported = await exportPerson(context, { user: String(id), to: file }, by);
  return isRefusal(exported) ? exported : null;
}
