import type { Server } from 'node:http';
import { promisify } from 'node:util';
import { countDamagedDocuments, type Database } from '@cellwire/store';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { CommitSignal } from '../documents/commit-signal.ts';
import type { Documents } from '../documents/types.ts';
import type { Notifier } from '../notify/notifier.ts';
import type { DocumentJobs } from '../service/document/document-jobs.ts';

/** Upper bounds of the buckets, in seconds: from the sync of a fast disk to that of a failing one. */
const WRITE_BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const MS_PER_SECOND = 1_000;

/** Wraps a database so that its writes are measured. */
export function measureWrites(database: Database, registry: Registry): Database {
  const registers = [registry];
  let waiting = 0;
  const durations = new Histogram({
    name: 'cellwire_store_write_duration_seconds',
    help: 'Time from handing a transaction over to its being on the disk, waiting and sync included.',
    buckets: WRITE_BUCKETS,
    registers,
  });
  const failures = new Counter({
    name: 'cellwire_store_write_failures_total',
    help: 'Transactions that the database could not write.',
    registers,
  });
  createGaugeFactory(registry, () => waiting)(
    'cellwire_store_writes_waiting',
    'Transactions that are not on the disk yet.',
    (count) => count,
  );
  return Object.freeze({
    read: (query) => database.read(query),
    readOne: (query) => database.readOne(query),
    readLatest: (query) => database.readLatest(query),
    readAll: (queries) => database.readAll(queries),
    readInBackground: (queries) => database.readInBackground(queries),
    readInBatches: (query, size) => database.readInBatches(query, size),
    openSnapshot: database.openSnapshot,
    commitPositions: database.commitPositions,
    write(unit) {
      const start = performance.now();
      const measure = (): void => {
        waiting--;
        durations.observe((performance.now() - start) / MS_PER_SECOND);
      };
      waiting++;
      const written = database.write(unit);
      written.then(measure, () => {
        measure();
        failures.inc();
      });
      return written;
    },
    countConnections: () => database.countConnections(),
    checkIntegrity: () => database.checkIntegrity(),
    close: () => database.close(),
  } satisfies Database);
}

/** Registers metrics of imports, copies and exports. */
export function registerJobMetrics(jobs: Pick<DocumentJobs, 'waiting'>, registry: Registry): void {
  createGaugeFactory(registry, () => jobs.waiting)(
    'cellwire_document_jobs_waiting',
    'Imports, copies and exports that wait for a place.',
    (count) => count,
  );
}

/** Registers metrics of open documents. */
export function registerDocumentMetrics(
  documents: Pick<Documents, 'collectMetrics'>,
  commits: Pick<CommitSignal, 'listenToOwnCommits'>,
  registry: Registry,
): void {
  const gauge = createGaugeFactory(registry, () => documents.collectMetrics());
  gauge('cellwire_documents_open', 'Documents held in memory.', ({ open }) => open);
  gauge('cellwire_documents_open_bytes', 'Memory of the open documents, formulas about.', ({ bytes }) => bytes);
  gauge(
    'cellwire_document_writes_waiting',
    'Writes that wait for their turn at their document.',
    ({ waiting }) => waiting,
  );
  gauge(
    'cellwire_calculation_tasks_waiting',
    'Calculations, and readings of documents, that wait for a thread.',
    ({ waitingForThread }) => waitingForThread,
  );
  gauge(
    'cellwire_document_graphs_built',
    'Formula graphs built since the start: one a document that is written to, as long as it is held.',
    ({ graphsBuilt }) => graphsBuilt,
  );
  const total = new Counter({
    name: 'cellwire_commits_total',
    help: 'Revisions of documents that this process has put on the disk.',
    registers: [registry],
  });
  commits.listenToOwnCommits(() => total.inc());
}

/** Registers metrics of damaged documents and lost commits. `losses`: documents with lost commits. */
export function registerDamageMetrics(registry: Registry, losses: number): void {
  const gauge = createGaugeFactory(registry, countDamagedDocuments);
  gauge(
    'cellwire_damaged_documents',
    'Documents whose stored pieces this process found to be not what was written.',
    (documents) => documents,
  );
  new Gauge({
    name: 'cellwire_lost_commits_documents',
    help: 'Documents whose acknowledged commits a start found to be gone; doctor names them.',
    registers: [registry],
  }).set(losses);
}

/** Registers metrics of notification deliveries. */
export function registerDeliveryMetrics(
  notifier: Pick<Notifier, 'collectMetrics' | 'computeOldestChangeMs'>,
  registry: Registry,
): void {
  const gauge = createGaugeFactory(registry, () => notifier.collectMetrics());
  gauge(
    'cellwire_delivery_queue_depth',
    'Deliveries on their way: due, under way, or waiting for their next attempt.',
    ({ depth }) => depth,
  );
  gauge(
    'cellwire_delivery_oldest_waiting_seconds',
    'How long the delivery that has been due for the longest time has been waiting; 0 while none is late.',
    ({ lateMs }) => lateMs / MS_PER_SECOND,
  );
  gauge('cellwire_delivery_attempts_running', 'Attempts under way.', ({ running }) => running);
  createGaugeFactory(registry, async () => notifier.computeOldestChangeMs())(
    'cellwire_oldest_unnotified_change_age_seconds',
    'How long the oldest change has been waiting that no notification covers yet, its open window included.',
    (ms) => ms / MS_PER_SECOND,
  );
}

/** Registers the number of open connections. */
export function registerConnectionMetrics(server: Server, registry: Registry): void {
  const count = promisify(server.getConnections.bind(server));
  createGaugeFactory(registry, () => count())(
    'cellwire_http_connections',
    'Connections that are open.',
    (open) => open,
  );
}

type RegisterGauge<T> = (name: string, help: string, figure: (reading: T) => number) => void;

/**
 * Returns a function that registers gauges which share one data source. Prometheus collects all gauges at the same
 * time, so one read of the source serves all of them. Each gauge sets only its own value: a value that another gauge's
 * collection sets would be shown one scrape late.
 */
export function createGaugeFactory<T>(registry: Registry, readSource: () => T | Promise<T>): RegisterGauge<T> {
  let reading: Promise<T> | null = null;
  const readOnce = (): Promise<T> => {
    reading ??= (async () => readSource())().finally(() => {
      reading = null;
    });
    return reading;
  };
  return (name, help, figure) => {
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        this.set(figure(await readOnce()));
      },
    });
  };
}
