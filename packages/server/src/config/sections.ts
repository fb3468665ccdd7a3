import { MAX_CELL_LENGTH } from '../limits/requests.ts';
import type { Checks } from './checks.ts';
import { DEFAULTS } from './defaults.ts';
import { secretFile } from './secret-file.ts';
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

/** Switches the endpoint for agents off. */
export const MCP_VARIABLE = 'CELLWIRE_MCP';
const YEAR_MS = 366 * 24 * 60 * 60 * 1000;

/** What a timer can wait at most. */
const TIMER_MS = 2 ** 31 - 1;

/** A balancer that looks less often than once in ten minutes is of no use. */
const MAX_DRAIN_MS = 600_000;
const BILLION = 1_000_000_000;
const GIB = 1024 ** 3;

/** Connections to PostgreSQL: one is listened on, and a write must not wait for a read. */
const FEWEST_CONNECTIONS = 2;
const MOST_CONNECTIONS = 1_000;

/** A hundred years. */
const MOST_DAYS = 36_500;

/** A day. */
const MAX_CONFIRM_SECONDS = 86_400;

export function database(value: unknown, checks: Checks): Pick<Config['database'], 'connections'> {
  const s = checks.section(value, 'database', ['connections']);
  const base = DEFAULTS.database.connections;
  return {
    connections: checks.whole(s['connections'], 'database.connections', base, FEWEST_CONNECTIONS, MOST_CONNECTIONS),
  };
}

export function plans(value: unknown, checks: Checks): Record<PlanName, Plan> {
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

export function notifications(value: unknown, checks: Checks): NotificationSettings {
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

export function idempotency(value: unknown, checks: Checks): Config['idempotency'] {
  const s = checks.section(value, 'idempotency', ['retentionMs']);
  const base = DEFAULTS.idempotency.retentionMs;
  return { retentionMs: checks.whole(s['retentionMs'], 'idempotency.retentionMs', base, 0, 10 * YEAR_MS) };
}

export function limits(value: unknown, checks: Checks): LimitSettings {
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

export function audit(value: unknown, checks: Checks): Config['audit'] {
  const s = checks.section(value, 'audit', ['retentionDays']);
  const base = DEFAULTS.audit.retentionDays;
  return { retentionDays: checks.whole(s['retentionDays'], 'audit.retentionDays', base, 1, MOST_DAYS) };
}

export function history(value: unknown, checks: Checks): HistorySettings {
  const base = DEFAULTS.history;
  const s = checks.section(value, 'history', Object.keys(base));
  return {
    retentionDays: checks.whole(s['retentionDays'], 'history.retentionDays', base.retentionDays, 0, MOST_DAYS),
    maxRevisions: checks.whole(s['maxRevisions'], 'history.maxRevisions', base.maxRevisions, 0, BILLION),
  };
}

export function trash(value: unknown, checks: Checks): Config['trash'] {
  const s = checks.section(value, 'trash', ['days']);
  return { days: checks.whole(s['days'], 'trash.days', DEFAULTS.trash.days, 0, MOST_DAYS) };
}

/** `mainPort`: of everything else. */
export function metrics(
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

export function proposals(value: unknown, checks: Checks): ProposalSettings {
  const base = DEFAULTS.proposals;
  const s = checks.section(value, 'proposals', Object.keys(base));
  return {
    days: checks.positive(s['days'], 'proposals.days', base.days, MOST_DAYS),
    open: checks.whole(s['open'], 'proposals.open', base.open, 0, BILLION),
  };
}

export function mcp(value: unknown, variable: string | undefined, checks: Checks): McpSettings {
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

export function shutdown(value: unknown, checks: Checks): ShutdownSettings {
  const s = checks.section(value, 'shutdown', ['drainMs']);
  return { drainMs: checks.whole(s['drainMs'], 'shutdown.drainMs', DEFAULTS.shutdown.drainMs, 0, MAX_DRAIN_MS) };
}
