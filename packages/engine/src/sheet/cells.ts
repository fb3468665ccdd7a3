import type { NumberArena } from './number-arena.ts';
import type { SharedMemory } from './shared-memory.ts';

/** Rows that wait beside shared arrays: every read of a row looks at them first. */
const MAX_PATCHES = 16;

const SETTLED = 'settled cells are not to be changed';
const UNSETTLED = 'cells that may still change are not to be shared';

const NO_ROWS: readonly number[] = [];

/** A row that holds something else than the shared arrays. Of two for one row, the one nearer to the head of the list holds. */
interface Patch {
  readonly row: number;
  readonly kind: number;
  readonly number: number;
  readonly next: Patch | null;
  /** Patches from here on. */
  readonly count: number;
}

/**
 * A kind byte and a number for each row of one chunk. A copy shares both arrays with what it was copied from and keeps
 * the first rows that change beside them: most edits change one row of a chunk, and copying it all would be the dearest
 * part of them. Whoever needs the kinds or the numbers as one array makes it.
 */
export class Cells {
  private heldKinds: Uint8Array;
  private heldNumbers: Float64Array;
  private patch: Patch | null = null;
  /** Whether a patch has, or had, another kind than `heldKinds` at its row. */
  private hasOtherKinds = false;
  /** Where a draft gets the memory for numbers of its own; null once nothing is to be changed. */
  private arena: NumberArena | null = null;
  /** Whether the arrays belong to nobody else, and may be written to. Nothing waits beside numbers of its own. */
  private ownsKinds: boolean;
  private ownsNumbers: boolean;
  private isSettled = false;

  private constructor(kinds: Uint8Array, numbers: Float64Array, ownsKinds: boolean, ownsNumbers: boolean) {
    this.heldKinds = kinds;
    this.heldNumbers = numbers;
    this.ownsKinds = ownsKinds;
    this.ownsNumbers = ownsNumbers;
  }

  /** Takes the arrays, of one length, over. */
  static take(kinds: Uint8Array, numbers: Float64Array): Cells {
    return new Cells(kinds, numbers, true, true);
  }

  /** The same for cells that are not to be changed: others may hold the arrays, too. */
  static settled(kinds: Uint8Array, numbers: Float64Array): Cells {
    const cells = new Cells(kinds, numbers, false, false);
    cells.isSettled = true;
    return cells;
  }

  /** A copy that may be changed until it is `settle`d. Throws where these are not. */
  copy(arena: NumberArena): Cells {
    if (!this.isSettled) throw new Error(UNSETTLED);
    const copy = new Cells(this.heldKinds, this.heldNumbers, false, false);
    copy.patch = this.patch;
    copy.hasOtherKinds = this.hasOtherKinds;
    copy.arena = arena;
    return copy;
  }

  /** The same kinds with other numbers, whose array is taken over. May be changed until it is `settle`d. */
  withNumbers(numbers: Float64Array): Cells {
    return new Cells(this.kinds(), numbers, false, true);
  }

  /** All of them for another chunk that is settled, too. Throws where these are not. */
  shared(): Cells {
    if (!this.isSettled) throw new Error(UNSETTLED);
    return Cells.settled(this.kinds(), this.numbers());
  }

  get length(): number {
    return this.heldNumbers.length;
  }

  kind(row: number): number {
    if (this.hasOtherKinds) {
      for (let patch = this.patch; patch !== null; patch = patch.next) if (patch.row === row) return patch.kind;
    }
    return this.heldKinds[row]!;
  }

  number(row: number): number {
    for (let patch = this.patch; patch !== null; patch = patch.next) if (patch.row === row) return patch.number;
    return this.heldNumbers[row]!;
  }

  /** All kinds, not to be written to. Made where some wait beside the others, and kept: they read the same after. */
  kinds(): Uint8Array {
    if (this.hasOtherKinds) this.ownKinds();
    return this.heldKinds;
  }

  /** All numbers, in the same way. */
  numbers(): Float64Array {
    if (this.patch !== null) this.ownNumbers(this.heldNumbers.slice());
    return this.heldNumbers;
  }

  /** Changes one row; whether its kind is another one. Throws once settled: published chunks may share the arrays. */
  set(row: number, kind: number, number: number): boolean {
    if (this.isSettled) throw new Error(SETTLED);
    const isOther = this.kind(row) !== kind;
    if (!this.ownsNumbers && (this.patch === null || this.patch.count < MAX_PATCHES)) {
      this.hasOtherKinds ||= isOther;
      this.patch = { row, kind, number, next: this.patch, count: (this.patch?.count ?? 0) + 1 };
      return isOther;
    }
    this.writableNumbers()[row] = number;
    if (isOther) this.writableKinds()[row] = kind;
    return isOther;
  }

  /** The array of kinds itself, for many changes. Throws as `set` does. */
  writableKinds(): Uint8Array {
    // What waits beside the arrays would hide what is written there.
    this.writableNumbers();
    if (!this.ownsKinds) this.ownKinds();
    return this.heldKinds;
  }

  /** The array of numbers, in the same way. */
  writableNumbers(): Float64Array {
    if (this.isSettled) throw new Error(SETTLED);
    if (!this.ownsNumbers) {
      const own = this.arena?.take(this.heldNumbers.length) ?? new Float64Array(this.heldNumbers.length);
      own.set(this.heldNumbers);
      this.ownNumbers(own);
    }
    return this.heldNumbers;
  }

  /** Moves settled cells to memory that threads share; they stay the same. */
  share(memory: SharedMemory): void {
    if (!this.isSettled) throw new Error(UNSETTLED);
    this.heldKinds = memory.array(this.kinds());
    this.heldNumbers = memory.array(this.numbers());
  }

  /** Whether the numbers are the very array of earlier cells, with nothing beside it. */
  haveNumbersOf(before: Cells): boolean {
    return this.heldNumbers === before.heldNumbers && this.patch === null && before.patch === null;
  }

  /** The same of the kinds. */
  haveKindsOf(before: Cells): boolean {
    return this.heldKinds === before.heldKinds && !this.hasOtherKinds && !before.hasOtherKinds;
  }

  /** Nothing is to be changed any more: copies share the arrays from now on. */
  settle(): void {
    this.arena = null;
    this.ownsKinds = false;
    this.ownsNumbers = false;
    this.isSettled = true;
  }

  /** Whether they are not to be changed any more. */
  get isPublished(): boolean {
    return this.isSettled;
  }

  /** One past the last row, of those before `end`, whose kind is not 0; 0 for none. */
  filledRows(end: number): number {
    let least = 0;
    for (let patch = this.patch; patch !== null; patch = patch.next) {
      if (patch.row >= least && patch.row < end && this.kind(patch.row) !== 0) least = patch.row + 1;
    }
    let row = Math.min(this.heldKinds.length, end);
    while (row > least && (this.heldKinds[row - 1] === 0 || this.kind(row - 1) === 0)) row--;
    return row;
  }

  /** Rows in which kind or number are others than in earlier cells, as many, in order. */
  rowsUnlike(before: Cells): readonly number[] {
    if (this.heldNumbers === before.heldNumbers && this.heldKinds === before.heldKinds) {
      const { patch } = this;
      // One row was set since: so it is after most edits.
      if (patch !== null && patch.next === before.patch) {
        const { row, kind, number } = patch;
        return number === before.number(row) && kind === before.kind(row) ? NO_ROWS : [row];
      }
      return this.patchedRows(before).filter((row) => this.isUnlike(before, row));
    }
    const rows: number[] = [];
    const { heldNumbers: numbers, heldKinds: kinds } = this;
    const { heldNumbers: otherNumbers, heldKinds: otherKinds } = before;
    for (let row = 0; row < numbers.length; row++) {
      if (numbers[row] !== otherNumbers[row] || kinds[row] !== otherKinds[row]) rows.push(row);
    }
    if (this.patch === null && before.patch === null) return rows;
    // What waits beside the arrays is looked at where it is: making arrays of it takes longer than a small edit.
    for (let patch = this.patch; patch !== null; patch = patch.next) rows.push(patch.row);
    for (let patch = before.patch; patch !== null; patch = patch.next) rows.push(patch.row);
    return sortUnique(rows).filter((row) => this.isUnlike(before, row));
  }

  private isUnlike(before: Cells, row: number): boolean {
    return this.number(row) !== before.number(row) || this.kind(row) !== before.kind(row);
  }

  /** Rows that wait here or there, without those that wait in both: a copy's list ends in that of what it was copied from. */
  private patchedRows(before: Cells): readonly number[] {
    const rows: number[] = [];
    let own = this.patch;
    for (; own !== null && own !== before.patch; own = own.next) rows.push(own.row);
    const isLonger = own === before.patch;
    for (let patch = isLonger ? null : before.patch; patch !== null; patch = patch.next) rows.push(patch.row);
    return rows.length === 1 ? rows : sortUnique(rows);
  }

  /** Goes over to kinds that nobody else holds, with what waited beside them. */
  private ownKinds(): void {
    const kinds = this.heldKinds.slice();
    if (this.hasOtherKinds) for (const { row, kind } of this.patches()) kinds[row] = kind;
    this.heldKinds = kinds;
    this.hasOtherKinds = false;
    this.ownsKinds = !this.isSettled;
  }

  /** Goes over to an array that holds the shared numbers. Nothing waits any more: kinds have their place first. */
  private ownNumbers(numbers: Float64Array): void {
    if (this.hasOtherKinds) this.ownKinds();
    for (const { row, number } of this.patches()) numbers[row] = number;
    this.heldNumbers = numbers;
    this.patch = null;
    this.ownsNumbers = !this.isSettled;
  }

  /** The oldest first: of two for one row the later holds. */
  private patches(): readonly Patch[] {
    const patches: Patch[] = [];
    for (let patch = this.patch; patch !== null; patch = patch.next) patches.push(patch);
    return patches.reverse();
  }
}

/** Each once. */
function sortUnique(rows: readonly number[]): readonly number[] {
  return [...new Set(rows)].sort((a, b) => a - b);
}
