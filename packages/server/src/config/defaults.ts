import { availableParallelism } from 'node:os';
import type { Config } from './types.ts';

/** More threads help only with many large documents. Operators can configure them. */
const MAX_DEFAULT_WORKERS = 16;
const DAY_MS = 24 * 60 * 60 * 1000;

/** Default settings, as in `docs/configuration.md`. */
export const DEFAULTS: Config = {
  host: '127.0.0.1',
  port: 8080,
  dataFolder: './data',
  database: { url: null, connections: 10 },
  secretsKey: null,
  publicUrl: null,
  allowedHosts: [],
  allowedOrigins: [],
  trustedProxies: ['127.0.0.0/8', '::1/128'],
  logLevel: 'info',
  google: true,
  workers: Math.min(availableParallelism(), MAX_DEFAULT_WORKERS),
  locale: 'ru-RU',
  sampleLocale: 'en-US',
  timeZone: 'UTC',
  plans: {
    free: {
      requestsPerSecond: 1,
      valueWrites: false,
      sheetOperations: false,
      webhooksPerDocument: 0,
      agentQuota: { window: 'month', limit: 100 },
      tokensPerUser: 2,
    },
    standard: {
      requestsPerSecond: 3,
      valueWrites: true,
      sheetOperations: false,
      webhooksPerDocument: 5,
      agentQuota: { window: 'minute', limit: 30 },
      tokensPerUser: 10,
    },
    professional: {
      requestsPerSecond: 5,
      valueWrites: true,
      sheetOperations: true,
      webhooksPerDocument: 20,
      agentQuota: { window: 'minute', limit: 120 },
      tokensPerUser: 50,
    },
    enterprise: {
      requestsPerSecond: 10,
      valueWrites: true,
      sheetOperations: true,
      webhooksPerDocument: 100,
      agentQuota: null,
      tokensPerUser: 200,
    },
  },
  notifications: {
    quietMs: 2_000,
    maxWaitMs: 10_000,
    retryDelaysMs: [5_000, 5 * 60_000, 30 * 60_000, 120 * 60_000],
    retryJitter: 0.2,
    timeoutMs: 15_000,
    allowPrivateNetworks: false,
    maxCells: 1_000,
    maxBytes: 256 * 1024,
    messengerBaseUrl: 'https://api.telegram.org',
  },
  idempotency: { retentionMs: DAY_MS },
  limits: {
    maxResponseCells: 500_000,
    maxResponseBytes: 16 * 1024 * 1024,
    maxStringLength: 50_000,
    maxFormulaLength: 8_192,
    maxBodyBytes: 10 * 1024 * 1024,
    calculationMs: 10_000,
    calculationCells: 20_000_000,
  },
  audit: { retentionDays: 365 },
  history: { retentionDays: 30, maxRevisions: 10_000 },
  trash: { days: 30 },
  invitations: 'owners',
  linkSharing: true,
  metrics: { port: null, token: null },
  proposals: { days: 14, open: 100 },
  mcp: { isOn: true, confirmSeconds: 600 },
  shutdown: { drainMs: 3_000 },
};
