import type { LocaleId } from '@cellwire/engine';

/** Everything an operator can set, checked and complete. Frozen; made once at the start. */
export interface Config {
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
  /** Folder of the embedded database and the keys. */
  readonly dataFolder: string;
  /** `url` names a PostgreSQL database, with its secrets; null: the embedded one. `connections`: to it, at once. */
  readonly database: { readonly url: string | null; readonly connections: number };
  /** What secrets that must be read again are sealed with, in hex; null: the key in the data folder. Never logged. */
  readonly secretsKey: string | null;
  /** Base of links, without a slash at the end; null: the address that the server listens on. */
  readonly publicUrl: string | null;
  /** Names under which the console is reached beside the public address and this machine's own, in small letters. */
  readonly allowedHosts: readonly string[];
  /** Origins of other sites whose pages may use the API with a token, such as `https://app.example.com`; `*`: of all. */
  readonly allowedOrigins: readonly string[];
  /** CIDR blocks of proxies that say truly, in `X-Forwarded-For`, where a request comes from. */
  readonly trustedProxies: readonly string[];
  readonly logLevel: LogLevel;
  /** Whether Google's methods are answered below `/google`. */
  readonly google: boolean;
  /** Threads that calculate what takes long; they hold the documents that it is done for. */
  readonly workers: number;
  /** Of new documents. */
  readonly locale: LocaleId;
  /** Of the sample document: `locale` where the file sets it, else that of the language of the environment. */
  readonly sampleLocale: LocaleId;
  /** IANA time zone of new documents. */
  readonly timeZone: string;
  readonly plans: Readonly<Record<PlanName, Plan>>;
  readonly notifications: NotificationSettings;
  readonly idempotency: { readonly retentionMs: number };
  readonly limits: LimitSettings;
  readonly audit: { readonly retentionDays: number };
  readonly history: HistorySettings;
  /** Days for which deleted documents can be restored; 0: they are deleted at once. */
  readonly trash: { readonly days: number };
  /** Who may invite people into a workspace: its owner, all its members, or nobody in the console. */
  readonly invitations: InvitationPolicy;
  /** Whether owners may share documents with every user who knows the id. */
  readonly linkSharing: boolean;
  readonly metrics: MetricsSettings;
  readonly proposals: ProposalSettings;
  readonly mcp: McpSettings;
  readonly shutdown: ShutdownSettings;
}

/** Where and to whom the figures of monitoring are shown. */
export interface MetricsSettings {
  /** Port of their own, on the same host; 0 picks a free one; null: `/metrics` of the main port. */
  readonly port: number | null;
  /** What their reader shows as a bearer token; null: nothing. Never logged. */
  readonly token: string | null;
}

export interface ProposalSettings {
  /** Days after which an open proposal expires; fractions count. */
  readonly days: number;
  /** Open proposals that a document may have. */
  readonly open: number;
}

export interface McpSettings {
  /** Whether `/mcp` is served; the environment's `CELLWIRE_MCP=off` ends it. */
  readonly isOn: boolean;
  /** For how long a previewed call can be confirmed, in seconds. */
  readonly confirmSeconds: number;
}

export interface ShutdownSettings {
  /** After SIGTERM the service answers on for so long while `/readyz` says 503, in milliseconds. */
  readonly drainMs: number;
}

/** How long revisions without a name are kept: none that is older, and never more of one document. */
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

/** What a plan allows; a number that is null has no limit. */
export interface Plan {
  /** Requests a second and user. */
  readonly requestsPerSecond: number | null;
  readonly valueWrites: boolean;
  /** Sheets and the audit log. */
  readonly sheetOperations: boolean;
  /** Subscriptions of one document; 0: the plan has none. */
  readonly webhooksPerDocument: number | null;
  /** Requests of AI agents by user in a calendar window (UTC); null: unlimited. */
  readonly agentQuota: AgentQuota | null;
  readonly tokensPerUser: number | null;
}

export interface AgentQuota {
  readonly window: 'minute' | 'month';
  readonly limit: number;
}

export interface NotificationSettings {
  /** A window closes after this long without an edit, and this long after its first edit at the latest. */
  readonly quietMs: number;
  readonly maxWaitMs: number;
  /** The waits between the five attempts, each from the end of the attempt before. */
  readonly retryDelaysMs: readonly number[];
  /** 0.2: each wait is taken between 80 % and 120 %. */
  readonly retryJitter: number;
  readonly timeoutMs: number;
  /** Whether receivers may be in private networks: all, none, or those in these CIDR blocks. */
  readonly allowPrivateNetworks: boolean | readonly string[];
  /** Caps of one notification. */
  readonly maxCells: number;
  readonly maxBytes: number;
  /** Base address of the messenger's Bot API, without a slash at the end. */
  readonly messengerBaseUrl: string;
}

export interface LimitSettings {
  /** Cells of one read answer, all its ranges together. */
  readonly maxResponseCells: number;
  /** Bytes of one answer that shows cells, all its ranges together. */
  readonly maxResponseBytes: number;
  /** Characters of a text, and of a formula. */
  readonly maxStringLength: number;
  readonly maxFormulaLength: number;
  readonly maxBodyBytes: number;
  /** Budget of one recalculation: its time, and cells evaluated. */
  readonly calculationMs: number;
  readonly calculationCells: number;
}
