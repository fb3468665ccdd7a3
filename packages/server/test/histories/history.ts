import { readStoredKey } from '@cellwire/store/keys';
import type { RandomBelow } from '../../../store/test/delayed-database.ts';
import { createSeededRandom } from '../../../store/test/instrumented-database.ts';
import { startCluster } from '../../../store/test/postgres/cluster.ts';
import { startWorld, type World } from '../http/support.ts';
import { CallRecording, HistoryClient, type RequestTarget } from './client.ts';
import { documentModel, type Operation, REGISTERS, removeUnobserved } from './document-model.ts';
import { causeFaults, type Installations } from './faults.ts';
import { findFirstUnexplained, type HistoryCall } from './linearizable.ts';
import { Node } from './nodes.ts';

const NODES = 3;
const DOCUMENTS = 4;
const CLIENTS_PER_DOCUMENT = 3;

export interface HistoryRun {
  readonly seed: number;
  readonly seconds: number;
}

/** The recordings of a run, with its faults and problems. */
export interface History {
  readonly run: HistoryRun;
  readonly faultNames: readonly string[];
  readonly recordings: readonly CallRecording[];
  /** Descriptions of responses that no order of the calls explains; empty if there are none. */
  readonly problems: readonly string[];
}

/** Three nodes with their own database. */
export interface Testbed extends Installations {
  record(run: HistoryRun): Promise<History>;
  remove(): Promise<void>;
}

export async function openTestbed(): Promise<Testbed> {
  const cluster = await startCluster();
  // Creates users and documents. A node on a database without users would create a sample document.
  const world = await startWorld({ databaseUrl: cluster.url });
  await world.createUser();
  const key = readStoredKey(world.server.service.context.config.dataFolder) ?? new Uint8Array();
  const nodes = await Promise.all(Array.from({ length: NODES }, () => Node.start(cluster.url, key.toHex())));
  return {
    cluster,
    nodes,
    record: (run) => recordHistory({ cluster, nodes }, world, run),
    remove: async () => {
      await Promise.all(nodes.map((node) => node.remove()));
      await world.close();
      await cluster.remove();
    },
  };
}

async function recordHistory(installations: Installations, world: World, run: HistoryRun): Promise<History> {
  const random = createSeededRandom(run.seed);
  const targets = await Promise.all(
    Array.from({ length: DOCUMENTS }, () => createTarget(installations, world, random)),
  );
  const recordings = targets.map(() => new CallRecording());
  const clients = targets.flatMap((target, i) =>
    Array.from(
      { length: CLIENTS_PER_DOCUMENT },
      () => new HistoryClient(target, recordings[i] as CallRecording, random),
    ),
  );
  const until = performance.now() + run.seconds * 1_000;
  const [faultNames] = await Promise.all([
    causeFaults(installations, random, until, (run.seconds * 1_000) / 2),
    ...clients.map((client) => client.workUntil(until)),
  ]);
  // The final state at every node.
  for (const { address } of installations.nodes) {
    for (const [i, target] of targets.entries()) {
      await new HistoryClient({ ...target, address: () => address }, recordings[i] as CallRecording, random).readAll();
    }
  }
  return { run, faultNames, recordings, problems: recordings.flatMap(findProblems) };
}

async function createTarget({ nodes }: Installations, world: World, random: RandomBelow): Promise<RequestTarget> {
  const book = await world.createBook();
  await book.put('A1', [Array.from({ length: REGISTERS }, () => 0)]);
  const { token, document } = book;
  return { token, document, address: () => (nodes[random(nodes.length)] as Node).address };
}

function findProblems({ calls, faults }: CallRecording): readonly string[] {
  const unexplained = findFirstUnexplained(documentModel, removeUnobserved(calls));
  return unexplained === null ? faults : [...faults, `not explained: ${formatCall(unexplained)}`];
}

function formatCall({ called, returned, operation }: HistoryCall<Operation>): string {
  return JSON.stringify({ called, returned, ...operation });
}
