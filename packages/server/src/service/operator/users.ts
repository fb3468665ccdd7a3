import type { Statement } from '@cellwire/store';
import {
  assignWorkspaceOwners,
  bumpAccessEpoch,
  insertUser,
  insertUserOfNewWorkspace,
  insertWorkspace,
  setWorkspacePlan,
  toEmailKey,
  usersAfter,
  workspaceById,
  workspacesByName,
} from '@cellwire/store/accounts';
import { findDamagedRights } from '../../access/callers.ts';
import { generatePassword } from '../../access/secrets.ts';
import { PLAN_NAMES, type PlanName } from '../../config/types.ts';
import { buildAccountEntry, OPERATOR } from '../accounts/actor.ts';
import { disableUser, enableUser } from '../accounts/members.ts';
import { checkNewPassword, resetPassword } from '../accounts/password.ts';
import { checkEmail, checkUserName } from '../accounts/user-fields.ts';
import type { ServiceContext } from '../context.ts';
import { formatOptionalTime, formatStoredTime } from '../iso-time.ts';
import { invalidRequest, isRefusal, type Refusal } from '../refusal.ts';
import { findUser } from './find-user.ts';
import { type ListPage, type ListPageRequest, readPage } from './paging.ts';

type UserContext = Pick<ServiceContext, 'database' | 'config' | 'clock' | 'passwords'>;

interface NewUserInput {
  readonly email: string;
  readonly name: string;
  /** Id or name of a workspace; a new name creates one. Absent: a workspace of the user's own. */
  readonly workspace?: string | undefined;
  /** Plan of a new workspace; absent: `enterprise`. */
  readonly plan?: string | undefined;
  /** Absent: a password is generated. */
  readonly password?: string | undefined;
  /** True if the user must change the password at the first sign-in. */
  readonly mustChangePassword?: boolean;
}

interface CreatedUser {
  readonly id: number;
  readonly email: string;
  readonly name: string;
  readonly workspaceId: number;
  /** The password. It is returned only this once. */
  readonly password: string;
}

interface OperatorUserRow {
  readonly id: number;
  readonly email: string;
  readonly name: string;
  readonly workspaceId: number;
  readonly workspace: string;
  readonly plan: PlanName;
  readonly disabled: boolean;
  /** The last sign-in to the console, ISO 8601; null: none is known. */
  readonly lastSignInAt: string | null;
  /** ISO 8601. */
  readonly createdAt: string;
  /** True: the row of the user or of the workspace is damaged, and the user is refused; otherwise absent. */
  readonly damaged?: true;
}

const DIGITS = /^[0-9]{1,15}$/;
const DEFAULT_PLAN: PlanName = 'enterprise';

export async function createUser(context: UserContext, input: NewUserInput): Promise<CreatedUser | Refusal> {
  const email = input.email.trim();
  const name = input.name.trim();
  const password = input.password ?? generatePassword();
  const wrong = checkNewUser(email, name, password, input.plan);
  if (wrong !== null) return wrong;
  const plan = input.plan === undefined ? undefined : parsePlanName(input.plan);
  const workspace = input.workspace === undefined ? null : await findWorkspace(context, input.workspace.trim());
  if (isRefusal(workspace)) return workspace;
  if (workspace !== null && plan !== undefined && plan !== workspace.plan) {
    return invalidRequest('plan', `Workspace ${workspace.name} is on plan ${workspace.plan}; change it with user plan`);
  }
  const hash = await context.passwords.hash(password);
  if (isRefusal(hash)) return hash;
  const now = context.clock();
  const user = {
    email,
    email_key: toEmailKey(email),
    name,
    password_hash: hash,
    password_once: input.mustChangePassword ? 1 : 0,
    created_at: now,
  };
  const statements: Statement[] =
    workspace === null
      ? [
          insertWorkspace({ name: input.workspace?.trim() ?? name, plan: plan ?? DEFAULT_PLAN, created_at: now }),
          insertUserOfNewWorkspace(user),
        ]
      : [
          insertUser({ ...user, workspace_id: workspace.id }),
          buildAccountEntry(OPERATOR, { action: 'user.create', workspaceId: workspace.id, at: now, detail: email }),
        ];
  const outcome = await context.database.write({
    document: null,
    statements: [...statements, assignWorkspaceOwners({}), bumpAccessEpoch({})],
  });
  if (outcome.kind === 'conflict') return invalidRequest('email', `There is already a user with the address ${email}`);
  const ids = outcome.results.map((result) => Number(result.rows[0]?.['id']));
  const [first = 0, second = 0] = ids;
  const newIds = workspace === null ? { workspaceId: first, id: second } : { workspaceId: workspace.id, id: first };
  return { id: newIds.id, email, name, workspaceId: newIds.workspaceId, password };
}

function checkNewUser(email: string, name: string, password: string, plan: string | undefined): Refusal | null {
  const wrong = checkEmail(email) ?? checkUserName(name) ?? checkNewPassword(password, email);
  return wrong ?? (plan === undefined || parsePlanName(plan) !== undefined ? null : createUnknownPlanRefusal(plan));
}

function parsePlanName(text: string): PlanName | undefined {
  return PLAN_NAMES.find((plan) => plan === text);
}

function createUnknownPlanRefusal(text: string): Refusal {
  return invalidRequest('plan', `There is no plan ${text}; plans are ${PLAN_NAMES.join(', ')}`);
}

/** A workspace by id or name; null: none with that name. */
async function findWorkspace({ database }: UserContext, text: string) {
  if (DIGITS.test(text)) {
    const workspace = await database.readOne(workspaceById({ id: Number(text) }));
    return workspace ?? invalidRequest('workspace', `There is no workspace ${text}`);
  }
  if (text === '') return invalidRequest('workspace', 'A workspace needs a name');
  const [workspace, another] = await database.read(workspacesByName({ name: text }));
  if (another !== undefined)
    return invalidRequest('workspace', `Several workspaces have the name ${text}; pass the id of one`);
  return workspace ?? null;
}

/** Every user, by id. */
export async function listUsers(
  { database }: UserContext,
  page: ListPageRequest = {},
): Promise<ListPage<'users', OperatorUserRow> | Refusal> {
  const listed = await readPage(page, (after, limit) => database.read(usersAfter({ after, limit })));
  if (isRefusal(listed)) return listed;
  const users = listed.rows.map((row) => ({
    id: row.id,
    email: row.email,
    name: row.name,
    workspaceId: row.workspace_id,
    workspace: row.workspace_name,
    plan: row.plan,
    disabled: row.disabled_at !== null,
    lastSignInAt: formatOptionalTime(row.signed_in_at),
    createdAt: formatStoredTime(row.created_at),
    ...(findDamagedRights(row.damage).length > 0 && { damaged: true as const }),
  }));
  return { users, nextCursor: listed.nextCursor };
}

/** Changes the plan of the user's workspace, which applies to all of its users. */
export async function setPlan(
  context: UserContext,
  { user: text, plan: given }: { readonly user: string; readonly plan: string },
): Promise<{ readonly id: number; readonly plan: PlanName } | Refusal> {
  const plan = parsePlanName(given);
  if (plan === undefined) return createUnknownPlanRefusal(given);
  const user = await findUser(context, text);
  if (isRefusal(user)) return user;
  await context.database.write({
    document: null,
    statements: [
      setWorkspacePlan({ id: user.workspace_id, plan }),
      buildAccountEntry(OPERATOR, {
        action: 'workspace.plan',
        workspaceId: user.workspace_id,
        at: context.clock(),
        detail: plan,
      }),
      bumpAccessEpoch({}),
    ],
  });
  return { id: user.id, plan };
}

/** Replaces a lost password; a generated one must be changed at the next sign-in. */
export async function setUserPassword(
  context: UserContext,
  { user: text, password }: { readonly user: string; readonly password?: string | undefined },
): Promise<{ readonly id: number; readonly password: string } | Refusal> {
  const user = await findUser(context, text);
  if (isRefusal(user)) return user;
  const reset = await resetPassword(context, user, { password, isOnce: password === undefined, by: OPERATOR });
  return isRefusal(reset) ? reset : { id: user.id, password: reset.password };
}

/** Disables a user, or enables the user again. */
export async function setUserDisabled(
  context: UserContext,
  text: string,
  disabled: boolean,
): Promise<{ readonly id: number; readonly disabled: boolean } | Refusal> {
  const user = await findUser(context, text);
  if (isRefusal(user)) return user;
  await (disabled ? disableUser : enableUser)(context, user, OPERATOR);
  return { id: user.id, disabled };
}
