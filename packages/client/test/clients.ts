import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** A call of a method of a resource. The driver of a client performs it. */
export interface ClientCall {
  readonly on?: string;
  readonly method: string;
  readonly args?: readonly unknown[];
  readonly options?: Readonly<Record<string, unknown>>;
  readonly table?: { readonly range: string; readonly options?: object };
  readonly document?: string;
  /** Iterates over the result to its end, or up to this many items. */
  readonly collect?: boolean;
  readonly take?: number;
  readonly progress?: boolean;
  /** Ends the call after this number of milliseconds. */
  readonly abortAfter?: number;
}

export interface CallOutcome {
  readonly result?: unknown;
  readonly error?: Readonly<Record<string, unknown>>;
  readonly progress?: readonly unknown[];
}

/** The command that starts a client's driver. */
export interface ClientKind {
  readonly name: string;
  readonly command: readonly [program: string, ...args: string[]];
  readonly env?: Readonly<Record<string, string>>;
  /** Maximum number of concurrent calls. A browser opens at most six connections to a host. Absent: no limit. */
  readonly concurrency?: number;
}

const resolvePath = (path: string) => fileURLToPath(new URL(path, import.meta.url));

const SOURCES = new URL('../src/index.ts', import.meta.url).href;
export const PYTHON_FOLDER = resolvePath('../../../clients/python');
/** The path of Python 3.9 or newer; null if none is installed. */
export const PYTHON = findPython();

export const TYPESCRIPT: ClientKind = {
  name: 'TypeScript',
  command: [process.execPath, resolvePath('drivers/driver.mjs'), SOURCES],
};

const PYTHON_CLIENTS: readonly ClientKind[] =
  PYTHON === null
    ? []
    : ['', '--async'].map((mode) => ({
        name: mode === '' ? 'Python' : 'Python with asyncio',
        command: [PYTHON, `${PYTHON_FOLDER}/tests/driver.py`, ...(mode === '' ? [] : [mode])],
        env: { PYTHONPATH: `${PYTHON_FOLDER}/src`, PYTHONDONTWRITEBYTECODE: '1' },
      }));

/** The clients that are tested on this machine. `CLIENT_RUNTIMES` replaces them (see scripts/test-runtimes.mjs). */
export const CLIENTS: readonly ClientKind[] = [
  ...(process.env['CLIENT_RUNTIMES'] === undefined
    ? [TYPESCRIPT, ...PYTHON_CLIENTS]
    : (JSON.parse(process.env['CLIENT_RUNTIMES']) as readonly ClientKind[])),
];

function findPython(): string | null {
  // Returns the path of the interpreter, because the command may be a script that searches for the interpreter for a
  // second.
  const program = 'import sys; sys.exit(1) if sys.version_info < (3, 9) else print(sys.executable)';
  for (const name of ['python3', 'python']) {
    const { status, stdout } = spawnSync(name, ['-c', program], { encoding: 'utf8' });
    if (status === 0) return stdout.trim();
  }
  if (process.env['REQUIRE_PYTHON'] === '1') throw new Error('Python 3.9 or newer is missing');
  return null;
}

interface PendingCall {
  readonly resolve: (outcome: CallOutcome) => void;
  readonly reject: (error: Error) => void;
}

/** A client in its own process. Calls may run concurrently. */
export class ClientProcess {
  private readonly child: ChildProcess;
  private readonly pendingCalls = new Map<number, PendingCall>();
  private count = 0;

  constructor({ command: [program, ...args], env }: ClientKind) {
    this.child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'], env: { ...process.env, ...env } });
    const { stdout } = this.child;
    if (stdout === null) throw new Error('the driver has no output');
    createInterface({ input: stdout }).on('line', (line) => {
      const { id, ...outcome } = JSON.parse(line) as CallOutcome & { readonly id: number };
      this.pendingCalls.get(id)?.resolve(outcome);
      this.pendingCalls.delete(id);
    });
    this.child.once('exit', () => {
      for (const { reject } of this.pendingCalls.values()) reject(new Error(`${program} ended early`));
    });
  }

  call(url: string, token: string, call: ClientCall, settings: object = {}): Promise<CallOutcome> {
    const id = ++this.count;
    this.child.stdin?.write(`${JSON.stringify({ id, url, token, settings, call })}\n`);
    return new Promise((resolve, reject) => this.pendingCalls.set(id, { resolve, reject }));
  }

  async close(): Promise<void> {
    const exit = new Promise((resolve) => this.child.once('exit', resolve));
    this.child.stdin?.end();
    await exit;
  }
}
