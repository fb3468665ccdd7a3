import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import fc from 'fast-check';
import { openTestbed, type Testbed } from './history.ts';

const RUNS = 2;
const SECONDS = 4;

suite('three nodes on one database, with faults', { timeout: 300_000 }, () => {
  let testbed: Testbed;
  before(async () => {
    testbed = await openTestbed();
  });
  after(() => testbed.remove());

  for (let run = 0; run < RUNS; run++) {
    test(`one order of all operations explains every response: ${run + 1}`, async () => {
      const seed = (fc.readConfigureGlobal().seed ?? 0) + run;
      const { faultNames, problems } = await testbed.record({ seed, seconds: SECONDS });
      assert.deepEqual(problems, [], `seed ${seed}: ${faultNames.join(', ')}`);
    });
  }
});
