import type { NumberArena } from './number-arena.ts';
import type { SharedMemory } from './shared-memory.ts';

/** Rows that wait beside shared numbers: every read of a row looks at them first. */
const MOST_PATCHES = 16;

const SETTLED = 'settled numbers are not to be changed';
const UNSETTLED = 'numbers that may still change are not to be shared';

/** A row that holds another number than the shared ones. Of two for one row, the one nearer to the head of the list holds. */
interface Patch {
  readonly row: number;
  readonly number: number;
  readonly next: Patch | null;
  /** Patches from here on. */
  readonly count: number;
}

/**
 * The numbers of one chunk. A copy shares them with what it was copied from and keeps the first rows that change beside
 * them: most edits change one row of a chunk, and copying it all would be the dearest part of them. Whoever needs the
 * numbers as one array makes it.
 */
export class Numbers {
  private held: Float64Array;
  private patch: Patch | null;
  /** Where a draft gets the memory for a copy of its own; null once nothing is to be changed. */
  private arena: NumberArena | null;
  /** Whether `held` belongs to nobody else, and may be written to. */
  private isOwn: boolean;
  private isSettled = false;

  private constructor(held: Float64Array, patch: Patch | null, arena: NumberArena | null, isOwn: boolean) {
    this.held = held;
    this.patch = patch;
    this.arena = arena;
    this.isOwn = isOwn;
  }

  /** Takes the array over. */
  static of(held: Float64Array): Numbers {
    return new Numbers(held, null, null, true);
  }

  /** A copy that may be changed until it is `settle`d. Throws where these are not. */
  copy(arena: NumberArena): Numbers {
    if (!this.isSettled) throw new Error(UNSETTLED);
    return new Numbers(this.held, this.patch, arena, false);
  }

  /** All of them for another chunk that is settled, too. Throws where these are not. */
  shared(): Numbers {
    if (!this.isSettled) throw new Error(UNSETTLED);
    const same = Numbers.of(this.array());
    same.settle();
    return same;
  }

  get length(): number {
    return this.held.length;
  }

  at(row: number): number {
    for (let patch = this.patch; patch !== null; patch = patch.next) if (patch.row === row) return patch.number;
    return this.held[row] as number;
  }

  /** All of them, not to be written to. Made where some wait beside the others, and kept: they read the same after. */
  array(): Float64Array {
    if (this.patch !== null) this.own(this.held.slice());
    return this.held;
  }

  /** Changes one row. Throws once settled: published chunks may share the array. */
  set(row: number, number: number): void {
    if (this.isSettled) throw new Error(SETTLED);
    if (this.isOwn) this.held[row] = number;
    else if (this.patch === null || this.patch.count < MOST_PATCHES) {
      this.patch = { row, number, next: this.patch, count: (this.patch?.count ?? 0) + 1 };
    } else this.writable()[row] = number;
  }

  /** The array itself, for many changes. Throws as `set` does. */
  writable(): Float64Array {
    if (this.isSettled) throw new Error(SETTLED);
    if (!this.isOwn) {
      const own = this.arena?.take(this.held.length) ?? new Float64Array(this.held.length);
      own.set(this.held);
      this.own(own);
    }
    return this.held;
  }

  /** Moves settled numbers to memory that threads share; they stay the same. */
  share(memory: SharedMemory): void {
    if (!this.isSettled) throw new Error(UNSETTLED);
    this.held = memory.array(this.array());
  }

  /** Whether the array is the very one of an earlier chunk, with nothing beside it. */
  isArrayOf(before: Numbers): boolean {
    return this.held === before.held && this.patch === null && before.patch === null;
  }

  /** Nothing is to be changed any more: copies share the array from now on. */
  settle(): void {
    this.arena = null;
    this.isOwn = false;
    this.isSettled = true;
  }

  /** Whether they are not to be changed any more. */
  get isPublished(): boolean {
    return this.isSettled;
  }

  /** Rows in which these differ from earlier ones of the same length, in order. */
  rowsUnlike(before: Numbers): readonly number[] {
    const rows: number[] = [];
    if (this.held === before.held) {
      for (const row of this.patchedRows(before)) if (this.at(row) !== before.at(row)) rows.push(row);
      return rows;
    }
    const now = this.array();
    const then = before.array();
    for (let row = 0; row < now.length; row++) if (now[row] !== then[row]) rows.push(row);
    return rows;
  }

  /** Rows that wait here or there, without those that wait in both: a copy's list ends in that of what it was copied from. */
  private patchedRows(before: Numbers): readonly number[] {
    const rows = new Set<number>();
    let own = this.patch;
    for (; own !== null && own !== before.patch; own = own.next) rows.add(own.row);
    const isLonger = own === before.patch;
    for (let patch = isLonger ? null : before.patch; patch !== null; patch = patch.next) rows.add(patch.row);
    return rows.size === 1 ? [...rows] : [...rows].sort((a, b) => a - b);
  }

  /** Goes over to an array that holds what was shared. */
  private own(numbers: Float64Array): void {
    const patches: Patch[] = [];
    for (let patch = this.patch; patch !== null; patch = patch.next) patches.push(patch);
    for (let i = patches.length - 1; i >= 0; i--) {
      const { row, number } = patches[i] as Patch;
      numbers[row] = number;
    }
    this.held = numbers;
    this.patch = null;
    this.isOwn = !this.isSettled;
  }
}
