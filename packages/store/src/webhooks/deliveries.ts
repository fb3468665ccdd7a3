import type { Insertable } from 'kysely';
import { prepareQuery, prepareStatement } from '../database/database.ts';
import { sql } from '../database/dialect.ts';
import type { DeliveriesTable, NotificationsTable } from '../database/webhook-tables.ts';

/** Changes of one sheet in a notification window, stored in `notifications.sheets`. Rows and columns are zero-based. */
export interface ChangedSheet {
  /** The sheet's id in the engine, and its name when the window closed. */
  readonly id: number;
  readonly name: string;
  /** Number of changed cells, including cells that are not in `runs`. */
  readonly count: number;
  /** The first changed cells, row by row, as `[row, first column, last column, derived]`; `derived` is 0 or 1. */
  readonly runs: readonly StoredCellRun[];
}

export type StoredCellRun = readonly [row: number, left: number, right: number, derived: number];

/** Changes in the records that a subscription watches, stored in `notifications.records`. */
export interface StoredRecords {
  /** Id of the sheet with the records. */
  readonly sheet: number;
  readonly list: readonly object[];
  /** True if the list was truncated. */
  readonly isCut: boolean;
}

export interface StoredAuthor {
  readonly id: number;
  readonly name: string;
}

/** One delivery attempt, stored in `deliveries.log`. */
export interface StoredAttempt {
  readonly attempt: number;
  /** Start in milliseconds since 1970-01-01 UTC, and duration in milliseconds. */
  readonly at: number;
  readonly ms: number;
  readonly outcome: 'delivered' | 'retry' | 'refused';
  /** HTTP status of the receiver; null if there was no response. */
  readonly status: number | null;
  /** Error that occurred before a response. */
  readonly error: string | null;
  /** Beginning of the receiver's response body. */
  readonly head: string;
}

export const insertNotification = prepareStatement((p: { [K in keyof NotificationsTable]: NotificationsTable[K] }) =>
  sql.insertInto('notifications').values({
    document_id: p.document_id,
    id: p.id,
    kind: p.kind,
    token_id: p.token_id,
    token_name: p.token_name,
    request_id: p.request_id,
    origin: p.origin,
    from_revision: p.from_revision,
    to_revision: p.to_revision,
    changed_at: p.changed_at,
    authors: p.authors,
    sheets: p.sheets,
    structure: p.structure,
    records: p.records,
    created_at: p.created_at,
  }),
);

type NewDeliveryRow = Pick<
  Insertable<DeliveriesTable>,
  'document_id' | 'id' | 'webhook_id' | 'notification_id' | 'hidden' | 'created_at'
>;

/** Inserts a delivery that is due immediately. */
export const insertDelivery = prepareStatement((p: Required<NewDeliveryRow>) =>
  sql.insertInto('deliveries').values({
    document_id: p.document_id,
    id: p.id,
    webhook_id: p.webhook_id,
    notification_id: p.notification_id,
    state: 'waiting',
    attempts: 0,
    round: 0,
    next_at: p.created_at,
    set_at: p.created_at,
    claim: null,
    hidden: p.hidden,
    log: '[]',
    created_at: p.created_at,
    finished_at: null,
  }),
);

const STATE_COLUMNS = ['state', 'attempts', 'round', 'next_at', 'set_at', 'claim', 'finished_at'] as const;

/** Subscriptions after the id `after` that have due deliveries, including long overdue ones. */
export const dueSubscriptions = prepareQuery((p: { now: number; after: number; limit: number }) =>
  sql
    .selectFrom('deliveries')
    .leftJoin('webhooks', 'webhooks.id', 'deliveries.webhook_id')
    .select(['deliveries.document_id', 'deliveries.webhook_id', 'webhooks.channel', 'webhooks.url', 'webhooks.user_id'])
    .distinct()
    .where('deliveries.next_at', '<=', p.now)
    .where('deliveries.claim', 'is', null)
    .where('webhooks.listening_until', 'is', null)
    .where('deliveries.webhook_id', '>', p.after)
    .orderBy('deliveries.webhook_id')
    .limit(p.limit),
);

/** Deliveries that a process, on any node, has claimed. */
export const claimedDeliveries = prepareQuery(() =>
  sql
    .selectFrom('deliveries')
    .select(['document_id', 'id', 'log', ...STATE_COLUMNS])
    .where('claim', 'is not', null),
);

/**
 * Documents with waiting deliveries whose `set_at` is after `now`, which happens because node clocks differ; one row
 * for each delivery. The order makes both databases use the index on `set_at`.
 */
export const waitsSetInFuture = prepareQuery((p: { now: number; limit: number }) =>
  sql
    .selectFrom('deliveries')
    .select('document_id')
    .where('set_at', '>', p.now)
    .where('next_at', 'is not', null)
    .where('claim', 'is', null)
    .orderBy('set_at')
    .limit(p.limit),
);

/** For deliveries of a document whose `set_at` is after `now`: restarts the wait with its full length. */
export const restartWaits = prepareStatement((p: { document_id: string; now: number; later: number }) =>
  sql
    .updateTable('deliveries')
    .set(({ eb, ref }) => ({ next_at: eb(eb(ref('next_at'), '-', ref('set_at')), '+', p.now), set_at: p.now }))
    .where('document_id', '=', p.document_id)
    .where('set_at', '>', p.later)
    .where('next_at', 'is not', null)
    .where('claim', 'is', null),
);

export const DUE_COLUMNS = [
  'deliveries.id',
  'deliveries.notification_id',
  'deliveries.hidden',
  'deliveries.log',
  'deliveries.created_at',
  'deliveries.state',
  'deliveries.attempts',
  'deliveries.round',
  'deliveries.next_at',
  'deliveries.set_at',
  'deliveries.claim',
  'deliveries.finished_at',
] as const;

/**
 * The two longest overdue deliveries of a subscription. If several have the same due time, the deliveries of the
 * earliest windows come first.
 */
export const nextDue = prepareQuery((p: { document_id: string; webhook_id: number; now: number }) =>
  selectDeliveriesWithNotification()
    .select(DUE_COLUMNS)
    .where('deliveries.document_id', '=', p.document_id)
    .where('deliveries.webhook_id', '=', p.webhook_id)
    .where('deliveries.next_at', '<=', p.now)
    .where('deliveries.claim', 'is', null)
    .orderBy('deliveries.next_at')
    .orderBy('notifications.to_revision')
    .limit(2),
);

export const notificationById = prepareQuery((p: { document_id: string; id: string }) =>
  sql
    .selectFrom('notifications')
    .select([
      'document_id',
      'id',
      'kind',
      'token_id',
      'token_name',
      'origin',
      'from_revision',
      'to_revision',
      'request_id',
      'changed_at',
      'authors',
      'sheets',
      'structure',
      'records',
      'created_at',
    ])
    .where('document_id', '=', p.document_id)
    .where('id', '=', p.id),
);

/** Conflict: the state of the delivery has changed since it was read. */
export const DELIVERY_CHANGED = 'delivery moved';

type DeliveryStateColumns = Pick<
  DeliveriesTable,
  'state' | 'attempts' | 'round' | 'next_at' | 'set_at' | 'claim' | 'finished_at'
>;

type ExpectedDeliveryState = {
  document_id: string;
  id: string;
  seen_state: string;
  /** The claim that was read; empty if the delivery was not claimed. */
  seen_claim: string;
  seen_attempts: number;
  seen_round: number;
};

/** Changes the state of a delivery if no other process changed it since it was read. Does not compare its times. */
export const changeDeliveryState = prepareStatement(
  (p: DeliveryStateColumns & ExpectedDeliveryState & { log: string }) =>
    sql
      .updateTable('deliveries')
      .set({
        state: p.state,
        attempts: p.attempts,
        round: p.round,
        next_at: p.next_at,
        set_at: p.set_at,
        claim: p.claim,
        finished_at: p.finished_at,
        log: p.log,
      })
      .where('document_id', '=', p.document_id)
      .where('id', '=', p.id)
      .where('state', '=', p.seen_state as DeliveriesTable['state'])
      .where(({ eb, fn, val }) => eb(fn.coalesce('claim', val('')), '=', p.seen_claim))
      .where('attempts', '=', p.seen_attempts)
      .where('round', '=', p.seen_round),
  { rows: 1, conflict: DELIVERY_CHANGED },
);

/** Cancels waiting deliveries of a subscription that is inactive or deleted. */
export const cancelWaitingDeliveries = prepareStatement((p: { document_id: string; webhook_id: number; now: number }) =>
  sql
    .updateTable('deliveries')
    .set({ state: 'cancelled', next_at: null, claim: null, finished_at: p.now })
    .where('document_id', '=', p.document_id)
    .where('webhook_id', '=', p.webhook_id)
    .where('next_at', 'is not', null)
    .where('claim', 'is', null),
);

export function selectDeliveriesWithNotification() {
  return sql
    .selectFrom('deliveries')
    .innerJoin('notifications', (join) =>
      join
        .onRef('notifications.document_id', '=', 'deliveries.document_id')
        .onRef('notifications.id', '=', 'deliveries.notification_id'),
    );
}

/** Number of pending deliveries, and the due time of the longest overdue one. */
export const deliveryQueueState = prepareQuery(() =>
  sql
    .selectFrom('deliveries')
    .select(({ fn, eb }) => [
      fn.countAll<number>().as('depth'),
      fn.min<number | null>(eb.case().when('claim', 'is', null).then(eb.ref('next_at')).end()).as('oldest'),
    ])
    .where('next_at', 'is not', null),
);

/** Documents of deliveries that finished before a time, earliest first; one row for each delivery. */
export const finishedDeliveries = prepareQuery((p: { before: number; limit: number }) =>
  sql
    .selectFrom('deliveries')
    .select('document_id')
    .where('finished_at', '<', p.before)
    .orderBy('finished_at')
    .limit(p.limit),
);

export const deleteFinishedDeliveries = prepareStatement((p: { document_id: string; before: number; limit: number }) =>
  sql
    .deleteFrom('deliveries')
    .where('document_id', '=', p.document_id)
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('deliveries')
        .select('id')
        .where('document_id', '=', p.document_id)
        .where('finished_at', '<', p.before)
        .limit(p.limit),
    ),
);

/** Deletes notifications of a document that no delivery needs any more. */
export const deleteUnusedNotifications = prepareStatement((p: { document_id: string; before: number; limit: number }) =>
  sql
    .deleteFrom('notifications')
    .where('document_id', '=', p.document_id)
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('notifications as old')
        .select('old.id')
        .where('old.document_id', '=', p.document_id)
        .where('old.created_at', '<', p.before)
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom('deliveries')
                .select('deliveries.id')
                .whereRef('deliveries.document_id', '=', 'old.document_id')
                .whereRef('deliveries.notification_id', '=', 'old.id'),
            ),
          ),
        )
        .limit(p.limit),
    ),
);

export const purgeDeliveries = prepareStatement((p: { id: string; limit: number }) =>
  sql
    .deleteFrom('deliveries')
    .where('document_id', '=', p.id)
    .where('id', 'in', (eb) => eb.selectFrom('deliveries').select('id').where('document_id', '=', p.id).limit(p.limit)),
);

export const purgeNotifications = prepareStatement((p: { id: string; limit: number }) =>
  sql
    .deleteFrom('notifications')
    .where('document_id', '=', p.id)
    .where('id', 'in', (eb) =>
      eb.selectFrom('notifications').select('id').where('document_id', '=', p.id).limit(p.limit),
    ),
);
