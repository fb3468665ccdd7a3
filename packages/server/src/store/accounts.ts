import { prepare, prepareStatement, query } from './database.ts';
import { sql } from './dialect.ts';
import type { UsersTable, WorkspacesTable } from './schema.ts';

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

export function usersById(ids: readonly number[]) {
  return query(sql.selectFrom('users').select(['id', 'name', 'email']).where('id', 'in', ids).orderBy('id'));
}

export const passwordHashOf = prepare((p: { id: number }) =>
  sql.selectFrom('users').select('password_hash').where('id', '=', p.id),
);

export const workspaceById = prepare((p: { id: number }) =>
  sql.selectFrom('workspaces').selectAll().where('id', '=', p.id),
);

export const workspacesByName = prepare((p: { name: string }) =>
  sql.selectFrom('workspaces').selectAll().where('name', '=', p.name).orderBy('id'),
);

type NewWorkspace = { name: string; plan: WorkspacesTable['plan']; created_at: number };

export const insertWorkspace = prepareStatement((p: NewWorkspace) =>
  sql.insertInto('workspaces').values(p).returning('id'),
);

/** What `insertUser` reports when the address is taken. */
export const EMAIL_TAKEN = 'email taken';

type NewUser = Pick<UsersTable, 'email' | 'email_key' | 'name' | 'password_hash' | 'workspace_id' | 'created_at'>;

export const insertUser = prepareStatement(
  (p: { [K in keyof NewUser]: NewUser[K] }) =>
    sql
      .insertInto('users')
      .values({
        email: p.email,
        email_key: p.email_key,
        name: p.name,
        password_hash: p.password_hash,
        workspace_id: p.workspace_id,
        created_at: p.created_at,
      })
      .onConflict((conflict) => conflict.column('email_key').doNothing())
      .returning('id'),
  { rows: 1, conflict: EMAIL_TAKEN },
);

export const setWorkspacePlan = prepareStatement((p: { id: number; plan: WorkspacesTable['plan'] }) =>
  sql.updateTable('workspaces').set({ plan: p.plan }).where('id', '=', p.id),
);
