import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { PROBE, ServerProcess } from './children.mjs';

/** The service's command. `BENCH_COMMAND` names that of another checkout, for comparisons. */
const COMMAND =
  process.env.BENCH_COMMAND ?? fileURLToPath(new URL('../../packages/server/bin/cellwire.mjs', import.meta.url));
export const OWNER = 'bench@example.org';
const SCOPES = 'sheets.read,sheets.write,documents.write';
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;
const execute = promisify(execFile);

/** Removes limits that would be measured instead of the service's speed. */
const SETTINGS = { plans: { enterprise: { requestsPerSecond: null } } };

/** A data folder with its owner, set up and run only by the operator's commands. */
export class Installation {
  constructor(parent, { settings = SETTINGS, scopes = SCOPES } = {}) {
    this.folder = mkdtempSync(join(parent, 'service-'));
    this.settings = join(this.folder, 'settings.json');
    writeFileSync(this.settings, JSON.stringify(settings));
    this.scopes = scopes;
    this.env = {
      CELLWIRE_DATA: join(this.folder, 'data'),
      CELLWIRE_CONFIG: this.settings,
      CELLWIRE_PORT: '0',
      CELLWIRE_LOG_LEVEL: 'info',
      // `serve` sets these by a restart, which would close the channel to the bench.
      MALLOC_ARENA_MAX: '2',
      MALLOC_MMAP_THRESHOLD_: '1048576',
    };
    this.token = null;
    this.users = 0;
  }

  async setUp() {
    await this.command('user', 'create', '--email', OWNER, '--name', 'Bench');
    const token = await this.command('token', 'create', '--user', OWNER, '--name', 'bench', '--scopes', this.scopes);
    this.token = token.json.token;
    return this;
  }

  /**
   * Creates another user with a token, and a function that creates documents of this user. Repeated runs of a scenario
   * share the folder, so each call uses another address.
   */
  async user(name) {
    const email = `${name}-${++this.users}@example.org`;
    await this.command('user', 'create', '--email', email, '--name', name);
    const { json } = await this.command('token', 'create', '--user', email, '--name', name, '--scopes', SCOPES);
    const document = async (title) => {
      const words = ['document', 'create', '--owner', email, '--title', title, '--locale', 'en-US'];
      return (await this.command(...words)).json.id;
    };
    return { email, token: json.token, document };
  }

  /** Runs a command. Returns its answer, its time and processor time in milliseconds, and its peak memory in bytes. */
  async command(...words) {
    const usage = join(this.folder, 'usage');
    const start = performance.now();
    const { stdout } = await execute(process.execPath, [`--import=${PROBE}`, COMMAND, ...words, '--json'], {
      env: { ...process.env, ...this.env, BENCH_USAGE_FILE: usage },
      maxBuffer: MAX_OUTPUT_BYTES,
    });
    const ms = performance.now() - start;
    return { json: JSON.parse(stdout), ms, ...JSON.parse(readFileSync(usage, 'utf8')) };
  }

  /** Creates a document, empty or from a file, and returns its id. */
  async document(title, from) {
    const words = ['document', 'create', '--owner', OWNER, '--title', title, '--locale', 'en-US'];
    const document = await this.command(...words, ...(from === undefined ? [] : ['--from', from]));
    return { id: document.json.id, ms: document.ms, cpuMs: document.cpuMs, peak: document.peak };
  }

  /** Creates empty documents over the API of a started service, which is faster than the command. Returns their ids. */
  async emptyDocuments({ address }, count) {
    const ids = [];
    for (let i = 0; i < count; i++) {
      const body = JSON.stringify({ title: `Target ${i}` });
      const response = await fetch(`${address}/api/v1/documents`, { method: 'POST', headers: this.headers, body });
      if (!response.ok) throw new Error(await response.text());
      ids.push((await response.json()).document.id);
    }
    return ids;
  }

  /** Starts the service. It writes its log to a file, as in production, not to a terminal. */
  start() {
    return ServerProcess.start(COMMAND, { args: ['serve'], env: this.env, folder: this.folder });
  }

  get headers() {
    return { authorization: `Bearer ${this.token}`, 'content-type': 'application/json' };
  }

  remove() {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
