import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it, test } from 'node:test';
import { COMMAND } from '../main/support.ts';
import { listDeliveries, startNotifying, subscribe, waitForState } from '../notify/support.ts';
import { sendHttp } from './send.ts';
import { Api, memberAt } from './support.ts';

const LISTENING = /^listening on (http:\S+)$/m;
const TOKEN = /cw_[0-9A-Za-z]{43}/;
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

type LogLine = Readonly<Record<string, unknown>>;

/** The service as a process with a readable log. */
class LoggedService {
  readonly folder: string;
  private readonly child: ChildProcess;
  api = new Api('', '', '');
  private log = '';

  private constructor(folder: string) {
    this.folder = folder;
    const env = {
      ...process.env,
      CELLWIRE_DATA: join(folder, 'data'),
      CELLWIRE_PORT: '0',
      CELLWIRE_LOG_LEVEL: 'info',
      CELLWIRE_CONFIG: join(folder, 'config.json'),
    };
    this.child = spawn(process.execPath, [COMMAND, 'serve'], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  }

  static async start(settings: object): Promise<LoggedService> {
    const folder = await mkdtemp(join(tmpdir(), 'cellwire-trace-'));
    await writeFile(join(folder, 'config.json'), JSON.stringify(settings));
    const loggedService = new LoggedService(folder);
    await loggedService.waitUntilReady();
    return loggedService;
  }

  private async waitUntilReady(): Promise<void> {
    this.child.stderr?.on('data', (bytes: Buffer) => (this.log += bytes.toString()));
    let output = '';
    for await (const bytes of this.child.stdout ?? []) {
      output += String(bytes);
      if (LISTENING.test(output)) break;
    }
    const api = new Api(LISTENING.exec(output)?.[1] ?? '', TOKEN.exec(output)?.[0] ?? '', '');
    const { body } = await api.request('GET', '/documents');
    this.api = api.forDocument(String(memberAt(body, 'documents', 0)['id']));
  }

  /** Stops the service; returns its log. */
  async end(): Promise<readonly LogLine[]> {
    const closed = once(this.child, 'close');
    this.child.kill('SIGTERM');
    await closed;
    return this.log
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as LogLine);
  }

  async remove(): Promise<void> {
    this.child.kill('SIGKILL');
    await rm(this.folder, { recursive: true, force: true });
  }
}

describe('a request through a trusted proxy', () => {
  let loggedService: LoggedService;
  before(async () => {
    loggedService = await LoggedService.start({});
  });
  after(() => loggedService.remove());

  it('keeps its id in the response, the audit log, the history and a complete log line', async () => {
    const { api } = loggedService;
    const headers = {
      'x-request-id': 'one-write',
      traceparent: `00-${TRACE}-00f067aa0ba902b7-01`,
      'x-forwarded-for': '203.0.113.7',
    };
    const put = await api.requestInDocument('PUT', '/values/Z40', { body: { values: [[1]] }, headers });
    assert.deepEqual([put.status, put.headers.get('x-request-id')], [200, 'one-write']);
    const keyedHeaders = { 'x-request-id': 'by-the-framework', traceparent: 'nonsense' };
    await api.requestInDocument('PUT', '/values/Z41', { body: { values: [[1]] }, headers: keyedHeaders, key: 'k' });
    for (const id of ['read-1', 'read-2'])
      await api.requestInDocument('GET', '/values/Z40', { headers: { 'x-request-id': id } });
    await api.request('GET', '/nowhere?secret=s', { headers: { 'x-request-id': 'no-route' } });
    await api
      .forDocument('00000000-0000-4000-8000-000000000000')
      .requestInDocument('GET', '', { headers: { 'x-request-id': 'no-document' } });
    const refusedByGoogle = { authorization: `Bearer ${api.token}`, 'x-request-id': 'google' };
    await fetch(`${api.base}/google/v4/spreadsheets/00000000-0000-4000-8000-000000000000`, {
      headers: refusedByGoogle,
    });
    await new Api(api.base, 'cw_nonsense', api.document).requestInDocument('GET', '', {
      headers: { 'x-request-id': 'no-token' },
    });

    const { entries } = (await api.listAuditEntries()) as unknown as { entries: LogLine[] };
    assert.deepEqual(
      entries.slice(0, 2).map(({ requestId }) => requestId),
      ['by-the-framework', 'one-write'],
    );
    const revisions = (await api.listRevisions()) as unknown as { entries: LogLine[] };
    assert.deepEqual(
      revisions.entries.slice(0, 2).map(({ requestId }) => requestId),
      ['by-the-framework', 'one-write'],
    );

    const signIn = async (email: string, password: string, id: string) =>
      sendHttp(`${api.base}/console/session`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin: api.base, 'x-request-id': id },
        body: JSON.stringify({ email, password }),
      });
    assert.equal((await signIn('owner@localhost', 'typed password', 'wrong')).status, 401);
    assert.equal((await signIn('typed@example.com', 'typed password', 'stranger')).status, 401);
    const metrics = await (await fetch(`${api.base}/metrics`)).text();
    assert.match(metrics, /^cellwire_sign_in_failures_total\{reason="password"\} 1$/m);
    assert.match(metrics, /^cellwire_refused_tokens_total\{reason="unknown"\} 1$/m);

    const lines = await loggedService.end();
    const findLine = (id: string) => lines.find(({ requestId, msg }) => requestId === id && msg === 'request');
    const { level: _level, time: _time, ms, msg: _msg, ...line } = findLine('one-write') ?? {};
    assert.equal(typeof ms, 'number');
    assert.deepEqual(line, {
      requestId: 'one-write',
      traceId: TRACE,
      method: 'PUT',
      route: '/api/v1/documents/:document/values/:range',
      status: 200,
      address: '203.0.113.7',
      user: 1,
      token: 'first steps',
      document: api.document,
    });
    for (const id of ['by-the-framework', 'read-1', 'read-2']) {
      const { user, token, document, address } = findLine(id) ?? {};
      assert.deepEqual([user, token, document, address], [1, 'first steps', api.document, '127.0.0.1'], id);
      assert.equal('traceId' in (findLine(id) ?? {}), false);
    }
    const unknownRoute = findLine('no-route') ?? {};
    assert.deepEqual(
      [unknownRoute['route'], unknownRoute['path'], unknownRoute['status']],
      [null, '/api/v1/nowhere', 404],
    );
    assert.equal(findLine('no-document')?.['user'], 1);
    assert.equal(findLine('google')?.['user'], 1);
    assert.equal(findLine('no-token')?.['user'], null);

    const [refused] = lines.filter(({ msg }) => msg === 'token refused');
    assert.deepEqual([refused?.['address'], refused?.['reason']], ['127.0.0.1', 'unknown']);
    const failed = lines.filter(({ msg }) => msg === 'sign-in failed');
    assert.deepEqual(
      failed.map(({ reason, address, user }) => [reason, address, user]),
      [
        ['password', '127.0.0.1', 1],
        ['unknown', '127.0.0.1', undefined],
      ],
    );
    assert.doesNotMatch(JSON.stringify(lines), /typed|secret=s/);
  });
});

test('a request from another address gets a new id', async (t) => {
  const loggedService = await LoggedService.start({ trustedProxies: ['192.0.2.0/24'] });
  t.after(() => loggedService.remove());
  const headers = {
    'x-request-id': 'forged',
    traceparent: `00-${TRACE}-00f067aa0ba902b7-01`,
    'x-forwarded-for': '203.0.113.7',
  };
  const answers = [
    await loggedService.api.requestInDocument('PUT', '/values/Z40', { body: { values: [[1]] }, headers }),
    await loggedService.api.requestInDocument('PUT', '/values/Z41', { body: { values: [[1]] }, headers, key: 'k' }),
    await loggedService.api.requestInDocument('GET', '/values/Z40', { headers }),
    await loggedService.api.requestInDocument('GET', '/values/Z40', { headers }),
  ];
  for (const { headers: responseHeaders } of answers) assert.match(String(responseHeaders.get('x-request-id')), UUID);
  const lines = await loggedService.end();
  assert.doesNotMatch(JSON.stringify(lines), /forged|203\.0\.113\.7|4bf92f35/);
  const written = lines.find(({ requestId }) => requestId === answers[0]?.headers.get('x-request-id'));
  assert.equal(written?.['address'], '127.0.0.1');
});

test('a webhook and its delivery name the last request that they cover', async (t) => {
  const world = await startNotifying(t, { quietMs: 1_000 });
  const subscription = await subscribe(t, world);
  const { book, receiver, webhook } = subscription;
  for (const id of ['first', 'last']) {
    await book.requestInDocument('PUT', '/values/A1', { body: { values: [[id]] }, headers: { 'x-request-id': id } });
  }
  // On a slow machine, each write may have its own window.
  for (let count = 1; ; count++) {
    const received = (await receiver.waitForRequests(count))[count - 1];
    if (received?.headers['x-request-id'] === 'last') break;
    assert.equal(received?.headers['x-request-id'], 'first');
  }
  await waitForState(subscription, 'delivered');
  const deliveryList = await listDeliveries({ book }, webhook);
  assert.equal(memberAt(deliveryList['entries'] ?? deliveryList['deliveries'], 0)['requestId'], 'last');
});
