import { addToSum } from '../database/added-sum.ts';
import { prepareCheckedQuery } from '../database/checked-query.ts';
import { withSealing } from '../database/checksum.ts';
import { prepareQuery, prepareStatement } from '../database/database.ts';
import { sql } from '../database/dialect.ts';
import { NULL_ADDEND } from '../database/sum-groups.ts';
import type { WebhookSums, WebhooksTable } from '../database/webhook-tables.ts';

export const webhooksOf = prepareCheckedQuery(['webhooks'], (p: { document_id: string }) =>
  sql
    .selectFrom('webhooks')
    .select([
      'id',
      'channel',
      'url',
      'chat_id',
      'events',
      'active',
      'user_id',
      'token_name',
      'created_at',
      'inactive_reason',
      'watch',
    ])
    .where('document_id', '=', p.document_id)
    .orderBy('id'),
);

/** Conflict: the document has the maximum number of subscriptions of the plan. */
export const WEBHOOKS_FULL = 'webhook limit';

type LaterColumn = 'id' | 'active' | 'since_revision' | 'old_secret' | 'old_secret_until' | 'inactive_reason';
type NewWebhookRow = Omit<{ [K in keyof WebhooksTable]: WebhooksTable[K] }, LaterColumn> & {
  [K in keyof WebhookSums]: number | null;
} & { limit: number };

/** Sums that the values of a new subscription determine. */
const SUMS_OF_VALUES = ['facts_sum', 'url_sum', 'events_sum', 'watch_sum', 'name_sum', 'listening_sum'] as const;
const SUMS = [...SUMS_OF_VALUES, 'active_sum', 'until_sum'] as const;

/** Inserts an active subscription to later revisions unless the document has `limit` subscriptions. */
export const insertWebhook = withSealing(
  'webhooks',
  prepareStatement(
    (p: NewWebhookRow) =>
      sql
        .insertInto('webhooks')
        .columns([
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
          'watch',
          'listening_until',
          ...SUMS,
        ])
        .expression(
          sql
            .selectFrom('documents')
            .select(({ val, lit, ref, cast }) => [
              val(p.document_id).as('document_id'),
              val(p.channel).as('channel'),
              val(p.url).as('url'),
              val(p.chat_id).as('chat_id'),
              val(p.bot_token).as('bot_token'),
              val(p.secret).as('secret'),
              val(p.events).as('events'),
              lit(1).as('active'),
              val(p.user_id).as('user_id'),
              val(p.token_id).as('token_id'),
              val(p.token_name).as('token_name'),
              val(p.created_at).as('created_at'),
              ref('documents.revision').as('since_revision'),
              val(p.watch).as('watch'),
              val(p.listening_until).as('listening_until'),
              ...SUMS_OF_VALUES.map((sum) => cast<number | null>(val(p[sum]), 'bigint').as(sum)),
              addToSum(p.active_sum, 'documents.revision').as('active_sum'),
              lit(NULL_ADDEND).as('until_sum'),
            ])
            .where('documents.id', '=', p.document_id)
            .where(({ eb: where, selectFrom }) =>
              where(
                selectFrom('webhooks')
                  .select((count) => count.fn.countAll<number>().as('count'))
                  .where('document_id', '=', p.document_id),
                '<',
                p.limit,
              ),
            ),
        )
        .returning('id'),
    { rows: 1, conflict: WEBHOOKS_FULL },
  ),
  (row) => ({ ...row, active: 1, inactive_reason: null, since_revision: 0, old_secret_until: null }),
  {
    facts_sum: 'facts_sum',
    url_sum: 'url_sum',
    events_sum: 'events_sum',
    active_sum: 'active_sum',
    watch_sum: 'watch_sum',
    name_sum: 'name_sum',
    listening_sum: 'listening_sum',
  },
);

/** Conflict: the subscription no longer exists. */
export const NO_WEBHOOK = 'no webhook';

export const deleteWebhook = prepareStatement(
  (p: { document_id: string; id: number }) =>
    sql.deleteFrom('webhooks').where('document_id', '=', p.document_id).where('id', '=', p.id),
  { rows: 1, conflict: NO_WEBHOOK },
);

/** Extends the lease of a `webhook listen` process. Conflict `NO_WEBHOOK`: the subscription was deleted. */
export const extendListener = prepareStatement(
  (p: { document_id: string; id: number; until: number }) =>
    sql
      .updateTable('webhooks')
      .set({ listening_until: p.until, listening_sum: p.until })
      .where('document_id', '=', p.document_id)
      .where('id', '=', p.id)
      .where('listening_until', 'is not', null),
  { rows: 1, conflict: NO_WEBHOOK },
);

/** Subscriptions of `webhook listen` processes that ended without deleting them. */
export const expiredListeners = prepareCheckedQuery(['webhooks'], (p: { now: number }) =>
  sql.selectFrom('webhooks').select(['document_id', 'id']).where('listening_until', '<', p.now).orderBy('id'),
);

/** The sealed secrets of a subscription. */
export type SealedSecrets = Readonly<
  Pick<
    { [K in keyof WebhooksTable]: K extends 'id' ? number : WebhooksTable[K] },
    'id' | 'document_id' | 'secret' | 'old_secret' | 'old_secret_until' | 'bot_token'
  >
>;

/** Sealed secrets of all subscriptions, for the check of an installation. */
export const sealedSecrets = prepareQuery(() =>
  sql
    .selectFrom('webhooks')
    .select(['id', 'document_id', 'secret', 'old_secret', 'old_secret_until', 'bot_token'])
    .orderBy('id'),
);
