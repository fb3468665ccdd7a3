import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type RunningProxy, startProxy } from '../../src/google/proxy/proxy.ts';
import { createGoogleKey } from '../../src/service/google/keys.ts';
import { isRefusal } from '../../src/service/refusal.ts';
import { startGoogle, type World } from './support.ts';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const hasPython = spawnSync('python3', ['-c', 'import googleapiclient, google.oauth2']).status === 0;

/** Programs with Google's addresses built in, as processes of their own behind the proxy. */
describe('clients of Google, unchanged', () => {
  let world: World;
  let folder: string;
  let proxy: RunningProxy;
  let environment: NodeJS.ProcessEnv;

  before(async () => {
    const started = await startGoogle();
    world = started.world;
    folder = await mkdtemp(join(tmpdir(), 'cellwire-clients-'));
    const made = await createGoogleKey(world.server.service.context, { user: started.user });
    assert.ok(!isRefusal(made));
    const keyPath = join(folder, 'key.json');
    await writeFile(keyPath, JSON.stringify({ ...made.keyFile, token_uri: 'https://oauth2.googleapis.com/token' }));
    let address = '';
    proxy = await startProxy({
      host: '127.0.0.1',
      port: 0,
      server: new URL(world.server.address),
      folder,
      onListening: ({ url }) => {
        address = url;
      },
    });
    const ca = join(folder, 'ca.pem');
    environment = {
      ...process.env,
      KEY_FILE: keyPath,
      HTTPS_PROXY: address,
      https_proxy: address,
      NODE_USE_ENV_PROXY: '1',
      NODE_EXTRA_CA_CERTS: ca,
      REQUESTS_CA_BUNDLE: ca,
      HTTPLIB2_CA_CERTS: ca,
    };
  });
  after(async () => {
    await proxy.close();
    await world.close();
    await rm(folder, { recursive: true, force: true });
  });

  function run(program: string, ...args: readonly string[]): Promise<unknown> {
    return new Promise((resolve, reject) => {
      execFile(program, args, { env: environment }, (error, stdout, stderr) =>
        error === null ? resolve(JSON.parse(stdout)) : reject(new Error(`${stderr}\n${stdout}`)),
      );
    });
  }

  it('write and read with @googleapis/sheets', async () => {
    const told = await run(process.execPath, join(HERE, 'googleapis-client.mjs'));
    assert.deepEqual(told, {
      title: 'From Node',
      updated: 'Sheet1!A1:C2',
      formulas: [
        ['Name', 'N', '=1 + 2'],
        ['a', 42, 2_000_000.01],
      ],
      shown: [
        ['Name', 'N', '3'],
        ['a', '42', '2,000,000.01'],
      ],
      missing: [400, 'Unable to parse range: Nope!A1'],
      sheets: ['Sheet1', 'More'],
    });
  });

  it('work with rows and cells through google-spreadsheet', async () => {
    const told = await run(process.execPath, join(HERE, 'google-spreadsheet-client.mjs'));
    assert.deepEqual(told, {
      names: ['Larry', 'Sergey'],
      length: 5,
      bold: true,
      note: 'hi',
      left: 1,
    });
  });

  it('write and read with python3-googleapi', {
    // Google's client comes from the operating system's packages, which a contributor may not have.
    skip: hasPython ? false : 'python3-googleapi is not installed',
  }, async () => {
    const told = await run('python3', join(HERE, 'googleapi_client.py'));
    assert.deepEqual(told, { updated: 2, values: [['a', '3']] });
  });
});
