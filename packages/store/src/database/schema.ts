import type { Generated } from 'kysely';
import type { StructureText } from './structure-text.ts';

/**
 * The tables as types; the migrations create them. Times are milliseconds since 1970-01-01 UTC, flags are 0 or 1,
 * columns described as JSON hold JSON text. Every table that grows with use has `document_id` first in its key.
 */
export interface Schema {
  meta: MetaTable;
  access_epoch: AccessEpochTable;
  workspaces: WorkspacesTable;
  users: UsersTable;
  tokens: TokensTable;
  google_keys: GoogleKeysTable;
  document_aliases: DocumentAliasesTable;
  sessions: SessionsTable;
  invitations: InvitationsTable;
  sign_in_attempts: SignInAttemptsTable;
  account_log: AccountLogTable;
  request_counts: RequestCountsTable;
  documents: DocumentsTable;
  unfinished: UnfinishedTable;
  removed: RemovedTable;
  trash: TrashTable;
  shares: SharesTable;
  protections: ProtectionsTable;
  personal_filters: PersonalFiltersTable;
  commits: CommitsTable;
  checkpoints: CheckpointsTable;
  bases: BasesTable;
  base_chunks: BaseChunksTable;
  chunks: ChunksTable;
  file_parts: FilePartsTable;
  audit: AuditTable;
  idempotency: IdempotencyTable;
  makings: MakingsTable;
  webhooks: WebhooksTable;
  windows: WindowsTable;
  notifications: NotificationsTable;
  deliveries: DeliveriesTable;
  agent_usage: AgentUsageTable;
  retention: RetentionTable;
  delivery_totals: DeliveryTotalsTable;
  leases: LeasesTable;
  proposals: ProposalsTable;
  proposal_events: ProposalEventsTable;
  used_confirmations: UsedConfirmationsTable;
}

/** Properties of the installation, by name. */
interface MetaTable {
  name: string;
  value: string;
}

/**
 * One row. Its version increases with every change of users, plans, tokens, shares, protections and access to
 * documents.
 */
interface AccessEpochTable {
  id: number;
  version: number;
}

/** Leases of tasks that only one process may run at a time. */
interface LeasesTable {
  name: string;
  /** A name that the holder has chosen. */
  holder: string;
  /** Increases with each renewal. */
  beats: number;
}

export interface WorkspacesTable {
  id: Generated<number>;
  name: string;
  plan: 'free' | 'standard' | 'professional' | 'enterprise';
  created_at: number;
  /** The user who manages its users; null until there is a user. */
  owner_id: Generated<number | null>;
  /** Locale of new documents; null for the service's locale. */
  locale: Generated<string | null>;
}

interface UsersTable {
  id: Generated<number>;
  email: string;
  /** The e-mail address in lower case; unique. */
  email_key: string;
  name: string;
  password_hash: string;
  workspace_id: number;
  created_at: number;
  /** Time since which the user can neither sign in nor use tokens; null if not disabled. */
  disabled_at: Generated<number | null>;
  /** 1: another person chose the password, and the user must change it at the next sign-in. */
  password_once: Generated<number>;
  /** Last sign-in to the console; null if none is known. */
  signed_in_at: Generated<number | null>;
}

/** A service account key: its public half, and the token whose rights it has. */
export interface GoogleKeysTable {
  token_id: number;
  /** Id in the key file; random, and therefore unique. */
  key_id: string;
  client_email: string;
  client_id: string;
  /** In PEM format. */
  public_key: string;
}

/** Another id of a document. */
interface DocumentAliasesTable {
  alias: string;
  /** The document's id. */
  target_id: string;
  created_at: number;
}

interface TokensTable {
  id: Generated<number>;
  user_id: number;
  name: string;
  /** SHA-256 of the token, in hex; unique. */
  hash: string;
  /** JSON array of scope names. */
  scopes: string;
  /** JSON array of document ids; null if the token is not limited to documents. */
  documents: string | null;
  expires_at: number | null;
  revoked_at: number | null;
  created_at: number;
  /** The first characters of the token, for recognition; null if an older version created it. */
  prefix: Generated<string | null>;
  /** Approximate time of last use; null if never used, or last used before this was stored. */
  used_at: Generated<number | null>;
  /** As in `DocumentsTable`; it overrides the document's value. */
  input_locale: Generated<string | null>;
  /** 1: every write with the token becomes a proposal. */
  proposes: Generated<number>;
}

/** Sessions of signed-in users. Ended sessions have no row. */
interface SessionsTable {
  id: Generated<number>;
  user_id: number;
  /** SHA-256 of the cookie's secret, in hex; unique. */
  hash: string;
  created_at: number;
  /** Approximate time of last use. */
  seen_at: number;
  /** Absolute end, independent of use. */
  expires_at: number;
  /** Network address and user agent of the sign-in. */
  address: string;
  agent: string;
}

/** Invitations. Ended ones are kept for a while, so that their links can explain why they ended. */
interface InvitationsTable {
  id: Generated<number>;
  workspace_id: number;
  email: string;
  /** SHA-256 of the link's secret, in hex; unique. */
  hash: string;
  /** Name of the inviting user. */
  invited_by: string;
  created_at: number;
  expires_at: number;
  /** The document to share with the accepting user; null if none. */
  shared_document: Generated<string | null>;
  role: Generated<SharesTable['role'] | null>;
  /** Time of acceptance or withdrawal; null if still open. */
  ended_at: Generated<number | null>;
  ended_by: Generated<'use' | 'withdrawal' | null>;
}

/** Number of sign-in attempts since `started_at`. */
interface SignInAttemptsTable {
  key: string;
  started_at: number;
  count: number;
}

/** Sign-ins and changes of access rights. */
export interface AccountLogTable {
  id: Generated<number>;
  workspace_id: number;
  at: number;
  action: string;
  /** `browser`, or `operator` for the command line. */
  origin: string;
  /** The acting user; null for an operator. */
  user_id: number | null;
  user_name: string;
  /** The affected user. */
  subject_id: number | null;
  subject: string;
  /** The affected object other than a user: the name of a token, an address. */
  detail: string;
  /** Network address of the request. */
  address: string;
}

/** Requests of a user's API tokens in a period, and the number of those that were rate limited. */
interface RequestCountsTable {
  user_id: number;
  period_start: number;
  requests: number;
  refused: number;
}

export interface DocumentsTable {
  /** UUID. */
  id: string;
  owner_id: number;
  title: string;
  type: 'table' | 'text';
  format: 'collaborative' | 'legacy';
  locale: string;
  date_system: string;
  time_zone: string;
  revision: number;
  /** Id of the commit that made `revision`. It distinguishes histories that have the same revision numbers. */
  head: string;
  /**
   * When volatile functions were last evaluated: the time of the last commit, including the recalculation at midnight.
   */
  calculated_at: number;
  created_at: number;
  updated_at: number;
  /** Time of the last commit. It never decreases, even if a clock does. */
  committed_at: number;
  /** Greatest number that was given to an audit entry. */
  audited: Generated<number>;
  /** Greatest `audit.api_number` that was given. */
  api_audited: Generated<number>;
  /** Locale of typed input: a locale id, or `document` for the document's own; null for the API's grammar. */
  input_locale: string | null;
}

/** Documents in the trash: rows moved from `documents`, with the time of deletion. */
export interface TrashTable extends Omit<DocumentsTable, 'id' | 'audited' | 'api_audited'> {
  document_id: string;
  deleted_at: number;
  audited: number;
  api_audited: number;
}

/** Deleted documents, including those in the trash, that still have audit entries. */
interface RemovedTable {
  document_id: string;
  title: string;
  owner_id: number;
  removed_at: number;
}

/**
 * Documents that are being created or removed in several transactions. The row exists while other tables have rows of a
 * document without a row in `documents`.
 */
interface UnfinishedTable {
  document_id: string;
  reason: 'create' | 'remove';
  touched_at: number;
}

export interface SharesTable {
  document_id: string;
  user_id: number;
  role: 'edit' | 'comment' | 'view';
}

interface ProtectionsTable {
  document_id: string;
  /** The sheet's id in the engine. */
  sheet_id: number;
  hide_values: number;
  locked: number;
  /** JSON array of user ids. */
  allowed: string;
}

interface PersonalFiltersTable {
  document_id: string;
  user_id: number;
  /** The sheet's id in the engine. */
  sheet_id: number;
  /** Revision to which the filter's cell positions refer. */
  revision: number;
  /** JSON of the engine's `SheetFilter`. */
  filter: string;
}

export interface CommitsTable {
  document_id: string;
  revision: number;
  /** As in `documents.head`. */
  head: string;
  /** Id of the previous commit; null if an older version made the commit. */
  parent: string | null;
  at: number;
  /** Null for the service itself (the recalculation at midnight). */
  author_id: number | null;
  origin: string;
  token_id: number | null;
  token_name: string | null;
  /** Id of the request; null if there was none, or if an older version made the commit. */
  request_id: string | null;
  /** The engine's delta with the results of all changed cells, so that applying it needs no calculation. */
  delta: Uint8Array;
  /** JSON `StoredAreas` (`stored-forms/areas.ts`). */
  areas: string;
  /** Changes of sheets; null if none, or if an older version made the commit. */
  structure: StructureText | null;
  /** The engine's inverse, which undoes the commit; null if an older version made the commit. */
  inverse: Uint8Array | null;
  /** The revision that this commit undoes, and the revision that undoes this one. */
  undoes: Generated<number | null>;
  undone_by: Generated<number | null>;
  /** Name of the revision. Named revisions are retained at any age. */
  name: Generated<string | null>;
}

/** A retained checkpoint. With the log after it, revisions up to `until` can be read. */
interface BasesTable {
  document_id: string;
  revision: number;
  /** Null: up to the newest revision. */
  until: Generated<number | null>;
  /** 0 while its chunks are being copied. */
  complete: number;
  meta: Uint8Array;
}

interface BaseChunksTable {
  document_id: string;
  base_revision: number;
  sheet_id: number;
  column_index: number;
  block: number;
  bytes: Uint8Array;
}

interface CheckpointsTable {
  document_id: string;
  revision: number;
  meta: Uint8Array;
}

interface ChunksTable {
  document_id: string;
  sheet_id: number;
  column_index: number;
  /** Block of 256 rows, counted from 0. */
  block: number;
  bytes: Uint8Array;
}

/** A part of the imported file, which exports write. */
interface FilePartsTable {
  document_id: string;
  /** Path from the root of the file's package. */
  name: string;
  content_type: string;
  /** JSON array of the part's relationships. */
  relationships: string;
  /** Compressed (raw deflate). */
  bytes: Uint8Array;
}

export interface AuditTable {
  document_id: string;
  /** 1, 2, … by document. */
  id: number;
  action: string;
  origin: string;
  user_id: number;
  user_name: string;
  token_id: number | null;
  token_name: string | null;
  /** As in `commits`. */
  request_id: string | null;
  range: string;
  cells: number;
  at: number;
  /** 1, 2, … without gaps among the entries that the API lists; null for others, for example those of the console. */
  api_number: Generated<number | null>;
  /** The subscription of the entry, and its target address; null if the entry concerns none. */
  subject_id: number | null;
  subject_address: string | null;
  /** JSON `AuditedProposal`; null if the entry concerns no proposal. */
  proposal: string | null;
}

interface IdempotencyTable {
  document_id: string;
  user_id: number;
  method: string;
  path: string;
  key: string;
  body_hash: string;
  status: number;
  /** Body of the reply, JSON text. */
  reply: string;
  at: number;
}

/** Replies to requests that created documents. There was no document yet that the reply could belong to. */
interface MakingsTable {
  user_id: number;
  path: string;
  key: string;
  body_hash: string;
  reply: string;
  at: number;
}

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
  /**
   * Only later revisions are delivered. It is the document's revision when the subscription was created or activated
   * again.
   */
  since_revision: number;
  /**
   * Earlier secrets, newest first, separated by a blank and sealed together; and the end of their use for signatures.
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

/** Progress of grouping the log of a document with subscriptions into closed windows. */
interface WindowsTable {
  document_id: string;
  /** Every commit up to this revision is in a closed window, or is not delivered. */
  grouped: number;
  /** JSON: revision by source. Commits of the source up to it are in closed windows. Only revisions after `grouped`. */
  ahead: string;
  /** Increases with every change: the optimistic lock of the grouping processes. */
  version: number;
}

/** A closed window, whose set of cells never changes. All subscriptions of the document share it. */
export interface NotificationsTable {
  document_id: string;
  /** UUID. */
  id: string;
  kind: 'change' | 'test' | 'proposal.opened' | 'proposal.decided';
  /** The source: an API token, or null for the browser. */
  token_id: number | null;
  token_name: string | null;
  /** Id of the last request in the window; as in `commits`. */
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
  /**
   * JSON `StoredRecords` (`deliveries.ts`) for subscriptions to records, or `NotedProposal` for proposals; otherwise
   * null.
   */
  records: string | null;
  created_at: number;
}

/** Delivery of one window to one subscription. `service/delivery-state.ts` defines its state machine. */
export interface DeliveriesTable {
  document_id: string;
  /** UUID; the `deliveryId`. */
  id: string;
  webhook_id: number;
  notification_id: string;
  state: 'waiting' | 'sending' | 'delivered' | 'refused' | 'exhausted' | 'cancelled';
  /** Attempts with a known outcome: in total, and since the last redelivery. */
  attempts: number;
  round: number;
  /** Due time; of a claimed delivery the time of the claim; null if final. */
  next_at: number | null;
  /** When `next_at` was set, by the clock of the node that set it. */
  set_at: number;
  /** The process that is sending it. */
  claim: string | null;
  /** JSON array: sheets whose values were hidden from the subscription's creator when the window closed. */
  hidden: string;
  /** JSON array of attempts, newest last. */
  log: string;
  created_at: number;
  finished_at: number | null;
}

/** Number of a subscription's deliveries in each state. Triggers maintain it. */
interface DeliveryTotalsTable {
  document_id: string;
  webhook_id: number;
  state: DeliveriesTable['state'];
  total: number;
}

/** When maintenance last checked a document, and when the next check is due. */
interface RetentionTable {
  document_id: string;
  looked_at: number;
  /** The earliest time at which data found by the check expires. */
  due_at: number;
  /** The revision from which there are more commits than are retained. */
  due_revision: number;
  /** The document's `revision` and `audited` at the time of the check. */
  revision: number;
  audited: number;
  /** JSON of the settings from which `due_at` and `due_revision` were computed. */
  settings: string;
}

interface AgentUsageTable {
  user_id: number;
  /** Start of the calendar window. */
  window_start: number;
  used: number;
}

/** Proposed writes, open and decided. */
export interface ProposalsTable {
  document_id: string;
  /** Random. */
  id: string;
  title: string | null;
  note: string | null;
  /** An open proposal after `expires_at` counts as expired. */
  state: 'open' | 'applied' | 'rejected' | 'withdrawn' | 'expired';
  /** Audit action of the write. */
  action: string;
  /** The proposer, the token (null for a session), and the origin. */
  user_id: number;
  token_id: number | null;
  token_name: string | null;
  origin: string;
  created_at: number;
  expires_at: number;
  /** Revision on which the preview was computed. */
  base_revision: number;
  /** JSON `SheetCount[]`: number of cells that would change, by sheet. */
  counts: string;
  /** JSON `StoredChange[]`: the first cells that would change; after the decision their values at the decision. */
  preview: string;
  /** The operation with its input, its edits, and the cells on which it depends: see `service/proposals/content.ts`. */
  content: Uint8Array;
  /** Increases with each rebase. */
  version: number;
  decided_by: number | null;
  decided_at: number | null;
  reason: string | null;
  /** Revision that applied the proposal. */
  revision: number | null;
}

/** Events of proposals, in order, for event streams. */
interface ProposalEventsTable {
  document_id: string;
  /** 1, 2, … by document. */
  number: number;
  proposal_id: string;
  event: 'proposal.opened' | 'proposal.decided';
  at: number;
}

/** Used confirmations of previewed calls, kept until they expire. */
interface UsedConfirmationsTable {
  document_id: string;
  id: string;
  expires_at: number;
}
