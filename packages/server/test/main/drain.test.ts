import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { type Installation, newInstallation, type Serving } from './support.ts';

/** Far longer than a test: what ends the service is what the test does. */
const DRAIN_MS = 600_000;

suite('a service that is told to stop', { concurrency: false, timeout: 120_000 }, () => {
  let installation: Installation;
  let serving: Serving;
  let agent: Agent;

  before(async () => {
    installation = await newInstallation();
    const path = join(installation.folder, 'config.json');
    await writeFile(path, JSON.stringify({ shutdown: { drainMs: DRAIN_MS } }));
    installation = installation.with({ CELLWIRE_CONFIG: path });
  });
  after(async () => {
    serving.signal('SIGKILL');
    await installation.remove();
  });

  async function start(): Promise<void> {
    serving = await installation.serve();
    agent = new Agent({ keepAlive: true });
  }

  async function ask(path: string): Promise<{ status: number; connection: string }> {
    const [response] = await once(request(`${serving.address}${path}`, { agent }).end(), 'response');
    await once(response.resume(), 'end');
    return { status: response.statusCode, connection: String(response.headers.connection) };
  }

  async function untilDraining(): Promise<void> {
    while ((await ask('/healthz')).connection !== 'close');
  }

  test('answers on after SIGTERM while it says that it is not ready, and closes each connection', async () => {
    await start();
    assert.deepEqual(await ask('/healthz'), { status: 200, connection: 'keep-alive' });
    const ended = serving.end('SIGTERM');
    await untilDraining();
    assert.deepEqual(await ask('/healthz'), { status: 200, connection: 'close' });
    assert.deepEqual(await ask('/readyz'), { status: 503, connection: 'close' });
    assert.equal((await ask('/api/v1/documents')).status, 401);
    serving.signal('SIGTERM');
    assert.deepEqual(await ended, { code: 0, signal: null });
  });

  test('does not wait on SIGINT', async () => {
    await start();
    await ask('/healthz');
    assert.deepEqual(await serving.end('SIGINT'), { code: 0, signal: null });
  });

  test('does not wait where nobody is connected', async () => {
    await start();
    assert.deepEqual(await serving.end('SIGTERM'), { code: 0, signal: null });
  });
});
