import { expressionBuilder, sql as raw } from 'kysely';
import { compileQuery, prepareQuery } from '../database/database.ts';
import { sql } from '../database/dialect.ts';
import type { Schema } from '../database/schema.ts';
import type { DeliveriesTable, NotificationsTable } from '../database/webhook-tables.ts';
import { DUE_COLUMNS, selectDeliveriesWithNotification } from './deliveries.ts';

const DELIVERY_COLUMNS = [
  ...DUE_COLUMNS,
  'deliveries.webhook_id',
  'notifications.kind',
  'notifications.token_id',
  'notifications.token_name',
  'notifications.request_id',
  'notifications.origin',
  'notifications.from_revision',
  'notifications.to_revision',
  'notifications.changed_at',
  'notifications.sheets',
] as const;

function selectDeliveries() {
  return selectDeliveriesWithNotification().select(DELIVERY_COLUMNS);
}

/** Filter for the deliveries of a subscription. A condition that is null selects all. */
interface DeliveryFilter {
  readonly state: DeliveriesTable['state'] | null;
  /** Deliveries created at `since` or later, and before `until`; milliseconds since 1970-01-01 UTC. */
  readonly since: number | null;
  readonly until: number | null;
  /** Selects deliveries of windows that include this revision. */
  readonly revision: number | null;
}

interface SubscriptionDeliveryFilter extends DeliveryFilter {
  readonly document: string;
  readonly webhook: number;
}

/** Selects deliveries that match a filter. For a revision there are few, which are found by their notifications. */
function selectMatchingDeliveries({ document, webhook, state, since, until, revision }: SubscriptionDeliveryFilter) {
  const where = expressionBuilder<Schema, 'deliveries'>();
  // The unary plus keeps SQLite from using an index on the webhook, so that with a revision the webhook is compared row
  // by row.
  const webhookColumn =
    revision === null ? where.ref('deliveries.webhook_id') : raw<number>`+"deliveries"."webhook_id"`;
  const conditions = [where('deliveries.document_id', '=', document), where(webhookColumn, '=', webhook)];
  if (state !== null) conditions.push(where('deliveries.state', '=', state));
  if (since !== null) conditions.push(where('deliveries.created_at', '>=', since));
  if (until !== null) conditions.push(where('deliveries.created_at', '<', until));
  if (revision === null) return sql.selectFrom('deliveries').where(where.and(conditions));
  // The cross join keeps SQLite from scanning all deliveries in order.
  const matching = sql.selectFrom(selectCoveringNotifications(document, revision).as('window')).crossJoin('deliveries');
  return matching.whereRef('deliveries.notification_id', '=', 'window.id').where(where.and(conditions));
}

/**
 * Selects notifications whose windows of revisions include a revision. A window ends after its first revision by at most
 * the length of the document's longest window, which bounds the rows to read.
 */
function selectCoveringNotifications(document: string, revision: number) {
  const length = expressionBuilder<{ one: NotificationsTable }, 'one'>();
  const longest = sql
    .selectFrom('notifications as one')
    .select(length('one.to_revision', '-', length.ref('one.from_revision')).as('length'))
    .where('one.document_id', '=', document)
    .orderBy(length('one.to_revision', '-', length.ref('one.from_revision')), 'desc')
    .limit(1)
    .$asScalar();
  return sql
    .selectFrom('notifications as covering')
    .select('covering.id')
    .where('covering.document_id', '=', document)
    .where('covering.from_revision', '<=', revision)
    .where('covering.to_revision', '>=', revision)
    .where((eb) => eb('covering.to_revision', '<=', eb(eb.val(revision), '+', longest)));
}

/**
 * Deliveries of a subscription, newest first. `total`: number of matches. The offset is counted from the nearer end of
 * the list, using only an index.
 */
export function deliveryPage(filter: SubscriptionDeliveryFilter, total: number, offset: number, limit: number) {
  const isNearEnd = offset > total / 2;
  const direction = isNearEnd ? 'asc' : 'desc';
  const length = Math.max(0, Math.min(limit, total - offset));
  const page = selectMatchingDeliveries(filter)
    .select('deliveries.id')
    .orderBy('deliveries.created_at', direction)
    .orderBy('deliveries.id', direction)
    .offset(isNearEnd ? Math.max(0, total - offset - length) : offset)
    .limit(length);
  const ordered = selectDeliveries()
    .where('deliveries.document_id', '=', filter.document)
    .where('deliveries.id', 'in', page)
    .orderBy('deliveries.created_at', 'desc')
    .orderBy('notifications.to_revision', 'desc')
    .orderBy('deliveries.id', 'desc');
  return compileQuery(ordered);
}

/** Number of a subscription's deliveries in a state or in all states, from the stored totals. */
export function storedDeliveryTotal({ document, webhook, state }: SubscriptionDeliveryFilter) {
  const totals = sql
    .selectFrom('delivery_totals')
    .select(({ fn, lit }) => fn.coalesce(fn.sum<number>('total'), lit(0)).as('total'))
    .where('document_id', '=', document)
    .where('webhook_id', '=', webhook);
  return compileQuery(state === null ? totals : totals.where('state', '=', state));
}

/** Number of a subscription's deliveries that match a filter, counted row by row. */
export function countedDeliveryTotal(filter: SubscriptionDeliveryFilter) {
  return compileQuery(selectMatchingDeliveries(filter).select(({ fn }) => fn.countAll<number>().as('total')));
}

export const deliveryById = prepareQuery((p: { document_id: string; id: string }) =>
  selectDeliveries().where('deliveries.document_id', '=', p.document_id).where('deliveries.id', '=', p.id),
);
