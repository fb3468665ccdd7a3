import { readFileSync } from 'node:fs';
// Not the whole engine: the command line reads settings before it knows whether it needs one.
import { LOCALE_IDS, type LocaleId } from '@cellwire/engine/locales';
import { MAX_CELL_LENGTH } from '../limits/limits.ts';
import { Checks } from './checks.ts';
import { DEFAULTS } from './defaults.ts';
import { repeatedKeys } from './repeated-keys.ts';
import type {
  AgentQuota,
  Config,
  HistorySettings,
  LimitSettings,
  McpSettings,
  MetricsSettings,
  NotificationSettings,
  Plan,
  PlanName,
  ProposalSettings,
  ShutdownSettings,
} from './types.ts';
import { INVITATION_POLICIES, LOG_LEVELS, PLAN_NAMES } from './types.ts';

/** Why the configuration cannot be used: one text a problem, each naming its setting. */
interface ConfigRefusal {
  readonly kind: 'configRefusal';
  readonly problems: readonly string[];
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** Environment variable → key of the JSON file. The environment wins over the file. */
const VARIABLES: ReadonlyMap<string, string> = new Map([
  ['CELLWIRE_HOST', 'host'],
  ['CELLWIRE_PORT', 'port'],
  ['CELLWIRE_DATA', 'data'],
  ['CELLWIRE_DATABASE_URL', 'databaseUrl'],
  ['CELLWIRE_DATABASE_URL_FILE', 'databaseUrlFile'],
  ['CELLWIRE_PUBLIC_URL', 'publicUrl'],
  ['CELLWIRE_LOG_LEVEL', 'logLevel'],
  ['CELLWIRE_GOOGLE', 'google'],
  ['CELLWIRE_SECRETS_KEY', 'secretsKey'],
  ['CELLWIRE_SECRETS_KEY_FILE', 'secretsKeyFile'],
]);
const PREFIX = 'CELLWIRE_';
const FILE_VARIABLE = 'CELLWIRE_CONFIG';
/** Switches the endpoint for agents off. */
const MCP_VARIABLE = 'CELLWIRE_MCP';
const SECTIONS = [
  'allowedHosts',
  'allowedOrigins',
  'trustedProxies',
  'workers',
  'locale',
  'timeZone',
  'database',
  'plans',
  'notifications',
  'idempotency',
  'limits',
  'audit',
  'history',
  'trash',
  'invitations',
  'linkSharing',
  'metrics',
  'proposals',
  'mcp',
  'shutdown',
];

/** What programs with a client have in their environment: the service may be started from the same one. */
const CLIENT_VARIABLES: ReadonlySet<string> = new Set(['URL', 'TOKEN'].map((name) => PREFIX + name));

/** Some editors begin a file with it. */
const BYTE_ORDER_MARK = /^\uFEFF/;
const YEAR_MS = 366 * 24 * 60 * 60 * 1000;
/** What a timer can wait at most. */
const TIMER_MS = 2 ** 31 - 1;
/** A balancer that looks less often than once in ten minutes is of no use. */
const MAX_DRAIN_MS = 600_000;
const BILLION = 1_000_000_000;
const GIB = 1024 ** 3;
/** Threads: each has an engine and documents in memory. */
const MOST_WORKERS = 256;
/** Connections to PostgreSQL: one is listened on, and a write must not wait for a read. */
const FEWEST_CONNECTIONS = 2;
const MOST_CONNECTIONS = 1_000;
/** A hundred years. */
const MOST_DAYS = 36_500;
/** A day. */
const MAX_CONFIRM_SECONDS = 86_400;
const DIGITS = /^[0-9]{1,9}$/;

/** Reads the configuration: the environment of a process and the file that its `CELLWIRE_CONFIG` names. */
export function loadConfig(environment: Environment): Config | ConfigRefusal {
  return configFrom(environment, (path) => readFileSync(path, 'utf8'));
}

/** `loadConfig` with its two sources given. `readText` throws where a file cannot be read. */
export function configFrom(environment: Environment, readText: (path: string) => string): Config | ConfigRefusal {
  const checks = new Checks();
  for (const name of Object.keys(environment)) {
    const isOther = name === FILE_VARIABLE || name === MCP_VARIABLE || CLIENT_VARIABLES.has(name);
    if (name.startsWith(PREFIX) && !isOther && !VARIABLES.has(name)) {
      checks.problems.push(`Unknown setting ${name}`);
    }
  }
  const file = readFile(environment[FILE_VARIABLE], readText, checks);
  const config = build(file, environment, readText, checks);
  return checks.problems.length > 0 ? { kind: 'configRefusal', problems: checks.problems } : freeze(config);
}

function readFile(path: string | undefined, readText: (path: string) => string, checks: Checks) {
  if (path === undefined) return {};
  try {
    const text = readText(path).replace(BYTE_ORDER_MARK, '');
    const value: unknown = JSON.parse(text);
    for (const key of repeatedKeys(text)) checks.problems.push(`${FILE_VARIABLE}: ${path} gives ${key} twice`);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return checks.section(value, '', [...VARIABLES.values(), ...SECTIONS]);
    }
    checks.problems.push(`${FILE_VARIABLE}: ${path} must hold a JSON object`);
  } catch (error) {
    checks.problems.push(`${FILE_VARIABLE}: ${path} cannot be read: ${error instanceof Error ? error.message : error}`);
  }
  return {};
}

function build(
  file: Readonly<Record<string, unknown>>,
  environment: Environment,
  readText: (path: string) => string,
  checks: Checks,
): Config {
  // What the environment overrides is checked all the same: it would come to light on the day the variable goes.
  const base = top(
    withDatabaseUrl(file, (key) => key, readText, checks),
    (key) => key,
    { ...DEFAULTS, databaseUrl: DEFAULTS.database.url },
    checks,
  );
  const variables = withDatabaseUrl(fromEnvironment(environment), variableOf, readText, checks);
  const { databaseUrl, ...rest } = top(variables, variableOf, base, checks);
  const locale = checks.oneOf(file['locale'], 'locale', DEFAULTS.locale, LOCALE_IDS);
  const inFile = secretsKey(file, (key) => key, readText, checks);
  return {
    ...rest,
    secretsKey: secretsKey(variables, variableOf, readText, checks) ?? inFile,
    database: { url: databaseUrl, ...database(file['database'], checks) },
    allowedHosts: checks.hosts(file['allowedHosts'], 'allowedHosts', DEFAULTS.allowedHosts),
    allowedOrigins: checks.origins(file['allowedOrigins'], 'allowedOrigins', DEFAULTS.allowedOrigins),
    trustedProxies: checks.blocks(file['trustedProxies'], 'trustedProxies', DEFAULTS.trustedProxies),
    workers: checks.whole(file['workers'], 'workers', DEFAULTS.workers, 1, MOST_WORKERS),
    locale,
    sampleLocale: file['locale'] === undefined ? localeOfLanguage(environment) : locale,
    timeZone: checks.timeZone(file['timeZone'], 'timeZone', DEFAULTS.timeZone),
    plans: plans(file['plans'], checks),
    notifications: notifications(file['notifications'], checks),
    idempotency: idempotency(file['idempotency'], checks),
    limits: limits(file['limits'], checks),
    audit: audit(file['audit'], checks),
    history: history(file['history'], checks),
    trash: trash(file['trash'], checks),
    invitations: checks.oneOf(file['invitations'], 'invitations', DEFAULTS.invitations, INVITATION_POLICIES),
    linkSharing: checks.flag(file['linkSharing'], 'linkSharing', DEFAULTS.linkSharing),
    metrics: metrics(file['metrics'], rest.port, readText, checks),
    proposals: proposals(file['proposals'], checks),
    mcp: mcp(file['mcp'], environment[MCP_VARIABLE], checks),
    shutdown: shutdown(file['shutdown'], checks),
  };
}

/** In which the console greets the person who starts the service: Russian, or else English. */
function localeOfLanguage({ LC_ALL, LC_MESSAGES, LANG }: Environment): LocaleId {
  const language = (LC_ALL || LC_MESSAGES || LANG || '').toLowerCase();
  if (language.startsWith('ru')) return 'ru-RU';
  return language.startsWith('en_gb') ? 'en-GB' : 'en-US';
}

interface TopSettings extends Pick<Config, 'host' | 'port' | 'dataFolder' | 'publicUrl' | 'logLevel' | 'google'> {
  readonly databaseUrl: string | null;
}

/** The settings that have a variable, by their keys in the file. */
function fromEnvironment(environment: Environment): Record<string, unknown> {
  const raw: Record<string, unknown> = {};
  for (const [variable, key] of VARIABLES) raw[key] = environment[variable];
  const port = environment['CELLWIRE_PORT'];
  if (port !== undefined && DIGITS.test(port)) raw['port'] = Number(port);
  return raw;
}

function variableOf(key: string): string {
  return [...VARIABLES].find(([, name]) => name === key)?.[0] ?? key;
}

/** `name`: what a setting is called where the values come from; `base`: what holds where there is none. */
function top(
  raw: Readonly<Record<string, unknown>>,
  name: (key: string) => string,
  base: TopSettings,
  checks: Checks,
): TopSettings {
  return {
    host: checks.text(raw['host'], name('host'), base.host),
    port: checks.whole(raw['port'], name('port'), base.port, 0, 65_535),
    dataFolder: checks.text(raw['data'], name('data'), base.dataFolder),
    databaseUrl: checks.postgres(raw['databaseUrl'], name('databaseUrl'), base.databaseUrl),
    publicUrl: checks.publicAddress(raw['publicUrl'], name('publicUrl'), base.publicUrl),
    logLevel: checks.oneOf(raw['logLevel'], name('logLevel'), base.logLevel, LOG_LEVELS),
    google: checks.oneOf(raw['google'], name('google'), base.google ? 'on' : 'off', ['on', 'off']) === 'on',
  };
}

/** Settings with the database's address, where a file holds it. */
function withDatabaseUrl(
  raw: Readonly<Record<string, unknown>>,
  name: (key: string) => string,
  readText: (path: string) => string,
  checks: Checks,
): Readonly<Record<string, unknown>> {
  const path = raw['databaseUrlFile'];
  if (path === undefined) return raw;
  if (raw['databaseUrl'] !== undefined) {
    checks.problems.push(
      `${name('databaseUrl')} and ${name('databaseUrlFile')} both give the address: unset one of them`,
    );
    return raw;
  }
  const text = secretFile(path, name('databaseUrlFile'), readText, checks);
  return text === null ? raw : { ...raw, databaseUrl: text };
}

/** The text of a file that holds a secret; null: it cannot be read, which is noted. */
function secretFile(path: unknown, name: string, readText: (path: string) => string, checks: Checks): string | null {
  try {
    return readText(checks.text(path, name, '')).trim();
  } catch (error) {
    checks.problems.push(`${name}: ${path} cannot be read: ${error instanceof Error ? error.message : error}`);
    return null;
  }
}

/** The key itself, or what stands in the file that holds it; null: the one in the data folder. */
function secretsKey(
  raw: Readonly<Record<string, unknown>>,
  name: (key: string) => string,
  readText: (path: string) => string,
  checks: Checks,
): string | null {
  const key = raw['secretsKey'];
  const path = raw['secretsKeyFile'];
  if (path === undefined) return checks.key(key, name('secretsKey'));
  if (key !== undefined) {
    checks.problems.push(`${name('secretsKey')} and ${name('secretsKeyFile')} both give the key: unset one of them`);
    return null;
  }
  const text = secretFile(path, name('secretsKeyFile'), readText, checks);
  return text === null ? null : checks.key(text, `the text in ${name('secretsKeyFile')}`);
}

function database(value: unknown, checks: Checks): Pick<Config['database'], 'connections'> {
  const s = checks.section(value, 'database', ['connections']);
  const base = DEFAULTS.database.connections;
  return {
    connections: checks.whole(s['connections'], 'database.connections', base, FEWEST_CONNECTIONS, MOST_CONNECTIONS),
  };
}

function plans(value: unknown, checks: Checks): Record<PlanName, Plan> {
  const section = checks.section(value, 'plans', PLAN_NAMES);
  const one = (name: PlanName) => plan(section[name], `plans.${name}`, DEFAULTS.plans[name], checks);
  return {
    free: one('free'),
    standard: one('standard'),
    professional: one('professional'),
    enterprise: one('enterprise'),
  };
}

function plan(value: unknown, name: string, base: Plan, checks: Checks): Plan {
  const s = checks.section(value, name, Object.keys(base));
  const number = (key: 'requestsPerSecond' | 'webhooksPerDocument' | 'tokensPerUser', min: number) =>
    checks.wholeOrNull(s[key], `${name}.${key}`, base[key], min, BILLION);
  return {
    requestsPerSecond: number('requestsPerSecond', 1),
    valueWrites: checks.flag(s['valueWrites'], `${name}.valueWrites`, base.valueWrites),
    sheetOperations: checks.flag(s['sheetOperations'], `${name}.sheetOperations`, base.sheetOperations),
    webhooksPerDocument: number('webhooksPerDocument', 0),
    agentQuota: agentQuota(s['agentQuota'], `${name}.agentQuota`, base.agentQuota, checks),
    tokensPerUser: number('tokensPerUser', 0),
  };
}

function agentQuota(value: unknown, name: string, base: AgentQuota | null, checks: Checks): AgentQuota | null {
  if (value === undefined) return base;
  if (value === null) return null;
  const s = checks.section(value, name, ['window', 'limit']);
  const complete = base !== null || s['limit'] === null || (s['window'] !== undefined && s['limit'] !== undefined);
  if (!complete) checks.problems.push(`${name} must have window and limit`);
  const window = checks.oneOf(s['window'], `${name}.window`, base?.window ?? 'month', ['minute', 'month']);
  const limit = checks.wholeOrNull(s['limit'], `${name}.limit`, base?.limit ?? 0, 0, BILLION);
  return limit === null ? null : { window, limit };
}

function notifications(value: unknown, checks: Checks): NotificationSettings {
  const base = DEFAULTS.notifications;
  const s = checks.section(value, 'notifications', Object.keys(base));
  const whole = (key: 'quietMs' | 'maxWaitMs' | 'timeoutMs' | 'maxCells' | 'maxBytes', min: number, max: number) =>
    checks.whole(s[key], `notifications.${key}`, base[key], min, max);
  return {
    quietMs: whole('quietMs', 0, TIMER_MS),
    maxWaitMs: whole('maxWaitMs', 0, TIMER_MS),
    retryDelaysMs: checks.delays(
      s['retryDelaysMs'],
      'notifications.retryDelaysMs',
      base.retryDelaysMs,
      base.retryDelaysMs.length,
      TIMER_MS,
    ),
    retryJitter: checks.fraction(s['retryJitter'], 'notifications.retryJitter', base.retryJitter),
    timeoutMs: whole('timeoutMs', 1, TIMER_MS),
    allowPrivateNetworks: checks.networks(
      s['allowPrivateNetworks'],
      'notifications.allowPrivateNetworks',
      base.allowPrivateNetworks,
    ),
    maxCells: whole('maxCells', 0, 1_000_000),
    maxBytes: whole('maxBytes', 1, GIB),
    messengerBaseUrl: checks.address(s['messengerBaseUrl'], 'notifications.messengerBaseUrl', base.messengerBaseUrl),
  };
}

function idempotency(value: unknown, checks: Checks): Config['idempotency'] {
  const s = checks.section(value, 'idempotency', ['retentionMs']);
  const base = DEFAULTS.idempotency.retentionMs;
  return { retentionMs: checks.whole(s['retentionMs'], 'idempotency.retentionMs', base, 0, 10 * YEAR_MS) };
}

function limits(value: unknown, checks: Checks): LimitSettings {
  const base = DEFAULTS.limits;
  const s = checks.section(value, 'limits', Object.keys(base));
  const whole = (key: keyof LimitSettings, max: number) => checks.whole(s[key], `limits.${key}`, base[key], 1, max);
  return {
    maxResponseCells: whole('maxResponseCells', BILLION),
    maxResponseBytes: whole('maxResponseBytes', GIB),
    maxStringLength: whole('maxStringLength', MAX_CELL_LENGTH),
    maxFormulaLength: whole('maxFormulaLength', MAX_CELL_LENGTH),
    maxBodyBytes: whole('maxBodyBytes', GIB),
    calculationMs: whole('calculationMs', TIMER_MS),
    calculationCells: whole('calculationCells', Number.MAX_SAFE_INTEGER),
  };
}

function audit(value: unknown, checks: Checks): Config['audit'] {
  const s = checks.section(value, 'audit', ['retentionDays']);
  const base = DEFAULTS.audit.retentionDays;
  return { retentionDays: checks.whole(s['retentionDays'], 'audit.retentionDays', base, 1, MOST_DAYS) };
}

function history(value: unknown, checks: Checks): HistorySettings {
  const base = DEFAULTS.history;
  const s = checks.section(value, 'history', Object.keys(base));
  return {
    retentionDays: checks.whole(s['retentionDays'], 'history.retentionDays', base.retentionDays, 0, MOST_DAYS),
    maxRevisions: checks.whole(s['maxRevisions'], 'history.maxRevisions', base.maxRevisions, 0, BILLION),
  };
}

function trash(value: unknown, checks: Checks): Config['trash'] {
  const s = checks.section(value, 'trash', ['days']);
  return { days: checks.whole(s['days'], 'trash.days', DEFAULTS.trash.days, 0, MOST_DAYS) };
}

/** `mainPort`: of everything else. */
function metrics(
  value: unknown,
  mainPort: number,
  readText: (path: string) => string,
  checks: Checks,
): MetricsSettings {
  const s = checks.section(value, 'metrics', ['port', 'tokenFile']);
  const port = checks.wholeOrNull(s['port'], 'metrics.port', DEFAULTS.metrics.port, 0, 65_535);
  if (port !== null && port === mainPort && port !== 0) {
    checks.problems.push(`metrics.port must be another port than that of the service (${mainPort})`);
  }
  if (s['tokenFile'] === undefined) return { port, token: DEFAULTS.metrics.token };
  const token = secretFile(s['tokenFile'], 'metrics.tokenFile', readText, checks);
  if (token !== null && !BEARER_TOKEN.test(token)) {
    checks.problems.push('metrics.tokenFile must hold a token of 16 or more letters, digits and any of -._~+/=');
  }
  return { port, token };
}

/** RFC 6750 §2.1; long enough that nobody guesses it. */
const BEARER_TOKEN = /^[A-Za-z0-9\-._~+/]{16,}=*$/;

function proposals(value: unknown, checks: Checks): ProposalSettings {
  const base = DEFAULTS.proposals;
  const s = checks.section(value, 'proposals', Object.keys(base));
  return {
    days: checks.positive(s['days'], 'proposals.days', base.days, MOST_DAYS),
    open: checks.whole(s['open'], 'proposals.open', base.open, 0, BILLION),
  };
}

function mcp(value: unknown, variable: string | undefined, checks: Checks): McpSettings {
  const base = DEFAULTS.mcp;
  const s = checks.section(value, 'mcp', ['confirmSeconds']);
  const named = checks.oneOf(variable, MCP_VARIABLE, 'on', ['on', 'off']);
  return {
    isOn: named === 'on',
    confirmSeconds: checks.whole(
      s['confirmSeconds'],
      'mcp.confirmSeconds',
      base.confirmSeconds,
      1,
      MAX_CONFIRM_SECONDS,
    ),
  };
}

function shutdown(value: unknown, checks: Checks): ShutdownSettings {
  const s = checks.section(value, 'shutdown', ['drainMs']);
  return { drainMs: checks.whole(s['drainMs'], 'shutdown.drainMs', DEFAULTS.shutdown.drainMs, 0, MAX_DRAIN_MS) };
}

function freeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  for (const member of Object.values(value)) freeze(member);
  return Object.freeze(value);
}
