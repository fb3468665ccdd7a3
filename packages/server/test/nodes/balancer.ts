import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { TestContext } from 'node:test';
import { freePort } from '../postgres/cluster.ts';

export const NGINX_CONFIG = new URL('../../../../deploy/nginx.conf', import.meta.url);

/** Where the program is; null: not on this machine. */
export function findNginx(): string | null {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin'];
  return folders.map((folder) => join(folder, 'nginx')).find(isProgram) ?? null;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** nginx with the configuration that comes with the service, in front of other nodes; its address. */
export async function startNginx(t: TestContext, program: string, nodes: readonly string[]): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'cellwire-nginx-'));
  mkdirSync(join(folder, 'temp'));
  const port = await freePort();
  const path = join(folder, 'nginx.conf');
  writeFileSync(path, adapted(readFileSync(NGINX_CONFIG, 'utf8'), nodes, port));
  const general = `daemon off; master_process off; pid ${folder}/pid; error_log stderr warn;`;
  const child = spawn(program, ['-p', folder, '-c', path, '-g', general], { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  const exit = once(child, 'exit');
  t.after(async () => {
    child.kill('SIGTERM');
    await exit;
    rmSync(folder, { recursive: true, force: true });
  });
  while (!(await isListening(port))) if (child.exitCode !== null) throw new Error(`nginx did not start: ${said}`);
  return `http://127.0.0.1:${port}`;
}

/** The same with the addresses of tests, and with its own files in a folder of its own. */
function adapted(config: string, nodes: readonly string[], port: number): string {
  const files = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((kind) => `${kind}_temp_path temp/${kind};`);
  const named = nodes.reduce((text, node, i) => text.replace(`node${i + 1}:8080`, new URL(node).host), config);
  return named
    .replace('listen 8080;', `listen 127.0.0.1:${port};`)
    .replace('http {', `http {\n    access_log off;\n    ${files.join('\n    ')}`);
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const end = (is: boolean) => () => {
      socket.destroy();
      resolve(is);
    };
    socket.once('connect', end(true));
    socket.once('error', end(false));
  });
}
