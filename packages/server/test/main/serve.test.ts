import assert from 'node:assert/strict';
import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, suite, test } from 'node:test';
import { openStore } from '@cellwire/store';
import { replaceSecret, subscriptionById } from '@cellwire/store/webhooks';
import { requireValue } from '../../../../test/elements.ts';
import { WITH_FOLDER } from '../../../store/test/postgres/folder-databases.ts';
import { Browser } from '../http/browser.ts';
import { COMMAND, createInstallation, type Installation, type Json, type ServiceProcess } from './support.ts';

const HOUR_MS = 3_600_000;

/** Stores an unreadable old secret of a subscription, which signs until the given time. */
async function setOldSecret(installation: Installation, document: string, webhook: number, until: number) {
  const database = await openStore(installation.location, 'command');
  const identifiers = { document_id: document, id: webhook };
  const secret = (await database.readOne(subscriptionById(identifiers)))?.secret;
  assert.ok(secret);
  const oldSecret = { old_secret: Uint8Array.of(1), old_secret_until: until };
  const { kind } = await database.write({
    document,
    statements: [replaceSecret({ ...identifiers, seen_secret: secret, secret, ...oldSecret })],
  });
  assert.equal(kind, 'committed');
  await database.close();
}

suite('serve', { concurrency: false }, () => {
  let cellwire: Installation;
  let service: ServiceProcess;
  let token: string;
  let document: string;
  let sample: string;

  before(async () => {
    cellwire = await createInstallation();
    service = await cellwire.serve();
    token = service.readFirstStartValue('token');
    document = service.readFirstStartValue('document');
    sample = `/documents/${document}`;
  });
  after(() => cellwire.remove());

  test('prints the console URL, a password, a token and a curl command at the first start', async () => {
    assert.equal(service.readFirstStartValue('console'), `${service.address}/`);
    assert.match(service.readFirstStartValue('password'), /^\S{12,}$/);
    const [, url, header] = /curl -s '([^']+)' -H '([^']+)'/.exec(service.printed) ?? [];
    assert.ok(url !== undefined && header !== undefined, service.printed);
    const [name = '', value = ''] = header.split(': ');
    assert.equal((await fetch(url, { headers: { [name]: value } })).status, 200);
  });

  const isOtherSystem = process.platform !== 'linux' && 'only the allocator of Linux has these variables';
  test('sets the variables of the allocator on Linux', { skip: isOtherSystem }, async () => {
    const environment = await readFile(`/proc/${service.processId}/environ`, 'utf8');
    assert.deepEqual(
      environment.split('\0').filter((variable) => variable.startsWith('MALLOC_')),
      ['MALLOC_ARENA_MAX=2', 'MALLOC_MMAP_THRESHOLD_=1048576'],
    );
  });

  test('keeps the message channel of a program that forked it', async () => {
    const reportEnd = 'data:text/javascript,process.once("exit", () => process.send?.("ended"))';
    const child = fork(COMMAND, ['serve', '--help'], {
      execArgv: [`--import=${reportEnd}`],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    const messages: unknown[] = [];
    child.on('message', (message) => messages.push(message));
    await once(child, 'close');
    assert.deepEqual(messages, ['ended']);
  });

  test('the first password is a one-time password and only permits changing it', async () => {
    const browser = new Browser(service.address);
    const answer = await browser.signIn({
      email: service.readFirstStartValue('user'),
      password: service.readFirstStartValue('password'),
    });
    assert.deepEqual([answer.status, requireValue(answer.body['me'], 'me')['mustChangePassword']], [200, true]);
    assert.equal((await browser.request('GET', '/api/documents')).status, 403);
    const body = { current: service.readFirstStartValue('password'), password: 'battery staple' };
    assert.equal((await browser.request('PUT', '/password', { body })).status, 200);
    assert.equal((await browser.request('GET', '/api/documents')).status, 200);
  });

  test('the sample has styled, frozen headers and columns that fit their cells', async () => {
    const browser = new Browser(service.address);
    await browser.signIn({ email: service.readFirstStartValue('user'), password: 'battery staple' });
    for (const sheet of ['Orders', 'Products', 'Summary', 'Open']) {
      const { body } = await browser.request('GET', `${sample}/sheets/${sheet}/layout`);
      const layout = requireValue(body['layout'], 'layout');
      assert.deepEqual(layout['frozen'], { rows: 1, columns: 0 });
      const widths = layout['columnWidths'] as unknown as readonly { readonly size: number }[];
      assert.ok(widths.length >= 2 && new Set(widths.map(({ size }) => size)).size > 1, sheet);
      const { looks } = (await browser.request('GET', `${sample}/looks?ranges[]=${sheet}!A1:B1`)).body;
      const [{ styles, cells }] = looks as unknown as [
        { styles: readonly Json[]; cells: readonly (readonly number[])[] },
      ];
      assert.deepEqual([styles[cells[0]?.[0] ?? -1].bold, cells], [true, [[0, 0]]]);
    }
  });

  test('the sample is a workbook with results in the language of the environment', async () => {
    const range = encodeURIComponent('Summary!A1:D2');
    const { body } = await service.call(token, 'GET', `${sample}/values/${range}`);
    // Bistro 21 ordered 25 × 21.50 + 10 × 18.75 + 15 × 11.25 = 893.75.
    assert.deepEqual(
      body.values.cells[1].slice(0, 3).map((cell: { m: string }) => cell.m),
      ['Bistro 21', '3', '893.75'],
    );
    const { body: sheets } = await service.call(token, 'GET', `${sample}/sheets`);
    assert.deepEqual(
      sheets.sheets.map((sheet: { name: string }) => sheet.name),
      ['Orders', 'Products', 'Summary', 'Open'],
    );
  });

  test('no cell of the sample is an error', async () => {
    for (const sheet of ['Orders', 'Products', 'Summary', 'Open']) {
      const { body } = await service.call(token, 'GET', `${sample}/values/${sheet}`);
      assert.ok(!JSON.stringify(body).includes('"error"'), sheet);
    }
  });

  test("the token has all scopes except the agent's, for all documents of the owner", async () => {
    const { body } = await service.call(token, 'GET', '/userinfo');
    const scopes = ['sheets.read', 'sheets.write', 'sheets.webhooks', 'sheets.crossbook.read', 'documents.write'];
    assert.deepEqual(body.scopes, scopes);
    const other = await cellwire.runForJson('document', 'create', '--owner', '1', '--title', 'Other');
    assert.equal((await service.call(token, 'GET', `/documents/${other.id}`)).status, 200);
  });

  test('changes by a command apply from the next request', async () => {
    const options = ['--user', '1', '--name', 'short-lived', '--scopes', 'sheets.read'];
    const created = await cellwire.runForJson('token', 'create', ...options);
    assert.equal((await service.call(created.token, 'GET', '/userinfo')).status, 200);
    await cellwire.runForJson('token', 'revoke', '--id', String(created.id));
    assert.equal((await service.call(created.token, 'GET', '/userinfo')).status, 401);
  });

  test('refuses a second service on one data folder, which commands may still use', WITH_FOLDER, async () => {
    const second = await cellwire.addEnvironment({ CELLWIRE_PORT: '0' }).runCommand('serve');
    assert.equal(second.code, 1);
    assert.match(second.stderr, /^error: Another service uses the data folder .+Several services need PostgreSQL/);
    assert.equal((await cellwire.runCommand('document', 'list')).code, 0);
  });

  test('reports that the port is in use and exits with 1', async () => {
    const port = new URL(service.address).port;
    const { code, stdout, stderr } = await cellwire.addEnvironment({ CELLWIRE_PORT: port }).runCommand('serve');
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(stderr, new RegExp(`Port ${port} .* is in use`));
  });

  test('an unknown or malformed setting stops the start with its name', async () => {
    for (const [name, value] of [
      ['CELLWIRE_PROT', '8080'],
      ['CELLWIRE_PORT', 'eighty'],
      ['CELLWIRE_CONFIG', 'not-there.json'],
    ] as const) {
      const { code, stdout, stderr } = await cellwire.addEnvironment({ [name]: value }).runCommand('serve');
      assert.deepEqual([code, stdout], [1, ''], name);
      assert.match(stderr, new RegExp(name));
    }
  });

  test('an unusable data folder is reported with its setting, by serve and by commands', WITH_FOLDER, async () => {
    const file = join(cellwire.folder, 'a file');
    await writeFile(file, 'not a folder');
    // Linux reports a new folder below /proc as missing.
    const systemFolders = process.platform === 'linux' ? ['/proc/cellwire', '/proc/cellwire/data'] : [];
    for (const data of [file, join(file, 'inside'), ...systemFolders]) {
      const broken = cellwire.addEnvironment({ CELLWIRE_DATA: data });
      const user = ['user', 'create', '--email', 'a@example.org', '--name', 'A'];
      for (const command of [['serve'], user]) {
        const { code, stdout, stderr } = await broken.runCommand(...command);
        assert.deepEqual([code, stdout], [1, ''], command.join(' '));
        assert.match(
          stderr,
          /^error: The data folder .*(?:a file|cellwire).* cannot be used \(E[A-Z]+\)\. Set CELLWIRE_DATA/,
        );
      }
    }
  });

  test('keeps every acknowledged write, structural change and undo after kill -9', async () => {
    const formatRangePath = (range: string) => `${sample}/values/${encodeURIComponent(`Orders!${range}`)}`;
    const operations = [
      { insertRows: { sheet: 'Orders', before: 4, count: 2 } },
      { deleteRows: { sheet: 'Orders', from: 1, count: 1 } },
    ];
    let undo = '';
    const steps = [
      {
        send: () => service.call(token, 'PUT', formatRangePath('M3:N3'), { values: [['=SUM(N3:N5)', 7]] }),
        M2: null,
        M3: '=SUM(N3:N5)',
      },
      { send: () => service.call(token, 'POST', `${sample}/structure`, { operations }), M2: '=SUM(N2:N6)', M3: null },
      { send: () => service.call(token, 'POST', undo, {}), M2: null, M3: '=SUM(N3:N5)' },
    ];
    for (const { send, M2, M3 } of steps) {
      const { status, body } = await send();
      assert.equal(status, 200, JSON.stringify(body));
      undo ||= body.structure === undefined ? '' : `${sample}/revisions/${body.structure.revisionId}/undo`;
      assert.equal((await service.end('SIGKILL')).signal, 'SIGKILL');
      service = await cellwire.serve();
      assert.equal(service.printed, '');
      const { cells } = (await service.call(token, 'GET', formatRangePath('M2:M3'))).body.values;
      const [first, second] = cells.map(([cell]: { f?: string; v: number }[]) => cell);
      assert.deepEqual([first?.f ?? null, second?.f ?? null], [M2, M3]);
      assert.equal((first ?? second).v, 7);
    }
    // The log also contains the undo.
    assert.equal((await service.call(token, 'POST', undo, {})).status, 412);
  });

  test('data and keys are private to their owner, and doctor finds no problem', async () => {
    assert.equal((await stat(cellwire.data)).mode & 0o777, 0o700);
    const { ok, checks } = await cellwire.runForJson('doctor');
    assert.ok(ok, JSON.stringify(checks));
  });

  const testSignal = (signal: 'SIGTERM' | 'SIGINT') =>
    test(`ends with exit code 0 on ${signal}, with all previous writes stored`, async () => {
      const cell = `${sample}/values/${encodeURIComponent('Orders!L1')}`;
      assert.equal((await service.call(token, 'PUT', cell, { values: [[signal]] })).status, 200);
      assert.deepEqual(await service.end(signal), { code: 0, signal: null });
      const file = join(cellwire.folder, `${signal}.csv`);
      await cellwire.runForJson('document', 'export', '--document', document, '--sheet', 'Orders', '--to', file);
      assert.match(await readFile(file, 'utf8'), new RegExp(signal));
    });

  testSignal('SIGTERM');

  const checkSealedSecrets = async () => {
    const { stdout } = await cellwire.runCommand('doctor', '--json');
    const { checks } = JSON.parse(stdout) as { checks: { name: string; ok: boolean; message: string }[] };
    return checks.find((check) => check.name === 'sealed secrets');
  };
  let webhook: number;

  test('doctor decrypts the sealed secrets while the service runs', async () => {
    service = await cellwire.serve();
    const created = await service.call(token, 'POST', `${sample}/webhooks`, { url: 'https://example.com/' });
    assert.equal(created.status, 200);
    webhook = created.body.webhook.id;
    assert.equal((await checkSealedSecrets())?.ok, true);
  });

  testSignal('SIGINT');

  test('ends together with the shell of npm', {
    skip: process.platform === 'win32' && 'npm has no shell of this kind between itself and the service on Windows',
  }, async () => {
    // A shell with a further command stays between npm and the service, and does not forward signals.
    const shell = spawn('sh', ['-c', `"${process.execPath}" "${COMMAND}" serve; true`], {
      env: { ...cellwire.env, CELLWIRE_LOG_LEVEL: 'silent', npm_lifecycle_event: 'npx' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    for await (const line of createInterface({ input: shell.stdout })) {
      // The service holds the other end of the pipe, so the loop ends when the service ends.
      if (line.startsWith('listening on ')) shell.kill('SIGTERM');
    }
  });

  test('doctor finds the key of another installation when no service runs', async () => {
    const filesBefore = await readdir(cellwire.data);
    assert.equal((await checkSealedSecrets())?.ok, true);
    assert.deepEqual(await readdir(cellwire.data), filesBefore);
    // A secret of another key matters only while it signs.
    for (const [until, ok] of [
      [Date.now() - 1, true],
      [Date.now() + HOUR_MS, false],
      [Date.now() - 1, true],
    ] as const) {
      await setOldSecret(cellwire, document, webhook, until);
      assert.equal((await checkSealedSecrets())?.ok, ok);
    }
    const key = join(cellwire.data, 'keys', 'secrets.key');
    for (const damageKey of [() => writeFile(key, 'x'.repeat(32)), () => writeFile(key, 'short'), () => rm(key)]) {
      await damageKey();
      const result = await checkSealedSecrets();
      assert.equal(result?.ok, false);
      assert.match(result?.message ?? '', new RegExp(`${webhook} of document .*secrets\\.key`));
    }
    // The check creates no key, because the service would then refuse the right one.
    await assert.rejects(stat(key), { code: 'ENOENT' });
  });

  test('doctor reports problems and exits with 1', async () => {
    await writeFile(join(cellwire.data, 'keys', 'secrets.key'), 'short');
    const { code, stdout, stderr } = await cellwire.runCommand('doctor', '--json');
    assert.equal(code, 1);
    const { ok, checks } = JSON.parse(stdout);
    const failed = checks.filter((check: { ok: boolean }) => !check.ok);
    assert.deepEqual([ok, failed.map((check: { name: string }) => check.name)], [false, ['keys', 'sealed secrets']]);
    assert.notEqual(stderr, '');
    const misconfigured = await cellwire.addEnvironment({ CELLWIRE_PORT: 'x' }).runCommand('doctor');
    assert.equal(misconfigured.code, 1);
    assert.match(misconfigured.stdout, /failed +configuration +CELLWIRE_PORT/);
  });
});
