import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { lockServing } from '@cellwire/store';
import type { Command } from 'commander';
import type { RunningServer } from '../compose/server.ts';
import type { Config } from '../config/types.ts';
import { describeStoreProblem, readConfig, reportFailure } from './run.ts';
import { STOP_SIGNALS, type StopSignal } from './signals.ts';
import { findTerminal, type Terminal } from './terminal.ts';

const EXAMPLES = `
In an empty data folder it first creates an owner, a sample document and a token, and prints their secrets once.
When it is ready it prints: listening on http://HOST:PORT. Logs go to standard error, one JSON object per line.
On SIGTERM and SIGINT it finishes running requests, saves everything and ends.

Examples:
  cellwire serve
  CELLWIRE_PORT=0 CELLWIRE_DATA=/var/lib/cellwire cellwire serve
  CELLWIRE_CONFIG=/etc/cellwire.json cellwire serve`;

export function addServe(program: Command): void {
  program
    .command('serve')
    .description('run the service')
    .option('--secrets-to <file>', 'write the secrets of the first start to a file that only this user can read')
    .option(
      '--new-installation',
      'create a new installation although the data folder has files of an installation whose database is missing',
    )
    .addHelpText('after', EXAMPLES)
    .action(runServer);
}

async function runServer(options: ServeOptions, command: Command): Promise<void> {
  const config = readConfig(command);
  if (config === null) return;
  const problem = options.secretsTo === undefined ? null : findSecretsFileProblem(options.secretsTo, config);
  if (problem !== null) return reportFailure(command, `--secrets-to: ${problem}`);
  // From here on, signals end the service cleanly, even during the start. One key press can send several signals.
  const signals = new StopSignals(findTerminal(command));
  const started = await startWithOptions(command, config, options);
  if (started === null) return;
  const { server, lock } = started;
  try {
    await announceServer(findTerminal(command), server, config, options.secretsTo);
    // Only SIGTERM drains: it usually comes from an orchestrator with a load balancer. Ctrl+C comes from a waiting person.
    if ((await signals.first) === 'SIGTERM') {
      signals.onLaterSignal(() => server.endDrain());
      await server.drain();
    }
  } finally {
    await server.close();
    lock?.release();
  }
}

interface ServeOptions {
  readonly secretsTo?: string;
  readonly newInstallation?: boolean;
}

/** Receives signals that end the service, also during the start. */
class StopSignals {
  readonly first: Promise<StopSignal>;
  /** Handles a stop signal after the first one. */
  private later: () => void = () => {};

  constructor(terminal: Terminal) {
    const { promise, resolve } = Promise.withResolvers<StopSignal>();
    this.first = promise;
    let isStopping = false;
    for (const signal of STOP_SIGNALS) {
      terminal.on?.(signal, () => {
        if (isStopping) this.later();
        isStopping = true;
        resolve(signal);
      });
    }
  }

  /** Called for each signal after the first. */
  onLaterSignal(listener: () => void): void {
    this.later = listener;
  }
}

const PRIVATE_FILE = 0o600;

/** Why the first secrets cannot be written to a file; null: they can. Checked before the secrets are created. */
function findSecretsFileProblem(file: string, { dataFolder }: Config): string | null {
  if (statSync(file, { throwIfNoEntry: false })?.isDirectory()) return `${file} is a folder`;
  const folder = dirname(resolve(file));
  // The start creates the data folder.
  if (folder === resolve(dataFolder) && !existsSync(folder)) return null;
  return isWritableFolder(folder) ? null : `this user may not write into ${folder}, or there is no such folder`;
}

function isWritableFolder(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return statSync(folder).isDirectory();
  } catch {
    return false;
  }
}

interface StartedServer {
  readonly server: RunningServer;
  /** The lock of the embedded database's folder; null on PostgreSQL. */
  readonly lock: ReturnType<typeof lockServing> | null;
}

/** Starts the server; null after printing why it cannot start. */
async function startWithOptions(
  command: Command,
  config: Config,
  options: ServeOptions,
): Promise<StartedServer | null> {
  const { startServer } = await import('../compose/server.ts');
  let server: RunningServer | null = null;
  try {
    const { passwords } = findTerminal(command);
    server = await startServer(config, { ...options, ...(passwords && { passwords }) });
    // Locks the folder only after the start: an occupied port is the more helpful error, and the first start creates
    // the folder.
    const lock = config.database.url === null ? lockServing(config.dataFolder) : null;
    return { server, lock };
  } catch (error) {
    await server?.close();
    const reason = describeStoreProblem(error, config) ?? describeListenProblem(error, config);
    if (reason === null) throw error;
    reportFailure(command, reason);
    return null;
  }
}

/**
 * Prints the server's address. On the first start it also creates the first account, and prints its secrets or writes
 * them to the file `secretsTo`.
 */
async function announceServer(
  { stdout }: Terminal,
  server: RunningServer,
  config: Config,
  secretsTo: string | undefined,
): Promise<void> {
  const { createFirstContents, formatFirstStart } = await import('./first-start.ts');
  const firstStartSecrets = await createFirstContents(server.service.context);
  if (firstStartSecrets !== null) {
    const text = `${formatFirstStart(firstStartSecrets, server.address, config.publicUrl ?? server.address)}\n`;
    if (secretsTo === undefined) stdout.write(text);
    else {
      // Removes an existing file, because it may have other permissions.
      await rm(secretsTo, { force: true });
      await writeFile(secretsTo, text, { mode: PRIVATE_FILE, flag: 'wx' });
      stdout.write(`Cellwire is set up. Its first secrets are in ${secretsTo}: read and delete it.\n`);
    }
  }
  stdout.write(`listening on ${server.address}\n`);
}

/** Advice for an address that cannot be listened on; null for all other errors. */
function describeListenProblem(error: unknown, { host, port: mainPort }: Config): string | null {
  // The error may be about the separate metrics port.
  const port = error instanceof Error && 'port' in error && typeof error.port === 'number' ? error.port : mainPort;
  const setting = port === mainPort ? 'CELLWIRE_PORT' : 'metrics.port';
  const code = error instanceof Error && 'code' in error ? error.code : null;
  if (code === 'EADDRINUSE') {
    return `Port ${port} of ${host} is in use. Stop the program that uses it, or set ${setting} to another port (0: a free port).`;
  }
  if (code === 'EACCES' && port > 0) {
    return `This user may not listen on port ${port} of ${host}. Set ${setting} to another port.`;
  }
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
    return `${host} is no address of this machine. Set CELLWIRE_HOST (127.0.0.1, or 0.0.0.0 for all addresses).`;
  }
  return null;
}
