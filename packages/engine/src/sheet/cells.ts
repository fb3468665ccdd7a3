import { CHUNK_ROWS } from './chunk-rows.ts';
import type { NumberAllocator } from './number-arena.ts';
import type { SharedMemory } from './shared-memory.ts';

/** Maximum number of rows in the patch list. Every read of a row searches the list first, so it must be short. */
const MAX_PATCHES = 16;
/**
 * Number of newest patches that are searched for a patch of a changed row, to replace it. Cells that are edited again and
 * again, and their dependants, then need no new arrays.
 */
const MAX_REPLACED_PATCHES = 4;

const SETTLED = 'settled cells are not to be changed';
const UNSETTLED = 'cells that may still change are not to be shared';

const NO_ROWS: readonly number[] = [];
/**
 * The list of changed rows of all chunks in which every row changed. It is shared because new arrays would be a third
 * of the garbage of such a write.
 */
const ALL_ROWS: readonly number[] = Array.from({ length: CHUNK_ROWS }, (_, row) => row);

function areAllDifferent(numbers: Float64Array, others: Float64Array): boolean {
  for (let i = 0; i < numbers.length; i++) if (numbers[i] === others[i]) return false;
  return true;
}

/**
 * A changed row that is stored outside the shared arrays. If a row has two patches, the one nearer to the head of the
 * list is valid. Copies share the ends of their lists.
 */
interface CellPatch {
  readonly row: number;
  readonly kind: number;
  readonly number: number;
  readonly next: CellPatch | null;
  /** Number of patches from this one to the end of the list. */
  readonly count: number;
}

/**
 * A kind byte and a number for each row of one chunk. A copy shares both arrays with its original and keeps the first
 * changed rows in a patch list. Most edits change one row of a chunk, and copying the arrays would be the most
 * expensive part of them. `kinds` and `numbers` merge the patches into arrays.
 */
export class Cells {
  /** Number of rows. */
  readonly length: number;
  private heldKinds: Uint8Array;
  private heldNumbers: Float64Array;
  private patch: CellPatch | null = null;
  /** True if the list contains or contained a patch with a kind that differs from `heldKinds`. */
  private hasOtherKinds = false;
  /** Memory for new number arrays; null after the cells are settled. */
  private allocator: NumberAllocator | null = null;
  /** True if no other object uses the arrays, so that they may be written. There are no patches then. */
  private ownsKinds: boolean;
  private ownsNumbers: boolean;
  private isSettled = false;

  private constructor(kinds: Uint8Array, numbers: Float64Array, ownsKinds: boolean, ownsNumbers: boolean) {
    this.length = numbers.length;
    this.heldKinds = kinds;
    this.heldNumbers = numbers;
    this.ownsKinds = ownsKinds;
    this.ownsNumbers = ownsNumbers;
  }

  /** Creates cells that own the arrays, which must have equal lengths. */
  static fromOwnedArrays(kinds: Uint8Array, numbers: Float64Array): Cells {
    return new Cells(kinds, numbers, true, true);
  }

  /** Creates cells that cannot be changed. Other objects may use the arrays too. The arrays must have equal lengths. */
  static fromSettled(kinds: Uint8Array, numbers: Float64Array): Cells {
    const cells = new Cells(kinds, numbers, false, false);
    cells.isSettled = true;
    return cells;
  }

  /** Returns a copy that may be changed until `settle` is called. Throws unless these cells are settled. */
  copy(allocator: NumberAllocator): Cells {
    if (!this.isSettled) throw new Error(UNSETTLED);
    const copy = new Cells(this.heldKinds, this.heldNumbers, false, false);
    copy.patch = this.patch;
    copy.hasOtherKinds = this.hasOtherKinds;
    copy.allocator = allocator;
    return copy;
  }

  /**
   * Returns cells with the same kinds and other numbers, which own the array of numbers. They may be changed until
   * `settle` is called.
   */
  withNumbers(numbers: Float64Array): Cells {
    return new Cells(this.kinds(), numbers, false, true);
  }

  /** Returns settled cells for another chunk, which share the arrays. Throws unless these cells are settled. */
  shareArrays(): Cells {
    if (!this.isSettled) throw new Error(UNSETTLED);
    return Cells.fromSettled(this.kinds(), this.numbers());
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

  /**
   * All kinds, read only. If there are patches, they are merged into a new array, which replaces the old one; no value
   * changes.
   */
  kinds(): Uint8Array {
    if (this.hasOtherKinds) this.copyKinds();
    return this.heldKinds;
  }

  /** All numbers, read only. Merges patches as `kinds` does. */
  numbers(): Float64Array {
    if (this.patch !== null) this.replaceNumbers(this.heldNumbers.slice());
    return this.heldNumbers;
  }

  /**
   * Changes one row. Returns true if its kind changed. Throws if settled, because published chunks may share the
   * arrays.
   */
  set(row: number, kind: number, number: number): boolean {
    if (this.isSettled) throw new Error(SETTLED);
    const isOther = this.kind(row) !== kind;
    if (!this.ownsNumbers) {
      const rest = removeRow(this.patch, row);
      if (rest === null || rest.count < MAX_PATCHES) {
        this.hasOtherKinds ||= isOther;
        this.patch = { row, kind, number, next: rest, count: rest === null ? 1 : rest.count + 1 };
        return isOther;
      }
    }
    this.writableNumbers()[row] = number;
    if (isOther) this.writableKinds()[row] = kind;
    return isOther;
  }

  /** Returns the array of kinds, to change many of them. Throws as `set` does. */
  writableKinds(): Uint8Array {
    // Patches must be merged first, because they would override values that are written into the array.
    this.writableNumbers();
    if (!this.ownsKinds) this.copyKinds();
    return this.heldKinds;
  }

  /** Returns the array of numbers, to change many of them. Throws as `set` does. */
  writableNumbers(): Float64Array {
    if (this.isSettled) throw new Error(SETTLED);
    if (!this.ownsNumbers) {
      const ownNumbers =
        this.allocator?.allocateNumbers(this.heldNumbers.length) ?? new Float64Array(this.heldNumbers.length);
      ownNumbers.set(this.heldNumbers);
      this.replaceNumbers(ownNumbers);
    }
    return this.heldNumbers;
  }

  /** Moves settled cells to memory that threads share. Their values do not change. */
  share(memory: SharedMemory): void {
    if (!this.isSettled) throw new Error(UNSETTLED);
    this.heldKinds = memory.array(this.kinds());
    this.heldNumbers = memory.array(this.numbers());
  }

  /** True if earlier cells have the same array of numbers, without patches. */
  sharesNumbersWith(before: Cells): boolean {
    return this.heldNumbers === before.heldNumbers && this.patch === null && before.patch === null;
  }

  /** True if earlier cells have the same array of kinds, without patches. */
  sharesKindsWith(before: Cells): boolean {
    return this.heldKinds === before.heldKinds && !this.hasOtherKinds && !before.hasOtherKinds;
  }

  /** Ends changes. From now on copies may share the arrays. */
  settle(): void {
    this.allocator = null;
    this.ownsKinds = false;
    this.ownsNumbers = false;
    this.isSettled = true;
  }

  /** True if the cells can no longer be changed. */
  get isPublished(): boolean {
    return this.isSettled;
  }

  /** One past the last row before `end` whose kind is not 0; 0 for none. */
  filledRows(end: number): number {
    let least = 0;
    for (let patch = this.patch; patch !== null; patch = patch.next) {
      if (patch.row >= least && patch.row < end && this.kind(patch.row) !== 0) least = patch.row + 1;
    }
    let row = Math.min(this.heldKinds.length, end);
    while (row > least && (this.heldKinds[row - 1] === 0 || this.kind(row - 1) === 0)) row--;
    return row;
  }

  /** Returns the rows whose kind or number differs from earlier cells of the same length, in order. */
  findChangedRows(before: Cells): readonly number[] {
    if (this.heldNumbers === before.heldNumbers && this.heldKinds === before.heldKinds) {
      const { patch } = this;
      // Most common case: exactly one row was set.
      if (patch !== null && (patch.next === before.patch || isReplacement(patch, before.patch))) {
        const { row, kind, number } = patch;
        return number === before.number(row) && kind === before.kind(row) ? NO_ROWS : [row];
      }
      return this.listPatchedRows(before).filter((row) => this.isDifferent(before, row));
    }
    const { heldNumbers: numbers, heldKinds: kinds } = this;
    const { heldNumbers: otherNumbers, heldKinds: otherKinds } = before;
    const isPatched = this.patch !== null || before.patch !== null;
    if (!isPatched && numbers.length === CHUNK_ROWS && areAllDifferent(numbers, otherNumbers)) return ALL_ROWS;
    const rows: number[] = [];
    for (let row = 0; row < numbers.length; row++) {
      if (numbers[row] !== otherNumbers[row] || kinds[row] !== otherKinds[row]) rows.push(row);
    }
    if (!isPatched) return rows;
    // Compares the patches directly, because merging them into arrays takes longer than a small edit.
    for (let patch = this.patch; patch !== null; patch = patch.next) rows.push(patch.row);
    for (let patch = before.patch; patch !== null; patch = patch.next) rows.push(patch.row);
    return sortUnique(rows).filter((row) => this.isDifferent(before, row));
  }

  private isDifferent(before: Cells, row: number): boolean {
    return this.number(row) !== before.number(row) || this.kind(row) !== before.kind(row);
  }

  /** Returns the rows with a patch here or in `before`. Skips the end that both lists share. */
  private listPatchedRows(before: Cells): readonly number[] {
    const rows: number[] = [];
    let patch = this.patch;
    let other = before.patch;
    while (patch !== other) {
      const difference = (patch?.count ?? 0) - (other?.count ?? 0);
      if (patch !== null && difference >= 0) {
        rows.push(patch.row);
        patch = patch.next;
      }
      if (other !== null && difference <= 0) {
        rows.push(other.row);
        other = other.next;
      }
    }
    return rows.length === 1 ? rows : sortUnique(rows);
  }

  /** Copies the kinds, with patches merged. */
  private copyKinds(): void {
    const kinds = this.heldKinds.slice();
    if (this.hasOtherKinds) mergeKinds(this.patch, kinds);
    this.heldKinds = kinds;
    this.hasOtherKinds = false;
    this.ownsKinds = !this.isSettled;
  }

  /** Replaces the array of numbers and removes the patches. The kinds of the patches must be merged before. */
  private replaceNumbers(numbers: Float64Array): void {
    if (this.hasOtherKinds) this.copyKinds();
    mergeNumbers(this.patch, numbers);
    this.heldNumbers = numbers;
    this.patch = null;
    this.ownsNumbers = !this.isSettled;
  }
}

/** Returns the list without the patch of a row if this is one of the newest patches. Copies the patches before it. */
function removeRow(list: CellPatch | null, row: number): CellPatch | null {
  if (list === null) return null;
  if (list.row === row) return list.next;
  let patch = list.next;
  for (let depth = 1; depth < MAX_REPLACED_PATCHES && patch !== null; depth++, patch = patch.next) {
    if (patch.row === row) return joinPatches(list, patch, patch.next);
  }
  return list;
}

/** Returns a list of copies of the patches from `first` to before `end`, followed by the patches of `list`. */
function joinPatches(first: CellPatch, end: CellPatch, list: CellPatch | null): CellPatch | null {
  if (first === end) return list;
  const { row, kind, number } = first;
  const next = joinPatches(first.next!, end, list);
  return { row, kind, number, next, count: (next?.count ?? 0) + 1 };
}

/** True if the first patch replaced `earlier`, which was at the head of its list: both have the same row and rest. */
function isReplacement({ row, next }: CellPatch, earlier: CellPatch | null): boolean {
  return earlier !== null && earlier.row === row && earlier.next === next;
}

/** Sets the kinds of patches in an array. The newest patch of a row is set last. */
function mergeKinds(patch: CellPatch | null, kinds: Uint8Array): void {
  if (patch === null) return;
  mergeKinds(patch.next, kinds);
  kinds[patch.row] = patch.kind;
}

/** Sets the numbers of patches in an array. The newest patch of a row is set last. */
function mergeNumbers(patch: CellPatch | null, numbers: Float64Array): void {
  if (patch === null) return;
  mergeNumbers(patch.next, numbers);
  numbers[patch.row] = patch.number;
}

/** Returns the rows in ascending order without repetitions. */
function sortUnique(rows: readonly number[]): readonly number[] {
  return [...new Set(rows)].sort((a, b) => a - b);
}
