import type { Insertable } from 'kysely';
import { prepare, prepareStatement } from '../database/database.ts';
import { sql } from '../database/dialect.ts';
import type { DeliveriesTable, NotificationsTable } from '../database/schema.ts';

/** What one sheet's part of a window is, as `notifications.sheets` keeps it. Rows and columns are zero-based. */
export interface ChangedSheet {
  /** The sheet's id in the engine, and its name when the window closed. */
  readonly id: number;
  readonly name: string;
  /** All changed cells, also those that `runs` leaves out. */
  readonly count: number;
  /** The first cells row by row, as `[row, first column, last column, derived]`; `derived` is 0 or 1. */
  readonly runs: readonly StoredRun[];
}

export type StoredRun = readonly [row: number, left: number, right: number, derived: number];

/** What became of followed records in a window, as `notifications.records` keeps it. */
export interface StoredRecords {
  /** The id of the sheet that they are on. */
  readonly sheet: number;
  readonly list: readonly object[];
  /** There were more of them. */
  readonly isCut: boolean;
}

export interface StoredAuthor {
  readonly id: number;
  readonly name: string;
}

/** One attempt as `deliveries.log` keeps it. */
export interface StoredAttempt {
  readonly attempt: number;
  /** Milliseconds since 1970-01-01 UTC, and how long it took. */
  readonly at: number;
  readonly ms: number;
  readonly outcome: 'delivered' | 'retry' | 'refused';
  /** The receiver's status; null where it gave none. */
  readonly status: number | null;
  /** What went wrong before there was a status. */
  readonly error: string | null;
  /** The beginning of the receiver's answer. */
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

/** A delivery that is due at once. */
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

/** Subscriptions with deliveries that are due, after one of them: all of them, however long they have been due. */
export const dueSubscriptions = prepare((p: { now: number; after: number; limit: number }) =>
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

/** Deliveries that somebody has claimed, of whatever process. */
export const claimedDeliveries = prepare(() =>
  sql
    .selectFrom('deliveries')
    .select(['document_id', 'id', 'log', ...STATE_COLUMNS])
    .where('claim', 'is not', null),
);

/**
 * Documents of waits that were decided later than `now`, by a clock that was, or is, ahead of the one that asks; one row
 * a delivery. The order makes both databases use the index of decisions.
 */
export const waitsSetInFuture = prepare((p: { now: number; limit: number }) =>
  sql
    .selectFrom('deliveries')
    .select('document_id')
    .where('set_at', '>', p.now)
    .where('next_at', 'is not', null)
    .where('claim', 'is', null)
    .orderBy('set_at')
    .limit(p.limit),
);

/** Begins such waits of a document anew, each as long as it was. */
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
 * The two deliveries of a subscription that have been due the longest. Of deliveries that became due at the same time,
 * those of the earliest windows come first.
 */
export const nextDue = prepare((p: { document_id: string; webhook_id: number; now: number }) =>
  selectWithNotification()
    .select(DUE_COLUMNS)
    .where('deliveries.document_id', '=', p.document_id)
    .where('deliveries.webhook_id', '=', p.webhook_id)
    .where('deliveries.next_at', '<=', p.now)
    .where('deliveries.claim', 'is', null)
    .orderBy('deliveries.next_at')
    .orderBy('notifications.to_revision')
    .limit(2),
);

export const notificationById = prepare((p: { document_id: string; id: string }) =>
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

/** Conflict: the delivery is in another state than the caller saw. */
export const DELIVERY_CHANGED = 'delivery moved';

type DeliveryStateColumns = Pick<
  DeliveriesTable,
  'state' | 'attempts' | 'round' | 'next_at' | 'set_at' | 'claim' | 'finished_at'
>;

type ExpectedDeliveryState = {
  document_id: string;
  id: string;
  seen_state: string;
  /** Empty for none. */
  seen_claim: string;
  seen_attempts: number;
  seen_round: number;
};

/** Moves a delivery from the state that was seen, whatever its times are by now. */
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

/** What waits for a subscription that is not active, or not there, any more. */
export const cancelWaitingDeliveries = prepareStatement((p: { document_id: string; webhook_id: number; now: number }) =>
  sql
    .updateTable('deliveries')
    .set({ state: 'cancelled', next_at: null, claim: null, finished_at: p.now })
    .where('document_id', '=', p.document_id)
    .where('webhook_id', '=', p.webhook_id)
    .where('next_at', 'is not', null)
    .where('claim', 'is', null),
);

export function selectWithNotification() {
  return sql
    .selectFrom('deliveries')
    .innerJoin('notifications', (join) =>
      join
        .onRef('notifications.document_id', '=', 'deliveries.document_id')
        .onRef('notifications.id', '=', 'deliveries.notification_id'),
    );
}

/** Deliveries on their way, and since when the one that has been due for the longest time waits. */
export const deliveryQueueState = prepare(() =>
  sql
    .selectFrom('deliveries')
    .select(({ fn, eb }) => [
      fn.countAll<number>().as('depth'),
      fn.min<number | null>(eb.case().when('claim', 'is', null).then(eb.ref('next_at')).end()).as('oldest'),
    ])
    .where('next_at', 'is not', null),
);

/** Documents of deliveries that ended before a time, the earliest first; one row a delivery. */
export const finishedDeliveries = prepare((p: { before: number; limit: number }) =>
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

/** Windows of a document that no delivery needs any more. */
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
