import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { findFreePort } from '../../../store/test/postgres/cluster.ts';
import { createSchema } from '../../../store/test/postgres/server.ts';
import { Api, type ApiResponse } from '../http/support.ts';
import { COMMAND, Installation } from '../main/support.ts';
import { findCodeBlock, findProgram, type StartBalancer, startHaproxy, startNginx } from './balancer.ts';

/** Set where the balancers must exist, so that the tests fail instead of being skipped. */
const IS_REQUIRED = process.env['REQUIRE_PROXY'] === '1';
const DOCUMENTS = 12;
/** Clients of each balancer. */
const CLIENTS = 4;
/** Time between two requests of a client, in milliseconds. Without it the requests would use all processors for a minute. */
const PAUSE_MS = 10;
/** Maximum share of requests that may be answered with 503 and Retry-After. */
const MAX_RETRYABLE = 0.002;
const KEY = '5a'.repeat(32);
const run = promisify(execFile);

/** A node that is started and stopped as its systemd unit does it. */
class UnitNode {
  readonly port: number;
  private readonly env: NodeJS.ProcessEnv;
  private child: ChildProcess | null = null;

  constructor(port: number, env: NodeJS.ProcessEnv) {
    this.port = port;
    this.env = { ...env, CELLWIRE_PORT: String(port) };
  }

  get address(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  start(): void {
    this.child = spawn(process.execPath, [COMMAND, 'serve'], { env: this.env, stdio: ['ignore', 'ignore', 'inherit'] });
  }

  async stop(): Promise<void> {
    const { child } = this;
    if (child === null) return;
    this.child = null;
    const exit = once(child, 'exit');
    child.kill('SIGTERM');
    const [code] = await exit;
    assert.equal(code, 0);
  }

  /** Executes a command of the operations page. */
  async execute(command: string): Promise<void> {
    if (command === 'systemctl restart cellwire') {
      await this.stop();
      return this.start();
    }
    await run('sh', ['-c', command.replaceAll('127.0.0.1:8080', `127.0.0.1:${this.port}`)]);
  }
}

async function createTwoNodes(t: TestContext): Promise<{ nodes: readonly UnitNode[]; installation: Installation }> {
  const schema = await createSchema();
  const folder = mkdtempSync(join(tmpdir(), 'cellwire-rolling-'));
  const config = join(folder, 'config.json');
  writeFileSync(config, JSON.stringify({ plans: { enterprise: { requestsPerSecond: null } }, workers: 1 }));
  const installation = new Installation(folder, {
    CELLWIRE_DATABASE_URL: schema.url,
    CELLWIRE_SECRETS_KEY: KEY,
    CELLWIRE_CONFIG: config,
    CELLWIRE_LOG_LEVEL: 'error',
  });
  const nodes = [await findFreePort(), await findFreePort()].map((port) => new UnitNode(port, installation.env));
  t.after(async () => {
    for (const node of nodes) await node.stop();
    await schema.remove();
    rmSync(folder, { recursive: true, force: true });
  });
  return { nodes, installation };
}

/** Numbers of responses by kind. */
interface Counts {
  done: number;
  /** Responses of 503 with Retry-After. */
  retryable: number;
  readonly others: string[];
}

/** Reads, replaces and appends until `isOver`. */
async function sendRequests(books: readonly Api[], counts: Counts, isOver: () => boolean): Promise<void> {
  for (let i = 0; !isOver(); i++) {
    const book = books[i % books.length] as Api;
    try {
      const answer = await [() => book.get('A1:B20'), () => book.put('A1', [[i]]), () => book.append('C1', [[i]])][
        i % 3
      ]?.();
      countResponse(counts, answer as ApiResponse);
    } catch (error) {
      counts.others.push(String(error));
    }
    await delay(PAUSE_MS);
  }
}

function countResponse(counts: Counts, { status, headers, body }: ApiResponse): void {
  if (status === 200) counts.done++;
  else if (status === 503 && headers.has('retry-after') && typeof body['message'] === 'string') counts.retryable++;
  else counts.others.push(`${status} ${JSON.stringify(body)}`);
}

const BALANCERS: readonly (readonly [name: string, start: StartBalancer])[] = [
  ['nginx', startNginx],
  ['haproxy', startHaproxy],
];

const INSTALLED = BALANCERS.filter(([name]) => findProgram(name) !== null || IS_REQUIRED);
const NAMES = (INSTALLED.length === 0 ? BALANCERS : INSTALLED).map(([name]) => name).join(' and behind ');

// The balancers share the nodes, because starting and draining the nodes takes most of the time.
test(`behind ${NAMES}, nodes are upgraded one after the other as documented, with almost no refused request`, {
  skip: INSTALLED.length === 0 && 'neither nginx nor HAProxy is installed',
  timeout: 300_000,
}, async (t) => {
  const { nodes, installation } = await createTwoNodes(t);
  const commands = findCodeBlock('    systemctl restart cellwire\n    until').trim().split('\n');
  assert.equal(commands.length, 3);
  const user = await installation.runForJson('user', 'create', '--email', 'load@example.com', '--name', 'Load');
  const options = ['--user', String(user.id), '--name', 'Load', '--scopes', 'sheets.read,sheets.write'];
  const { token } = await installation.runForJson('token', 'create', ...options);
  const documents: string[] = [];
  for (let i = 0; i < DOCUMENTS; i++) {
    const created = await installation.runForJson(
      'document',
      'create',
      '--owner',
      String(user.id),
      '--title',
      `Book ${i}`,
    );
    documents.push(created.id);
  }
  const addresses = nodes.map((node) => node.address);
  const balancers = await Promise.all(
    INSTALLED.map(async ([name, start]) => ({
      address: (await start(t, addresses)).address,
      counts: { name, done: 0, retryable: 0, others: [] as string[] },
    })),
  );
  for (const node of nodes) node.start();
  // The load begins when the balancers have noticed both nodes.
  for (const node of nodes) for (const command of commands.slice(1)) await node.execute(command);
  let isOver = false;
  const clients = balancers.flatMap(({ address, counts }) => {
    const books = documents.map((document) => new Api(address, token, document));
    return Array.from({ length: CLIENTS }, (_, i) => sendRequests(books.slice(i), counts, () => isOver));
  });
  for (const node of nodes) for (const command of commands) await node.execute(command);
  isOver = true;
  await Promise.all(clients);
  for (const { counts } of balancers) {
    assert.deepEqual(counts.others, []);
    // On a slow machine there are few requests, and one refusal of each client is already more than the share.
    assert.ok(counts.retryable <= Math.max(MAX_RETRYABLE * counts.done, CLIENTS), JSON.stringify(counts));
    t.diagnostic(JSON.stringify(counts));
  }
});
