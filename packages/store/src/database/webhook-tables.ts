import type { Generated } from 'kysely';
import type { StructureText } from './structure-text.ts';

/** Sums of columns of a subscription (`sum-groups.ts`). */
export type WebhookSums = {
  readonly [K in `${'facts' | 'url' | 'events' | 'active' | 'watch' | 'name' | 'until' | 'listening'}_sum`]: Generated<
    number | null
  >;
};

export interface WebhooksTable {
  id: Generated<number>;
  document_id: string;
  channel: 'http' | 'messenger';
  url: string | null;
  chat_id: string | null;
  /** Sealed; see `secrets.ts`. */
  bot_token: Uint8Array | null;
  secret: Uint8Array | null;
  /** JSON array of event names. */
  events: string;
  active: number;
  user_id: number;
  token_id: number | null;
  token_name: string | null;
  created_at: number;
  /**
   * Only later revisions are delivered. It is the document's revision when the subscription was created or activated
   * again.
   */
  since_revision: number;
  /**
   * Earlier secrets, newest first, separated by a blank and sealed together; and the time until which they are used for
   * signatures.
   */
  old_secret: Uint8Array | null;
  old_secret_until: number | null;
  /**
   * Reason of inactivity: `request`, `gone` (the receiver answered 410), `access`, `token`, `deleted` (document in the
   * trash).
   */
  inactive_reason: string | null;
  /** JSON `StoredWatch` (`subscriptions.ts`): the cells or records to deliver; null for everything. */
  watch: string | null;
  /**
   * End of the lease of a `webhook listen` process that sends the deliveries, in milliseconds since 1970-01-01 UTC.
   * Null: the service sends them.
   */
  listening_until: number | null;
}

/** For each document with subscriptions, how far its log has been grouped into closed windows. */
export interface WindowsTable {
  document_id: string;
  /** Every commit up to this revision is in a closed window, or is not delivered. */
  grouped: number;
  /**
   * JSON object: a revision for each source. All commits of the source up to this revision are in closed windows.
   * Contains only revisions after `grouped`.
   */
  ahead: string;
  /** Increases with every change: the optimistic lock of the grouping processes. */
  version: number;
}

/** A closed window. Its set of cells never changes. All subscriptions of the document share it. */
export interface NotificationsTable {
  document_id: string;
  /** UUID of the notification. */
  id: string;
  kind: 'change' | 'test' | 'proposal.opened' | 'proposal.decided';
  /** The source: an API token, or null for the browser. */
  token_id: number | null;
  token_name: string | null;
  /** Id of the last request in the window; as in `commits`. */
  request_id: string | null;
  /** Origin of the changes: `api` or `browser`. */
  origin: string;
  from_revision: number;
  to_revision: number;
  changed_at: number | null;
  /** JSON array of `{ id, name }`. */
  authors: string;
  /** JSON, see `ChangedSheet` in `deliveries.ts`. */
  sheets: string;
  structure: StructureText;
  /**
   * JSON `StoredRecords` (`deliveries.ts`) for subscriptions to records, or `AnnouncedProposal` for proposals; otherwise
   * null.
   */
  records: string | null;
  created_at: number;
}

/** Delivery of one window to one subscription. `notify/delivery-state.ts` of the service defines its state machine. */
export interface DeliveriesTable {
  document_id: string;
  /** UUID; the `deliveryId`. */
  id: string;
  webhook_id: number;
  notification_id: string;
  state: 'waiting' | 'sending' | 'delivered' | 'refused' | 'exhausted' | 'cancelled';
  /** Number of attempts with a known outcome: in total, and since the last redelivery. */
  attempts: number;
  round: number;
  /** Time at which the delivery is due; for a claimed delivery the time of the claim; null if it is finished. */
  next_at: number | null;
  /** Time at which `next_at` was set, by the clock of the node that set it. */
  set_at: number;
  /** The process that is sending the delivery; null if there is none. */
  claim: string | null;
  /** JSON array of the sheets whose values were hidden from the subscription's creator when the window was closed. */
  hidden: string;
  /** JSON array of attempts, newest last. */
  log: string;
  created_at: number;
  finished_at: number | null;
}

/** Number of a subscription's deliveries in each state. Triggers maintain it. */
export interface DeliveryTotalsTable {
  document_id: string;
  webhook_id: number;
  state: DeliveriesTable['state'];
  total: number;
}
