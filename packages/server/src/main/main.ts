import { CommanderError } from 'commander';
import { buildProgram } from './program.ts';
import { type Terminal, WRONG_USAGE } from './terminal.ts';

/** The exit code if something went wrong. */
const FAILED = 1;

/** Runs one command; `argv` is what comes after the program's name. Sets the exit code of the terminal. */
export async function main(argv: readonly string[], terminal: Terminal): Promise<void> {
  try {
    await buildProgram(terminal).parseAsync(argv, { from: 'user' });
  } catch (error) {
    terminal.exitCode = error instanceof CommanderError ? usageExitCode(error) : reportFailure(terminal, error);
  }
}

/** Commander has printed the reason. Asking for help is no mistake, getting it for want of a command is. */
function usageExitCode(error: CommanderError): number {
  return error.exitCode === 0 ? 0 : WRONG_USAGE;
}

function reportFailure({ stderr }: Terminal, error: unknown): number {
  const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '';
  stderr.write(`error: ${error instanceof Error ? error.message : String(error)}${code}\n`);
  return FAILED;
}
