import { readFileSync } from 'node:fs';
import { LOCALE_IDS, type LocaleId } from '@cellwire/engine/locales';
import { SettingChecks } from './checks.ts';
import { DEFAULTS } from './defaults.ts';
import { findRepeatedKeys } from './repeated-keys.ts';
import { readSecretFile } from './secret-file.ts';
import {
  MCP_VARIABLE,
  parseAudit,
  parseDatabase,
  parseHistory,
  parseIdempotency,
  parseLimits,
  parseMcp,
  parseMetrics,
  parseNotifications,
  parsePlans,
  parseProposals,
  parseShutdown,
  parseTrash,
} from './sections.ts';
import { type Config, INVITATION_POLICIES, LOG_LEVELS } from './types.ts';

/** The reasons why the configuration cannot be used. Each text names its setting. */
interface ConfigRefusal {
  readonly kind: 'configRefusal';
  readonly problems: readonly string[];
}

export type ProcessEnvironment = Readonly<Record<string, string | undefined>>;

/** Environment variables and their keys in the JSON file. The environment takes precedence over the file. */
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

/** Variables of the client libraries. They may be set in the environment in which the service is started. */
const CLIENT_VARIABLES: ReadonlySet<string> = new Set(['URL', 'TOKEN'].map((name) => PREFIX + name));

/** Some editors write this at the beginning of files. */
const BYTE_ORDER_MARK = /^\uFEFF/;

/** Maximum calculation threads. Each one holds an engine and documents in memory. */
const MAX_WORKERS = 256;
const DIGITS = /^[0-9]{1,9}$/;

/** Reads the configuration from the environment and from the file that `CELLWIRE_CONFIG` names. */
export function loadConfig(environment: ProcessEnvironment): Config | ConfigRefusal {
  return parseConfig(environment, (path) => readFileSync(path, 'utf8'));
}

/** Like `loadConfig`, with a function that reads files. It throws if a file cannot be read. */
export function parseConfig(
  environment: ProcessEnvironment,
  readText: (path: string) => string,
): Config | ConfigRefusal {
  const checks = new SettingChecks();
  for (const name of Object.keys(environment)) {
    const isOther = name === FILE_VARIABLE || name === MCP_VARIABLE || CLIENT_VARIABLES.has(name);
    if (name.startsWith(PREFIX) && !isOther && !VARIABLES.has(name)) {
      checks.problems.push(`Unknown setting ${name}`);
    }
  }
  const file = readFile(environment[FILE_VARIABLE], readText, checks);
  const config = buildConfig(file, environment, readText, checks);
  return checks.problems.length > 0 ? { kind: 'configRefusal', problems: checks.problems } : freezeDeeply(config);
}

/**
 * Reads the JSON object of a settings file; empty without a path. Reports unreadable files and repeated or unknown
 * keys.
 */
function readFile(path: string | undefined, readText: (path: string) => string, checks: SettingChecks) {
  if (path === undefined) return {};
  if (path === '') {
    checks.problems.push(`${FILE_VARIABLE} must be the path of a file: unset it if there is none`);
    return {};
  }
  try {
    const text = readText(path).replace(BYTE_ORDER_MARK, '');
    const value: unknown = JSON.parse(text);
    for (const key of findRepeatedKeys(text)) checks.problems.push(`${FILE_VARIABLE}: ${path} gives ${key} twice`);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return checks.parseSection(value, '', [...VARIABLES.values(), ...SECTIONS]);
    }
    checks.problems.push(`${FILE_VARIABLE}: ${path} must hold a JSON object`);
  } catch (error) {
    checks.problems.push(`${FILE_VARIABLE}: ${path} cannot be read: ${error instanceof Error ? error.message : error}`);
  }
  return {};
}

function buildConfig(
  file: Readonly<Record<string, unknown>>,
  environment: ProcessEnvironment,
  readText: (path: string) => string,
  checks: SettingChecks,
): Config {
  // Settings of the file are checked even if a variable overrides them: an error would otherwise show only later.
  const base = parseTopSettings(
    addDatabaseUrl(file, (key) => key, readText, checks),
    (key) => key,
    { ...DEFAULTS, databaseUrl: DEFAULTS.database.url },
    checks,
  );
  const variables = addDatabaseUrl(readEnvironment(environment), formatVariableName, readText, checks);
  const { databaseUrl, ...rest } = parseTopSettings(variables, formatVariableName, base, checks);
  const locale = checks.parseChoice(file['locale'], 'locale', DEFAULTS.locale, LOCALE_IDS);
  const inFile = parseSecretsKey(file, (key) => key, readText, checks);
  return {
    ...rest,
    secretsKey: parseSecretsKey(variables, formatVariableName, readText, checks) ?? inFile,
    database: { url: databaseUrl, ...parseDatabase(file['database'], checks) },
    allowedHosts: checks.parseHosts(file['allowedHosts'], 'allowedHosts', DEFAULTS.allowedHosts),
    allowedOrigins: checks.parseOrigins(file['allowedOrigins'], 'allowedOrigins', DEFAULTS.allowedOrigins),
    trustedProxies: checks.parseAddressBlocks(file['trustedProxies'], 'trustedProxies', DEFAULTS.trustedProxies),
    workers: checks.parseInteger(file['workers'], 'workers', DEFAULTS.workers, 1, MAX_WORKERS),
    locale,
    sampleLocale: file['locale'] === undefined ? detectLocale(environment) : locale,
    timeZone: checks.parseTimeZone(file['timeZone'], 'timeZone', DEFAULTS.timeZone),
    plans: parsePlans(file['plans'], checks),
    notifications: parseNotifications(file['notifications'], checks),
    idempotency: parseIdempotency(file['idempotency'], checks),
    limits: parseLimits(file['limits'], checks),
    audit: parseAudit(file['audit'], checks),
    history: parseHistory(file['history'], checks),
    trash: parseTrash(file['trash'], checks),
    invitations: checks.parseChoice(file['invitations'], 'invitations', DEFAULTS.invitations, INVITATION_POLICIES),
    linkSharing: checks.parseFlag(file['linkSharing'], 'linkSharing', DEFAULTS.linkSharing),
    metrics: parseMetrics(file['metrics'], rest.port, readText, checks),
    proposals: parseProposals(file['proposals'], checks),
    mcp: parseMcp(file['mcp'], environment[MCP_VARIABLE], checks),
    shutdown: parseShutdown(file['shutdown'], checks),
  };
}

/** Locale of the sample document, from the language of the environment: Russian, British English, or US English. */
function detectLocale({ LC_ALL, LC_MESSAGES, LANG }: ProcessEnvironment): LocaleId {
  const language = (LC_ALL || LC_MESSAGES || LANG || '').toLowerCase();
  if (language.startsWith('ru')) return 'ru-RU';
  return language.startsWith('en_gb') ? 'en-GB' : 'en-US';
}

interface TopSettings extends Pick<Config, 'host' | 'port' | 'dataFolder' | 'publicUrl' | 'logLevel' | 'google'> {
  readonly databaseUrl: string | null;
}

/** The environment's settings by their keys in the file. */
function readEnvironment(environment: ProcessEnvironment): Record<string, unknown> {
  const raw: Record<string, unknown> = {};
  for (const [variable, key] of VARIABLES) raw[key] = environment[variable];
  const port = environment['CELLWIRE_PORT'];
  if (port !== undefined && DIGITS.test(port)) raw['port'] = Number(port);
  return raw;
}

function formatVariableName(key: string): string {
  return [...VARIABLES].find(([, name]) => name === key)?.[0] ?? key;
}

/** Parses the settings that have variables. `name` returns a setting's name in the source; `base` has the fallbacks. */
function parseTopSettings(
  raw: Readonly<Record<string, unknown>>,
  name: (key: string) => string,
  base: TopSettings,
  checks: SettingChecks,
): TopSettings {
  return {
    host: checks.parseText(raw['host'], name('host'), base.host),
    port: checks.parseInteger(raw['port'], name('port'), base.port, 0, 65_535),
    dataFolder: checks.parseText(raw['data'], name('data'), base.dataFolder),
    databaseUrl: checks.parsePostgresUrl(raw['databaseUrl'], name('databaseUrl'), base.databaseUrl),
    publicUrl: checks.parsePublicUrl(raw['publicUrl'], name('publicUrl'), base.publicUrl),
    logLevel: checks.parseChoice(raw['logLevel'], name('logLevel'), base.logLevel, LOG_LEVELS),
    google: checks.parseChoice(raw['google'], name('google'), base.google ? 'on' : 'off', ['on', 'off']) === 'on',
  };
}

/** Adds the database's address from a file if `databaseUrlFile` is set. */
function addDatabaseUrl(
  raw: Readonly<Record<string, unknown>>,
  name: (key: string) => string,
  readText: (path: string) => string,
  checks: SettingChecks,
): Readonly<Record<string, unknown>> {
  const path = raw['databaseUrlFile'];
  if (path === undefined) return raw;
  if (raw['databaseUrl'] !== undefined) {
    checks.problems.push(
      `${name('databaseUrl')} and ${name('databaseUrlFile')} both give the address: unset one of them`,
    );
    return raw;
  }
  const text = readSecretFile(path, name('databaseUrlFile'), readText, checks);
  return text === null ? raw : { ...raw, databaseUrl: text };
}

/** The secrets key, from the setting or from a file; null: the data folder has it. */
function parseSecretsKey(
  raw: Readonly<Record<string, unknown>>,
  name: (key: string) => string,
  readText: (path: string) => string,
  checks: SettingChecks,
): string | null {
  const key = raw['secretsKey'];
  const path = raw['secretsKeyFile'];
  if (path === undefined) return checks.parseKey(key, name('secretsKey'));
  if (key !== undefined) {
    checks.problems.push(`${name('secretsKey')} and ${name('secretsKeyFile')} both give the key: unset one of them`);
    return null;
  }
  const text = readSecretFile(path, name('secretsKeyFile'), readText, checks);
  return text === null ? null : checks.parseKey(text, `the text in ${name('secretsKeyFile')}`);
}

function freezeDeeply<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  for (const member of Object.values(value)) freezeDeeply(member);
  return Object.freeze(value);
}
