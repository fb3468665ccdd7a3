import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, release, totalmem, type } from 'node:os';
import { fileURLToPath } from 'node:url';

const ROOT = new URL('../../', import.meta.url);

/** What a figure depends on besides the code: processor, memory, system, Node, and the load by others. */
export function machine() {
  const [cpu] = cpus();
  const gigabytes = Math.round(totalmem() / 1024 ** 3);
  return {
    cpu: `${availableParallelism()} × ${cpu?.model.trim() ?? 'unknown processor'}, ${gigabytes} GiB`,
    system: `${type()} ${release()}`,
    node: process.version,
    load: Number(loadavg()[0].toFixed(1)),
    commit: commit(),
    date: new Date().toISOString().slice(0, 10),
  };
}

/** What some measurements were made on, for a table's foot: a line for each machine. */
export function machinesText(machines) {
  const byHardware = Map.groupBy(machines, ({ cpu, system, node }) => `${cpu}; ${system}; Node ${node}`);
  return [...byHardware].map(([hardware, list]) => `${hardware}; ${circumstances(list)}.`).join('\n\n');
}

function circumstances(machines) {
  const distinct = (key) => [...new Set(machines.map((machine) => machine[key]))].sort().join(', ');
  const loads = machines.map(({ load }) => load);
  const least = Math.min(...loads);
  const most = Math.max(...loads);
  const load = least === most ? String(least) : `${least} to ${most}`;
  return `commit ${distinct('commit')}; ${distinct('date')}; load by others at the start ${load}`;
}

function commit() {
  try {
    return execFileSync('git', ['describe', '--always', '--dirty', '--exclude=*'], {
      cwd: fileURLToPath(ROOT),
      encoding: 'utf8',
    }).trim();
  } catch {
    return 'unknown';
  }
}

/** The version of a package that is installed for the benchmarks or for the product. */
export function versionOf(name) {
  for (const folder of [new URL('../node_modules/', import.meta.url), new URL('node_modules/', ROOT)]) {
    const file = new URL(`${name}/package.json`, folder);
    if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')).version;
  }
  return 'not installed';
}
