import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { jsonText } from '@cellwire/engine';
import type { Command } from 'commander';
import { loadConfig } from '../config/config.ts';
import type { Config } from '../config/types.ts';
import type { ServiceContext } from '../service/context.ts';
import type { Refusal } from '../service/refusal.ts';
import { findTerminal, WRONG_USAGE } from './terminal.ts';

/** Output of a command: `json` is printed with `--json`, `text` otherwise. */
export interface CommandOutput {
  readonly json: object;
  readonly text: string;
}

/** Reads the configuration. Null: it is invalid; the reasons are printed and the exit code is set. */
export function readConfig(command: Command): Config | null {
  const config = loadConfig(findTerminal(command).env);
  if (!('kind' in config)) return config;
  for (const problem of config.problems) reportFailure(command, problem);
  return null;
}

/** Describes an error of opening the data folder or the database, with advice. Null: the error has another reason. */
export function describeStoreProblem(error: unknown, { dataFolder }: Config): string | null {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return null;
  if (error.code === 'UNAVAILABLE')
    return `${error.message}. Look at CELLWIRE_DATABASE_URL, and whether that server runs.`;
  if (error.code === 'LOST_DATABASE' || error.code === 'IN_USE') return `${error.message}.`;
  const ofFile = 'path' in error && typeof error.path === 'string' && isInOrAbove(error.path, dataFolder);
  if (ofFile && error.code === 'EROFS')
    return `The disk of the data folder ${dataFolder} is read-only: cellwire doctor says what to do.`;
  if (!ofFile && !SQLITE_ACCESS.has(error.code)) return null;
  return `The data folder ${dataFolder} cannot be used (${error.code}). Set CELLWIRE_DATA to a folder that this user may write into.`;
}

/** True if the path is in the folder, or the folder in the path. */
function isInOrAbove(path: string, folder: string): boolean {
  const [one, other] = [resolve(path), resolve(folder)];
  return one.startsWith(other) || other.startsWith(one);
}

/** Error codes of SQLite for files that it cannot open or write. */
const SQLITE_ACCESS: ReadonlySet<string> = new Set(['SQLITE_CANTOPEN', 'SQLITE_READONLY', 'SQLITE_PERM']);

/** Prints the reason of a failure and sets the exit code. */
export function reportFailure(command: Command, message: string): void {
  const terminal = findTerminal(command);
  terminal.stderr.write(`error: ${message}\n`);
  terminal.exitCode = 1;
}

/** Prints what the command would do, and ends with the exit code of wrong usage. */
export function requireConfirmation(command: Command, { text }: ConfirmationRequest): void {
  refuseUsage(command, text);
}

/** Prints a usage error and sets the exit code. */
export function refuseUsage(command: Command, text: string): void {
  const terminal = findTerminal(command);
  terminal.stderr.write(`${text}\n`);
  terminal.exitCode = WRONG_USAGE;
}

/** Prints a note to standard error, in addition to the output. */
export function printNote(command: Command, message: string): void {
  findTerminal(command).stderr.write(`note: ${message}\n`);
}

export function wantsJson(command: Command): boolean {
  return command.optsWithGlobals<{ json?: boolean }>().json === true;
}

export function printOutput(command: Command, answer: CommandOutput): void {
  findTerminal(command).stdout.write(`${formatOutput(command, answer)}\n`);
}

/** The JSON text of the output with `--json`, else its text for people. */
export function formatOutput(command: Command, answer: CommandOutput): string {
  return wantsJson(command) ? jsonText(answer.json) : answer.text;
}

/** An irreversible action that requires `--yes`. `text` says what it would do. */
export interface ConfirmationRequest {
  readonly kind: 'unconfirmed';
  readonly text: string;
}

/** Runs a use case and returns its output. */
type CommandTask = (context: ServiceContext) => Promise<CommandOutput | Refusal | ConfirmationRequest>;

/** Opens the service without HTTP, runs a use case and prints its output. The data folder must exist. */
export async function runOnService(command: Command, work: CommandTask): Promise<void> {
  const config = readConfig(command);
  if (config === null) return;
  // A command with a wrong data folder must not create an empty database there.
  if (config.database.url !== null || existsSync(config.dataFolder))
    await runOnConfiguredService(config, command, work);
  else
    reportFailure(
      command,
      `There is no data folder ${config.dataFolder}. Set CELLWIRE_DATA, or make it: cellwire serve`,
    );
}

/** Like `runOnService`, but creates the data folder if it does not exist. */
export async function runOnNewService(command: Command, work: CommandTask): Promise<void> {
  const config = readConfig(command);
  if (config !== null) await runOnConfiguredService(config, command, work);
}

/** Opens the service without HTTP, runs the command's task, prints its result and closes the service. */
async function runOnConfiguredService(config: Config, command: Command, work: CommandTask): Promise<void> {
  const { composeService } = await import('../compose/compose.ts');
  const { isRefusal, describeRefusal } = await import('../service/refusal.ts');
  const onError = (activity: string, error: unknown) =>
    reportFailure(command, `${activity}: ${error instanceof Error ? error.message : String(error)}`);
  const { passwords } = findTerminal(command);
  const options = { as: 'command', onError, ...(passwords && { passwords }) } as const;
  const service = await openService(command, config, () => composeService(config, options));
  if (service === null) return;
  try {
    const answer = await work(service.context);
    if (isRefusal(answer)) reportFailure(command, describeRefusal(answer));
    else if ('kind' in answer) requireConfirmation(command, answer);
    else printOutput(command, answer);
  } finally {
    await service.close();
  }
}

/** Opens the service; null after printing why the database cannot be opened. */
async function openService<Service>(
  command: Command,
  config: Config,
  open: () => Promise<Service>,
): Promise<Service | null> {
  try {
    return await open();
  } catch (error) {
    const problem = describeStoreProblem(error, config);
    if (problem === null) throw error;
    reportFailure(command, problem);
    return null;
  }
}
