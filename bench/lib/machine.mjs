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

/** One line for a table's foot. */
export function machineText({ cpu, system, node, load, commit: at, date }) {
  return `${cpu}; ${system}; Node ${node}; commit ${at}; ${date}; load at the start ${load}.`;
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
