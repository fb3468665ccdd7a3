import { Command } from 'commander';
import type { Passwords } from '../access/passwords.ts';
import type { ProcessEnvironment } from '../config/config.ts';
import type { StopSignal } from './signals.ts';

/** Exit code for wrong usage. */
export const WRONG_USAGE = 2;

/** A writable text stream. */
interface TerminalOutput {
  write(text: string): unknown;
  readonly isTTY?: boolean;
}

/** The environment of a command: variables, streams, signals and exit code. A process satisfies it; tests use their own. */
export interface Terminal {
  readonly env: ProcessEnvironment;
  readonly stdout: TerminalOutput;
  readonly stderr: TerminalOutput;
  /** Standard input; absent: there is none. */
  readonly stdin?: AsyncIterable<unknown> & { readonly isTTY?: boolean };
  /** Calls the listener at each signal that asks the command to end. Absent: there are none. */
  on?(signal: StopSignal, listener: () => void): unknown;
  /** Hashes passwords; with the default cost if absent. */
  readonly passwords?: Passwords;
  /** 0 or absent: done. 1: failed. 2: wrong usage. */
  exitCode?: number | string | null | undefined;
}

/** The root command. The output of all commands goes to its terminal. */
export class Program extends Command {
  readonly terminal: Terminal;

  constructor(name: string, terminal: Terminal) {
    super(name);
    this.terminal = terminal;
    this.configureOutput({
      writeOut: (text) => terminal.stdout.write(text),
      writeErr: (text) => terminal.stderr.write(text),
    });
  }
}

/** The first line of standard input without the line break. */
export async function readFirstLine({ stdin }: Terminal): Promise<string> {
  let text = '';
  for await (const piece of stdin ?? []) {
    text += String(piece);
    if (text.includes('\n')) break;
  }
  return (text.split('\n', 1)[0] ?? '').replace(/\r$/, '');
}

/** Asks a yes/no question. Returns false if standard input is not a terminal. */
export async function askConfirmation(terminal: Terminal, text: string): Promise<boolean> {
  if (!terminal.stdin?.isTTY) return false;
  terminal.stderr.write(`${text}\nContinue? [y/N] `);
  return /^y(?:es)?$/i.test((await readFirstLine(terminal)).trim());
}

/** The terminal of the program that a command belongs to. */
export function findTerminal(command: Command): Terminal {
  if (command instanceof Program) return command.terminal;
  if (command.parent === null) throw new Error(`${command.name()} belongs to no program`);
  return findTerminal(command.parent);
}
