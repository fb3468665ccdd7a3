import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { jsonText } from '@cellwire/engine';
import { limitHeapGrowth } from '@cellwire/event-loop/heap';
import type { Command } from 'commander';
import { loadConfig } from '../config/config.ts';
import type { Config } from '../config/types.ts';
import type { ServiceContext } from '../service/context.ts';
import type { Refusal } from '../service/refusal.ts';
import { terminalOf, WRONG_USAGE } from './terminal.ts';

/** What a command has to say: `json` with `--json`, else `text`, which people read. */
export interface CommandOutput {
  readonly json: object;
  readonly text: string;
}

/** The configuration, or null where it cannot be used: then the reasons are printed and the exit code is set. */
export function readConfig(command: Command): Config | null {
  const config = loadConfig(terminalOf(command).env);
  if (!('kind' in config)) return config;
  for (const problem of config.problems) fail(command, problem);
  return null;
}

/** What to do about a data folder or database that cannot be opened; null where an error has another reason. */
export function storeProblem(error: unknown, { dataFolder }: Config): string | null {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return null;
  if (error.code === 'UNAVAILABLE')
    return `${error.message}. Look at CELLWIRE_DATABASE_URL, and whether that server runs.`;
  if (error.code === 'LOST_DATABASE') return error.message;
  const ofFile =
    'path' in error && typeof error.path === 'string' && resolve(error.path).startsWith(resolve(dataFolder));
  if (ofFile && error.code === 'EROFS')
    return `The disk of the data folder ${dataFolder} is read-only: cellwire doctor says what to do.`;
  if (!ofFile && !SQLITE_ACCESS.has(error.code)) return null;
  return `The data folder ${dataFolder} cannot be used (${error.code}). Set CELLWIRE_DATA to one that this user may write into.`;
}

/** SQLite may not open or write its file; what is wrong inside of it has other codes. */
const SQLITE_ACCESS: ReadonlySet<string> = new Set(['SQLITE_CANTOPEN', 'SQLITE_READONLY', 'SQLITE_PERM']);

/** Prints why the command failed. */
export function fail(command: Command, message: string): void {
  const terminal = terminalOf(command);
  terminal.stderr.write(`error: ${message}\n`);
  terminal.exitCode = 1;
}

/** Says what would happen, and that nothing did. */
export function requireConfirmation(command: Command, { text }: ConfirmationRequest): void {
  refuseUsage(command, text);
}

/** Prints why the command cannot be used in this way. */
export function refuseUsage(command: Command, text: string): void {
  const terminal = terminalOf(command);
  terminal.stderr.write(`${text}\n`);
  terminal.exitCode = WRONG_USAGE;
}

/** Tells people, not programs, what they should know beside the answer. */
export function note(command: Command, message: string): void {
  terminalOf(command).stderr.write(`note: ${message}\n`);
}

export function wantsJson(command: Command): boolean {
  return command.optsWithGlobals<{ json?: boolean }>().json === true;
}

export function print(command: Command, answer: CommandOutput): void {
  terminalOf(command).stdout.write(`${formatOutput(command, answer)}\n`);
}

export function formatOutput(command: Command, answer: CommandOutput): string {
  return wantsJson(command) ? jsonText(answer.json) : answer.text;
}

/** What a command would do that nobody can take back: it waits for `--yes`. */
export interface ConfirmationRequest {
  readonly kind: 'unconfirmed';
  readonly text: string;
}

/** A use case with its answer in words. */
type CommandTask = (context: ServiceContext) => Promise<CommandOutput | Refusal | ConfirmationRequest>;

/** Opens the service on the data folder, without HTTP, runs a use case and prints what it answered. */
export async function runOnService(command: Command, work: CommandTask): Promise<void> {
  const config = readConfig(command);
  if (config === null) return;
  // A command in the wrong place must not leave an empty database there.
  if (config.database.url !== null || existsSync(config.dataFolder)) await runOn(config, command, work);
  else fail(command, `There is no data folder ${config.dataFolder}. Set CELLWIRE_DATA, or make it: cellwire serve`);
}

/** Like `runOnService`, and makes the data folder where there is none. */
export async function runOnNewService(command: Command, work: CommandTask): Promise<void> {
  const config = readConfig(command);
  if (config !== null) await runOn(config, command, work);
}

async function runOn(config: Config, command: Command, work: CommandTask): Promise<void> {
  limitHeapGrowth();
  const { composeService } = await import('../compose/compose.ts');
  const { isRefusal, refusalText } = await import('../service/refusal.ts');
  const onError = (what: string, error: unknown) =>
    fail(command, `${what}: ${error instanceof Error ? error.message : String(error)}`);
  const service = await openService(command, config, () => composeService(config, { as: 'command', onError }));
  if (service === null) return;
  try {
    const answer = await work(service.context);
    if (isRefusal(answer)) fail(command, refusalText(answer));
    else if ('kind' in answer) requireConfirmation(command, answer);
    else print(command, answer);
  } finally {
    await service.close();
  }
}

async function openService<Service>(
  command: Command,
  config: Config,
  open: () => Promise<Service>,
): Promise<Service | null> {
  try {
    return await open();
  } catch (error) {
    const problem = storeProblem(error, config);
    if (problem === null) throw error;
    fail(command, problem);
    return null;
  }
}
