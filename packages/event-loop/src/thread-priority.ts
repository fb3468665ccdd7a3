import { readlinkSync } from 'node:fs';
import { constants, getPriority, setPriority } from 'node:os';
import { basename } from 'node:path';
import { CALCULATION_NICENESS } from './limits.ts';

/**
 * Serving comes before what other threads do. Each thread has its own priority on Linux; elsewhere it stays as it is.
 * Returns the thread's id in the operating system; null if that is not known.
 */
export function yieldToServing(): number | null {
  try {
    const thread = Number(basename(readlinkSync('/proc/thread-self')));
    lowerPriority(thread);
    return thread;
  } catch {
    return null;
  }
}

/** Lets a thread stand back by one more step. It cannot be raised again without rights that a service does not have. */
export function lowerPriority(thread: number): void {
  try {
    setPriority(thread, Math.min(getPriority(thread) + CALCULATION_NICENESS, constants.priority.PRIORITY_LOW));
  } catch {
    // The thread has just ended, or this is not allowed: then all threads are alike.
  }
}
