import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { createInstallation, type Installation, type ServiceProcess } from './support.ts';

/** Far longer than a test. The service therefore ends only because of the test's actions. */
const DRAIN_MS = 600_000;

suite('a stopping service', { concurrency: false, timeout: 120_000 }, () => {
  let installation: Installation;
  let service: ServiceProcess;
  let agent: Agent;

  before(async () => {
    installation = await createInstallation();
    const path = join(installation.folder, 'config.json');
    await writeFile(path, JSON.stringify({ shutdown: { drainMs: DRAIN_MS } }));
    installation = installation.addEnvironment({ CELLWIRE_CONFIG: path });
  });
  after(async () => {
    service.sendSignal('SIGKILL');
    await installation.remove();
  });

  async function start(): Promise<void> {
    service = await installation.serve();
    agent = new Agent({ keepAlive: true });
  }

  async function sendGet(path: string): Promise<{ status: number; connection: string }> {
    const [response] = await once(request(`${service.address}${path}`, { agent }).end(), 'response');
    await once(response.resume(), 'end');
    return { status: response.statusCode, connection: String(response.headers.connection) };
  }

  async function waitUntilDraining(): Promise<void> {
    while ((await sendGet('/healthz')).connection !== 'close');
  }

  test('responds after SIGTERM, reports that it is not ready, and closes each connection', async () => {
    await start();
    assert.deepEqual(await sendGet('/healthz'), { status: 200, connection: 'keep-alive' });
    const exit = service.end('SIGTERM');
    await waitUntilDraining();
    assert.deepEqual(await sendGet('/healthz'), { status: 200, connection: 'close' });
    assert.deepEqual(await sendGet('/readyz'), { status: 503, connection: 'close' });
    assert.equal((await sendGet('/api/v1/documents')).status, 401);
    service.sendSignal('SIGTERM');
    assert.deepEqual(await exit, { code: 0, signal: null });
  });

  test('does not wait on SIGINT', async () => {
    await start();
    await sendGet('/healthz');
    assert.deepEqual(await service.end('SIGINT'), { code: 0, signal: null });
  });

  test('does not wait without connections', async () => {
    await start();
    assert.deepEqual(await service.end('SIGTERM'), { code: 0, signal: null });
  });
});
