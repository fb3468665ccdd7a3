import type { WorkspacesTable } from '../database/account-tables.ts';
import { prepareQuery, prepareStatement } from '../database/database.ts';
import { sql } from '../database/dialect.ts';

/** The form in which e-mail addresses are compared: lower case. */
export function toEmailKey(email: string): string {
  return email.trim().toLowerCase();
}

/** The query that all reads of users share. */
function selectUsers() {
  return sql
    .selectFrom('users')
    .innerJoin('workspaces', 'workspaces.id', 'users.workspace_id')
    .select([
      'users.id',
      'users.email',
      'users.name',
      'users.workspace_id',
      'users.created_at',
      'users.disabled_at',
      'users.password_once',
      'workspaces.name as workspace_name',
      'workspaces.plan',
      'workspaces.owner_id',
      'workspaces.locale as workspace_locale',
    ]);
}

export const userById = prepareQuery((p: { id: number }) => selectUsers().where('users.id', '=', p.id));

export const userByEmail = prepareQuery((p: { key: string }) => selectUsers().where('users.email_key', '=', p.key));

const WORKSPACE_COLUMNS = ['id', 'name', 'plan', 'created_at', 'owner_id'] as const;

export const workspaceById = prepareQuery((p: { id: number }) =>
  sql.selectFrom('workspaces').select(WORKSPACE_COLUMNS).where('id', '=', p.id),
);

export const workspacesByName = prepareQuery((p: { name: string }) =>
  sql.selectFrom('workspaces').select(WORKSPACE_COLUMNS).where('name', '=', p.name).orderBy('id'),
);

type NewWorkspaceRow = { name: string; plan: WorkspacesTable['plan']; created_at: number };

export const insertWorkspace = prepareStatement((p: NewWorkspaceRow) =>
  sql.insertInto('workspaces').values({ name: p.name, plan: p.plan, created_at: p.created_at }).returning('id'),
);

/** Conflict: another user has the e-mail address. */
const EMAIL_TAKEN = 'email taken';

type NewUserRow = {
  email: string;
  email_key: string;
  name: string;
  password_hash: string;
  password_once: number;
  created_at: number;
};

export const EXPECT_FREE_EMAIL = { rows: 1, conflict: EMAIL_TAKEN };

/** The columns of a new user, without the workspace. */
function toUserColumns(p: NewUserRow) {
  const { email, email_key, name, password_hash, password_once, created_at } = p;
  return { email, email_key, name, password_hash, password_once, created_at };
}

export const insertUser = prepareStatement(
  (p: NewUserRow & { workspace_id: number }) =>
    sql
      .insertInto('users')
      .values({ ...toUserColumns(p), workspace_id: p.workspace_id })
      .onConflict((conflict) => conflict.column('email_key').doNothing())
      .returning('id'),
  EXPECT_FREE_EMAIL,
);

/** Adds a user to the workspace that the same unit has inserted. */
export const insertUserOfNewWorkspace = prepareStatement(
  (p: NewUserRow) =>
    sql
      .insertInto('users')
      .values((eb) => ({
        ...toUserColumns(p),
        workspace_id: eb.selectFrom('workspaces').select((eb) => eb.fn.max('id').as('id')),
      }))
      .onConflict((conflict) => conflict.column('email_key').doNothing())
      .returning('id'),
  EXPECT_FREE_EMAIL,
);

/** Makes the first user of a workspace its owner. Every unit that inserts a user must contain this statement. */
export const assignWorkspaceOwners = prepareStatement(() =>
  sql
    .updateTable('workspaces')
    .set((eb) => ({
      owner_id: eb
        .selectFrom('users')
        .select((eb) => eb.fn.min('users.id').as('id'))
        .whereRef('users.workspace_id', '=', 'workspaces.id'),
    }))
    .where('owner_id', 'is', null),
);

export const setWorkspacePlan = prepareStatement((p: { id: number; plan: WorkspacesTable['plan'] }) =>
  sql.updateTable('workspaces').set({ plan: p.plan }).where('id', '=', p.id),
);

export const setWorkspaceLocale = prepareStatement((p: { id: number; locale: string | null }) =>
  sql.updateTable('workspaces').set({ locale: p.locale }).where('id', '=', p.id),
);

/** The user with an e-mail address, with the columns that signing in needs. */
export const signInByEmail = prepareQuery((p: { key: string }) =>
  sql
    .selectFrom('users')
    .select(['id', 'name', 'workspace_id', 'password_hash', 'disabled_at'])
    .where('email_key', '=', p.key),
);

export const signInById = prepareQuery((p: { id: number }) =>
  sql
    .selectFrom('users')
    .select(['id', 'name', 'email_key', 'workspace_id', 'password_hash', 'disabled_at'])
    .where('id', '=', p.id),
);

/** Conflict: the password was changed, or the user was disabled. */
const USER_CHANGED = 'user changed';

/**
 * Precondition: the user still has the password that was checked, and is not disabled. The update does not change the
 * row but locks it. A unit that changes the password or disables the user therefore waits for this one, and then also
 * ends its new session.
 */
export const passwordUnchanged = prepareStatement(
  (p: { id: number; password_hash: string }) =>
    sql
      .updateTable('users')
      .set((eb) => ({ password_hash: eb.ref('password_hash') }))
      .where('id', '=', p.id)
      .where('password_hash', '=', p.password_hash)
      .where('disabled_at', 'is', null),
  { rows: 1, conflict: USER_CHANGED },
);

/** Sets a password. `once` is 1 if another person chose the password. */
export const setPassword = prepareStatement((p: { id: number; password_hash: string; once: number }) =>
  sql.updateTable('users').set({ password_hash: p.password_hash, password_once: p.once }).where('id', '=', p.id),
);

/** Stores a hash of the same password with other cost parameters. */
export const setPasswordHash = prepareStatement((p: { id: number; password_hash: string }) =>
  sql.updateTable('users').set({ password_hash: p.password_hash }).where('id', '=', p.id),
);

/** Disables a user. If the user is already disabled, the first time is kept. */
export const disableUser = prepareStatement((p: { id: number; now: number }) =>
  sql.updateTable('users').set({ disabled_at: p.now }).where('id', '=', p.id).where('disabled_at', 'is', null),
);

export const enableUser = prepareStatement((p: { id: number }) =>
  sql.updateTable('users').set({ disabled_at: null }).where('id', '=', p.id),
);

/** The users of a workspace, each with the start of the newest session. */
export const usersOfWorkspace = prepareQuery((p: { workspace_id: number }) =>
  sql
    .selectFrom('users')
    .select(['id', 'name', 'email', 'disabled_at', 'created_at'])
    .select((eb) =>
      eb
        .selectFrom('sessions')
        .select((eb) => eb.fn.max('sessions.created_at').as('at'))
        .whereRef('sessions.user_id', '=', 'users.id')
        .as('signed_in_at'),
    )
    .where('workspace_id', '=', p.workspace_id)
    .orderBy('id'),
);
