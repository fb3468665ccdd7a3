import type { Command } from 'commander';
import { wantsJson } from './run.ts';
import { findTerminal } from './terminal.ts';

const BAR_LENGTH = 30;

/** A progress bar on standard error. It is shown only in a terminal and without `--json`. */
interface ProgressBar {
  /** `fraction`: from 0 to 1. */
  readonly update: (fraction: number) => void;
  /** Ends the line of the bar and prints `label`, if given. */
  readonly end: (label?: string) => void;
}

const SILENT: ProgressBar = { update: () => undefined, end: () => undefined };

export function startProgress(command: Command, label: string): ProgressBar {
  const { stderr } = findTerminal(command);
  if (wantsJson(command) || stderr.isTTY !== true) return SILENT;
  let open = false;
  return {
    update(fraction) {
      open = true;
      const filled = Math.round(fraction * BAR_LENGTH);
      const bar = '█'.repeat(filled) + '░'.repeat(BAR_LENGTH - filled);
      stderr.write(`\r${label} ${bar} ${String(Math.floor(fraction * 100)).padStart(3)} %`);
    },
    end(next) {
      stderr.write(`${open ? '\n' : ''}${next === undefined ? '' : `${next}\n`}`);
      open = false;
    },
  };
}
