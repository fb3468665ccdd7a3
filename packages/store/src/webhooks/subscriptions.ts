import type { OpenArea } from '@cellwire/engine';
import {
  compileQuery,
  compileStatement,
  prepareQuery,
  prepareStatement,
  type Statement,
} from '../database/database.ts';
import { sql } from '../database/dialect.ts';
import { ANYONE } from '../database/document-tables.ts';
import type { WebhooksTable } from '../database/webhook-tables.ts';
import { NO_WEBHOOK } from './webhooks.ts';

/**
 * Reason why a subscription is inactive: `request`: a user turned it off; `gone`: the receiver no longer exists;
 * `access`: its creator lost access; `token`: its token ended; `deleted`: its document is in the trash.
 */
export type InactiveReason = 'request' | 'gone' | 'access' | 'token' | 'deleted';

/** The active subscriptions of a document, with the columns that are needed to close a window. */
export const activeSubscriptions = prepareQuery((p: { document_id: string }) =>
  sql
    .selectFrom('webhooks')
    .select(['id', 'user_id', 'token_id', 'since_revision', 'watch', 'channel', 'url', 'listening_until', 'events'])
    .where('document_id', '=', p.document_id)
    .where('active', '=', 1)
    .orderBy('id'),
);

/** All columns of a subscription, including its sealed secrets. */
export const subscriptionById = prepareQuery((p: { document_id: string; id: number }) =>
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

export const deactivateSubscription = prepareStatement(
  (p: { document_id: string; id: number; reason: InactiveReason }) =>
    sql
      .updateTable('webhooks')
      .set({ active: 0, inactive_reason: p.reason })
      .where('document_id', '=', p.document_id)
      .where('id', '=', p.id)
      .where('active', '=', 1),
);

/** Deactivates a user's subscriptions of a document that the user may no longer open. */
export const deactivateSubscriptionsOfUser = prepareStatement((p: { document_id: string; user_id: number }) =>
  sql
    .updateTable('webhooks')
    .set({ active: 0, inactive_reason: 'access' })
    .where('document_id', '=', p.document_id)
    .where('user_id', '=', p.user_id)
    .where('active', '=', 1),
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
export const deactivateSubscriptionsOfToken = prepareStatement((p: { document_id: string; token_id: number }) =>
  sql
    .updateTable('webhooks')
    .set({ active: 0, inactive_reason: 'token' })
    .where('document_id', '=', p.document_id)
    .where('token_id', '=', p.token_id)
    .where('active', '=', 1),
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
export const moveWatch = prepareStatement((p: { document_id: string; id: number; watch: string }) =>
  sql.updateTable('webhooks').set({ watch: p.watch }).where('document_id', '=', p.document_id).where('id', '=', p.id),
);

/** Activates a subscription for later revisions. */
export const activateSubscription = prepareStatement(
  (p: { document_id: string; id: number }) =>
    sql
      .updateTable('webhooks')
      .set({
        active: 1,
        inactive_reason: null,
        since_revision: (eb) =>
          eb.selectFrom('documents').select('documents.revision').where('documents.id', '=', p.document_id),
      })
      .where('document_id', '=', p.document_id)
      .where('id', '=', p.id),
  EXPECT_WEBHOOK,
);

/** Changes columns of a subscription. Conflict `NO_WEBHOOK`: the subscription no longer exists. */
export function updateSubscription(
  document: string,
  id: number,
  values: Partial<Pick<WebhooksTable, 'url' | 'events' | 'active' | 'inactive_reason'>>,
): Statement {
  return compileStatement(
    sql.updateTable('webhooks').set(values).where('document_id', '=', document).where('id', '=', id),
    EXPECT_WEBHOOK,
  );
}

/** Conflict `NO_WEBHOOK`: the subscription no longer exists, or its secret is not `seen_secret`. */
export const replaceSecret = prepareStatement(
  (p: {
    document_id: string;
    id: number;
    seen_secret: Uint8Array;
    secret: Uint8Array;
    old_secret: Uint8Array | null;
    old_secret_until: number | null;
  }) =>
    sql
      .updateTable('webhooks')
      .set({ secret: p.secret, old_secret: p.old_secret, old_secret_until: p.old_secret_until })
      .where('document_id', '=', p.document_id)
      .where('id', '=', p.id)
      .where('secret', '=', p.seen_secret),
  EXPECT_WEBHOOK,
);

/** Columns that determine whether a subscription's creator may still see the document. */
export const creatorOf = prepareQuery((p: { document_id: string; user_id: number }) =>
  sql
    .selectFrom('documents')
    .leftJoin('shares', (join) =>
      join.onRef('shares.document_id', '=', 'documents.id').on('shares.user_id', '=', p.user_id),
    )
    .select(['documents.owner_id', 'shares.role'])
    .select((eb) =>
      eb
        .selectFrom('shares as open')
        .select('open.role')
        .whereRef('open.document_id', '=', 'documents.id')
        .where('open.user_id', '=', ANYONE)
        .as('role_of_anyone'),
    )
    .select((eb) =>
      eb.selectFrom('users').select('users.disabled_at').where('users.id', '=', p.user_id).as('disabled_at'),
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
