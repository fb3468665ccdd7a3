import type { AccountLogTable } from '../database/account-tables.ts';
import { prepareQuery, prepareStatement } from '../database/database.ts';
import { sql } from '../database/dialect.ts';

type NewAccountLogEntry = Omit<{ [K in keyof AccountLogTable]: AccountLogTable[K] }, 'id'>;

export const insertAccountEntry = prepareStatement((p: NewAccountLogEntry) =>
  sql.insertInto('account_log').values({
    workspace_id: p.workspace_id,
    at: p.at,
    action: p.action,
    origin: p.origin,
    user_id: p.user_id,
    user_name: p.user_name,
    subject_id: p.subject_id,
    subject: p.subject,
    detail: p.detail,
    address: p.address,
  }),
);

const LOG_COLUMNS = [
  'id',
  'workspace_id',
  'at',
  'action',
  'origin',
  'user_id',
  'user_name',
  'subject_id',
  'subject',
  'detail',
  'address',
] as const;

/** A page of a workspace's account log, newest first. */
export const workspaceLogPage = prepareQuery((p: { workspace_id: number; offset: number; limit: number }) =>
  sql
    .selectFrom('account_log')
    .select(LOG_COLUMNS)
    .where('workspace_id', '=', p.workspace_id)
    .orderBy('id', 'desc')
    .limit(p.limit)
    .offset(p.offset),
);

export const workspaceLogTotal = prepareQuery((p: { workspace_id: number }) =>
  sql
    .selectFrom('account_log')
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .where('workspace_id', '=', p.workspace_id),
);

/** Entries of actions by or about a user, newest first. */
export const userLogPage = prepareQuery((p: { workspace_id: number; user_id: number; offset: number; limit: number }) =>
  sql
    .selectFrom('account_log')
    .select(LOG_COLUMNS)
    .where('workspace_id', '=', p.workspace_id)
    .where(({ or, eb }) => or([eb('user_id', '=', p.user_id), eb('subject_id', '=', p.user_id)]))
    .orderBy('id', 'desc')
    .limit(p.limit)
    .offset(p.offset),
);

export const userLogTotal = prepareQuery((p: { workspace_id: number; user_id: number }) =>
  sql
    .selectFrom('account_log')
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .where('workspace_id', '=', p.workspace_id)
    .where(({ or, eb }) => or([eb('user_id', '=', p.user_id), eb('subject_id', '=', p.user_id)])),
);

export const deleteOldAccountEntries = prepareStatement((p: { before: number; limit: number }) =>
  sql
    .deleteFrom('account_log')
    .where('id', 'in', (eb) =>
      eb.selectFrom('account_log').select('id').where('at', '<', p.before).orderBy('at').limit(p.limit),
    ),
);
