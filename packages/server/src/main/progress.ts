const BAR_LENGTH = 30;

/** A bar on standard error for someone who watches; nothing where nobody does. */
interface Progress {
  /** From 0 to 1. */
  readonly at: (fraction: number) => void;
  /** Ends the bar's line and says what goes on, if anything does. */
  readonly ended: (what?: string) => void;
}

const SILENT: Progress = { at: () => undefined, ended: () => undefined };

export function startProgress(what: string, watched: boolean): Progress {
  if (!watched || !process.stderr.isTTY) return SILENT;
  let open = false;
  return {
    at(fraction) {
      open = true;
      const filled = Math.round(fraction * BAR_LENGTH);
      const bar = '█'.repeat(filled) + '░'.repeat(BAR_LENGTH - filled);
      process.stderr.write(`\r${what} ${bar} ${String(Math.floor(fraction * 100)).padStart(3)} %`);
    },
    ended(next) {
      process.stderr.write(`${open ? '\n' : ''}${next === undefined ? '' : `${next}\n`}`);
      open = false;
    },
  };
}
