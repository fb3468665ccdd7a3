// Starts a service with a token, and a proxy that adds the token, because the suite has no option for it.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const CELLWIRE = fileURLToPath(new URL('../../packages/server/bin/cellwire.mjs', import.meta.url));
const run = promisify(execFile);

/** Starts a service with one document. `close` stops it and removes its data. */
export async function startService() {
  const folder = await mkdtemp(join(tmpdir(), 'cellwire-mcp-'));
  const port = await findFreePort();
  const file = join(folder, 'config.json');
  await writeFile(file, JSON.stringify({ plans: { enterprise: { requestsPerSecond: null } } }));
  const env = {
    ...process.env,
    CELLWIRE_CONFIG: file,
    CELLWIRE_DATA: folder,
    CELLWIRE_PORT: String(port),
    CELLWIRE_LOG_LEVEL: 'error',
  };
  const runCommand = async (...args) =>
    JSON.parse((await run(process.execPath, [CELLWIRE, '--json', ...args], { env })).stdout);
  await runCommand('user', 'create', '--email', 'agent@example.com', '--name', 'Agent');
  const scopes = 'sheets.read,sheets.write,documents.write';
  const { token } = await runCommand('token', 'create', '--user', '1', '--name', 'suite', '--scopes', scopes);
  await runCommand('document', 'create', '--owner', '1', '--title', 'Suite');
  const child = spawn(process.execPath, [CELLWIRE, 'serve'], { env, stdio: 'ignore' });
  const url = `http://127.0.0.1:${port}`;
  while (!(await fetch(`${url}/readyz`).catch(() => null))?.ok)
    await new Promise((resolve) => setTimeout(resolve, 100));
  const proxy = createServer((incoming, response) => {
    const headers = { ...incoming.headers, authorization: `Bearer ${token}` };
    const forwarded = request(`${url}${incoming.url}`, { method: incoming.method, headers }, (upstream) => {
      response.writeHead(upstream.statusCode, upstream.headers);
      upstream.pipe(response);
    });
    incoming.pipe(forwarded);
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  return {
    endpoint: `http://127.0.0.1:${proxy.address().port}/mcp`,
    url,
    token,
    pid: child.pid,
    async close() {
      proxy.closeAllConnections();
      proxy.close();
      child.kill('SIGKILL');
      await once(child, 'exit');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Returns a port on which no program listens. */
async function findFreePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  return port;
}
