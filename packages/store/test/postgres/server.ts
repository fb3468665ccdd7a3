import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';

/** A separate schema on the tests' PostgreSQL server, which is cheaper than a separate database. */
export interface TestSchema {
  readonly url: string;
  /** Creates the empty schema. */
  make(): Promise<void>;
  /** Removes the schema with its content. */
  remove(): Promise<void>;
}

const SUPERVISOR = fileURLToPath(new URL('./supervisor.ts', import.meta.url));
/** Maximum start time of the server, and the polling interval, in milliseconds. */
const START_MS = 240_000;
const POLL_MS = 50;

let serverUrl: Promise<string> | null = null;

/**
 * Returns the address of a server: `TEST_DATABASE_URL`, or else a server that all test files share and that stops
 * after them.
 */
export function getPostgresUrl(): Promise<string> {
  const configuredUrl = process.env['TEST_DATABASE_URL'];
  serverUrl ??= configuredUrl === undefined ? ensureSharedServer() : Promise.resolve(configuredUrl);
  return serverUrl;
}

/** Defines a schema with a random name. `base`: the address from `getPostgresUrl`. */
export function defineSchema(base: string): TestSchema {
  const name = `test_${randomBytes(8).toString('hex')}`;
  const url = new URL(base);
  url.searchParams.set('options', `-c search_path=${name}`);
  return {
    url: url.href,
    make: () => runSql(base, `create schema ${name}`),
    remove: () => runSql(base, `drop schema if exists ${name} cascade`),
  };
}

export async function createSchema(): Promise<TestSchema> {
  const schema = defineSchema(await getPostgresUrl());
  await schema.make();
  return schema;
}

export async function runSql(url: string, text: string): Promise<void> {
  await queryRows(url, text);
}

export async function queryRows(url: string, text: string): Promise<readonly unknown[]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

/** Socket of this checkout's supervisor. */
function getSupervisorSocket(): string {
  const name = createHash('sha256').update(`${SUPERVISOR} ${userInfo().uid}`).digest('hex').slice(0, 12);
  return join(tmpdir(), `cellwire-postgres-${name}.sock`);
}

async function ensureSharedServer(): Promise<string> {
  const socket = getSupervisorSocket();
  const until = performance.now() + START_MS;
  let isStarted = false;
  while (performance.now() < until) {
    const answer = await askSupervisor(socket);
    if (answer !== null) {
      if (answer.startsWith('postgres://')) return answer;
      throw new Error(`PostgreSQL for the tests did not start (${answer}); name one by TEST_DATABASE_URL`);
    }
    if (!isStarted) startSupervisor(socket);
    isStarted = true;
    await delay(POLL_MS);
  }
  throw new Error('PostgreSQL for the tests did not start in time; name one by TEST_DATABASE_URL');
}

/**
 * Asks the supervisor for the server's address; null if there is no supervisor. The connection stays open, which keeps
 * the server running.
 */
function askSupervisor(socketPath: string): Promise<string | null> {
  return new Promise((resolve) => {
    const socket: Socket = connect(socketPath);
    let output = '';
    socket.once('error', () => resolve(null));
    socket.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      if (!output.endsWith('\n')) return;
      socket.unref();
      resolve(output.trim());
    });
    socket.once('close', () => resolve(null));
  });
}

/** Starts a supervisor. If several processes do so, all but one supervisor exit. */
function startSupervisor(socket: string): void {
  spawn(process.execPath, [SUPERVISOR, socket], { detached: true, stdio: 'ignore' }).unref();
}
