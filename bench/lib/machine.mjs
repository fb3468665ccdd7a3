import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, release, totalmem, type } from 'node:os';
import { fileURLToPath } from 'node:url';

const ROOT = new URL('../../', import.meta.url);

/** Conditions of a measurement: processor, memory, system, Node, commit, and the load of other processes. */
export function describeMachine() {
  const [cpu] = cpus();
  const gigabytes = Math.round(totalmem() / 1024 ** 3);
  return {
    cpu: `${availableParallelism()} × ${cpu?.model.trim() ?? 'unknown processor'}, ${gigabytes} GiB`,
    system: `${type()} ${release()}`,
    node: process.version,
    load: Number(loadavg()[0].toFixed(1)),
    commit: readCurrentCommit(),
    date: new Date().toISOString().slice(0, 10),
  };
}

/** The machines of some measurements, one line each, for the foot of a table. */
export function formatMachines(machines) {
  const byHardware = Map.groupBy(machines, ({ cpu, system, node }) => `${cpu}; ${system}; Node ${node}`);
  return [...byHardware].map(([hardware, list]) => `${hardware}; ${formatCircumstances(list)}.`).join('\n\n');
}

function formatCircumstances(machines) {
  const joinDistinct = (key) => [...new Set(machines.map((machine) => machine[key]))].sort().join(', ');
  const loads = machines.map(({ load }) => load);
  const least = Math.min(...loads);
  const most = Math.max(...loads);
  const load = least === most ? String(least) : `${least} to ${most}`;
  return `commit ${joinDistinct('commit')}; ${joinDistinct('date')}; load by others at the start ${load}`;
}

function readCurrentCommit() {
  try {
    return execFileSync('git', ['describe', '--always', '--dirty', '--exclude=*'], {
      cwd: fileURLToPath(ROOT),
      encoding: 'utf8',
    }).trim();
  } catch {
    return 'unknown';
  }
}

/** The version of a package that the benchmarks or the product have installed. */
export function readPackageVersion(name) {
  for (const folder of [new URL('../node_modules/', import.meta.url), new URL('node_modules/', ROOT)]) {
    const file = new URL(`${name}/package.json`, folder);
    if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')).version;
  }
  return 'not installed';
}
