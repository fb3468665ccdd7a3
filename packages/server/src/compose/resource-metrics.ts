import type { StatsFs } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import type { Database } from '@cellwire/store';
import { lastBackup } from '@cellwire/store/last-backup';
import { replication } from '@cellwire/store/postgres';
import { Counter, Gauge, type Registry } from 'prom-client';
import { readBuild } from '../config/build.ts';
import type { CalculationPool } from '../documents/calculation/pool.ts';
import type { StreamCount } from '../http/api.ts';
import type { ServiceContext } from '../service/context.ts';
import { createGaugeFactory } from './metrics.ts';

const MS_PER_SECOND = 1_000;

/** Registers the build as a constant 1 with labels. */
export function registerBuildMetric(registry: Registry): void {
  const { version, commit } = readBuild();
  new Gauge({
    name: 'cellwire_build_info',
    help: 'The build that runs: its version, commit and Node.',
    labelNames: ['version', 'commit', 'node'],
    registers: [registry],
  }).set({ version, commit, node: process.version }, 1);
}

/** Registers metrics of the calculation threads. */
export function registerThreadMetrics(pool: Pick<CalculationPool, 'countThreads'>, registry: Registry): void {
  registerGaugeByState(
    registry,
    'cellwire_calculation_threads',
    'Calculation threads that work, and that wait for work.',
    async () => {
      const { busy, idle } = pool.countThreads();
      return { busy, idle };
    },
  );
  new Counter({
    name: 'cellwire_calculation_threads_ended_total',
    help: 'Calculation threads that ended in the middle of a task, by reason.',
    labelNames: ['reason'],
    registers: [registry],
    collect() {
      this.reset();
      for (const [reason, count] of Object.entries(pool.countThreads().ended)) this.inc({ reason }, count);
    },
  });
}

/** Registers the number of open event streams. */
export function registerStreamMetrics(streams: StreamCount, registry: Registry): void {
  createGaugeFactory(registry, () => streams.open)(
    'cellwire_event_streams',
    'Streams of events that are open.',
    (open) => open,
  );
}

/** Registers metrics of the database, except for its writes. */
export function registerDatabaseMetrics({ database, store, clock }: ServiceContext, registry: Registry): void {
  createGaugeFactory(registry, async () => database.readOne(lastBackup({})))(
    'cellwire_last_backup_age_seconds',
    'Time since the last whole backup by the command line; +Inf while there was none.',
    (row) => (row === null ? Number.POSITIVE_INFINITY : Math.max(0, clock() - Number(row.value)) / MS_PER_SECOND),
  );
  if (store.kind === 'sqlite') return;
  registerGaugeByState(registry, 'cellwire_database_connections', 'Connections to PostgreSQL.', async () => {
    const { busy = 0, idle = 0 } = database.countConnections() ?? {};
    return { busy, idle };
  });
  createGaugeFactory(registry, () => database.countConnections()?.waiting ?? 0)(
    'cellwire_database_requests_waiting',
    'Requests that wait for a connection to PostgreSQL.',
    (waiting) => waiting,
  );
  registerReplicationMetrics(database, registry);
}

function registerReplicationMetrics(database: Pick<Database, 'readOne'>, registry: Registry): void {
  const gauge = createGaugeFactory(registry, () => database.readOne(replication));
  gauge(
    'cellwire_database_standbys',
    'Standbys that stream from the PostgreSQL server.',
    (row) => row?.standbys ?? Number.NaN,
  );
  gauge(
    'cellwire_database_replication_lag_bytes',
    'Bytes of the log that the slowest standby has not replayed; NaN where there is none, or the user may not see it.',
    (row) => (row?.lag === null || row === null ? Number.NaN : Number(row.lag)),
  );
}

/** Registers metrics of the disks that hold the data folder and temporary files. */
export function registerDiskMetrics(dataFolder: string, registry: Registry): void {
  const folders = { data: dataFolder, temporary: tmpdir() };
  const addGauge = (name: string, help: string, figure: (disk: StatsFs) => number) =>
    new Gauge({
      name,
      help,
      labelNames: ['folder'],
      registers: [registry],
      async collect() {
        this.reset();
        for (const [folder, path] of Object.entries(folders)) {
          // A node on PostgreSQL need not have a data folder.
          const disk = await statfs(path).catch(() => null);
          if (disk !== null) this.set({ folder }, figure(disk));
        }
      },
    });
  addGauge('cellwire_disk_free_bytes', 'Free space for this user on the disk of a folder.', (d) => d.bavail * d.bsize);
  addGauge('cellwire_disk_size_bytes', 'Size of the disk of a folder.', (d) => d.blocks * d.bsize);
}

/** Adds a gauge to `/metrics` with one series for each state that `readCounts` returns. */
function registerGaugeByState(
  registry: Registry,
  name: string,
  help: string,
  readCounts: () => Promise<Readonly<Record<string, number>>>,
): void {
  new Gauge({
    name,
    help,
    labelNames: ['state'],
    registers: [registry],
    async collect() {
      for (const [state, count] of Object.entries(await readCounts())) this.set({ state }, count);
    },
  });
}
