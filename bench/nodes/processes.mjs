import { readdirSync } from 'node:fs';
import { readStat } from '../lib/processes.mjs';

/** PostgreSQL’s main process: the parent of the process that serves a connection. */
export async function findMainProcess(client) {
  const { rows } = await client.query('select pg_backend_pid() as pid');
  return readStat(rows[0].pid).parent;
}

/** Processor time of all PostgreSQL processes in microseconds. The main process has the time of ended ones. */
export function readPostgresCpu(main) {
  let ms = 0;
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const stat = readStat(pid);
      if (Number(pid) === Number(main) || stat.parent === main) ms += stat.cpuMs + stat.childrenMs;
    } catch {
      // The process has ended in the meantime.
    }
  }
  return ms * 1_000;
}
