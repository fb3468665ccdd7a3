import type {
  AccountLogTable,
  AgentUsageTable,
  GoogleKeysTable,
  InvitationsTable,
  RequestCountsTable,
  SessionsTable,
  SignInAttemptsTable,
  TokensTable,
  UsersTable,
  WorkspacesTable,
} from './account-tables.ts';
import type {
  AuditTable,
  BaseChunksTable,
  BasesTable,
  CheckpointsTable,
  ChunksTable,
  CommitsTable,
  DocumentAliasesTable,
  DocumentsTable,
  FilePartsTable,
  IdempotencyTable,
  MakingsTable,
  PersonalFiltersTable,
  ProtectionsTable,
  RemovedTable,
  RetentionTable,
  SharesTable,
  TrashTable,
  UnfinishedTable,
} from './document-tables.ts';
import type { ProposalEventsTable, ProposalSums, ProposalsTable, UsedConfirmationsTable } from './proposal-tables.ts';
import type {
  DeliveriesTable,
  DeliveryTotalsTable,
  NotificationsTable,
  WebhookSums,
  WebhooksTable,
  WindowsTable,
} from './webhook-tables.ts';

/**
 * The tables as types; the migrations create them. Times are in milliseconds since 1970-01-01 UTC, flags are 0 or 1,
 * and columns described as JSON contain JSON text. In every table that grows with use, the key begins with
 * `document_id`.
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
  webhooks: WebhooksTable & WebhookSums;
  windows: WindowsTable;
  notifications: NotificationsTable;
  deliveries: DeliveriesTable;
  agent_usage: AgentUsageTable;
  retention: RetentionTable;
  delivery_totals: DeliveryTotalsTable;
  leases: LeasesTable;
  proposals: ProposalsTable & ProposalSums;
  proposal_events: ProposalEventsTable;
  used_confirmations: UsedConfirmationsTable;
}

/** Properties of the installation, by name. */
interface MetaTable {
  name: string;
  value: string;
}

/**
 * Contains one row. Its version increases with every change of users, plans, tokens, shares, protections and access to
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
