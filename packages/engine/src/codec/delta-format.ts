import type { Node } from '../formula/ast.ts';
import type { Move } from '../grid/move.ts';
import type { DefinedName, Spill, Table } from '../sheet/snapshot.ts';
import type { ChangedList } from './changed-list.ts';
import type { StoredFormat, StoredHead, StoredRun, StoredSheetFields } from './document-codec.ts';
import type { SheetLayoutChange } from './inverse.ts';

/**
 * In a kind byte of a delta: the number is a small integer and stored as one; the text is one that stands in the same
 * change of a chunk already, and stored as its place among those.
 */
export const INTEGER = 64;

export const REPEATED = 64;

export const NEGATIVE = 128;

/** Integers up to this are stored in few bytes. */
export const MAX_SMALL_INTEGER = 2 ** 40;

export interface StoredColumnChange {
  readonly sheet: number;
  readonly column: number;
  readonly format: number;
  /** First rows of runs that are gone, and the runs that came. */
  readonly gone: readonly number[];
  readonly came: readonly StoredRun[];
}

export interface StoredSpillChange {
  readonly sheet: number;
  /** Anchors (`anchorKey`) that spill no more, and the spills that came or are other than before. */
  readonly gone: readonly number[];
  readonly came: readonly Spill[];
}

export interface DeltaHead {
  /** Cells that change places, one move after the other, before all that follows. */
  readonly moves?: readonly Move[];
  /** Names and tables are absent where they are as before. */
  readonly head: Omit<StoredHead, 'names' | 'tables'> & {
    readonly names?: ChangedList<DefinedName>;
    readonly tables?: ChangedList<Table>;
  };
  /** Ids in order. */
  readonly order?: readonly number[];
  /** Sheets whose own fields changed, or that are new. */
  readonly sheets?: readonly StoredSheetFields[];
  /** Of sheets that are not among those: how they are shown, as what leads back from before to this. */
  readonly layouts?: readonly SheetLayoutChange[];
  /** Of sheets that are not among those. */
  readonly spills?: readonly StoredSpillChange[];
  readonly columns?: readonly StoredColumnChange[];
  readonly templates?: readonly Node[];
  readonly formats?: readonly StoredFormat[];
}
