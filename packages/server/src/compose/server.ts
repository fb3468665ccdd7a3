import type { AddressInfo } from 'node:net';
import type { Database } from '@cellwire/store';
import { describeLoss } from '@cellwire/store/documents';
import type { Logger } from 'pino';
import { Registry } from 'prom-client';
import { Passwords } from '../access/passwords.ts';
import { readBuild } from '../config/build.ts';
import type { Config } from '../config/types.ts';
import { startMaintenance } from '../documents/maintenance.ts';
import { NewestCommits } from '../documents/newest-commits.ts';
import { FastMethods } from '../google/http/fast-methods.ts';
import { mountGoogle } from '../google/http/mount.ts';
import type { App } from '../http/api.ts';
import { clearTransientFiles } from '../http/bodies/uploads.ts';
import { completeExchangesOnClose, endConnections } from '../http/connections/ending-connections.ts';
import { toFailureAnswer } from '../http/errors.ts';
import type { Metrics } from '../http/monitoring/metrics.ts';
import { type MetricsServer, openMetricsServer } from '../http/monitoring/metrics-server.ts';
import { logCondition } from '../http/monitoring/operator-conditions.ts';
import { readRequestCredentials } from '../http/request-credentials.ts';
import { createHttpServer } from '../http/server.ts';
import { createGoneSignal } from '../http/streams/until-gone.ts';
import { createNotifier } from '../notify/notifier.ts';
import { watchExpiry } from '../service/proposals/expiry.ts';
import { composeService, type Service } from './compose.ts';
import { watchDescriptors } from './descriptor-watch.ts';
import { limitFailureReports } from './failure-reports.ts';
import { createLoggers } from './logger.ts';
import {
  measureWrites,
  registerConnectionMetrics,
  registerDamageMetrics,
  registerDeliveryMetrics,
  registerDocumentMetrics,
  registerJobMetrics,
} from './metrics.ts';
import {
  registerBuildMetric,
  registerDatabaseMetrics,
  registerDiskMetrics,
  registerStreamMetrics,
  registerThreadMetrics,
} from './resource-metrics.ts';
import { createSecurityLog } from './security-log.ts';
import { watchSources } from './sources-watch.ts';

export interface RunningServer {
  /** `http://host:port` with the actual port. */
  readonly address: string;
  readonly service: Service;
  /**
   * Keeps serving while `/readyz` answers 503, so that load balancers choose other nodes. Ends after the configured
   * time, or earlier if there are no connections.
   */
  drain(): Promise<void>;
  /** Ends a running `drain` immediately. */
  endDrain(): void;
  /** Accepts no more requests, waits for running ones, and saves everything. */
  close(): Promise<void>;
}

/** Optional parts of the server; the machine's clock and plain defaults unless given. */
export interface ServerOptions {
  /** Milliseconds since 1970-01-01 UTC. */
  readonly clock?: () => number;
  /** Wraps the database. */
  readonly wrap?: (database: Database) => Database;
  /** Hashes passwords; with the default cost unless given. */
  readonly passwords?: Passwords;
  /** See `composeService`. */
  readonly newInstallation?: boolean;
}

/** Starts the service. Rejects if the data folder or the address cannot be used. */
export async function startServer(
  config: Config,
  {
    clock = Date.now,
    wrap = (database) => database,
    passwords = new Passwords(),
    newInstallation = false,
  }: ServerOptions = {},
): Promise<RunningServer> {
  const loggers = createLoggers(config.logLevel);
  const { main: logger, requests: writeRequestLine } = loggers;
  const reportFailure = limitFailureReports((activity, error, repeated) =>
    logger.error(repeated > 0 ? { err: error, repeated } : { err: error }, `${activity} failed`),
  );
  const onError = (activity: string, error: unknown): void => {
    if (!logCondition(logger, error, { activity })) reportFailure(activity, error);
  };
  await clearTransientFiles().catch((error: unknown) => onError('clearing temporary files', error));
  const registry = new Registry();
  const sources = watchSources(logger, registry);
  const descriptors = watchDescriptors(logger);
  const wrapWithMetrics = (database: Database) => measureWrites(wrap(database), registry);
  const service = await composeService(config, {
    as: 'server',
    onError,
    clock,
    wrap: wrapWithMetrics,
    passwords,
    security: createSecurityLog(logger, registry),
    newInstallation,
  });
  const { context, access, gate } = service;
  const parts = { context, access, gate };
  const googleParts = { ...parts, readTokenCredentials: readRequestCredentials };
  const mountWithFiles = (app: Parameters<typeof mountGoogle>[0]) =>
    mountGoogle(app, {
      ...googleParts,
      files: app.files,
      createGoneSignal,
      toFailureStatus: (error, request) => toFailureAnswer(error, request).status,
    });
  const google = config.google ? { mounts: [mountWithFiles], fastAdapter: new FastMethods(googleParts) } : {};
  const app = await createHttpServer({ parts, logger, writeRequestLine, ...google, registry });
  completeExchangesOnClose(app.server);
  registerServiceMetrics(service, app, config, registry);
  const notifier = createNotifier({ ...context, now: clock, registry, logger, onError });
  registerDeliveryMetrics(notifier, registry);
  const maintenance = startMaintenance(
    { database: context.database, clock, onError },
    {
      auditDays: config.audit.retentionDays,
      idempotencyMs: config.idempotency.retentionMs,
      history: config.history,
      trashDays: config.trash.days,
    },
  );
  const expiry = watchExpiry(context, onError);
  const newest = config.database.url === null ? await startNewestCommits(service, onError, logger) : null;
  registerDamageMetrics(registry, newest?.losses.length ?? 0);
  let ownMetrics: MetricsServer | null = null;
  const closeServer = async (): Promise<void> => {
    await endConnections(app.server, () => app.close());
    sources.stop();
    descriptors.stop();
    await ownMetrics?.close();
    await notifier.stop();
    await maintenance.stop();
    await expiry.stop();
    await newest?.stop();
    await service.close();
    await loggers.close();
  };
  try {
    await app.listen({ host: config.host, port: config.port });
    ownMetrics = await openMetricsPort(config, app.metrics);
  } catch (error) {
    await closeServer();
    throw error;
  }
  const { address, family, port } = app.server.address() as AddressInfo;
  const build = readBuild();
  logger.info({ version: build.version, commit: build.commit, node: process.version }, 'started');
  if (ownMetrics !== null) logger.info({ address: ownMetrics.address }, 'metrics have a port of their own');
  const localUrl = `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
  notifier.start(config.publicUrl ?? localUrl);
  if (!config.publicUrl?.startsWith('https:')) logger.warn(NO_HTTPS);
  return {
    address: localUrl,
    service,
    drain: () => app.drain.runDrain(config.shutdown.drainMs),
    endDrain: () => app.drain.endWaitEarly(),
    close: closeServer,
  };
}

/** Metrics of the parts that `composeService` and the HTTP server create. */
function registerServiceMetrics({ context, pool }: Service, app: App, config: Config, registry: Registry): void {
  registerConnectionMetrics(app.server, registry);
  registerDocumentMetrics(context.documents, context.commits, registry);
  registerJobMetrics(context.documentJobs, registry);
  registerBuildMetric(registry);
  if (pool !== null) registerThreadMetrics(pool, registry);
  registerStreamMetrics(app.eventStreams, registry);
  registerDatabaseMetrics(context, registry);
  registerDiskMetrics(config.dataFolder, registry);
}

/** Null: the main port serves the metrics. */
async function openMetricsPort({ host, metrics }: Config, figures: Metrics): Promise<MetricsServer | null> {
  const { port, token } = metrics;
  return port === null ? null : openMetricsServer(figures, { host, port, token });
}

/** Starts recording the newest commits, and logs a warning if commits are missing. */
async function startNewestCommits(
  { context }: Service,
  onError: (activity: string, error: unknown) => void,
  logger: Logger,
): Promise<NewestCommits> {
  const { database, commits, clock, config } = context;
  const newest = await NewestCommits.start({ database, commits, clock, onError, folder: config.dataFolder });
  for (const loss of newest.lost) logger.warn({ document: loss.document }, `commits are gone: ${describeLoss(loss)}`);
  return newest;
}

const NO_HTTPS =
  'the public address is not https: an attacker on the network can take over sessions of the console; ' +
  'put TLS in front and set CELLWIRE_PUBLIC_URL';
