import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { TestContext } from 'node:test';
import { findFreePort } from '../../../store/test/postgres/cluster.ts';

export const NGINX_CONFIG = new URL('../../../../deploy/nginx.conf', import.meta.url);
export const OPERATIONS_PAGE = new URL('../../../../docs/operations.md', import.meta.url);
/** Log path in nginx.conf; a test replaces it with a file in its folder. */
const LOG_PATH = '/var/log/nginx/access.log';

/** A running balancer. */
export interface Balancer {
  readonly address: string;
  /** Returns the request log of nginx so far. */
  log(): string;
}

/** Starts a balancer in front of nodes with the documented configuration. */
export type StartBalancer = (t: TestContext, nodes: readonly string[]) => Promise<Balancer>;

/** Path of a program; null if it is not installed. */
export function findProgram(name: string): string | null {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin'];
  return folders.map((folder) => join(folder, name)).find(isProgram) ?? null;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** nginx with the configuration in `deploy`. */
export const startNginx: StartBalancer = async (t, nodes) => {
  const { folder, port } = await createWorkspace(t);
  mkdirSync(join(folder, 'temp'));
  const path = join(folder, 'nginx.conf');
  const log = join(folder, 'access.log');
  const files = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((kind) => `${kind}_temp_path temp/${kind};`);
  const config = replaceNodes(readFileSync(NGINX_CONFIG, 'utf8'), nodes, (i) => `node${i}:8080`)
    .replace('listen 8080;', `listen 127.0.0.1:${port};`)
    .replace(LOG_PATH, log)
    .replace('http {', `http {\n    ${files.join('\n    ')}`);
  writeFileSync(path, config);
  const general = `daemon off; master_process off; pid ${folder}/pid; error_log stderr warn;`;
  await startProgram(t, 'nginx', ['-p', folder, '-c', path, '-g', general], port);
  return { address: `http://127.0.0.1:${port}`, log: () => readFileSync(log, 'utf8') };
};

/** HAProxy with the configuration in the documentation. */
export const startHaproxy: StartBalancer = async (t, nodes) => {
  const { folder, port } = await createWorkspace(t);
  const path = join(folder, 'haproxy.cfg');
  const config = replaceNodes(findCodeBlock('    defaults\n'), nodes, (i) => `10.0.0.${i}:8080`);
  writeFileSync(path, config.replace('bind :8080', `bind 127.0.0.1:${port}`));
  await startProgram(t, 'haproxy', ['-db', '-f', path], port);
  return { address: `http://127.0.0.1:${port}`, log: () => '' };
};

/** The indented block of docs/operations.md that begins with `start`. */
export function findCodeBlock(start: string): string {
  const page = readFileSync(OPERATIONS_PAGE, 'utf8');
  const from = page.indexOf(start);
  if (from < 0) throw new Error(`docs/operations.md has no ${start}`);
  const [block = ''] = /^(?: {4}.*\n|\n)+/.exec(page.slice(from)) ?? [];
  return block.replaceAll(/^ {4}/gm, '');
}

/** Replaces the nodes in a documented configuration by the nodes of the test. */
function replaceNodes(config: string, nodes: readonly string[], placeholderOf: (number: number) => string): string {
  return nodes.reduce((text, node, i) => text.replace(placeholderOf(i + 1), new URL(node).host), config);
}

/** Creates a folder for a balancer's files and chooses a free port. */
async function createWorkspace(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'cellwire-balancer-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return { folder, port: await findFreePort() };
}

/** Starts a program and waits until it listens on the port. */
async function startProgram(t: TestContext, name: string, args: readonly string[], port: number): Promise<void> {
  const child: ChildProcess = spawn(findProgram(name) ?? name, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  let stderrText = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    stderrText += chunk.toString();
  });
  const exit = once(child, 'exit');
  t.after(async () => {
    child.kill('SIGTERM');
    await exit;
  });
  while (!(await isListening(port)))
    if (child.exitCode !== null) throw new Error(`${name} did not start: ${stderrText}`);
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const end = (isOpen: boolean) => () => {
      socket.destroy();
      resolve(isOpen);
    };
    socket.once('connect', end(true));
    socket.once('error', end(false));
  });
}
