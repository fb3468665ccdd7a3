import { CommanderError } from 'commander';
import { buildProgram } from './program.ts';

/** Exit codes: something went wrong; the command was used in a wrong way. */
const FAILED = 1;
const WRONG_USAGE = 2;

/** Runs one command; `argv` is what comes after the program's name. Sets the exit code of the process. */
export async function main(argv: readonly string[]): Promise<void> {
  // A reader that goes away early (`| head`) is no reason to fail.
  process.stdout.on('error', () => undefined);
  try {
    await buildProgram().parseAsync(argv, { from: 'user' });
  } catch (error) {
    process.exitCode = error instanceof CommanderError ? usageExitCode(error) : reportFailure(error);
  }
}

/** Commander has printed the reason. Asking for help is no mistake, getting it for want of a command is. */
function usageExitCode(error: CommanderError): number {
  return error.exitCode === 0 ? 0 : WRONG_USAGE;
}

function reportFailure(error: unknown): number {
  const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '';
  console.error(`error: ${error instanceof Error ? error.message : String(error)}${code}`);
  return FAILED;
}
