import type { AddressInfo } from 'node:net';
import type { Database } from '@cellwire/store';
import { describeLoss } from '@cellwire/store/documents';
import type { Logger } from 'pino';
import { Registry } from 'prom-client';
import { Passwords } from '../access/passwords.ts';
import { buildOf } from '../config/build.ts';
import type { Config } from '../config/types.ts';
import { startMaintenance } from '../documents/maintenance.ts';
import { NewestCommits } from '../documents/newest-commits.ts';
import { mountGoogle } from '../google/http/mount.ts';
import { clearTransientFiles } from '../http/bodies/uploads.ts';
import { endConnections, letExchangesEnd } from '../http/connections/ending-connections.ts';
import type { Metrics } from '../http/monitoring/metrics.ts';
import { type MetricsServer, openMetricsServer } from '../http/monitoring/metrics-server.ts';
import { createHttpServer } from '../http/server.ts';
import { createNotifier } from '../notify/notifier.ts';
import { watchExpiry } from '../service/proposals/expiry.ts';
import { composeService, type Service } from './compose.ts';
import { watchDescriptors } from './descriptor-watch.ts';
import { connectionFigures, damageFigures, deliveryFigures, documentFigures, jobFigures, measured } from './figures.ts';
import { createLoggers } from './logger.ts';
import { tellingOnceInAWhile } from './repeated-failures.ts';
import { buildFigure, databaseFigures, diskFigures, streamFigures, threadFigures } from './resource-figures.ts';
import { securityLog } from './security-log.ts';
import { watchSources } from './sources-watch.ts';

export interface RunningServer {
  /** `http://host:port`, the port being the real one. */
  readonly address: string;
  readonly service: Service;
  /**
   * Answers on while `/readyz` says 503, so that balancers go elsewhere: for as long as the settings say, or less where
   * nobody is connected.
   */
  drain(): Promise<void>;
  /** Ends a `drain` under way at once. */
  endDrain(): void;
  /** Takes no more requests, lets those under way finish, and leaves everything on the disk. */
  close(): Promise<void>;
}

/** What stands around the service; the machine's own unless given. */
export interface Surroundings {
  /** Milliseconds since 1970-01-01 UTC. */
  readonly clock?: () => number;
  /** Puts something between the database and all that use it. */
  readonly wrap?: (database: Database) => Database;
  /** Hashes passwords at the cost that the machine's speed asks for, unless given. */
  readonly passwords?: Passwords;
  /** See `composeService`. */
  readonly newInstallation?: boolean;
}

/** Starts the service. Rejects where the data folder or the address is not usable. */
export async function startServer(
  config: Config,
  {
    clock = Date.now,
    wrap = (database) => database,
    passwords = new Passwords(),
    newInstallation = false,
  }: Surroundings = {},
): Promise<RunningServer> {
  const loggers = createLoggers(config.logLevel);
  const { main: logger, requests: writeRequestLine } = loggers;
  const onError = tellingOnceInAWhile((what, error, repeated) =>
    logger.error(repeated > 0 ? { err: error, repeated } : { err: error }, `${what} failed`),
  );
  await clearTransientFiles().catch((error: unknown) => onError('clearing temporary files', error));
  const registry = new Registry();
  const sources = watchSources(logger, registry);
  const descriptors = watchDescriptors(logger);
  const around = (database: Database) => measured(wrap(database), registry);
  const service = await composeService(config, {
    as: 'server',
    onError,
    clock,
    wrap: around,
    passwords,
    security: securityLog(logger, registry),
    newInstallation,
  });
  const { context, access, gate } = service;
  const parts = { context, access, gate };
  const mounts = config.google ? [(app: Parameters<typeof mountGoogle>[0]) => mountGoogle(app, parts)] : [];
  const app = await createHttpServer({ parts, logger, writeRequestLine, mounts, registry });
  letExchangesEnd(app.server);
  connectionFigures(app.server, registry);
  documentFigures(context.documents, context.commits, registry);
  jobFigures(context.makings, registry);
  buildFigure(registry);
  if (service.pool !== null) threadFigures(service.pool, registry);
  streamFigures(app.eventStreams, registry);
  databaseFigures(context, registry);
  diskFigures(config.dataFolder, registry);
  const notifier = createNotifier({ ...context, now: clock, registry, logger, onError });
  deliveryFigures(notifier, registry);
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
  const newest = config.database.url === null ? await newestCommits(service, onError, logger) : null;
  damageFigures(registry, newest?.losses.length ?? 0);
  let ownMetrics: MetricsServer | null = null;
  const close = async (): Promise<void> => {
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
    ownMetrics = await openOwnMetrics(config, app.metrics);
  } catch (error) {
    await close();
    throw error;
  }
  const { address, family, port } = app.server.address() as AddressInfo;
  const build = buildOf();
  logger.info({ version: build.version, commit: build.commit, node: process.version }, 'started');
  if (ownMetrics !== null) logger.info({ address: ownMetrics.address }, 'metrics have a port of their own');
  const reached = `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
  notifier.start(config.publicUrl ?? reached);
  if (!config.publicUrl?.startsWith('https:')) logger.warn(PLAIN_COOKIE);
  return {
    address: reached,
    service,
    drain: () => app.drain.run(config.shutdown.drainMs),
    endDrain: () => app.drain.cutShort(),
    close,
  };
}

/** Null: metrics are shown by the main port. */
async function openOwnMetrics({ host, metrics }: Config, figures: Metrics): Promise<MetricsServer | null> {
  const { port, token } = metrics;
  return port === null ? null : openMetricsServer(figures, { host, port, token });
}

/** Says so in the log if commits are gone. */
async function newestCommits(
  { context }: Service,
  onError: (what: string, error: unknown) => void,
  logger: Logger,
): Promise<NewestCommits> {
  const { database, commits, clock, config } = context;
  const newest = await NewestCommits.start({ database, commits, clock, onError, folder: config.dataFolder });
  for (const loss of newest.lost) logger.warn({ document: loss.document }, `commits are gone: ${describeLoss(loss)}`);
  return newest;
}

const PLAIN_COOKIE =
  'the public address is not https: whoever listens on the way can take over sessions of the console; ' +
  'put TLS in front and set CELLWIRE_PUBLIC_URL';
