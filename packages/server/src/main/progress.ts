import type { Command } from 'commander';
import { wantsJson } from './run.ts';
import { terminalOf } from './terminal.ts';

const BAR_LENGTH = 30;

/** A bar on standard error for someone who watches; nothing where nobody does. */
interface Progress {
  /** From 0 to 1. */
  readonly at: (fraction: number) => void;
  /** Ends the bar's line and says what goes on, if anything does. */
  readonly ended: (what?: string) => void;
}

const SILENT: Progress = { at: () => undefined, ended: () => undefined };

export function startProgress(command: Command, what: string): Progress {
  const { stderr } = terminalOf(command);
  if (wantsJson(command) || stderr.isTTY !== true) return SILENT;
  let open = false;
  return {
    at(fraction) {
      open = true;
      const filled = Math.round(fraction * BAR_LENGTH);
      const bar = '█'.repeat(filled) + '░'.repeat(BAR_LENGTH - filled);
      stderr.write(`\r${what} ${bar} ${String(Math.floor(fraction * 100)).padStart(3)} %`);
    },
    ended(next) {
      stderr.write(`${open ? '\n' : ''}${next === undefined ? '' : `${next}\n`}`);
      open = false;
    },
  };
}
