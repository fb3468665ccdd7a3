import { prepare, prepareStatement } from './database.ts';
import { sql } from './dialect.ts';
import type { WorkspacesTable } from './schema.ts';

/** E-mail addresses are compared in lower case. */
export function emailKey(email: string): string {
  return email.trim().toLowerCase();
}

function users() {
  return sql
    .selectFrom('users')
    .innerJoin('workspaces', 'workspaces.id', 'users.workspace_id')
    .select([
      'users.id',
      'users.email',
      'users.name',
      'users.workspace_id',
      'users.created_at',
      'workspaces.name as workspace_name',
      'workspaces.plan',
    ]);
}

export const userById = prepare((p: { id: number }) => users().where('users.id', '=', p.id));

export const userByEmail = prepare((p: { key: string }) => users().where('users.email_key', '=', p.key));

export const allUsers = prepare(() => users().orderBy('users.id'));

export const workspaceById = prepare((p: { id: number }) =>
  sql.selectFrom('workspaces').selectAll().where('id', '=', p.id),
);

export const workspacesByName = prepare((p: { name: string }) =>
  sql.selectFrom('workspaces').selectAll().where('name', '=', p.name).orderBy('id'),
);

type NewWorkspace = { name: string; plan: WorkspacesTable['plan']; created_at: number };

export const insertWorkspace = prepareStatement((p: NewWorkspace) =>
  sql.insertInto('workspaces').values({ name: p.name, plan: p.plan, created_at: p.created_at }).returning('id'),
);

/** What `insertUser` reports when the address is taken. */
const EMAIL_TAKEN = 'email taken';

type NewUser = { email: string; email_key: string; name: string; password_hash: string; created_at: number };

const FREE_EMAIL = { rows: 1, conflict: EMAIL_TAKEN };

function newUser(p: NewUser) {
  const { email, email_key, name, password_hash, created_at } = p;
  return { email, email_key, name, password_hash, created_at };
}

export const insertUser = prepareStatement(
  (p: NewUser & { workspace_id: number }) =>
    sql
      .insertInto('users')
      .values({ ...newUser(p), workspace_id: p.workspace_id })
      .onConflict((conflict) => conflict.column('email_key').doNothing())
      .returning('id'),
  FREE_EMAIL,
);

/** For the workspace that the same unit has just made. */
export const insertUserOfNewWorkspace = prepareStatement(
  (p: NewUser) =>
    sql
      .insertInto('users')
      .values((eb) => ({
        ...newUser(p),
        workspace_id: eb.selectFrom('workspaces').select((of) => of.fn.max('id').as('id')),
      }))
      .onConflict((conflict) => conflict.column('email_key').doNothing())
      .returning('id'),
  FREE_EMAIL,
);

export const setWorkspacePlan = prepareStatement((p: { id: number; plan: WorkspacesTable['plan'] }) =>
  sql.updateTable('workspaces').set({ plan: p.plan }).where('id', '=', p.id),
);
