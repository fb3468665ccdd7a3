import { readdirSync, readFileSync } from 'node:fs';

const TICK_MICROSECONDS = 10_000;

/** The process that started the one which serves a connection: PostgreSQL’s main one. */
export async function mainProcess(client) {
  const { rows } = await client.query('select pg_backend_pid() as pid');
  return statOf(rows[0].pid).parent;
}

/** Microseconds that PostgreSQL has worked with all its processes; of those that have ended, its main one knows. */
export function postgresCpu(main) {
  let ticks = 0;
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const stat = statOf(pid);
      if (Number(pid) === Number(main) || stat.parent === main) ticks += stat.ticks;
    } catch {
      // It has ended meanwhile.
    }
  }
  return ticks * TICK_MICROSECONDS;
}

function statOf(pid) {
  const [, after] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
  const fields = after.split(' ').map(Number);
  return { parent: fields[1], ticks: fields[11] + fields[12] + fields[13] + fields[14] };
}
