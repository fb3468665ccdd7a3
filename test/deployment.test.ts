import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { suite, test } from 'node:test';
import { parseConfig } from '../packages/server/src/config/config.ts';
import { DEFAULTS } from '../packages/server/src/config/defaults.ts';
import { SHUTDOWN_MS } from '../packages/server/src/limits/http.ts';

const ROOT = new URL('../', import.meta.url);

function readText(path: string): string {
  return readFileSync(new URL(path, ROOT), 'utf8');
}

const FILES = ['Dockerfile', 'compose.yaml', 'deploy/cellwire.service', 'deploy/nginx.conf', 'docs/operations.md'];

suite('deployment files', () => {
  for (const path of FILES) {
    test(`${path} contains only existing settings`, () => {
      const settingNames = new Set(readText(path).match(/\bCELLWIRE_[A-Z_]*[A-Z]\b/g));
      settingNames.delete('CELLWIRE_CONFIG');
      const config = parseConfig(Object.fromEntries([...settingNames].map((name) => [name, ''])), () => '');
      const problems = 'kind' in config ? config.problems : [];
      assert.deepEqual(
        problems.filter((problem) => problem.startsWith('Unknown setting')),
        [],
      );
    });
  }

  test('the image copies existing files, does not run as root, and has a readiness check', () => {
    const dockerfile = readText('Dockerfile');
    const copiedPaths = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, paths = '']) =>
      paths.split(' '),
    );
    assert.ok(copiedPaths.length > 5);
    const includedPaths = new Set([...readText('.dockerignore').matchAll(/^!(.+)$/gm)].map(([, path]) => path));
    for (const path of copiedPaths) {
      assert.ok(existsSync(new URL(path, ROOT)), path);
      assert.ok(includedPaths.has(path), `${path} is left out by .dockerignore`);
    }
    const final = dockerfile.slice(dockerfile.lastIndexOf('\nFROM '));
    assert.match(final, /^USER (?!0|root)\d+:\d+$/m);
    assert.match(final, /^HEALTHCHECK [\s\S]*\/readyz/m);
    assert.match(final, /^ENTRYPOINT \[.*"\/cellwire\/packages\/server\/bin\/cellwire\.mjs"\]$/m);
  });

  test("the image build includes the base of the console's tsconfig.json", () => {
    const buildStage = readText('Dockerfile').split('\nFROM ')[1] ?? '';
    const [, base = ''] = /"extends": "\.\.\/\.\.\/(.+)"/.exec(readText('packages/console/tsconfig.json')) ?? [];
    assert.match(buildStage, new RegExp(`^COPY .*\\b${RegExp.escape(base)} `, 'm'));
  });

  test('stop timeouts are longer than a graceful shutdown', () => {
    const longestMs = DEFAULTS.shutdown.drainMs + SHUTDOWN_MS;
    const readSeconds = (path: string, pattern: RegExp) => Number(pattern.exec(readText(path))?.[1]);
    assert.ok(readSeconds('compose.yaml', /^ {2}stop_grace_period: (\d+)s$/m) * 1_000 > longestMs);
    assert.ok(readSeconds('deploy/cellwire.service', /^TimeoutStopSec=(\d+)$/m) * 1_000 > longestMs);
  });

  test('the systemd unit may listen on port 80, like the example in docs/configuration.md, and has no other capability', () => {
    const unit = readText('deploy/cellwire.service');
    assert.match(readText('docs/configuration.md'), /"port": 80,/);
    assert.match(unit, /^AmbientCapabilities=CAP_NET_BIND_SERVICE$/m);
    assert.match(unit, /^CapabilityBoundingSet=CAP_NET_BIND_SERVICE$/m);
    // With PrivateUsers the capability would apply only to the unit's own namespace.
    assert.doesNotMatch(unit, /^PrivateUsers=(?!no)/m);
  });

  test('the balancer knows the nodes, and compose.yaml mounts existing files', () => {
    const compose = readText('compose.yaml');
    const nodes = [...readText('deploy/nginx.conf').matchAll(/^ *server (\w+):8080 /gm)].map(([, name]) => name);
    assert.deepEqual(nodes, ['node1', 'node2']);
    for (const name of nodes) assert.match(compose, new RegExp(`^ {2}${name}:$`, 'm'));
    for (const [, path = ''] of compose.matchAll(/"\.\/(\S+?):/g)) assert.ok(existsSync(new URL(path, ROOT)), path);
  });

  test('the systemd unit starts an existing command', () => {
    const unit = readText('deploy/cellwire.service');
    const [, folder, command] =
      /^ExecStart=(\/opt\/cellwire)\/\S+ (\S+) serve --secrets-to \/var\/lib\/cellwire\/\S+$/m.exec(unit) ?? [];
    assert.match(unit, new RegExp(`^WorkingDirectory=${folder}$`, 'm'));
    assert.ok(existsSync(new URL(command ?? '', ROOT)));
    // MemoryDenyWriteExecute would forbid the compiler of JavaScript.
    assert.doesNotMatch(unit, /^MemoryDenyWriteExecute/m);
  });
});
