import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** A call that a driver makes: on which resource, which method, with what. */
export interface Call {
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
  /** Ends the call after this many milliseconds. */
  readonly abortAfter?: number;
}

export interface Outcome {
  readonly result?: unknown;
  readonly error?: Readonly<Record<string, unknown>>;
  readonly progress?: readonly unknown[];
}

/** How a client's driver is started. */
export interface ClientKind {
  readonly name: string;
  readonly command: readonly [program: string, ...args: string[]];
  readonly env?: Readonly<Record<string, string>>;
}

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

const SOURCES = new URL('../src/index.ts', import.meta.url).href;
export const PYTHON_FOLDER = here('../../../clients/python');
/** Python that is new enough; null: there is none. */
export const PYTHON = findPython();

export const TYPESCRIPT: ClientKind = {
  name: 'TypeScript',
  command: [process.execPath, here('drivers/driver.mjs'), SOURCES],
};

const PYTHON_CLIENTS: readonly ClientKind[] =
  PYTHON === null
    ? []
    : ['', '--async'].map((mode) => ({
        name: mode === '' ? 'Python' : 'Python with asyncio',
        command: [PYTHON, `${PYTHON_FOLDER}/tests/driver.py`, ...(mode === '' ? [] : [mode])],
        env: { PYTHONPATH: `${PYTHON_FOLDER}/src`, PYTHONDONTWRITEBYTECODE: '1' },
      }));

/** The clients that run here. `CLIENT_RUNTIMES` names others, see scripts/test-runtimes.mjs. */
export const CLIENTS: readonly ClientKind[] = [
  ...(process.env['CLIENT_RUNTIMES'] === undefined
    ? [TYPESCRIPT, ...PYTHON_CLIENTS]
    : (JSON.parse(process.env['CLIENT_RUNTIMES']) as readonly ClientKind[])),
];

function findPython(): string | null {
  const asked = 'import sys; sys.exit(sys.version_info < (3, 9))';
  const found = ['python3', 'python'].find((name) => spawnSync(name, ['-c', asked]).status === 0);
  if (found === undefined && process.env['REQUIRE_PYTHON'] === '1') throw new Error('Python 3.9 or newer is missing');
  return found ?? null;
}

interface Waiting {
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (error: Error) => void;
}

/** A client in its own process; it makes concurrent calls. */
export class ClientProcess {
  private readonly child: ChildProcess;
  private readonly waiting = new Map<number, Waiting>();
  private count = 0;

  constructor({ command: [program, ...args], env }: ClientKind) {
    this.child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'], env: { ...process.env, ...env } });
    const { stdout } = this.child;
    if (stdout === null) throw new Error('the driver has no output');
    createInterface({ input: stdout }).on('line', (line) => {
      const { id, ...outcome } = JSON.parse(line) as Outcome & { readonly id: number };
      this.waiting.get(id)?.resolve(outcome);
      this.waiting.delete(id);
    });
    this.child.once('exit', () => {
      for (const { reject } of this.waiting.values()) reject(new Error(`${program} ended early`));
    });
  }

  call(url: string, token: string, call: Call, settings: object = {}): Promise<Outcome> {
    const id = ++this.count;
    this.child.stdin?.write(`${JSON.stringify({ id, url, token, settings, call })}\n`);
    return new Promise((resolve, reject) => this.waiting.set(id, { resolve, reject }));
  }

  async close(): Promise<void> {
    const exit = new Promise((resolve) => this.child.once('exit', resolve));
    this.child.stdin?.end();
    await exit;
  }
}
