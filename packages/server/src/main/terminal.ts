import { Command } from 'commander';
import type { ProcessEnvironment } from '../config/config.ts';

/** The exit code of a command that was used in a wrong way. */
export const WRONG_USAGE = 2;

/** Takes text, as a process's streams do. */
interface TerminalOutput {
  write(text: string): unknown;
  readonly isTTY?: boolean;
}

/** Where a command runs: its settings, whom it tells what, and how it ended. A process is one; tests have others. */
export interface Terminal {
  readonly env: ProcessEnvironment;
  readonly stdout: TerminalOutput;
  readonly stderr: TerminalOutput;
  /** What a command reads of its own accord; absent: nothing. */
  readonly stdin?: AsyncIterable<unknown> & { readonly isTTY?: boolean };
  /** 0 or nothing: done. 1: something failed. 2: the command was used in a wrong way. */
  exitCode?: number | string | null | undefined;
}

/** The whole command line on a terminal; whatever any of its commands says goes there. */
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

/** The first line of standard input without its end. */
export async function firstLine({ stdin }: Terminal): Promise<string> {
  let text = '';
  for await (const piece of stdin ?? []) {
    text += String(piece);
    if (text.includes('\n')) break;
  }
  return (text.split('\n', 1)[0] ?? '').replace(/\r$/, '');
}

/** Asks a person; false without a terminal. */
export async function confirm(terminal: Terminal, text: string): Promise<boolean> {
  if (!terminal.stdin?.isTTY) return false;
  terminal.stderr.write(`${text}\nGo on? [y/N] `);
  return /^y(?:es)?$/i.test((await firstLine(terminal)).trim());
}

/** The terminal of the program that a command belongs to. */
export function terminalOf(command: Command): Terminal {
  if (command instanceof Program) return command.terminal;
  if (command.parent === null) throw new Error(`${command.name()} belongs to no program`);
  return terminalOf(command.parent);
}
