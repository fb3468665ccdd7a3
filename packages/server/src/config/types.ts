import type { LocaleId } from '@cellwire/engine';

/** All settings of an operator, checked and complete. The object is frozen and is created once at the start. */
export interface Config {
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
  /** Folder of the embedded database and the keys. */
  readonly dataFolder: string;
  /**
   * `url`: address of a PostgreSQL database with credentials; null: the embedded database. `connections`: maximum
   * number.
   */
  readonly database: { readonly url: string | null; readonly connections: number };
  /** Key that encrypts stored secrets, in hex; null: the key in the data folder. Never logged. */
  readonly secretsKey: string | null;
  /** Base address of links, without a trailing slash; null: the address that the server listens on. */
  readonly publicUrl: string | null;
  /** Additional host names of the console besides the public address and this machine's names, in lower case. */
  readonly allowedHosts: readonly string[];
  /** Origins of other sites whose pages may use the API with a token, such as `https://app.example.com`; `*`: all. */
  readonly allowedOrigins: readonly string[];
  /** CIDR blocks of proxies whose `X-Forwarded-For` is trusted. */
  readonly trustedProxies: readonly string[];
  readonly logLevel: LogLevel;
  /** Whether the Google-compatible API is served below `/google`. */
  readonly google: boolean;
  /** Threads for long calculations. They keep the documents concerned in memory. */
  readonly workers: number;
  /** Locale of new documents. */
  readonly locale: LocaleId;
  /** Locale of the sample document: `locale` if the file sets it, or else from the language of the environment. */
  readonly sampleLocale: LocaleId;
  /** IANA time zone of new documents. */
  readonly timeZone: string;
  readonly plans: Readonly<Record<PlanName, Plan>>;
  readonly notifications: NotificationSettings;
  readonly idempotency: { readonly retentionMs: number };
  readonly limits: LimitSettings;
  readonly audit: { readonly retentionDays: number };
  readonly history: HistorySettings;
  /** Days for which deleted documents can be restored; 0: they are deleted immediately. */
  readonly trash: { readonly days: number };
  /** Who may invite people into a workspace from the console: its owner, all members, or nobody. */
  readonly invitations: InvitationPolicy;
  /** Whether owners may share documents with every user who knows the id. */
  readonly linkSharing: boolean;
  readonly metrics: MetricsSettings;
  readonly proposals: ProposalSettings;
  readonly mcp: McpSettings;
  readonly shutdown: ShutdownSettings;
}

/** Where and to whom metrics are served. */
export interface MetricsSettings {
  /** Separate port on the same host; 0 picks a free one; null: `/metrics` of the main port. */
  readonly port: number | null;
  /** Required bearer token; null: none. Never logged. */
  readonly token: string | null;
}

export interface ProposalSettings {
  /** Days after which an open proposal expires; may be a fraction. */
  readonly days: number;
  /** Maximum open proposals of a document. */
  readonly open: number;
}

export interface McpSettings {
  /** Whether `/mcp` is served. `CELLWIRE_MCP=off` turns it off. */
  readonly isOn: boolean;
  /** Time for which a previewed call can be confirmed, in seconds. */
  readonly confirmSeconds: number;
}

export interface ShutdownSettings {
  /** Time after SIGTERM for which the service continues while `/readyz` answers 503, in milliseconds. */
  readonly drainMs: number;
}

/** Limits of the history: maximum age and number of a document's revisions without names. */
export interface HistorySettings {
  readonly retentionDays: number;
  readonly maxRevisions: number;
}

export const INVITATION_POLICIES = ['owners', 'members', 'nobody'] as const;
type InvitationPolicy = (typeof INVITATION_POLICIES)[number];

export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export const PLAN_NAMES = ['free', 'standard', 'professional', 'enterprise'] as const;
export type PlanName = (typeof PLAN_NAMES)[number];

/** The features and limits of a plan. A limit of null means unlimited. */
export interface Plan {
  /** Requests per second and user. */
  readonly requestsPerSecond: number | null;
  readonly valueWrites: boolean;
  /** Operations on sheets, and the audit log. */
  readonly sheetOperations: boolean;
  /** Maximum subscriptions of one document; 0: none are allowed. */
  readonly webhooksPerDocument: number | null;
  /** Requests of a user's AI agents in a calendar window (UTC); null: unlimited. */
  readonly agentQuota: AgentQuota | null;
  readonly tokensPerUser: number | null;
}

export interface AgentQuota {
  readonly window: 'minute' | 'month';
  readonly limit: number;
}

export interface NotificationSettings {
  /** A window closes after `quietMs` without an edit, and at the latest `maxWaitMs` after its first edit. */
  readonly quietMs: number;
  readonly maxWaitMs: number;
  /** Waits between the five attempts, each from the end of the previous attempt. */
  readonly retryDelaysMs: readonly number[];
  /** Random share of each wait. 0.2: from 80 % to 120 %. */
  readonly retryJitter: number;
  readonly timeoutMs: number;
  /** Whether receivers may be in private networks: all, none, or the receivers in these CIDR blocks. */
  readonly allowPrivateNetworks: boolean | readonly string[];
  /** Limits of one notification. */
  readonly maxCells: number;
  readonly maxBytes: number;
  /** Base address of the messenger's Bot API, without a trailing slash. */
  readonly messengerBaseUrl: string;
}

export interface LimitSettings {
  /** Maximum cells of one read, in all its ranges together. */
  readonly maxResponseCells: number;
  /** Maximum bytes of one response with cells, in all its ranges together. */
  readonly maxResponseBytes: number;
  /** Maximum characters of a text, and of a formula. */
  readonly maxStringLength: number;
  readonly maxFormulaLength: number;
  readonly maxBodyBytes: number;
  /** Limits of one recalculation: its time, and the number of evaluated cells. */
  readonly calculationMs: number;
  readonly calculationCells: number;
}
