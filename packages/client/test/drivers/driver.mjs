// Performs calls of the TypeScript client: reads each call as a line of JSON and writes its outcome as a line.
//
//   node driver.mjs MODULE
//
// MODULE is the address of the client: its sources, or a bundle for runtimes that do not strip types.
import { createInterface } from 'node:readline';
import { performCall } from './calls.mjs';

const client = await import(process.argv[2]);

for await (const line of createInterface({ input: process.stdin })) {
  const call = JSON.parse(line);
  performCall(client, call).then((outcome) => process.stdout.write(`${JSON.stringify({ id: call.id, ...outcome })}\n`));
}
process.exit(0);
