import { fork } from 'node:child_process';
import { once } from 'node:events';
import { openSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const HOME_MADE = fileURLToPath(new URL('./home-made.mjs', import.meta.url));
export const PROBE = new URL('./probe.mjs', import.meta.url).href;

const FLAGS = ['--expose-gc', `--import=${PROBE}`];
const NS_PER_MS = 1e6;
const ADDRESS = /listening on (http:\S+)/;

/** Starts a server in its own process. Like the service, it prints `listening on http://…` when it is ready. */
export class ServerProcess {
  constructor(child, address) {
    this.child = child;
    this.address = address;
  }

  /** Starts a process. Its log is written to `folder`. */
  static async start(file, { args = [], env = {}, folder }) {
    const child = fork(file, args, {
      execArgv: FLAGS,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', openSync(join(folder, 'log'), 'a'), 'ipc'],
    });
    return new ServerProcess(child, await waitForAddress(child));
  }

  /** Memory in bytes (`rss`, and on request `live` after garbage collection), processor time in milliseconds. */
  async readUsage(collect = false) {
    this.child.send({ ask: 'usage', collect });
    const [{ usage }] = await once(this.child, 'message');
    return usage;
  }

  /**
   * Processor time of the process's threads in milliseconds. Unlike `readUsage`, this takes no time of the process. Threads
   * that have ended are missing.
   */
  readThreadsMs() {
    const folder = `/proc/${this.child.pid}/task`;
    const times = readdirSync(folder).map((thread) => {
      try {
        return Number(readFileSync(join(folder, thread, 'schedstat'), 'utf8').split(' ', 1)[0]);
      } catch {
        // The thread has ended meanwhile.
        return 0;
      }
    });
    return times.reduce((sum, ns) => sum + ns, 0) / NS_PER_MS;
  }

  /** The longest time that the serving thread has worked without a pause since the last call, in milliseconds. */
  async readLongestStretch() {
    this.child.send({ ask: 'stretch' });
    const [{ stretch }] = await once(this.child, 'message');
    return stretch;
  }

  async stop(signal = 'SIGTERM') {
    const exit = once(this.child, 'exit');
    this.child.kill(signal);
    await exit;
  }
}

/**
 * Starts the server that a programmer could write, with a document of each id. `file`: a .csv file with their numbers.
 */
export function startHomeMadeServer({ file, folder, documents }) {
  return ServerProcess.start(HOME_MADE, { folder, args: [file, ...documents] });
}

/** Resolves to the address that a started server prints. */
function waitForAddress(child) {
  return new Promise((resolve, reject) => {
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (part) => {
      text += part;
      const match = ADDRESS.exec(text);
      if (match !== null) resolve(match[1]);
    });
    child.once('exit', (code) => reject(new Error(`a server ended at its start (${code})`)));
  });
}

/** Sends load from a separate process (`load.mjs`). Returns requests per second and latencies in milliseconds. */
export async function runLoad(options) {
  const child = fork(fileURLToPath(new URL('./load.mjs', import.meta.url)), {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  child.send(options);
  const [result] = await once(child, 'message');
  if (result.error !== undefined) throw new Error(result.error);
  return result;
}
