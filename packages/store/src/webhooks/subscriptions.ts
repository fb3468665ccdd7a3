import type { OpenArea } from '@cellwire/engine';
import { sql as raw } from 'kysely';
import { addToSum } from '../database/added-sum.ts';
import { prepareCheckedQuery } from '../database/checked-query.ts';
import { withSealing } from '../database/checksum.ts';
import {
  compileQuery,
  compileStatement,
  prepareQuery,
  prepareStatement,
  type Statement,
} from '../database/database.ts';
import { sql } from '../database/dialect.ts';
import { ANYONE } from '../database/document-tables.ts';
import { sumColumns } from '../database/row-sums.ts';
import type { WebhooksTable } from '../database/webhook-tables.ts';
import { NO_WEBHOOK } from './webhooks.ts';

/**
 * Reason why a subscription is inactive: `request`: a user turned it off; `gone`: the receiver no longer exists;
 * `access`: its creator lost access; `token`: its token ended; `deleted`: its document is in the trash.
 */
export type InactiveReason = 'request' | 'gone' | 'access' | 'token' | 'deleted';

/** The active subscriptions of a document, with the columns that are needed to close a window. */
export const activeSubscriptions = prepareCheckedQuery(['webhooks'], (p: { document_id: string }) =>
  sql
    .selectFrom('webhooks')
    .select(['id', 'user_id', 'token_id', 'since_revision', 'watch', 'channel', 'url', 'listening_until', 'events'])
    .where('document_id', '=', p.document_id)
    .where('active', '=', 1)
    .orderBy('id'),
);

/** All columns of a subscription, including its sealed secrets. */
export const subscriptionById = prepareCheckedQuery(['webhooks'], (p: { document_id: string; id: number }) =>
  sql
    .selectFrom('webhooks')
    .select([
      'id',
      'document_id',
      'channel',
      'url',
      'chat_id',
      'bot_token',
      'secret',
      'events',
      'active',
      'user_id',
      'token_id',
      'token_name',
      'created_at',
      'since_revision',
      'old_secret',
      'old_secret_until',
      'inactive_reason',
      'watch',
      'listening_until',
    ])
    .where('document_id', '=', p.document_id)
    .where('id', '=', p.id),
);

export const deactivateSubscription = withSealing(
  'webhooks',
  prepareStatement((p: { document_id: string; id: number; reason: InactiveReason; active_sum: number | null }) =>
    sql
      .updateTable('webhooks')
      .set({ active: 0, inactive_reason: p.reason, active_sum: addToSum(p.active_sum, 'since_revision') })
      .where('document_id', '=', p.document_id)
      .where('id', '=', p.id)
      .where('active', '=', 1),
  ),
  ({ reason }) => toInactiveColumns(reason),
  { active_sum: 'active_sum' },
);

/** The columns of `active_sum` in an inactive subscription, for the base of the sum. */
export function toInactiveColumns(reason: InactiveReason) {
  return { active: 0, inactive_reason: reason, since_revision: 0 };
}

/** Deactivates a user's subscriptions of a document that the user may no longer open. */
export const deactivateSubscriptionsOfUser = withSealing(
  'webhooks',
  prepareStatement((p: { document_id: string; user_id: number; active_sum: number | null }) =>
    sql
      .updateTable('webhooks')
      .set({ active: 0, inactive_reason: 'access', active_sum: addToSum(p.active_sum, 'since_revision') })
      .where('document_id', '=', p.document_id)
      .where('user_id', '=', p.user_id)
      .where('active', '=', 1),
  ),
  () => toInactiveColumns('access'),
  { active_sum: 'active_sum' },
);

/** Documents with active subscriptions that were created with a token. */
export const documentsOfToken = prepareQuery((p: { token_id: number }) =>
  sql
    .selectFrom('webhooks')
    .select('document_id')
    .distinct()
    .where('token_id', '=', p.token_id)
    .where('active', '=', 1)
    .orderBy('document_id'),
);

/** Deactivates a document's subscriptions that were created with a token. */
export const deactivateSubscriptionsOfToken = withSealing(
  'webhooks',
  prepareStatement((p: { document_id: string; token_id: number; active_sum: number | null }) =>
    sql
      .updateTable('webhooks')
      .set({ active: 0, inactive_reason: 'token', active_sum: addToSum(p.active_sum, 'since_revision') })
      .where('document_id', '=', p.document_id)
      .where('token_id', '=', p.token_id)
      .where('active', '=', 1),
  ),
  () => toInactiveColumns('token'),
  { active_sum: 'active_sum' },
);

const EXPECT_WEBHOOK = { rows: 1, conflict: NO_WEBHOOK };

/** Cells or records that a subscription is limited to, stored in `webhooks.watch`. */
export interface StoredWatch {
  /** The range as text: as it was sent, or its new position after later changes. */
  readonly range: string;
  readonly key: readonly string[];
  /** Position of the range after a revision. */
  readonly place: {
    readonly revision: number;
    readonly sheet: number;
    readonly area: OpenArea | null;
    readonly table: string | null;
  };
}

/** Stores the new position of watched cells after later changes. */
export const moveWatch = withSealing(
  'webhooks',
  prepareStatement((p: { document_id: string; id: number; watch: string; watch_sum: number | null }) =>
    sql
      .updateTable('webhooks')
      .set({ watch: p.watch, watch_sum: p.watch_sum })
      .where('document_id', '=', p.document_id)
      .where('id', '=', p.id),
  ),
  (row) => row,
  { watch_sum: 'watch_sum' },
);

/** Activates a subscription for later revisions. */
export const activateSubscription = withSealing(
  'webhooks',
  prepareStatement(
    (p: { document_id: string; id: number; active_sum: number | null }) =>
      sql
        .updateTable('webhooks')
        .set(activateFrom(p.document_id, p.active_sum))
        .where('document_id', '=', p.document_id)
        .where('id', '=', p.id),
    EXPECT_WEBHOOK,
  ),
  () => ACTIVE_COLUMNS,
  { active_sum: 'active_sum' },
);

/** The columns of `active_sum` in an active subscription, for the base of the sum. */
export const ACTIVE_COLUMNS = { active: 1, inactive_reason: null, since_revision: 0 };

/** The columns of a subscription that delivers the later revisions of a document. `base`: of `active_sum`. */
export function activateFrom(document: string, base: number | null) {
  const revision = sql.selectFrom('documents').select('documents.revision').where('documents.id', '=', document);
  return {
    active: 1,
    inactive_reason: null,
    since_revision: revision,
    active_sum: raw<number>`cast(${base} as bigint) + (${revision})`,
  };
}

type ChangedColumns = Partial<Pick<WebhooksTable, 'url' | 'events' | 'active' | 'inactive_reason'>>;

/** The sums of changed columns. `active` and `inactive_reason` change together. */
function sumChangedColumns({ url, events, active, inactive_reason = null }: ChangedColumns) {
  return {
    ...(url === undefined ? {} : { url_sum: sumColumns('webhooks', 'url_sum', { url }) }),
    ...(events === undefined ? {} : { events_sum: sumColumns('webhooks', 'events_sum', { events }) }),
    ...(active === undefined
      ? {}
      : {
          active_sum: addToSum(
            sumColumns('webhooks', 'active_sum', { active, inactive_reason, since_revision: 0 }),
            'since_revision',
          ),
        }),
  };
}

/** Changes columns of a subscription. Conflict `NO_WEBHOOK`: the subscription no longer exists. */
export function updateSubscription(document: string, id: number, values: ChangedColumns): Statement {
  return compileStatement(
    sql
      .updateTable('webhooks')
      .set({ ...values, ...sumChangedColumns(values) })
      .where('document_id', '=', document)
      .where('id', '=', id),
    EXPECT_WEBHOOK,
  );
}

/** Conflict `NO_WEBHOOK`: the subscription no longer exists, or its secret is not `seen_secret`. */
export const replaceSecret = withSealing(
  'webhooks',
  prepareStatement(
    (p: {
      document_id: string;
      id: number;
      seen_secret: Uint8Array;
      secret: Uint8Array;
      old_secret: Uint8Array | null;
      old_secret_until: number | null;
      until_sum: number | null;
    }) =>
      sql
        .updateTable('webhooks')
        .set({
          secret: p.secret,
          old_secret: p.old_secret,
          old_secret_until: p.old_secret_until,
          until_sum: p.until_sum,
        })
        .where('document_id', '=', p.document_id)
        .where('id', '=', p.id)
        .where('secret', '=', p.seen_secret),
    EXPECT_WEBHOOK,
  ),
  (row) => row,
  { until_sum: 'until_sum' },
);

/** Columns that determine whether a subscription's creator may still see the document. */
export const creatorOf = prepareCheckedQuery(['users'], (p: { document_id: string; user_id: number }) =>
  sql
    .selectFrom('documents')
    .leftJoin('users', (join) => join.on('users.id', '=', p.user_id))
    .leftJoin('shares', (join) =>
      join.onRef('shares.document_id', '=', 'documents.id').on('shares.user_id', '=', p.user_id),
    )
    .select(['documents.owner_id', 'shares.role', 'users.disabled_at'])
    .select((eb) =>
      eb
        .selectFrom('shares as open')
        .select('open.role')
        .whereRef('open.document_id', '=', 'documents.id')
        .where('open.user_id', '=', ANYONE)
        .as('role_of_anyone'),
    )
    .where('documents.id', '=', p.document_id),
);

/** A document's title, and the workspace of its owner. */
export const documentTitleAndWorkspace = prepareQuery((p: { id: string }) =>
  sql
    .selectFrom('documents')
    .innerJoin('users', 'users.id', 'documents.owner_id')
    .innerJoin('workspaces', 'workspaces.id', 'users.workspace_id')
    .select([
      'documents.title',
      'documents.revision',
      'workspaces.id as workspace_id',
      'workspaces.name as workspace_name',
    ])
    .where('documents.id', '=', p.id),
);

/** The names of users. A query for one user is the usual case and is compiled once. */
export function namesOfUsers(ids: readonly number[]) {
  const [id] = ids;
  if (id !== undefined && ids.length === 1) return nameOfUser({ id });
  return compileQuery(sql.selectFrom('users').select(['id', 'name']).where('id', 'in', ids).orderBy('id'));
}

const nameOfUser = prepareQuery((p: { id: number }) =>
  sql.selectFrom('users').select(['id', 'name']).where('id', '=', p.id),
);
