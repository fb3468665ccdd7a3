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

/** Runs Google's clients, which have Google's addresses built in, as separate processes behind the proxy. */
describe('unmodified clients of Google', () => {
  let world: World;
  let folder: string;
  let proxy: RunningProxy;
  let environment: NodeJS.ProcessEnv;

  before(async () => {
    const started = await startGoogle();
    world = started.world;
    folder = await mkdtemp(join(tmpdir(), 'cellwire-clients-'));
    const createdKey = await createGoogleKey(world.server.service.context, { user: started.user });
    assert.ok(!isRefusal(createdKey));
    const keyPath = join(folder, 'key.json');
    await writeFile(
      keyPath,
      JSON.stringify({ ...createdKey.keyFile, token_uri: 'https://oauth2.googleapis.com/token' }),
    );
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

  function runProgram(program: string, file: string, env = environment): Promise<unknown> {
    return new Promise((resolve, reject) => {
      execFile(program, [file], { env }, (error, stdout, stderr) =>
        error === null ? resolve(JSON.parse(stdout)) : reject(new Error(`${stderr}\n${stdout}`)),
      );
    });
  }

  for (const way of ['proxy', 'endpoint']) {
    it(`lets @googleapis/sheets write and read through the ${way}`, async () => {
      const direct = { KEY_FILE: environment['KEY_FILE'], GOOGLE_ENDPOINT: `${world.server.address}/google` };
      const env = way === 'proxy' ? environment : { ...process.env, ...direct };
      const output = await runProgram(process.execPath, join(HERE, 'googleapis-client.mjs'), env);
      assert.deepEqual(output, {
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
  }

  it('lets google-spreadsheet work with rows and cells', async () => {
    const output = await runProgram(process.execPath, join(HERE, 'google-spreadsheet-client.mjs'));
    assert.deepEqual(output, {
      names: ['Larry', 'Sergey'],
      length: 5,
      bold: true,
      note: 'hi',
      left: 1,
    });
  });

  it('lets python3-googleapi write and read', {
    // Google's Python client is a package of the operating system, which may not be installed.
    skip: hasPython ? false : 'python3-googleapi is not installed',
  }, async () => {
    const output = await runProgram('python3', join(HERE, 'googleapi_client.py'));
    assert.deepEqual(output, { updated: 2, values: [['a', '3']] });
  });
});
