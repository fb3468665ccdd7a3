import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { freePort } from '../../../store/test/postgres/cluster.ts';
import { createSchema } from '../../../store/test/postgres/server.ts';
import { Api, type ApiResponse } from '../http/support.ts';
import { COMMAND, Installation } from '../main/support.ts';
import { codeBlock, findProgram, type StartBalancer, startHaproxy, startNginx } from './balancer.ts';

/** Set where the balancers must exist, so that the tests fail instead of being skipped. */
const IS_REQUIRED = process.env['REQUIRE_PROXY'] === '1';
const DOCUMENTS = 12;
const CLIENTS = 8;
/** Maximum share of requests that may be answered with 503 and Retry-After. */
const MAX_RETRYABLE = 0.002;
const KEY = '5a'.repeat(32);
const run = promisify(execFile);

/** A node that runs like its systemd unit. */
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
  const nodes = [await freePort(), await freePort()].map((port) => new UnitNode(port, installation.env));
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
      count(counts, answer as ApiResponse);
    } catch (error) {
      counts.others.push(String(error));
    }
  }
}

function count(counts: Counts, { status, headers, body }: ApiResponse): void {
  if (status === 200) counts.done++;
  else if (status === 503 && headers.has('retry-after') && typeof body['message'] === 'string') counts.retryable++;
  else counts.others.push(`${status} ${JSON.stringify(body)}`);
}

const BALANCERS: readonly (readonly [name: string, start: StartBalancer])[] = [
  ['nginx', startNginx],
  ['haproxy', startHaproxy],
];

for (const [name, start] of BALANCERS) {
  test(`behind ${name}, nodes are upgraded one after the other as documented, with almost no refused request`, {
    skip: findProgram(name) === null && !IS_REQUIRED ? `no ${name} on this machine` : false,
    timeout: 300_000,
  }, async (t) => {
    const { nodes, installation } = await createTwoNodes(t);
    const commands = codeBlock('    systemctl restart cellwire\n    until').trim().split('\n');
    assert.equal(commands.length, 3);
    const user = await installation.json('user', 'create', '--email', 'load@example.com', '--name', 'Load');
    const scopes = 'sheets.read,sheets.write';
    const token = await installation.json(
      'token',
      'create',
      '--user',
      String(user.id),
      '--name',
      'Load',
      '--scopes',
      scopes,
    );
    const { address } = await start(
      t,
      nodes.map((node) => node.address),
    );
    const books: Api[] = [];
    for (let i = 0; i < DOCUMENTS; i++) {
      const created = await installation.json('document', 'create', '--owner', String(user.id), '--title', `Book ${i}`);
      books.push(new Api(address, token.token, created.id));
    }
    for (const node of nodes) node.start();
    // The load begins when the balancer has noticed both nodes.
    for (const node of nodes) for (const command of commands.slice(1)) await node.execute(command);
    const counts: Counts = { done: 0, retryable: 0, others: [] };
    let isOver = false;
    const clients = Array.from({ length: CLIENTS }, (_, i) => sendRequests(books.slice(i), counts, () => isOver));
    for (const node of nodes) for (const command of commands) await node.execute(command);
    isOver = true;
    await Promise.all(clients);
    assert.deepEqual(counts.others, []);
    assert.ok(counts.retryable <= MAX_RETRYABLE * counts.done, JSON.stringify(counts));
    t.diagnostic(JSON.stringify(counts));
  });
}
