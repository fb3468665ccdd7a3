// Runs two rounds of maintenance on a data folder and prints the processor time of the second, in which nothing is due.
import { runMaintenanceRound } from '../../packages/server/src/documents/maintenance.ts';
import { openStore } from '../../packages/store/src/index.ts';

const MICROSECONDS = 1_000;
const [, , folder] = process.argv;
const database = await openStore({ kind: 'sqlite', folder }, 'command');
const environment = { database, clock: Date.now, onError: (what, error) => console.error(what, error) };
// The settings with which the service ran before. With other settings, the first round checks all documents again.
const settings = {
  auditDays: 1,
  idempotencyMs: 24 * 60 * 60 * 1000,
  history: { retentionDays: 1, maxRevisions: 100 },
  trashDays: 30,
};
await runMaintenanceRound(environment, settings);
const before = process.cpuUsage();
const start = performance.now();
await runMaintenanceRound(environment, settings);
const { user, system } = process.cpuUsage(before);
console.log(JSON.stringify({ cpuMs: (user + system) / MICROSECONDS, ms: performance.now() - start }));
await database.close();
