import {
  bumpAccessEpoch,
  renameUser as renameRow,
  renameWorkspace as renameWorkspaceRow,
  setEmail,
  toEmailKey,
  workspaceById,
  workspacesAfter,
} from '@cellwire/store/accounts';
import { type Actor, buildAccountEntry, OPERATOR } from '../accounts/actor.ts';
import { checkEmail, checkUserName } from '../accounts/user-fields.ts';
import type { ServiceContext } from '../context.ts';
import { invalidRequest, isRefusal, type Refusal } from '../refusal.ts';
import { findUser } from './find-user.ts';
import { type ListPage, type ListPageRequest, readPage } from './paging.ts';

type PeopleContext = Pick<ServiceContext, 'database' | 'clock'>;

/** Renames a user. Earlier records keep the old name. */
export async function renameUser(
  context: PeopleContext,
  { user: text, name: given }: { readonly user: string; readonly name: string },
  actor: Actor = OPERATOR,
): Promise<{ readonly id: number; readonly name: string } | Refusal> {
  const name = given.trim();
  const wrong = checkUserName(name);
  if (wrong !== null) return wrong;
  const user = await findUser(context, text);
  if (isRefusal(user)) return user;
  const note = { workspaceId: user.workspace_id, at: context.clock(), subject: { id: user.id, name } };
  await context.database.write({
    document: null,
    statements: [
      renameRow({ id: user.id, name }),
      buildAccountEntry(actor, { action: 'user.rename', ...note }),
      bumpAccessEpoch({}),
    ],
  });
  return { id: user.id, name };
}

/** Changes a user's e-mail address, which the next sign-in uses. */
export async function changeEmail(
  context: PeopleContext,
  { user: text, email: given }: { readonly user: string; readonly email: string },
  actor: Actor = OPERATOR,
): Promise<{ readonly id: number; readonly email: string } | Refusal> {
  const email = given.trim();
  const wrong = checkEmail(email);
  if (wrong !== null) return wrong;
  const user = await findUser(context, text);
  if (isRefusal(user)) return user;
  const note = { workspaceId: user.workspace_id, at: context.clock(), subject: { id: user.id, name: user.name } };
  const outcome = await context.database.write({
    document: null,
    statements: [
      setEmail({ id: user.id, email, email_key: toEmailKey(email) }),
      buildAccountEntry(actor, { action: 'user.email', ...note }),
      bumpAccessEpoch({}),
    ],
  });
  if (outcome.kind === 'conflict') return invalidRequest('email', `There is already a user with the address ${email}`);
  return { id: user.id, email };
}

interface WorkspaceRow {
  readonly id: number;
  readonly name: string;
  readonly plan: string;
  readonly ownerId: number | null;
  readonly users: number;
  /** True: the stored row is damaged; otherwise absent. */
  readonly damaged?: true;
}

/** Every workspace, by id. */
export async function listWorkspaces(
  { database }: PeopleContext,
  page: ListPageRequest,
): Promise<ListPage<'workspaces', WorkspaceRow> | Refusal> {
  const listed = await readPage(page, (after, limit) => database.read(workspacesAfter({ after, limit })));
  if (isRefusal(listed)) return listed;
  const workspaces = listed.rows.map(({ id, name, plan, owner_id, users, damage }) => ({
    id,
    name,
    plan,
    ownerId: owner_id,
    users: users ?? 0,
    ...(damage.length > 0 && { damaged: true as const }),
  }));
  return { workspaces, nextCursor: listed.nextCursor };
}

const DIGITS = /^[0-9]{1,15}$/;

/** Renames a workspace. */
export async function renameWorkspace(
  { database, clock }: PeopleContext,
  { workspace: text, name: given }: { readonly workspace: string; readonly name: string },
  actor: Actor = OPERATOR,
): Promise<{ readonly id: number; readonly name: string } | Refusal> {
  const name = given.trim();
  const wrong = checkUserName(name);
  if (wrong !== null) return wrong;
  const row = DIGITS.test(text) ? await database.readOne(workspaceById({ id: Number(text) })) : null;
  if (row === null) return invalidRequest('workspace', `There is no workspace ${text}; workspace list shows their ids`);
  await database.write({
    document: null,
    statements: [
      renameWorkspaceRow({ id: row.id, name }),
      buildAccountEntry(actor, { action: 'workspace.rename', workspaceId: row.id, at: clock() }),
      bumpAccessEpoch({}),
    ],
  });
  return { id: row.id, name };
}
