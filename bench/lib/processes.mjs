// Figures of other processes from Linux's /proc.
import { readFileSync } from 'node:fs';

/** Clock ticks of the kernel in /proc, in milliseconds. */
const TICK_MS = 10;

/** The parent of a process, its processor time, and the processor time of its ended children, in milliseconds. */
export function readStat(pid) {
  const [, text] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
  const fields = text.split(' ').map(Number);
  return {
    parent: fields[1],
    cpuMs: (fields[11] + fields[12]) * TICK_MS,
    childrenMs: (fields[13] + fields[14]) * TICK_MS,
  };
}

/** Resident memory of a process in bytes. */
export function readResidentBytes(pid) {
  const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(kilobytes) * 1024;
}
