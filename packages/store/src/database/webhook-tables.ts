import type { Generated } from 'kysely';
import type { StructureText } from './structure-text.ts';

export interface WebhooksTable {
  id: Generated<number>;
  document_id: string;
  channel: 'http' | 'messenger';
  url: string | null;
  chat_id: string | null;
  /** Sealed, see `secrets.ts`. */
  bot_token: Uint8Array | null;
  secret: Uint8Array | null;
  /** JSON array of event names. */
  events: string;
  active: number;
  user_id: number;
  token_id: number | null;
  token_name: string | null;
  created_at: number;
  /** Only later revisions are told: the document's when the subscription was made or made active again. */
  since_revision: number;
  /** The secrets before, the newest first with a blank between, sealed together; and until when they still sign. */
  old_secret: Uint8Array | null;
  old_secret_until: number | null;
  /** Why it is not active: `request`, `gone` (the receiver answered 410), `access`, `token`, `deleted` (document in the bin). */
  inactive_reason: string | null;
  /** JSON `StoredWatch` (`subscriptions.ts`): what is told only; null: everything. */
  watch: string | null;
  /**
   * Of a subscription whose deliveries a `webhook listen` process sends: until when that process counts as running, in
   * milliseconds since 1970-01-01 UTC. Null: the service sends them.
   */
  listening_until: number | null;
}

/** How far the log of a document with subscriptions has been grouped into closed windows. */
export interface WindowsTable {
  document_id: string;
  /** Every commit up to this revision is in a closed window, or is not told. */
  grouped: number;
  /** JSON: revision by source; that source's commits up to it are in closed windows. Only those beyond `grouped`. */
  ahead: string;
  /** Grows with every change: the optimistic lock of the processes that group. */
  version: number;
}

/** A closed window: its set of cells never changes. One for all subscriptions that it is told to. */
export interface NotificationsTable {
  document_id: string;
  /** UUID. */
  id: string;
  kind: 'change' | 'test' | 'proposal.opened' | 'proposal.decided';
  /** The source: an API token, null for the browser. */
  token_id: number | null;
  token_name: string | null;
  /** Of the last request that it covers; as in `commits`. */
  request_id: string | null;
  /** `api` or `browser`. */
  origin: string;
  from_revision: number;
  to_revision: number;
  changed_at: number | null;
  /** JSON array of `{ id, name }`. */
  authors: string;
  /** JSON, see `ChangedSheet` in `deliveries.ts`. */
  sheets: string;
  structure: StructureText;
  /** JSON `StoredRecords` (`deliveries.ts`), of subscriptions that follow records; about a proposal: `NotedProposal`. Null: of others. */
  records: string | null;
  created_at: number;
}

/** One window on its way to one subscription. The row is the state of the machine in `service/delivery-state.ts`. */
export interface DeliveriesTable {
  document_id: string;
  /** UUID; the `deliveryId`. */
  id: string;
  webhook_id: number;
  notification_id: string;
  state: 'waiting' | 'sending' | 'delivered' | 'refused' | 'exhausted' | 'cancelled';
  /** Attempts with a known outcome: all, and those since the last redelivery. */
  attempts: number;
  round: number;
  /** When it is due; of a claimed one when it was claimed. Null: final. */
  next_at: number | null;
  /** When `next_at` was decided, by the clock of who did. */
  set_at: number;
  /** Who is sending it. */
  claim: string | null;
  /** JSON array: sheets whose values were hidden from the subscription's creator when the window closed. */
  hidden: string;
  /** JSON array of attempts, the newest last. */
  log: string;
  created_at: number;
  finished_at: number | null;
}

/** How many deliveries of a subscription are in a state. Triggers keep it. */
export interface DeliveryTotalsTable {
  document_id: string;
  webhook_id: number;
  state: DeliveriesTable['state'];
  total: number;
}
