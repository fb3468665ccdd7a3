import { readlinkSync } from 'node:fs';
import { constants, getPriority, setPriority } from 'node:os';
import { basename } from 'node:path';
import { CALCULATION_NICENESS } from '../limits/limits.ts';

/** Serving comes before what other threads do. Each has its own priority on Linux; elsewhere it stays as it is. */
export function yieldToServing(): void {
  try {
    const thread = Number(basename(readlinkSync('/proc/thread-self')));
    setPriority(thread, Math.min(getPriority(thread) + CALCULATION_NICENESS, constants.priority.PRIORITY_LOW));
  } catch {
    // No such place, or not allowed: then all threads are alike.
  }
}
