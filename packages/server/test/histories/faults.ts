import { setTimeout as delay } from 'node:timers/promises';
import type { RandomBelow } from '../../../store/test/delayed-database.ts';
import type { PostgresCluster, ShutdownMode } from '../../../store/test/postgres/cluster.ts';
import type { Node } from './nodes.ts';

/** The nodes and their database. */
export interface Installations {
  readonly nodes: readonly Node[];
  readonly cluster: PostgresCluster;
}

/** A fault of an installation, which is over when `happen` resolves. */
interface Fault {
  readonly name: string;
  happen(): Promise<void>;
}

/** Maximum pause between two faults, in milliseconds. */
const MAX_QUIET_MS = 4_000;
/** Maximum time for which the database or a proxy is unavailable or delays data, in milliseconds. */
const MAX_UNAVAILABLE_MS = 3_000;

/**
 * Causes faults until the time is up; afterwards everything runs. Returns the names of the faults. `stopMs`: maximum
 * time for which a process is suspended.
 */
export async function causeFaults(
  installations: Installations,
  random: RandomBelow,
  until: number,
  stopMs: number,
): Promise<readonly string[]> {
  const names: string[] = [];
  const faultFactories = FAULTS.map((createFault) => () => createFault(installations, random, stopMs));
  const causeSequence = async (): Promise<void> => {
    while (performance.now() < until) {
      await delay(random(MAX_QUIET_MS));
      const fault = (faultFactories[random(faultFactories.length)] as () => Fault)();
      names.push(fault.name);
      await fault.happen();
    }
  };
  // Two sequences, so that faults also overlap.
  await Promise.all([causeSequence(), causeSequence()]);
  return names;
}

type CreateFault = (installations: Installations, random: RandomBelow, stopMs: number) => Fault;

/** Objects with a fault; they get no second one at the same time. */
const busy = new WeakSet<object>();

async function runUnlessBusy(target: object, happen: () => Promise<void>): Promise<void> {
  if (busy.has(target)) return;
  busy.add(target);
  try {
    await happen();
  } finally {
    busy.delete(target);
  }
}

function createNodeFault(
  name: string,
  happen: (node: Node, random: RandomBelow, stopMs: number) => Promise<void>,
): CreateFault {
  return ({ nodes }, random, stopMs) => {
    const index = random(nodes.length);
    const node = nodes[index] as Node;
    return { name: `${name} ${index}`, happen: () => runUnlessBusy(node, () => happen(node, random, stopMs)) };
  };
}

function createDatabaseFault(mode: ShutdownMode): CreateFault {
  return ({ cluster }, random) => ({
    name: `database ended ${mode}`,
    happen: () =>
      runUnlessBusy(cluster, async () => {
        await cluster.halt(mode);
        await delay(random(MAX_UNAVAILABLE_MS));
        await cluster.resume();
      }),
  });
}

const FAULTS: readonly CreateFault[] = [
  createNodeFault('kill', (node) => node.kill()),
  createNodeFault('stop', (node, random, stopMs) => node.suspend(random(stopMs))),
  createNodeFault('stop', (node, random, stopMs) => node.suspend(random(stopMs))),
  createNodeFault('cut', async ({ proxy }) => proxy.closeConnections()),
  createNodeFault('cut before commit', async ({ proxy }) => proxy.cutAtCommit('before commit')),
  createNodeFault('cut after commit', async ({ proxy }) => proxy.cutAtCommit('after commit')),
  createNodeFault('cut after commit', async ({ proxy }) => proxy.cutAtCommit('after commit')),
  createNodeFault('late', async ({ proxy }, random) => {
    proxy.dropData();
    await delay(random(MAX_UNAVAILABLE_MS));
    proxy.endSilence();
  }),
  createNodeFault('away', async ({ proxy }, random) => {
    proxy.refuseConnections();
    await delay(random(MAX_UNAVAILABLE_MS));
    proxy.restore();
  }),
  createDatabaseFault('in order'),
  createDatabaseFault('at once'),
];
