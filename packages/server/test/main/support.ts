import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { StoreLocation } from '@cellwire/store';
import { requireValue } from '../../../../test/elements.ts';
import { getDatabaseUrl, getStoreLocation } from '../../../store/test/postgres/folder-databases.ts';
import { Passwords } from '../../src/access/passwords.ts';
import { runProgram } from '../../src/main/main.ts';
import type { Terminal } from '../../src/main/terminal.ts';
import { type HttpResponse, sendHttp } from '../http/send.ts';
import { CHEAP_HASHING } from '../http/support.ts';

export const COMMAND = fileURLToPath(new URL('../../bin/cellwire.mjs', import.meta.url));

/** Hashes passwords of commands in this process. */
const PASSWORDS = new Passwords(CHEAP_HASHING);

/** The environment of this process without settings of the service and without npm's variables. */
const CLEAN_ENVIRONMENT = {
  ...Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !name.startsWith('CELLWIRE_') && name !== 'npm_lifecycle_event'),
  ),
  // The language determines the locale of the sample.
  LC_ALL: 'C.UTF-8',
};

export interface CommandResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

// biome-ignore lint/suspicious/noExplicitAny: a test fails if the JSON has another shape than the test reads
export type Json = any;

interface ServeOptions {
  /** Path of the command; by default that of this checkout. */
  readonly command?: string;
  /** Options of `serve`. */
  readonly args?: readonly string[];
  /** True if the log is stored instead of printed. */
  readonly isLogKept?: boolean;
}

/** A data folder with the real command. */
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

  /** Location of the data. */
  get location(): StoreLocation {
    const location_ = getStoreLocation(this.folder);
    return location_.kind === 'sqlite' ? { ...location_, folder: this.data } : location_;
  }

  get env(): NodeJS.ProcessEnv {
    return { ...CLEAN_ENVIRONMENT, CELLWIRE_DATA: this.data, CELLWIRE_PORT: '0', ...this.environment };
  }

  /** Returns an installation on the same data with other settings. */
  addEnvironment(environment: Readonly<Record<string, string>>): Installation {
    return new Installation(this.folder, { ...this.environment, ...environment });
  }

  /** Runs a command in this process, which is a hundred times faster than in a separate one. */
  async runCommand(...args: readonly string[]): Promise<CommandResult> {
    let stdout = '';
    let stderr = '';
    const terminal: Terminal = {
      env: this.env,
      passwords: PASSWORDS,
      stdout: { write: (text) => (stdout += text) },
      stderr: { write: (text) => (stderr += text) },
    };
    await runProgram(args, terminal);
    return { code: Number(terminal.exitCode ?? 0), stdout, stderr };
  }

  /** Runs a command in a separate process, like an operator. */
  runAsProcess(...args: readonly string[]): Promise<CommandResult> {
    return new Promise((resolve) => {
      const options = { env: this.env, cwd: this.folder };
      const child = execFile(process.execPath, [COMMAND, ...args], options, (_error, stdout, stderr) =>
        resolve({ code: child.exitCode ?? -1, stdout, stderr }),
      );
    });
  }

  /** The JSON object that a successful command prints with `--json`. */
  async runForJson(...args: readonly string[]): Promise<Json> {
    const { code, stdout, stderr } = await this.runCommand(...args, '--json');
    if (code !== 0) throw new Error(`${args.join(' ')}: ${code} ${stderr}`);
    return JSON.parse(stdout);
  }

  async serve({ command = COMMAND, args = [], isLogKept = false }: ServeOptions = {}): Promise<ServiceProcess> {
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
      if (address === undefined) continue;
      // Unread output would keep the pipe open after the end of the process.
      child.stdout?.resume();
      return new ServiceProcess(child, address, printed.slice(0, -1).join('\n'), log);
    }
    throw new Error(`serve ended before it listened: ${printed.join('\n')}`);
  }

  /**
   * Runs `serve` in this process, which takes a seventh of the processor time of a separate one. It ends only by
   * `end`; use `serve` to kill it, and for everything that depends on the process: its log, memory and program files.
   */
  async serveInProcess(): Promise<LocalService> {
    const terminal = new LocalTerminal({ CELLWIRE_LOG_LEVEL: 'silent', ...this.env });
    const ended = runProgram(['serve'], terminal);
    await Promise.race([terminal.listening, ended]);
    const address = LISTENING.exec(terminal.printed.at(-1) ?? '')?.[1];
    if (address === undefined) throw new Error(`serve ended before it listened: ${terminal.printed.join('\n')}`);
    return new LocalService(terminal, ended, address);
  }

  /** Retries, because a service that still runs or ends may create files meanwhile. */
  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true, maxRetries: 10 });
  }
}

const LISTENING = /^listening on (http:\/\/\S+:\d+)$/;

/** A terminal of a command that runs in this process. */
class LocalTerminal extends EventEmitter implements Terminal {
  readonly env: NodeJS.ProcessEnv;
  readonly passwords = PASSWORDS;
  /** Printed lines. */
  readonly printed: string[] = [];
  /** Resolves when the service listens. */
  readonly listening: Promise<unknown>;
  readonly stdout = {
    write: (text: string) => {
      this.printed.push(...text.trimEnd().split('\n'));
      if (LISTENING.test(this.printed.at(-1) ?? '')) this.emit('listening');
    },
  };
  readonly stderr = { write: (text: string) => void this.printed.push(text) };
  exitCode?: number;

  constructor(env: NodeJS.ProcessEnv) {
    super();
    this.env = env;
    this.listening = once(this, 'listening');
  }
}

/** A listening service. */
class RunningService {
  readonly address: string;
  /** Output of the process before the service was ready. */
  readonly printed: string;

  constructor(address: string, printed: string) {
    this.address = address;
    this.printed = printed;
  }

  /** Reads the text response of a path. */
  async readText(
    path: string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<{ status: number; text: string }> {
    return sendHttp(`${this.address}${path}`, { headers });
  }

  /** A secret or id of the first-start output, by its label. */
  readFirstStartValue(label: string): string {
    const value = new RegExp(`^ *${label} +(\\S+)`, 'm').exec(this.printed)?.[1];
    if (value === undefined) throw new Error(`${label} is not in: ${this.printed}`);
    return value;
  }

  async call(token: string, method: string, path: string, body?: unknown): Promise<{ status: number; body: Json }> {
    const { status, text } = await this.send(token, method, path, body);
    return { status, body: JSON.parse(text) };
  }

  /** Sends a request and returns the raw response. `body` is sent as JSON; a string is sent unchanged. */
  send(token: string, method: string, path: string, body?: unknown, type = 'application/json'): Promise<HttpResponse> {
    return sendHttp(`${this.address}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': type },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
  }
}

/** A listening service in this process. */
export class LocalService extends RunningService {
  private readonly terminal: LocalTerminal;
  private readonly ended: Promise<void>;

  constructor(terminal: LocalTerminal, ended: Promise<void>, address: string) {
    super(address, terminal.printed.slice(0, -1).join('\n'));
    this.terminal = terminal;
    this.ended = ended;
  }

  /** Ends the service; throws if it failed. */
  async end(): Promise<void> {
    this.terminal.emit('SIGINT');
    await this.ended;
    if (this.terminal.exitCode !== undefined) throw new Error(this.terminal.printed.join('\n'));
  }
}

/** A listening service in a separate process. */
export class ServiceProcess extends RunningService {
  private readonly child: ChildProcess;
  private readonly logParts: readonly string[];

  constructor(child: ChildProcess, address: string, printed: string, logParts: readonly string[]) {
    super(address, printed);
    this.logParts = logParts;
    this.child = child;
  }

  get processId(): number {
    return requireValue(this.child.pid, 'the process id');
  }

  /** The log so far, if it is stored. */
  get log(): string {
    return this.logParts.join('');
  }

  /** Waits until the stored log matches. */
  async waitForLogLine(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const match = pattern.exec(this.log);
      if (match !== null) return match;
      await once(this.child.stderr as Readable, 'data');
    }
  }

  /** Sends a signal; returns how the process ended, after its whole log has been read. */
  async end(signal: 'SIGTERM' | 'SIGINT' | 'SIGKILL'): Promise<{ code: number | null; signal: string | null }> {
    const close = once(this.child, 'close');
    this.child.kill(signal);
    const [code, endSignal] = await close;
    return { code, signal: endSignal };
  }

  /** Stops or continues the process, or asks it again to end. */
  sendSignal(name: 'SIGSTOP' | 'SIGCONT' | 'SIGTERM' | 'SIGKILL'): void {
    this.child.kill(name);
  }
}

export async function createInstallation(environment: Readonly<Record<string, string>> = {}): Promise<Installation> {
  const folder = await mkdtemp(join(tmpdir(), 'cellwire-main-'));
  const url = await getDatabaseUrl(folder);
  return new Installation(folder, url === null ? environment : { CELLWIRE_DATABASE_URL: url, ...environment });
}
