import { CommanderError } from 'commander';
import { describeError, isSystemError } from '../service/operator/system-error.ts';
import { buildProgram } from './program.ts';
import { type Terminal, WRONG_USAGE } from './terminal.ts';

/** Exit code of a failed command. */
const FAILED = 1;

/** Runs one command and sets the exit code of the terminal. `argv`: arguments after the program's name. */
export async function runProgram(argv: readonly string[], terminal: Terminal): Promise<void> {
  try {
    await buildProgram(terminal).parseAsync(argv, { from: 'user' });
  } catch (error) {
    terminal.exitCode = error instanceof CommanderError ? getUsageExitCode(error) : reportFailure(terminal, error);
  }
}

/**
 * Commander has already printed the reason. Help that was requested is no failure; help for a missing command is one.
 */
function getUsageExitCode(error: CommanderError): number {
  return error.exitCode === 0 ? 0 : WRONG_USAGE;
}

/** Codes of SQLite if the disk has no room for the database, or for the file that its connections share. */
const FULL_DISK: ReadonlySet<unknown> = new Set(['SQLITE_FULL', 'SQLITE_IOERR_SHMSIZE']);

/** Prints an error that no command handled. Returns the exit code. */
function reportFailure({ stderr }: Terminal, error: unknown): number {
  if (isSystemError(error) && error.path !== undefined) {
    stderr.write(`error: ${describeError(error)}\n`);
    return FAILED;
  }
  if (error instanceof Error && 'code' in error && FULL_DISK.has(error.code)) {
    stderr.write('error: The disk of the data folder is full. Free space on it, then run the command again.\n');
    return FAILED;
  }
  const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '';
  stderr.write(`error: ${error instanceof Error ? error.message : String(error)}${code}\n`);
  return FAILED;
}
