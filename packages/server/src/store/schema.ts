import type { DateSystem } from '@cellwire/engine';
import type { Generated } from 'kysely';
import type { StructureText } from './structure-text.ts';

/**
 * The tables as the code sees them; the migrations make them. Times are milliseconds since 1970-01-01 UTC, flags are 0
 * or 1, `json` columns hold JSON text. Every table that grows with use has `document_id` first in its key.
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

/** Facts about the installation, by name. */
interface MetaTable {
  name: string;
  value: string;
}

/** One row. Its version grows with every change of users, plans, tokens, shares, protections and documents' access. */
interface AccessEpochTable {
  id: number;
  version: number;
}

/** Work that one process does at a time. */
interface LeasesTable {
  name: string;
  /** A name that the holder gave itself. */
  holder: string;
  /** Grows whenever the holder says that it has it still. */
  beats: number;
}

export interface WorkspacesTable {
  id: Generated<number>;
  name: string;
  plan: 'free' | 'standard' | 'professional' | 'enterprise';
  created_at: number;
  /** Who manages its users; null: it has none yet. */
  owner_id: Generated<number | null>;
  /** Of its new documents; null: the service's. */
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
  /** Who is disabled can neither sign in nor use a token; null: may. */
  disabled_at: Generated<number | null>;
  /** 1: the password was made by somebody else, and must be changed at the next sign-in. */
  password_once: Generated<number>;
  /** The last sign-in to the console; null: none that is known. */
  signed_in_at: Generated<number | null>;
}

/** A service-account key: the public half, and the token whose rights it has. */
export interface GoogleKeysTable {
  token_id: number;
  /** Of the key file; unique in practice, as it is random. */
  key_id: string;
  client_email: string;
  client_id: string;
  /** PEM. */
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
  /** JSON array of document ids; null: not limited to some. */
  documents: string | null;
  expires_at: number | null;
  revoked_at: number | null;
  created_at: number;
  /** The first characters of the token, to tell it by; null: made by a version that kept none. */
  prefix: Generated<string | null>;
  /** About when it was last used; null: never, or before that was kept. */
  used_at: Generated<number | null>;
  /** As in `DocumentsTable`; it comes before the document's. */
  input_locale: Generated<string | null>;
  /** 1: every write with it becomes a proposal. */
  proposes: Generated<number>;
}

/** Who is signed in. A session that was ended has no row. */
interface SessionsTable {
  id: Generated<number>;
  user_id: number;
  /** SHA-256 of what the cookie holds, in hex; unique. */
  hash: string;
  created_at: number;
  /** About when it was last used. */
  seen_at: number;
  /** The end, however much it is used. */
  expires_at: number;
  /** Where it began from, and with what. */
  address: string;
  agent: string;
}

/** Invitations. Ended ones stay for a while, so that their links can say why they ended. */
interface InvitationsTable {
  id: Generated<number>;
  workspace_id: number;
  email: string;
  /** SHA-256 of what the link holds, in hex; unique. */
  hash: string;
  /** The name of who invited. */
  invited_by: string;
  created_at: number;
  expires_at: number;
  /** The document that is shared with the user who accepts; null: none. */
  shared_document: Generated<string | null>;
  role: Generated<SharesTable['role'] | null>;
  /** When it was used or withdrawn; null: it was neither. */
  ended_at: Generated<number | null>;
  ended_by: Generated<'use' | 'withdrawal' | null>;
}

/** How often something was tried since `started_at`. */
interface SignInAttemptsTable {
  key: string;
  started_at: number;
  count: number;
}

/** Sign-ins, and changes of who may do what. */
export interface AccountLogTable {
  id: Generated<number>;
  workspace_id: number;
  at: number;
  action: string;
  /** `browser`, or `operator` for the command line. */
  origin: string;
  /** Who did it; null: an operator. */
  user_id: number | null;
  user_name: string;
  /** The user whom it is about. */
  subject_id: number | null;
  subject: string;
  /** What it is about beside a user: the name of a token, an address. */
  detail: string;
  /** Where it came from. */
  address: string;
}

/** Requests of a user's API tokens in a period, and how many of them were refused for their number. */
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
  date_system: DateSystem;
  time_zone: string;
  revision: number;
  /** Names the commit that made `revision`, so that a writer notices another history with the same number. */
  head: string;
  /** When volatile functions were last evaluated: the time of the last commit, that of a new day included. */
  calculated_at: number;
  created_at: number;
  updated_at: number;
  /** When the last commit was made. Never goes back, whatever the clocks do. */
  committed_at: number;
  /** The greatest number that was ever given to an entry of the audit log. */
  audited: Generated<number>;
  /** The greatest `audit.api_number` that was ever given. */
  api_audited: Generated<number>;
  /** By whose habits texts are typed: a locale, or `document` for its own; null: by the API's grammar. */
  input_locale: string | null;
}

/** Documents in the bin: the rows that were taken out of `documents`, and when. */
export interface TrashTable extends Omit<DocumentsTable, 'id' | 'audited' | 'api_audited'> {
  document_id: string;
  deleted_at: number;
  audited: number;
  api_audited: number;
}

/** Documents that were deleted, those in the bin too, while there is something left of their audit logs. */
interface RemovedTable {
  document_id: string;
  title: string;
  owner_id: number;
  removed_at: number;
}

/** Documents being made or removed in several transactions: what holds their rows when there is no document (yet). */
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
  /** The revision in which the cells are where the filter says. */
  revision: number;
  /** JSON of the engine's `SheetFilter`. */
  filter: string;
}

export interface CommitsTable {
  document_id: string;
  revision: number;
  /** As in `documents.head`. */
  head: string;
  /** Names the commit before this one; null: made by a version that did not say. */
  parent: string | null;
  at: number;
  /** Null: the service itself (a new day's recalculation). */
  author_id: number | null;
  origin: string;
  token_id: number | null;
  token_name: string | null;
  /** Of the request that wrote it; null: none did, or a version that did not say. */
  request_id: string | null;
  /** The engine's delta: the result of every changed cell, so that applying it never calculates. */
  delta: Uint8Array;
  /** JSON, see `StoredAreas` in `commits.ts`. */
  areas: string;
  /** Changes of sheets themselves; null: none, or written by a version that did not store them. */
  structure: StructureText | null;
  /** The engine's inverse: what takes the commit back; null: made by a version that kept none. */
  inverse: Uint8Array | null;
  /** The revision that this one took back, and the one that took this one back and stands. */
  undoes: Generated<number | null>;
  undone_by: Generated<number | null>;
  /** A named revision is kept whatever its age. */
  name: Generated<string | null>;
}

/** A checkpoint that was kept: with the log after it, revisions up to `until` can be read. */
interface BasesTable {
  document_id: string;
  revision: number;
  /** Null: up to the newest. */
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
  /** Rows `block × 256 …`. */
  block: number;
  bytes: Uint8Array;
}

/** A part of the file that a document came from, as its exports write it. */
interface FilePartsTable {
  document_id: string;
  /** From the root of the file's package. */
  name: string;
  content_type: string;
  /** JSON array: what it leads to. */
  relationships: string;
  /** Packed. */
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
  /** 1, 2, … without gaps among the entries that the API lists; null: made in the console, not listed there. */
  api_number: Generated<number | null>;
  /** The subscription that the entry is about, and where it leads; null: about none. */
  subject_id: number | null;
  subject_address: string | null;
  /** JSON `AuditedProposal` of an entry about a proposal; null: about none. */
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
  /** The reply's body, JSON text. */
  reply: string;
  at: number;
}

/** Replies to requests that made documents; there is no document that these were about. */
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
interface WindowsTable {
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
interface DeliveryTotalsTable {
  document_id: string;
  webhook_id: number;
  state: DeliveriesTable['state'];
  total: number;
}

/** When maintenance last looked at a document, and when it has to look again. */
interface RetentionTable {
  document_id: string;
  looked_at: number;
  /** The earliest time at which something seen then is past its time. */
  due_at: number;
  /** The revision from which on there are more commits than are kept. */
  due_revision: number;
  /** The document's `revision` and `audited` at that time. */
  revision: number;
  audited: number;
  /** The settings that `due_at` and `due_revision` follow from, as JSON. */
  settings: string;
}

interface AgentUsageTable {
  user_id: number;
  /** Start of the calendar window. */
  window_start: number;
  used: number;
}

/** Writes that wait for consent, and decided ones. */
export interface ProposalsTable {
  document_id: string;
  /** Random. */
  id: string;
  title: string | null;
  note: string | null;
  /** An open one past `expires_at` counts as expired. */
  state: 'open' | 'applied' | 'rejected' | 'withdrawn' | 'expired';
  /** The audit action of the write. */
  action: string;
  /** Who proposed it, with which token (null: a session), and the origin of that. */
  user_id: number;
  token_id: number | null;
  token_name: string | null;
  origin: string;
  created_at: number;
  expires_at: number;
  /** The revision that the preview was computed on. */
  base_revision: number;
  /** JSON `SheetCount[]`: how many cells would change, by sheet. */
  counts: string;
  /** JSON `StoredChange[]`: the first cells that would change; once decided, as they were at the decision. */
  preview: string;
  /** The operation with its input, its edits, and the cells that it depends on: see `service/proposals/content.ts`. */
  content: Uint8Array;
  /** Grows with each rebase. */
  version: number;
  decided_by: number | null;
  decided_at: number | null;
  reason: string | null;
  /** The revision that applied it. */
  revision: number | null;
}

/** What became of proposals, in order, for streams of events. */
interface ProposalEventsTable {
  document_id: string;
  /** 1, 2, … by document. */
  number: number;
  proposal_id: string;
  event: 'proposal.opened' | 'proposal.decided';
  at: number;
}

/** Confirmations of previewed calls that were used, until they expire. */
interface UsedConfirmationsTable {
  document_id: string;
  id: string;
  expires_at: number;
}
