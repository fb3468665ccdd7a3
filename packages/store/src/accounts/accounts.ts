import { sql as raw } from 'kysely';
import type { WorkspacesTable } from '../database/account-tables.ts';
import { addToSum } from '../database/added-sum.ts';
import { prepareCheckedQuery } from '../database/checked-query.ts';
import { withSealing } from '../database/checksum.ts';
import { prepareQuery, prepareStatement } from '../database/database.ts';
import { sql } from '../database/dialect.ts';
import { NULL_ADDEND } from '../database/sum-groups.ts';

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

const ACCOUNT_TABLES = ['users', 'workspaces'] as const;

export const userById = prepareCheckedQuery(ACCOUNT_TABLES, (p: { id: number }) =>
  selectUsers().where('users.id', '=', p.id),
);

export const userByEmail = prepareCheckedQuery(ACCOUNT_TABLES, (p: { key: string }) =>
  selectUsers().where('users.email_key', '=', p.key),
);

const WORKSPACE_COLUMNS = ['id', 'name', 'plan', 'created_at', 'owner_id'] as const;

export const workspaceById = prepareQuery((p: { id: number }) =>
  sql.selectFrom('workspaces').select(WORKSPACE_COLUMNS).where('id', '=', p.id),
);

export const workspacesByName = prepareQuery((p: { name: string }) =>
  sql.selectFrom('workspaces').select(WORKSPACE_COLUMNS).where('name', '=', p.name).orderBy('id'),
);

type NewWorkspaceRow = {
  name: string;
  plan: WorkspacesTable['plan'];
  created_at: number;
  plan_sum: number | null;
  name_sum: number | null;
  locale_sum: number | null;
};

export const insertWorkspace = withSealing(
  'workspaces',
  prepareStatement((p: NewWorkspaceRow) =>
    sql
      .insertInto('workspaces')
      .values({
        name: p.name,
        plan: p.plan,
        created_at: p.created_at,
        plan_sum: p.plan_sum,
        name_sum: p.name_sum,
        locale_sum: p.locale_sum,
        owner_sum: NULL_ADDEND,
      })
      .returning('id'),
  ),
  (row) => row,
  { plan_sum: 'plan_sum', name_sum: 'name_sum', locale_sum: 'locale_sum' },
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
  facts_sum: number | null;
  email_sum: number | null;
  name_sum: number | null;
  password_sum: number | null;
};

export const EXPECT_FREE_EMAIL = { rows: 1, conflict: EMAIL_TAKEN };

/** The columns of a new user, without the workspace and the sum that contains it. */
function toUserColumns(p: NewUserRow) {
  const { email, email_key, name, password_hash, password_once, created_at, email_sum, name_sum, password_sum } = p;
  return {
    ...{ email, email_key, name, password_hash, password_once, created_at },
    ...{ email_sum, name_sum, password_sum, disabled_sum: NULL_ADDEND },
  };
}

const USER_SUMS = {
  facts_sum: 'facts_sum',
  email_sum: 'email_sum',
  name_sum: 'name_sum',
  password_sum: 'password_sum',
} as const;

export const insertUser = withSealing(
  'users',
  prepareStatement(
    (p: NewUserRow & { workspace_id: number }) =>
      sql
        .insertInto('users')
        .values({ ...toUserColumns(p), workspace_id: p.workspace_id, facts_sum: p.facts_sum })
        .onConflict((conflict) => conflict.column('email_key').doNothing())
        .returning('id'),
    EXPECT_FREE_EMAIL,
  ),
  (row) => row,
  USER_SUMS,
);

/** Adds a user to the workspace that the same unit has inserted. */
export const insertUserOfNewWorkspace = withSealing(
  'users',
  prepareStatement(
    (p: NewUserRow) =>
      sql
        .insertInto('users')
        .values((eb) => ({
          ...toUserColumns(p),
          workspace_id: eb.selectFrom('workspaces').select((eb) => eb.fn.max('id').as('id')),
          facts_sum: raw<number>`cast(${p.facts_sum} as bigint) + (select max(id) from workspaces)`,
        }))
        .onConflict((conflict) => conflict.column('email_key').doNothing())
        .returning('id'),
    EXPECT_FREE_EMAIL,
  ),
  (row) => ({ ...row, workspace_id: 0 }),
  USER_SUMS,
);

/** Makes the first user of a workspace its owner. Every unit that inserts a user must contain this statement. */
export const assignWorkspaceOwners = prepareStatement(() =>
  sql
    .updateTable('workspaces')
    .set((eb) => {
      const first = eb
        .selectFrom('users')
        .select((eb) => eb.fn.min('users.id').as('id'))
        .whereRef('users.workspace_id', '=', 'workspaces.id');
      return { owner_id: first, owner_sum: eb.fn.coalesce(first, eb.lit(NULL_ADDEND)) };
    })
    .where('owner_id', 'is', null),
);

export const setWorkspacePlan = withSealing(
  'workspaces',
  prepareStatement((p: { id: number; plan: WorkspacesTable['plan']; plan_sum: number | null }) =>
    sql
      .updateTable('workspaces')
      .set({ plan: p.plan, plan_sum: addToSum(p.plan_sum, 'created_at') })
      .where('id', '=', p.id),
  ),
  ({ plan }) => ({ plan, created_at: 0 }),
  { plan_sum: 'plan_sum' },
);

export const setWorkspaceLocale = withSealing(
  'workspaces',
  prepareStatement((p: { id: number; locale: string | null; locale_sum: number | null }) =>
    sql.updateTable('workspaces').set({ locale: p.locale, locale_sum: p.locale_sum }).where('id', '=', p.id),
  ),
  (row) => row,
  { locale_sum: 'locale_sum' },
);

/** The user with an e-mail address, with the columns that signing in needs. */
export const signInByEmail = prepareCheckedQuery(['users'], (p: { key: string }) =>
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
export const setPassword = withSealing(
  'users',
  prepareStatement((p: { id: number; password_hash: string; once: number; password_sum: number | null }) =>
    sql
      .updateTable('users')
      .set({ password_hash: p.password_hash, password_once: p.once, password_sum: p.password_sum })
      .where('id', '=', p.id),
  ),
  ({ password_hash, once }) => ({ password_hash, password_once: once }),
  { password_sum: 'password_sum' },
);

/** Stores a hash of the same password with other cost parameters. */
export const setPasswordHash = withSealing(
  'users',
  prepareStatement((p: { id: number; password_hash: string; password_sum: number | null }) =>
    sql
      .updateTable('users')
      .set({ password_hash: p.password_hash, password_sum: addToSum(p.password_sum, 'password_once') })
      .where('id', '=', p.id),
  ),
  ({ password_hash }) => ({ password_hash, password_once: 0 }),
  { password_sum: 'password_sum' },
);

/** Disables a user. If the user is already disabled, the first time is kept. */
export const disableUser = prepareStatement((p: { id: number; now: number }) =>
  sql
    .updateTable('users')
    .set({ disabled_at: p.now, disabled_sum: p.now })
    .where('id', '=', p.id)
    .where('disabled_at', 'is', null),
);

export const enableUser = prepareStatement((p: { id: number }) =>
  sql.updateTable('users').set({ disabled_at: null, disabled_sum: NULL_ADDEND }).where('id', '=', p.id),
);

/** The users of a workspace, each with the start of the newest session. */
export const usersOfWorkspace = prepareCheckedQuery(['users'], (p: { workspace_id: number }) =>
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
