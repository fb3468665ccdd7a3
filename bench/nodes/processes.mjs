import { readdirSync, readFileSync } from 'node:fs';

const TICK_MICROSECONDS = 10_000;

/** PostgreSQL’s main process: the parent of the process that serves a connection. */
export async function mainProcess(client) {
  const { rows } = await client.query('select pg_backend_pid() as pid');
  return readStat(rows[0].pid).parent;
}

/** Processor time of all PostgreSQL processes in microseconds. The main process has the time of ended ones. */
export function postgresCpu(main) {
  let ticks = 0;
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const stat = readStat(pid);
      if (Number(pid) === Number(main) || stat.parent === main) ticks += stat.ticks;
    } catch {
      // The process has ended in the meantime.
    }
  }
  return ticks * TICK_MICROSECONDS;
}

function readStat(pid) {
  const [, statFields] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
  const fields = statFields.split(' ').map(Number);
  return { parent: fields[1], ticks: fields[11] + fields[12] + fields[13] + fields[14] };
}
