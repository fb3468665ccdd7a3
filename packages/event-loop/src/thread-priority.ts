import { readlinkSync } from 'node:fs';
import { constants, getPriority, setPriority } from 'node:os';
import { basename } from 'node:path';
import { CALCULATION_NICENESS } from './limits.ts';

/**
 * Lowers the priority of the calling thread, so that the serving thread has precedence. Only Linux has a priority for
 * each thread; other systems are left unchanged. Returns the thread's id in the operating system, or null if unknown.
 */
export function lowerOwnPriority(): number | null {
  try {
    const thread = Number(basename(readlinkSync('/proc/thread-self')));
    lowerPriority(thread);
    return thread;
  } catch {
    return null;
  }
}

/** Lowers a thread's priority by one more step. Raising it again needs privileges that the service does not have. */
export function lowerPriority(thread: number): void {
  try {
    setPriority(thread, Math.min(getPriority(thread) + CALCULATION_NICENESS, constants.priority.PRIORITY_LOW));
  } catch {
    // The thread has ended, or the system does not permit the change. All threads then keep the same priority.
  }
}
