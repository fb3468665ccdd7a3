import { MAX_PIPELINED_BYTES, MAX_PIPELINED_COMMITS } from '../../limits/documents.ts';
import type { DocumentState } from '../state.ts';
import type { UnitInFlight } from './write-jobs.ts';

/** The units of one document that were sent to the database and have no outcome yet, in the order of their commits. */
export class UnitsInFlight {
  private readonly units: UnitInFlight[] = [];
  private bytes = 0;
  /** Maximum number of units: 1 after a conflict, doubled by each commit. */
  private depth = MAX_PIPELINED_COMMITS;

  get size(): number {
    return this.units.length;
  }

  get oldest(): UnitInFlight | undefined {
    return this.units[0];
  }

  get newest(): UnitInFlight | undefined {
    return this.units.at(-1);
  }

  get isFull(): boolean {
    return this.units.length >= this.depth || this.bytes > MAX_PIPELINED_BYTES;
  }

  /** The state after the newest commit; null if no unit is a commit. */
  get newestState(): DocumentState | null {
    return this.units.findLast(({ state }) => state !== null)?.state ?? null;
  }

  /** The state after the commit with this name; null if it is not in flight. */
  findState(head: string): DocumentState | null {
    return this.units.find(({ state }) => state?.head === head)?.state ?? null;
  }

  add(unit: UnitInFlight): void {
    this.units.push(unit);
    this.bytes += unit.bytes;
  }

  remove(unit: UnitInFlight): void {
    if (this.units[0] === unit) this.units.shift();
    else this.units.splice(this.units.indexOf(unit), 1);
    this.bytes -= unit.bytes;
  }

  recordConflict(): void {
    this.depth = 1;
  }

  recordCommit(): void {
    this.depth = Math.min(this.depth * 2, MAX_PIPELINED_COMMITS);
  }
}
