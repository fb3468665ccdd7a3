import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openTestbed } from './history.ts';

/**
 * `npm run test:histories -- --runs 100 --seconds 30 [--seed N]`: each run has its own seed, counted from the first.
 */
const { values } = parseArgs({
  options: { runs: { type: 'string' }, seconds: { type: 'string' }, seed: { type: 'string' } },
});
const runs = Number(values.runs ?? 100);
const seconds = Number(values.seconds ?? 30);
const first = Number(values.seed ?? Date.now() % 1_000_000_000);
const folder = mkdtempSync(join(tmpdir(), 'cellwire-histories-'));

const testbed = await openTestbed();
let failedRuns = 0;
try {
  for (let seed = first; seed < first + runs; seed++) {
    const { faultNames, recordings, problems } = await testbed.record({ seed, seconds });
    const calls = recordings.flatMap((one) => one.calls);
    const open = calls.filter(({ returned }) => returned === null).length;
    console.log(
      `seed ${seed}: ${calls.length} operations (${open} without an answer), ${faultNames.length} faults: ` +
        (problems.length === 0 ? 'explained' : `WRONG\n  ${problems.join('\n  ')}`),
    );
    if (problems.length === 0) continue;
    failedRuns++;
    const file = join(folder, `${seed}.json`);
    writeFileSync(file, JSON.stringify({ seed, seconds, faultNames, recordings }));
    console.log(`  the history: ${file}`);
  }
} finally {
  await testbed.remove();
}
console.log(`${runs} runs of ${seconds} s, ${failedRuns} of them wrong`);
process.exitCode = failedRuns === 0 ? 0 : 1;
