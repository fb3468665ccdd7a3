import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startWorld, type World } from '../http/support.ts';
import { connectAgent } from './support.ts';

let world: World;
before(async () => {
  world = await startWorld({ workers: 1, limits: { calculationCells: 200_000_000 } });
});
after(() => world.close());

/** Creates a calculation whose time grows with the square of `size`: on a fast machine half a second for 3,000. */
function createSlowFormula(size: number): string {
  return `=REDUCE(0;SEQUENCE(${size});LAMBDA(a;b;REDUCE(a;SEQUENCE(${size});LAMBDA(c;d;c+d))))`;
}

describe('a call that takes long', () => {
  for (const mode of ['auto', 'legacy'] as const) {
    it(`notifies a client that sends a progress token (${mode})`, async () => {
      const owner = await world.createBook({ plan: 'enterprise' });
      const { client } = await connectAgent(world, owner, mode);
      const progress: number[] = [];
      for (let size = 1_500; progress.length === 0; size *= 2) {
        assert.ok(size < 10_000, 'no call reported progress');
        const answer = await client.callTool(
          { name: 'calculate', arguments: { document: owner.document, formula: createSlowFormula(size) } },
          { onprogress: (step) => progress.push(step.progress) },
        );
        assert.equal(answer.isError, undefined, JSON.stringify(answer.content));
      }
      assert.deepEqual(
        progress,
        progress.toSorted((a, b) => a - b),
      );
      assert.equal(new Set(progress).size, progress.length);
    });
  }
});
