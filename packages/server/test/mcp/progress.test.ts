import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startWorld, type World } from '../http/support.ts';
import { connectAgent } from './support.ts';

let world: World;
before(async () => {
  world = await startWorld({ workers: 1 });
});
after(() => world.close());

/** A calculation of a few seconds. */
const SLOW = '=REDUCE(0;SEQUENCE(1500);LAMBDA(a;b;REDUCE(a;SEQUENCE(1500);LAMBDA(c;d;c+d))))';

describe('a call that takes long', () => {
  for (const mode of ['auto', 'legacy'] as const) {
    it(`notifies a client that sends a progress token (${mode})`, async () => {
      const owner = await world.createBook({ plan: 'enterprise' });
      const { client } = await connectAgent(world, owner, mode);
      const progress: number[] = [];
      const args = { document: owner.document, formula: SLOW };
      const answer = await client.callTool(
        { name: 'calculate', arguments: args },
        { onprogress: (step) => progress.push(step.progress) },
      );
      assert.equal(answer.isError, undefined, JSON.stringify(answer.content));
      assert.ok(progress.length > 0);
      assert.deepEqual(
        progress,
        progress.toSorted((a, b) => a - b),
      );
      assert.equal(new Set(progress).size, progress.length);
    });
  }
});
