// The driver for workerd, which has no standard input: starts the client in a worker and forwards calls over HTTP.
//
//   node workerd.mjs WORKERD CLIENT
//
// WORKERD is the program, CLIENT the path of the client as one module.
import { spawn } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const [, , workerd, client] = process.argv;
const CALLS = fileURLToPath(new URL('calls.mjs', import.meta.url));
const WORKER = `import * as client from 'client';
import { performCall } from 'calls';
export default { fetch: async (request) => Response.json(await performCall(client, await request.json())) };
`;

const port = await findFreePort();
const folder = mkdtempSync(join(tmpdir(), 'cellwire-workerd-'));
copyFileSync(client, join(folder, 'client.js'));
copyFileSync(CALLS, join(folder, 'calls.js'));
writeFileSync(join(folder, 'worker.js'), WORKER);
writeFileSync(join(folder, 'config.capnp'), createConfig(port));
const child = spawn(workerd, ['serve', join(folder, 'config.capnp')], { stdio: ['ignore', 'ignore', 'inherit'] });
process.on('exit', () => {
  child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});
const address = `http://127.0.0.1:${port}`;
await waitUntilListening();

for await (const line of createInterface({ input: process.stdin })) {
  const { id } = JSON.parse(line);
  fetch(address, { method: 'POST', body: line })
    .then((response) => response.json())
    .then((outcome) => process.stdout.write(`${JSON.stringify({ id, ...outcome })}\n`));
}
process.exit(0);

function createConfig(httpPort) {
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .main),
    (name = "network", network = (allow = ["public", "private", "local"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:${httpPort}", http = (), service = "main")],
);
const main :Workerd.Worker = (
  modules = [
    (name = "worker", esModule = embed "worker.js"),
    (name = "calls", esModule = embed "calls.js"),
    (name = "client", esModule = embed "client.js"),
  ],
  compatibilityDate = "2025-06-01",
  globalOutbound = "network",
);
`;
}

/** Waits until the worker answers an empty request; an error response is enough. */
async function waitUntilListening() {
  for (;;) {
    const response = await fetch(address, { method: 'POST', body: '' }).catch(() => null);
    if (response !== null) return response.body?.cancel();
    if (child.exitCode !== null) throw new Error(`workerd ended with ${child.exitCode}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function findFreePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port: free } = server.address();
      server.close(() => resolve(free));
    });
  });
}
