import { MAX_CELL_LENGTH } from '../limits/requests.ts';
import type { SettingChecks } from './checks.ts';
import { DEFAULTS } from './defaults.ts';
import { readSecretFile } from './secret-file.ts';
import {
  type AgentQuota,
  type Config,
  type HistorySettings,
  type LimitSettings,
  type McpSettings,
  type MetricsSettings,
  type NotificationSettings,
  PLAN_NAMES,
  type Plan,
  type PlanName,
  type ProposalSettings,
  type ShutdownSettings,
} from './types.ts';

/** Turns off the MCP endpoint. */
export const MCP_VARIABLE = 'CELLWIRE_MCP';
const LEAP_YEAR_MS = 366 * 24 * 60 * 60 * 1000;

/** Maximum delay of a Node timer, in milliseconds. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Ten minutes: load balancers check nodes more often than that. */
const MAX_DRAIN_MS = 600_000;
const BILLION = 1_000_000_000;
const GIB = 1024 ** 3;

/** Minimum and maximum connections to PostgreSQL. One is used for notifications, and writes must not wait for reads. */
const MIN_CONNECTIONS = 2;
const MAX_CONNECTIONS = 1_000;

/** 100 years. */
const MAX_DAYS = 36_500;

/** One day. */
const MAX_CONFIRM_SECONDS = 86_400;

export function parseDatabase(value: unknown, checks: SettingChecks): Pick<Config['database'], 'connections'> {
  const section = checks.parseSection(value, 'database', ['connections']);
  const base = DEFAULTS.database.connections;
  return {
    connections: checks.parseInteger(
      section['connections'],
      'database.connections',
      base,
      MIN_CONNECTIONS,
      MAX_CONNECTIONS,
    ),
  };
}

export function parsePlans(value: unknown, checks: SettingChecks): Record<PlanName, Plan> {
  const section = checks.parseSection(value, 'plans', PLAN_NAMES);
  const parseNamedPlan = (name: PlanName) => parsePlan(section[name], `plans.${name}`, DEFAULTS.plans[name], checks);
  return {
    free: parseNamedPlan('free'),
    standard: parseNamedPlan('standard'),
    professional: parseNamedPlan('professional'),
    enterprise: parseNamedPlan('enterprise'),
  };
}

function parsePlan(value: unknown, name: string, base: Plan, checks: SettingChecks): Plan {
  const section = checks.parseSection(value, name, Object.keys(base));
  const parseNumber = (key: 'requestsPerSecond' | 'webhooksPerDocument' | 'tokensPerUser', min: number) =>
    checks.parseIntegerOrNull(section[key], `${name}.${key}`, base[key], min, BILLION);
  return {
    requestsPerSecond: parseNumber('requestsPerSecond', 1),
    valueWrites: checks.parseFlag(section['valueWrites'], `${name}.valueWrites`, base.valueWrites),
    sheetOperations: checks.parseFlag(section['sheetOperations'], `${name}.sheetOperations`, base.sheetOperations),
    webhooksPerDocument: parseNumber('webhooksPerDocument', 0),
    agentQuota: parseAgentQuota(section['agentQuota'], `${name}.agentQuota`, base.agentQuota, checks),
    tokensPerUser: parseNumber('tokensPerUser', 0),
  };
}

function parseAgentQuota(
  value: unknown,
  name: string,
  base: AgentQuota | null,
  checks: SettingChecks,
): AgentQuota | null {
  if (value === undefined) return base;
  if (value === null) return null;
  const section = checks.parseSection(value, name, ['window', 'limit']);
  const complete =
    base !== null || section['limit'] === null || (section['window'] !== undefined && section['limit'] !== undefined);
  if (!complete) checks.problems.push(`${name} must have window and limit`);
  const window = checks.parseChoice(section['window'], `${name}.window`, base?.window ?? 'month', ['minute', 'month']);
  const limit = checks.parseIntegerOrNull(section['limit'], `${name}.limit`, base?.limit ?? 0, 0, BILLION);
  return limit === null ? null : { window, limit };
}

export function parseNotifications(value: unknown, checks: SettingChecks): NotificationSettings {
  const base = DEFAULTS.notifications;
  const section = checks.parseSection(value, 'notifications', Object.keys(base));
  const parseWhole = (key: 'quietMs' | 'maxWaitMs' | 'timeoutMs' | 'maxCells' | 'maxBytes', min: number, max: number) =>
    checks.parseInteger(section[key], `notifications.${key}`, base[key], min, max);
  return {
    quietMs: parseWhole('quietMs', 0, MAX_TIMER_MS),
    maxWaitMs: parseWhole('maxWaitMs', 0, MAX_TIMER_MS),
    retryDelaysMs: checks.parseDelays(
      section['retryDelaysMs'],
      'notifications.retryDelaysMs',
      base.retryDelaysMs,
      base.retryDelaysMs.length,
      MAX_TIMER_MS,
    ),
    retryJitter: checks.parseFraction(section['retryJitter'], 'notifications.retryJitter', base.retryJitter),
    timeoutMs: parseWhole('timeoutMs', 1, MAX_TIMER_MS),
    allowPrivateNetworks: checks.parseNetworks(
      section['allowPrivateNetworks'],
      'notifications.allowPrivateNetworks',
      base.allowPrivateNetworks,
    ),
    maxCells: parseWhole('maxCells', 0, 1_000_000),
    maxBytes: parseWhole('maxBytes', 1, GIB),
    messengerBaseUrl: checks.parseUrl(
      section['messengerBaseUrl'],
      'notifications.messengerBaseUrl',
      base.messengerBaseUrl,
    ),
  };
}

export function parseIdempotency(value: unknown, checks: SettingChecks): Config['idempotency'] {
  const section = checks.parseSection(value, 'idempotency', ['retentionMs']);
  const base = DEFAULTS.idempotency.retentionMs;
  return {
    retentionMs: checks.parseInteger(section['retentionMs'], 'idempotency.retentionMs', base, 0, 10 * LEAP_YEAR_MS),
  };
}

export function parseLimits(value: unknown, checks: SettingChecks): LimitSettings {
  const base = DEFAULTS.limits;
  const section = checks.parseSection(value, 'limits', Object.keys(base));
  const parseWhole = (key: keyof LimitSettings, max: number) =>
    checks.parseInteger(section[key], `limits.${key}`, base[key], 1, max);
  return {
    maxResponseCells: parseWhole('maxResponseCells', BILLION),
    maxResponseBytes: parseWhole('maxResponseBytes', GIB),
    maxStringLength: parseWhole('maxStringLength', MAX_CELL_LENGTH),
    maxFormulaLength: parseWhole('maxFormulaLength', MAX_CELL_LENGTH),
    maxBodyBytes: parseWhole('maxBodyBytes', GIB),
    calculationMs: parseWhole('calculationMs', MAX_TIMER_MS),
    calculationCells: parseWhole('calculationCells', Number.MAX_SAFE_INTEGER),
  };
}

export function parseAudit(value: unknown, checks: SettingChecks): Config['audit'] {
  const section = checks.parseSection(value, 'audit', ['retentionDays']);
  const base = DEFAULTS.audit.retentionDays;
  return { retentionDays: checks.parseInteger(section['retentionDays'], 'audit.retentionDays', base, 1, MAX_DAYS) };
}

export function parseHistory(value: unknown, checks: SettingChecks): HistorySettings {
  const base = DEFAULTS.history;
  const section = checks.parseSection(value, 'history', Object.keys(base));
  return {
    retentionDays: checks.parseInteger(
      section['retentionDays'],
      'history.retentionDays',
      base.retentionDays,
      0,
      MAX_DAYS,
    ),
    maxRevisions: checks.parseInteger(section['maxRevisions'], 'history.maxRevisions', base.maxRevisions, 0, BILLION),
  };
}

export function parseTrash(value: unknown, checks: SettingChecks): Config['trash'] {
  const section = checks.parseSection(value, 'trash', ['days']);
  return { days: checks.parseInteger(section['days'], 'trash.days', DEFAULTS.trash.days, 0, MAX_DAYS) };
}

/** Parses the section `metrics`. `mainPort` is the port of the service, which the metrics may not use too. */
export function parseMetrics(
  value: unknown,
  mainPort: number,
  readText: (path: string) => string,
  checks: SettingChecks,
): MetricsSettings {
  const section = checks.parseSection(value, 'metrics', ['port', 'tokenFile']);
  const port = checks.parseIntegerOrNull(section['port'], 'metrics.port', DEFAULTS.metrics.port, 0, 65_535);
  if (port !== null && port === mainPort && port !== 0) {
    checks.problems.push(`metrics.port must be another port than that of the service (${mainPort})`);
  }
  if (section['tokenFile'] === undefined) return { port, token: DEFAULTS.metrics.token };
  const token = readSecretFile(section['tokenFile'], 'metrics.tokenFile', readText, checks);
  if (token !== null && !BEARER_TOKEN.test(token)) {
    checks.problems.push('metrics.tokenFile must hold a token of 16 or more letters, digits and any of -._~+/=');
  }
  return { port, token };
}

/** A bearer token of RFC 6750 §2.1, with at least 16 characters so that it cannot be guessed. */
const BEARER_TOKEN = /^[A-Za-z0-9\-._~+/]{16,}=*$/;

export function parseProposals(value: unknown, checks: SettingChecks): ProposalSettings {
  const base = DEFAULTS.proposals;
  const section = checks.parseSection(value, 'proposals', Object.keys(base));
  return {
    days: checks.parsePositiveNumber(section['days'], 'proposals.days', base.days, MAX_DAYS),
    open: checks.parseInteger(section['open'], 'proposals.open', base.open, 0, BILLION),
  };
}

export function parseMcp(value: unknown, variable: string | undefined, checks: SettingChecks): McpSettings {
  const base = DEFAULTS.mcp;
  const section = checks.parseSection(value, 'mcp', ['confirmSeconds']);
  const mode = checks.parseChoice(variable, MCP_VARIABLE, 'on', ['on', 'off']);
  return {
    isOn: mode === 'on',
    confirmSeconds: checks.parseInteger(
      section['confirmSeconds'],
      'mcp.confirmSeconds',
      base.confirmSeconds,
      1,
      MAX_CONFIRM_SECONDS,
    ),
  };
}

export function parseShutdown(value: unknown, checks: SettingChecks): ShutdownSettings {
  const section = checks.parseSection(value, 'shutdown', ['drainMs']);
  return {
    drainMs: checks.parseInteger(section['drainMs'], 'shutdown.drainMs', DEFAULTS.shutdown.drainMs, 0, MAX_DRAIN_MS),
  };
}
