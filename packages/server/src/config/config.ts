import { readFileSync } from 'node:fs';
import { LOCALE_IDS, type LocaleId } from '@cellwire/engine/locales';
import { Checks } from './checks.ts';
import { DEFAULTS } from './defaults.ts';
import { repeatedKeys } from './repeated-keys.ts';
import { secretFile } from './secret-file.ts';
import {
  audit,
  database,
  history,
  idempotency,
  limits,
  MCP_VARIABLE,
  mcp,
  metrics,
  notifications,
  plans,
  proposals,
  shutdown,
  trash,
} from './sections.ts';
import { type Config, INVITATION_POLICIES, LOG_LEVELS } from './types.ts';

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

/** Threads: each has an engine and documents in memory. */
const MOST_WORKERS = 256;
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

function freeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  for (const member of Object.values(value)) freeze(member);
  return Object.freeze(value);
}
