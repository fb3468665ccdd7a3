// Runs calls of the TypeScript client for the tests: reads one as a line of JSON, answers its outcome as a line.
//
//   node driver.mjs MODULE
//
// MODULE is the address of the client: its sources, or a bundle for runtimes that do not strip types.
import { createInterface } from 'node:readline';
import { outcomeOf } from './calls.mjs';

const client = await import(process.argv[2]);

for await (const line of createInterface({ input: process.stdin })) {
  const call = JSON.parse(line);
  outcomeOf(client, call).then((outcome) => process.stdout.write(`${JSON.stringify({ id: call.id, ...outcome })}\n`));
}
process.exit(0);
