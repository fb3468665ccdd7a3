import { ConsumptionMeter } from '@cellwire/event-loop';
import {
  type Database,
  KEY_REFRESH_MS,
  openCluster,
  openStore,
  type RateTable,
  type StoreLocation,
  type StoreUse,
} from '@cellwire/store';
import { type KeyRing, openKeyRing } from '@cellwire/store/keys';
import { type Access, createAccess } from '../access/access.ts';
import { createActivity } from '../access/activity.ts';
import { createAgentUsage, createSharedAgentUsage } from '../access/agent-usage.ts';
import { createGate, type Gate } from '../access/gate.ts';
import { Passwords } from '../access/passwords.ts';
import { NO_RATE_LIMITER, type RateLimiter } from '../access/rate-limit.ts';
import type { Config } from '../config/types.ts';
import { CalculationPool } from '../documents/calculation/pool.ts';
import { CommitSignal } from '../documents/commit-signal.ts';
import { openDocuments } from '../documents/documents.ts';
import { THREADS_PER_WORKER } from '../limits/calculation.ts';
import { NO_SECURITY_LISTENER, type SecurityEvents } from '../service/accounts/security-events.ts';
import type { ServiceContext } from '../service/context.ts';
import { DocumentJobs } from '../service/document/document-jobs.ts';
import { ListHashes } from '../service/document/list-hashes.ts';
import { KeyLocks } from '../service/key-locks.ts';
import { Presence } from '../service/presence/presence.ts';
import { RecordMemory } from '../service/records/record-memory.ts';
import { refuseLostDatabase } from './lost-database.ts';

interface ComposeOptions {
  /**
   * A `server` calculates for long and writes to the database in separate threads. A `command` performs one task and
   * ends.
   */
  readonly as: StoreUse;
  /** Called with failures of background work. */
  readonly onError: (activity: string, error: unknown) => void;
  /** Milliseconds since 1970-01-01 UTC; the machine's clock by default. */
  readonly clock?: () => number;
  /** Wraps the database, for example to measure it. */
  readonly wrap?: (database: Database) => Database;
  readonly passwords?: Passwords;
  /** Receives failed sign-ins and refused tokens. */
  readonly security?: SecurityEvents;
  /** Creates a new database even if the data folder has files of an installation whose database is missing. */
  readonly newInstallation?: boolean;
}

/** The service without HTTP. The command line calls its use cases; `startServer` adds HTTP. */
export interface Service {
  readonly context: ServiceContext;
  readonly access: Access;
  readonly gate: Gate;
  /** The calculation threads; null: everything is calculated in the calling thread. */
  readonly pool: CalculationPool | null;
  /** Waits for writes in progress, saves everything and closes the database. */
  close(): Promise<void>;
}

/** Creates and connects all parts of the service. Rejects if the data folder or the database cannot be used. */
export async function composeService(
  config: Config,
  {
    as,
    onError,
    clock = Date.now,
    wrap = (database) => database,
    passwords = new Passwords(),
    security = NO_SECURITY_LISTENER,
    newInstallation = false,
  }: ComposeOptions,
): Promise<Service> {
  if (!newInstallation) refuseLostDatabase(config);
  const store = toStoreLocation(config);
  const { opened, secrets } = await openDatabaseWithKey(store, as, config);
  const database = wrap(opened);
  const keys = as === 'server' ? await followKeys(secrets, onError) : null;
  const commits = new CommitSignal();
  const presence = new Presence((tab, text) => cluster?.relay.broadcast(tab, text));
  const listener = {
    onCommit: (id: string) => commits.relayForeignCommit(id),
    onMessage: (text: string) => presence.receiveMessage(text, clock()),
    onError,
  };
  const cluster = as === 'server' ? await openCluster(store, listener) : null;
  if (cluster !== null) commits.listenToOwnCommits((id) => cluster.relay.announceCommit(id));
  const meter = new ConsumptionMeter();
  const threads = config.workers * THREADS_PER_WORKER;
  const pool = as === 'server' ? new CalculationPool(threads, undefined, { meter }) : undefined;
  const documents = openDocuments({
    database,
    clock,
    limits: config.limits,
    textLimits: { maxTextLength: config.limits.maxStringLength, maxFormulaLength: config.limits.maxFormulaLength },
    onError,
    commits,
    ...(pool === undefined ? {} : { threads: { pool, store } }),
  });
  const usage =
    cluster === null
      ? createAgentUsage({ database, clock, onFailure: (error) => onError('agent usage', error) })
      : createSharedAgentUsage({ database, clock });
  const access = createAccess({ database, plans: config.plans, clock, onDamage: security.onRowsDamaged });
  const documentJobs = new DocumentJobs(as === 'server', { meter });
  const activity = createActivity({ database, clock, onFailure: (error) => onError('activity', error) });
  const limiter = as === 'server' ? await openRateLimiter(cluster?.rates ?? null) : NO_RATE_LIMITER;
  const gate = createGate({ access, limiter, usage, activity, clock });
  return {
    context: {
      config,
      database,
      store,
      documents,
      commits,
      usage,
      secrets,
      passwords,
      presence,
      documentJobs,
      listHashes: new ListHashes({ database, clock }),
      keyLocks: new KeyLocks(),
      recordMemory: new RecordMemory(),
      security,
      clock,
    },
    access,
    gate,
    pool: pool ?? null,
    async close() {
      await keys?.stop();
      await usage.close();
      await activity.close();
      await documentJobs.close();
      pool?.refuseTasks();
      await documents.close();
      await pool?.close();
      await cluster?.relay.close();
      await cluster?.rates.close();
      await database.close();
    },
  };
}

/** Loads the library on demand: commands do not need its 37 modules, which take 14 ms. */
async function openRateLimiter(table: RateTable | null): Promise<RateLimiter> {
  const { createRateLimiter } = await import('../access/rate-limiter.ts');
  return createRateLimiter(table);
}

async function openDatabaseWithKey(
  store: StoreLocation,
  use: StoreUse,
  config: Config,
): Promise<{ readonly opened: Database; readonly secrets: KeyRing }> {
  const opened = await openStore(store, use);
  try {
    return { opened, secrets: await openKeyRing(opened, config) };
  } catch (error) {
    await opened.close();
    throw error;
  }
}

/** Picks up rotations of the secrets key that any process makes. */
async function followKeys(secrets: KeyRing, onError: ComposeOptions['onError']): Promise<{ stop(): Promise<void> }> {
  if (!secrets.isSettled) await secrets.resealOldSecrets();
  let running: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    running = running
      .then(() => secrets.refresh())
      .catch((error: unknown) => onError('following the key for secrets', error));
  }, KEY_REFRESH_MS).unref();
  return {
    stop: () => {
      clearInterval(timer);
      return running;
    },
  };
}

/** The location of a configuration's database. */
export function toStoreLocation({ database, dataFolder }: Config): StoreLocation {
  if (database.url === null) return { kind: 'sqlite', folder: dataFolder };
  return { kind: 'postgres', url: database.url, connections: database.connections };
}
