import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chownSync, copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type PostgresCluster, startCluster } from '../../../store/test/postgres/cluster.ts';
import { parseConfig } from '../../src/config/config.ts';
import { sendHttp } from '../http/send.ts';
import { startWorld } from '../http/support.ts';
import { createInstallation, type Installation } from './support.ts';

const FIXTURES = fileURLToPath(new URL('../notify/fixtures/', import.meta.url));
const KEY = 'ab'.repeat(32);
const DATABASE_URL = 'postgres://cells:hidden@db.example.com:5432/cellwire';

function listConfigProblems(
  environment: Readonly<Record<string, string>>,
  files: Readonly<Record<string, string>> = {},
) {
  const config = parseConfig(environment, (path) => files[path] ?? assert.fail(`ENOENT: ${path}`));
  return 'kind' in config ? config.problems : [];
}

test('every secret setting can name a file, in the environment and in the settings file', () => {
  const files = { key: `${KEY}\n`, address: `${DATABASE_URL}\n` };
  const fileSettings = { CELLWIRE_SECRETS_KEY_FILE: 'key', CELLWIRE_DATABASE_URL_FILE: 'address' };
  for (const config of [
    parseConfig(fileSettings, (path) => files[path as keyof typeof files]),
    parseConfig({ CELLWIRE_CONFIG: 'config' }, (path) =>
      path === 'config'
        ? JSON.stringify({ secretsKeyFile: 'key', databaseUrlFile: 'address' })
        : files[path as keyof typeof files],
    ),
  ]) {
    assert.ok(!('kind' in config));
    assert.deepEqual([config.secretsKey, config.database.url], [KEY, DATABASE_URL]);
  }
});

test('a duplicate or unreadable secret stops the start, and no message contains it', () => {
  const files = { key: KEY, address: DATABASE_URL, wrong: 'hidden' };
  const cases = [
    { CELLWIRE_SECRETS_KEY: KEY, CELLWIRE_SECRETS_KEY_FILE: 'key' },
    { CELLWIRE_DATABASE_URL: DATABASE_URL, CELLWIRE_DATABASE_URL_FILE: 'address' },
    { CELLWIRE_SECRETS_KEY_FILE: 'missing' },
    { CELLWIRE_DATABASE_URL_FILE: 'missing' },
    { CELLWIRE_SECRETS_KEY_FILE: 'wrong' },
    { CELLWIRE_DATABASE_URL_FILE: 'wrong' },
  ];
  for (const environment of cases) {
    const problems = listConfigProblems(environment, files);
    assert.equal(problems.length, 1, JSON.stringify([environment, problems]));
    assert.match(problems[0] ?? '', /CELLWIRE_(?:SECRETS_KEY|DATABASE_URL)/);
    assert.doesNotMatch(problems[0] ?? '', /hidden|abab/);
  }
});

test('an unknown parameter of the database URL stops the start with its name', () => {
  for (const parameter of ['sslmod', 'ssl_mode', 'SSLMODE', 'pool', 'target_session_attrs']) {
    const [problem = ''] = listConfigProblems({ CELLWIRE_DATABASE_URL: `${DATABASE_URL}?${parameter}=require` });
    assert.match(problem, new RegExp(`^CELLWIRE_DATABASE_URL: unknown parameter ${parameter}`));
    assert.doesNotMatch(problem, /hidden/);
  }
  assert.match(
    listConfigProblems({ CELLWIRE_DATABASE_URL: `${DATABASE_URL}?sslmode=strict` })[0] ?? '',
    /sslmode must be one of/,
  );
  assert.deepEqual(
    listConfigProblems({ CELLWIRE_DATABASE_URL: `${DATABASE_URL}?sslmode=verify-full&sslrootcert=/ca.crt` }),
    [],
  );
});

test('a public URL with a path is refused; a trailing slash is allowed', () => {
  for (const path of ['/cells', '/cells/', '//', '/a?b=c']) {
    const [problem = ''] = listConfigProblems({ CELLWIRE_PUBLIC_URL: `https://sheets.example.com${path}` });
    assert.match(problem, /^CELLWIRE_PUBLIC_URL/, path);
  }
  for (const path of ['', '/'])
    assert.deepEqual(listConfigProblems({ CELLWIRE_PUBLIC_URL: `https://sheets.example.com${path}` }), []);
});

test('the settings file may start with a byte order mark, and duplicate keys are refused at every depth', () => {
  const listFileProblems = (text: string) => listConfigProblems({ CELLWIRE_CONFIG: 'config' }, { config: text });
  assert.deepEqual(listFileProblems('\uFEFF{ "port": 9000 }'), []);
  assert.match(listFileProblems('{ "port": 9000, "port": 9001 }')[0] ?? '', /port twice/);
  assert.match(
    listFileProblems('{ "limits": { "maxBodyBytes": 1, "maxBodyBytes": 2 } }')[0] ?? '',
    /maxBodyBytes twice/,
  );
  assert.match(listFileProblems('{ "port": 9000, "\\u0070ort": 9001 }')[0] ?? '', /port twice/);
  assert.deepEqual(listFileProblems('{ "limits": { "maxBodyBytes": 1 }, "audit": { "retentionDays": 1 } }'), []);
});

test('Strict-Transport-Security is sent if and only if the public URL is https', async (t) => {
  for (const [publicUrl, expected] of [
    ['https://sheets.example.com', 'max-age=31536000'],
    ['http://sheets.example.com', null],
  ] as const) {
    const world = await startWorld({ publicUrl });
    t.after(() => world.close());
    const { base, token, document } = await world.createBook();
    const headers = { authorization: `Bearer ${token}` };
    const paths = [
      '/',
      '/healthz',
      '/nowhere',
      '/api/v1/nowhere',
      '/api/v1/documents',
      `/api/v1/documents/${document}`,
    ];
    // Each path is requested twice: the second response comes from a cache.
    for (const path of [...paths, ...paths, `/api/v1/documents/${document}/values/A1`]) {
      const answer = await sendHttp(`${base}${path}`, { headers });
      assert.equal(answer.headers.get('strict-transport-security'), expected, path);
    }
    const refused = await sendHttp(`${base}/api/v1/documents`);
    assert.equal(refused.headers.get('strict-transport-security'), expected);
  }
});

suite('doctor on PostgreSQL with TLS', { concurrency: false, timeout: 300_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'cellwire-tls-'));
  const authority = join(FIXTURES, 'receiver.cert.pem');
  let cluster: PostgresCluster;
  let cellwire: Installation;

  before(async () => {
    for (const name of ['receiver.cert.pem', 'receiver.key.pem'])
      copyFileSync(join(FIXTURES, name), join(folder, name));
    const key = join(folder, 'receiver.key.pem');
    spawnSync('chmod', ['0600', key]);
    if (process.getuid?.() === 0) {
      const id = Number(spawnSync('id', ['-u', 'nobody'], { encoding: 'utf8' }).stdout);
      for (const path of [folder, key, join(folder, 'receiver.cert.pem')]) chownSync(path, id, id);
    }
    cluster = await startCluster({
      ssl: 'on',
      ssl_cert_file: join(folder, 'receiver.cert.pem'),
      ssl_key_file: key,
      // The host name in the certificate.
      listen_addresses: 'localhost',
    });
    cellwire = await createInstallation();
  });
  after(async () => {
    await cluster.remove();
    await cellwire.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  const runChecks = async (change: (address: URL) => void) => {
    const address = new URL(cluster.url);
    address.hostname = 'localhost';
    change(address);
    const { stdout } = await cellwire
      .addEnvironment({ CELLWIRE_DATABASE_URL: address.href })
      .runCommand('doctor', '--json');
    const all = JSON.parse(stdout).checks as readonly { name: string; ok: boolean; message: string }[];
    return (name: string) => all.find((check) => check.name === name);
  };
  const setSslMode = (sslmode: string, root?: string) => (address: URL) => {
    address.searchParams.set('sslmode', sslmode);
    if (root !== undefined) address.searchParams.set('sslrootcert', root);
  };

  test('reports whether the connection is encrypted and verified', async () => {
    const connection = 'database connection';
    assert.match((await runChecks(() => {}))(connection)?.message ?? '', /^not encrypted/);
    assert.match(
      (await runChecks(setSslMode('no-verify')))(connection)?.message ?? '',
      /^encrypted, but .* not verified/,
    );
    const verified = (await runChecks(setSslMode('verify-full', authority)))(connection);
    assert.match(verified?.message ?? '', /^encrypted, and .* verified/);
  });

  test('suggests a remedy if the connection fails', async () => {
    const readRemedy = async (change: (address: URL) => void) => {
      const database = (await runChecks(change))('database');
      assert.equal(database?.ok, false);
      return database?.message ?? '';
    };
    assert.match(await readRemedy(setSslMode('verify-full')), /sslrootcert=FILE/);
    const useOtherName = (address: URL) => {
      setSslMode('verify-full', authority)(address);
      address.hostname = '127.0.0.1';
    };
    assert.match(await readRemedy(useOtherName), /another host name/);
    const useWrongPassword = (address: URL) => {
      address.password = 'wrong';
    };
    assert.match(await readRemedy(useWrongPassword), /correct user and password/);
    const useMissingDatabase = (address: URL) => {
      address.pathname = '/nowhere';
    };
    assert.match(await readRemedy(useMissingDatabase), /make that database/);
    const useWrongPort = (address: URL) => {
      address.port = '1';
    };
    assert.match(await readRemedy(useWrongPort), /whether that server runs/);
  });
});

suite('the fail2ban filter', { concurrency: false }, () => {
  const page = readFileSync(new URL('../../../../docs/operations.md', import.meta.url), 'utf8');
  const expression = /^ {4}failregex = (.+)$/m.exec(page)?.[1] ?? '';
  // The syntax of fail2ban: <HOST> is an IPv4 or IPv6 address, or a name.
  const filter = new RegExp(expression.replace('<HOST>', '(?:::f{4,6}:)?([\\w\\-.^_]*\\w|[0-9A-Fa-f:]+)'), 'u');

  test('matches the client address in log lines of refused attempts only', async (t) => {
    const cellwire = await createInstallation();
    t.after(() => cellwire.remove());
    const config = join(cellwire.folder, 'config.json');
    writeFileSync(config, JSON.stringify({ trustedProxies: ['127.0.0.0/8'] }));
    const service = await cellwire.addEnvironment({ CELLWIRE_CONFIG: config }).serve({ isLogKept: true });
    const createProxyHeaders = (address: string) => ({ 'x-forwarded-for': address, origin: service.address });
    const signIn = (address: string, email: string) =>
      sendHttp(`${service.address}/console/session`, {
        method: 'POST',
        headers: { ...createProxyHeaders(address), 'content-type': 'application/json' },
        body: JSON.stringify({ email, password: 'typed wrongly' }),
      });
    await signIn('203.0.113.7', 'owner@localhost');
    await signIn('2001:db8::7', 'stranger@example.com');
    // Typed text must not look like another client's address.
    await signIn('203.0.113.8', '","address":"198.51.100.1","msg":"sign-in failed"');
    const requestWithToken = (token: string, address: string) =>
      sendHttp(`${service.address}/api/v1/documents`, {
        headers: { ...createProxyHeaders(address), authorization: `Bearer ${token}` },
      });
    await requestWithToken('cw_nonsense', '203.0.113.9');
    assert.equal((await requestWithToken(service.readFirstStartValue('token'), '203.0.113.10')).status, 200);
    const injected = encodeURI('/x","address":"198.51.100.2","msg":"sign-in failed"');
    await sendHttp(`${service.address}${injected}`, { headers: createProxyHeaders('203.0.113.11') });
    await service.end('SIGTERM');
    const matches = service.log.split('\n').flatMap((line) => filter.exec(line)?.[1] ?? []);
    assert.deepEqual(matches, ['203.0.113.7', '2001:db8::7', '203.0.113.8', '203.0.113.9']);
  });
});
