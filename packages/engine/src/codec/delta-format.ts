import type { Node } from '../formula/ast.ts';
import type { Move } from '../grid/move.ts';
import type { DefinedName, DocumentSettings, Spill, Table } from '../sheet/snapshot.ts';
import type { ChangedList } from './changed-list.ts';
import type { StoredFormat, StoredHead, StoredRun, StoredSheetFields } from './document-codec.ts';
import type { SheetLayoutChange } from './inverse.ts';

/**
 * Flags in a kind byte of a delta. INTEGER: the number is a small integer and stored as one. REPEATED: the text
 * occurred before in the same chunk and is stored as its index there.
 */
export const INTEGER = 64;

export const REPEATED = 64;

export const NEGATIVE = 128;

/**
 * Added to the column number of a chunk whose changed cells are packed numbers. No column has such an index, so
 * versions that do not know packed numbers refuse the delta.
 */
export const PACKED_COLUMN = 2 ** 20;

/** Maximum integer that is stored in few bytes. */
export const MAX_SMALL_INTEGER = 2 ** 40;

export interface StoredColumnChange {
  readonly sheet: number;
  readonly column: number;
  readonly format: number;
  /** First rows of removed runs, and added runs. */
  readonly gone: readonly number[];
  readonly came: readonly StoredRun[];
}

export interface StoredSpillChange {
  readonly sheet: number;
  /** Anchors (`createAnchorKey`) of removed spills, and added or changed spills. */
  readonly gone: readonly number[];
  readonly came: readonly Spill[];
}

export interface DeltaHead {
  /** Moves of cells in order. They are applied before everything else. */
  readonly moves?: readonly Move[];
  /** Names and tables are absent if they did not change. */
  readonly head: Omit<StoredHead, 'names' | 'tables'> & {
    readonly names?: ChangedList<DefinedName>;
    readonly tables?: ChangedList<Table>;
    /** The new settings; absent if unchanged. */
    readonly settings?: DocumentSettings;
  };
  /** All sheet ids in their new order; absent if unchanged. */
  readonly order?: readonly number[];
  /** New sheets, and sheets whose own fields changed. */
  readonly sheets?: readonly StoredSheetFields[];
  /** Layout changes of other sheets, as the change that undoes them. */
  readonly layouts?: readonly SheetLayoutChange[];
  /** Changes of spills on sheets without other changes. */
  readonly spills?: readonly StoredSpillChange[];
  readonly columns?: readonly StoredColumnChange[];
  readonly templates?: readonly Node[];
  readonly formats?: readonly StoredFormat[];
}
