import { setTimeout as delay } from 'node:timers/promises';
import type { RandomBelow } from '../../../store/test/delayed-database.ts';
import type { PostgresCluster, ShutdownMode } from '../../../store/test/postgres/cluster.ts';
import type { Node } from './nodes.ts';

/** Three processes and their database. */
export interface Installations {
  readonly nodes: readonly Node[];
  readonly cluster: PostgresCluster;
}

/** Something that happens to an installation and is over when it resolves. */
interface Trouble {
  readonly name: string;
  happen(): Promise<void>;
}

/** Milliseconds between two troubles, at most. */
const MOST_QUIET_MS = 4_000;
/** … and how long the database, or a wire to it, is away, or holds back what was sent. */
const MOST_AWAY_MS = 3_000;

/**
 * Makes trouble until the time is up; afterwards everything runs. Returns what happened. `stopMs`: how long a process
 * stands still at most.
 */
export async function makeTrouble(
  installations: Installations,
  draw: RandomBelow,
  until: number,
  stopMs: number,
): Promise<readonly string[]> {
  const happened: string[] = [];
  const draws = DRAWS.map((make) => () => make(installations, draw, stopMs));
  const one = async (): Promise<void> => {
    while (performance.now() < until) {
      await delay(draw(MOST_QUIET_MS));
      const trouble = (draws[draw(draws.length)] as () => Trouble)();
      happened.push(trouble.name);
      await trouble.happen();
    }
  };
  // Two rows of them, so that they also meet.
  await Promise.all([one(), one()]);
  return happened;
}

type MakeTrouble = (installations: Installations, draw: RandomBelow, stopMs: number) => Trouble;

/** Troubles of the same thing come one after another. */
const busy = new WeakSet<object>();

async function alone(thing: object, happen: () => Promise<void>): Promise<void> {
  if (busy.has(thing)) return;
  busy.add(thing);
  try {
    await happen();
  } finally {
    busy.delete(thing);
  }
}

function ofNode(name: string, happen: (node: Node, draw: RandomBelow, stopMs: number) => Promise<void>): MakeTrouble {
  return ({ nodes }, draw, stopMs) => {
    const index = draw(nodes.length);
    const node = nodes[index] as Node;
    return { name: `${name} ${index}`, happen: () => alone(node, () => happen(node, draw, stopMs)) };
  };
}

function ofDatabase(how: ShutdownMode): MakeTrouble {
  return ({ cluster }, draw) => ({
    name: `database ended ${how}`,
    happen: () =>
      alone(cluster, async () => {
        await cluster.halt(how);
        await delay(draw(MOST_AWAY_MS));
        await cluster.resume();
      }),
  });
}

const DRAWS: readonly MakeTrouble[] = [
  ofNode('kill', (node) => node.kill()),
  ofNode('stop', (node, draw, stopMs) => node.stop(draw(stopMs))),
  ofNode('stop', (node, draw, stopMs) => node.stop(draw(stopMs))),
  ofNode('cut', async ({ wire }) => wire.cut()),
  ofNode('cut before commit', async ({ wire }) => wire.cutAtCommit('before commit')),
  ofNode('cut after commit', async ({ wire }) => wire.cutAtCommit('after commit')),
  ofNode('cut after commit', async ({ wire }) => wire.cutAtCommit('after commit')),
  ofNode('late', async ({ wire }, draw) => {
    wire.silence();
    await delay(draw(MOST_AWAY_MS));
    wire.endSilence();
  }),
  ofNode('away', async ({ wire }, draw) => {
    wire.goAway();
    await delay(draw(MOST_AWAY_MS));
    wire.restore();
  }),
  ofDatabase('in order'),
  ofDatabase('at once'),
];
