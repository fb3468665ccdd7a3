// The service as `cellwire serve` runs it, and requests to it.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { readStat } from '../lib/processes.mjs';

const ROOT = new URL('../../', import.meta.url);
const NODE = fileURLToPath(new URL('node_modules/node/bin/node', ROOT));
const COMMAND = fileURLToPath(new URL('packages/server/bin/cellwire.mjs', ROOT));
const REQUEST_MS = 60_000;
const IDLE_CHECK_MS = 500;
/** Processor time per check of a service without work, in milliseconds. */
const IDLE_CPU_MS = 50;
const IDLE_CHECKS = 5;

/** Running services. */
const services = new Set();

export function serve(env) {
  const child = spawn(NODE, [COMMAND, 'serve'], { env, stdio: ['ignore', 'pipe', 'ignore'] });
  services.add(child);
  return new Promise((resolve, reject) => {
    let token;
    child.once('exit', () => reject(new Error('the service ended')));
    createInterface(child.stdout).on('line', (line) => {
      token ??= /\b(cw_\w+)/.exec(line)?.[1];
      const [, origin] = /^listening on (\S+)/.exec(line) ?? [];
      if (origin !== undefined) resolve({ origin, token, pid: child.pid, child });
    });
  });
}

export function stop({ child }) {
  child.removeAllListeners('exit');
  services.delete(child);
  const exit = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  return exit;
}

export function killAll() {
  for (const child of services) child.kill('SIGKILL');
}

/** Runs a command and returns its JSON. */
export async function operator(env, words) {
  const child = spawn(NODE, [COMMAND, ...words, '--json'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  for await (const part of child.stdout) text += part;
  return JSON.parse(text);
}

/** Sends a request to the API and reads the whole answer. */
export async function send({ origin }, token, { method = 'GET', path, body, headers = {} }) {
  const response = await fetch(`${origin}/api/v1${path}`, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
    signal: AbortSignal.timeout(REQUEST_MS),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** Waits until the service uses no processor time, because maintenance has checked everything. */
export async function waitUntilIdle({ pid }) {
  let idle = 0;
  for (let { cpuMs } = readStat(pid); idle < IDLE_CHECKS; ) {
    await new Promise((resolve) => setTimeout(resolve, IDLE_CHECK_MS));
    const current = readStat(pid);
    idle = current.cpuMs - cpuMs < IDLE_CPU_MS ? idle + 1 : 0;
    cpuMs = current.cpuMs;
  }
}
