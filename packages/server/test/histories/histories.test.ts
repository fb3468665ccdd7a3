import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import fc from 'fast-check';
import { openStage, type Stage } from './history.ts';

const RUNS = 2;
const SECONDS = 4;

suite('three nodes on one database, in trouble', { timeout: 300_000 }, () => {
  let stage: Stage;
  before(async () => {
    stage = await openStage();
  });
  after(() => stage.remove());

  for (let run = 0; run < RUNS; run++) {
    test(`every answer is explained by some order in which all happened: ${run + 1}`, async () => {
      const seed = (fc.readConfigureGlobal().seed ?? 0) + run;
      const { troubles, problems } = await stage.record({ seed, seconds: SECONDS });
      assert.deepEqual(problems, [], `seed ${seed}: ${troubles.join(', ')}`);
    });
  }
});
