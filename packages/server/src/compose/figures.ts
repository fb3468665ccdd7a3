import type { Server } from 'node:http';
import { promisify } from 'node:util';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { CommitSignal } from '../documents/commit-signal.ts';
import type { Documents } from '../documents/types.ts';
import type { Database } from '../store/database.ts';

/** Upper bounds of the buckets, in seconds: from a fast disk's sync to one that is in trouble. */
const BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const MS_PER_SECOND = 1_000;

/** The database with figures about its writes. */
export function measured(database: Database, registry: Registry): Database {
  const registers = [registry];
  let waiting = 0;
  const durations = new Histogram({
    name: 'cellwire_store_write_duration_seconds',
    help: 'Time from handing a transaction over to its being on the disk, waiting and sync included.',
    buckets: BUCKETS,
    registers,
  });
  const failures = new Counter({
    name: 'cellwire_store_write_failures_total',
    help: 'Transactions that the database could not write.',
    registers,
  });
  gauge(registry, 'cellwire_store_writes_waiting', 'Transactions that are not on the disk yet.', () => waiting);
  return Object.freeze({
    read: (query) => database.read(query),
    readOne: (query) => database.readOne(query),
    readLatest: (query) => database.readLatest(query),
    readAll: (queries) => database.readAll(queries),
    async write(unit) {
      const start = performance.now();
      waiting++;
      try {
        return await database.write(unit);
      } catch (error) {
        failures.inc();
        throw error;
      } finally {
        waiting--;
        durations.observe((performance.now() - start) / MS_PER_SECOND);
      }
    },
    check: () => database.check(),
    close: () => database.close(),
  } satisfies Database);
}

/** Figures about documents in memory. */
export function documentFigures(documents: Documents, commits: CommitSignal, registry: Registry): void {
  const figures = () => documents.figures();
  gauge(registry, 'cellwire_documents_open', 'Documents held in memory.', () => figures().open);
  gauge(registry, 'cellwire_documents_open_bytes', 'Memory of the open documents, estimated.', () => figures().bytes);
  gauge(
    registry,
    'cellwire_document_writes_waiting',
    'Writes that wait for their turn at their document.',
    () => figures().waiting,
  );
  const total = new Counter({
    name: 'cellwire_commits_total',
    help: 'Revisions of documents that this process has put on the disk.',
    registers: [registry],
  });
  commits.listen(() => total.inc());
}

/** Figures about who is connected. */
export function connectionFigures(server: Server, registry: Registry): void {
  const count = promisify(server.getConnections.bind(server));
  gauge(registry, 'cellwire_http_connections', 'Connections that are open.', () => count());
}

/** A gauge that is read when it is asked for. One for each figure: what another one's reading sets is shown late. */
function gauge(registry: Registry, name: string, help: string, read: () => number | Promise<number>): void {
  new Gauge({
    name,
    help,
    registers: [registry],
    async collect() {
      this.set(await read());
    },
  });
}
