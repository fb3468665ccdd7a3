import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { StoreLocation } from '@cellwire/store';
import { databaseUrlFor, storeLocationOf } from '../../../store/test/postgres/folder-databases.ts';
import { main } from '../../src/main/main.ts';
import type { Terminal } from '../../src/main/terminal.ts';
import { type HttpResponse, send } from '../http/send.ts';

export const COMMAND = fileURLToPath(new URL('../../bin/cellwire.mjs', import.meta.url));

/** The environment of this process without its own settings of the service, and as if nothing had started it. */
const CLEAN_ENVIRONMENT = {
  ...Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !name.startsWith('CELLWIRE_') && name !== 'npm_lifecycle_event'),
  ),
  // The language decides the locale of the sample.
  LC_ALL: 'C.UTF-8',
};

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

// biome-ignore lint/suspicious/noExplicitAny: answers are looked into by tests, which fail where the shape is another
export type Json = any;

interface ServeOptions {
  /** The program; this checkout's unless given. */
  readonly command?: string;
  /** Options of `serve`. */
  readonly args?: readonly string[];
  /** Keeps the log in place of showing it. */
  readonly isLogKept?: boolean;
}

/** A folder of data with the real command on it. */
export class Installation {
  readonly folder: string;
  private readonly environment: Readonly<Record<string, string>>;

  constructor(folder: string, environment: Readonly<Record<string, string>>) {
    this.folder = folder;
    this.environment = environment;
  }

  get data(): string {
    return join(this.folder, 'data');
  }

  /** Where its data is. */
  get location(): StoreLocation {
    const at = storeLocationOf(this.folder);
    return at.kind === 'sqlite' ? { ...at, folder: this.data } : at;
  }

  get env(): NodeJS.ProcessEnv {
    return { ...CLEAN_ENVIRONMENT, CELLWIRE_DATA: this.data, CELLWIRE_PORT: '0', ...this.environment };
  }

  /** The same data with other settings. */
  with(environment: Readonly<Record<string, string>>): Installation {
    return new Installation(this.folder, { ...this.environment, ...environment });
  }

  /** Runs a command here, which is a hundred times faster than a process of its own. */
  async run(...args: readonly string[]): Promise<Ran> {
    let stdout = '';
    let stderr = '';
    const terminal: Terminal = {
      env: this.env,
      stdout: { write: (text) => (stdout += text) },
      stderr: { write: (text) => (stderr += text) },
    };
    await main(args, terminal);
    return { code: Number(terminal.exitCode ?? 0), stdout, stderr };
  }

  /** Runs a command as operators do. */
  runAsProcess(...args: readonly string[]): Promise<Ran> {
    return new Promise((resolve) => {
      const options = { env: this.env, cwd: this.folder };
      const child = execFile(process.execPath, [COMMAND, ...args], options, (_error, stdout, stderr) =>
        resolve({ code: child.exitCode ?? -1, stdout, stderr }),
      );
    });
  }

  /** What a command that must succeed prints with `--json`: one object and nothing else. */
  async json(...args: readonly string[]): Promise<Json> {
    const { code, stdout, stderr } = await this.run(...args, '--json');
    if (code !== 0) throw new Error(`${args.join(' ')}: ${code} ${stderr}`);
    return JSON.parse(stdout);
  }

  async serve({ command = COMMAND, args = [], isLogKept = false }: ServeOptions = {}): Promise<Serving> {
    const child = spawn(process.execPath, [command, 'serve', ...args], {
      env: this.env,
      cwd: this.folder,
      stdio: ['ignore', 'pipe', isLogKept ? 'pipe' : 'inherit'],
    });
    const printed: string[] = [];
    const log: string[] = [];
    child.stderr?.setEncoding('utf8').on('data', (text: string) => log.push(text));
    for await (const line of createInterface({ input: child.stdout as Readable })) {
      printed.push(line);
      const address = LISTENING.exec(line)?.[1];
      if (address !== undefined) return new Serving(child, address, printed.slice(0, -1).join('\n'), log);
    }
    throw new Error(`serve ended before it listened: ${printed.join('\n')}`);
  }

  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }
}

const LISTENING = /^listening on (http:\/\/\S+:\d+)$/;

/** A service that listens. */
export class Serving {
  readonly address: string;
  /** What it printed before it was ready. */
  readonly printed: string;
  private readonly child: ChildProcess;
  private readonly logged: readonly string[];

  constructor(child: ChildProcess, address: string, printed: string, logged: readonly string[]) {
    this.logged = logged;
    this.child = child;
    this.address = address;
    this.printed = printed;
  }

  /** Its log by now, if it is kept. */
  get log(): string {
    return this.logged.join('');
  }

  /** Waits until the log, which is kept, matches. */
  async logLine(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const found = pattern.exec(this.log);
      if (found !== null) return found;
      await once(this.child.stderr as Readable, 'data');
    }
  }

  /** The text at a path of the service. */
  async text(path: string, headers: Readonly<Record<string, string>> = {}): Promise<{ status: number; text: string }> {
    return send(`${this.address}${path}`, { headers });
  }

  /** A secret or an id of the first-start block, by its label. */
  given(label: string): string {
    const found = new RegExp(`^ *${label} +(\\S+)`, 'm').exec(this.printed)?.[1];
    if (found === undefined) throw new Error(`${label} is not in: ${this.printed}`);
    return found;
  }

  /** Sends a signal; what the process then ends with. */
  async end(signal: 'SIGTERM' | 'SIGINT' | 'SIGKILL'): Promise<{ code: number | null; signal: string | null }> {
    const exit = once(this.child, 'exit');
    this.child.kill(signal);
    const [code, by] = await exit;
    return { code, signal: by };
  }

  /** Stops the process, lets it go on, or tells it again to end. */
  signal(name: 'SIGSTOP' | 'SIGCONT' | 'SIGTERM' | 'SIGKILL'): void {
    this.child.kill(name);
  }

  async call(token: string, method: string, path: string, body?: unknown): Promise<{ status: number; body: Json }> {
    const { status, text } = await this.send(token, method, path, body);
    return { status, body: JSON.parse(text) };
  }

  /** The raw answer. `body` is sent as JSON, a string unchanged. */
  send(token: string, method: string, path: string, body?: unknown, type = 'application/json'): Promise<HttpResponse> {
    return send(`${this.address}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': type },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
  }
}

export async function newInstallation(environment: Readonly<Record<string, string>> = {}): Promise<Installation> {
  const folder = await mkdtemp(join(tmpdir(), 'cellwire-main-'));
  const url = await databaseUrlFor(folder);
  return new Installation(folder, url === null ? environment : { CELLWIRE_DATABASE_URL: url, ...environment });
}
