import type { Move } from '../grid/move.ts';
import type { CellFormat } from '../sheet/formats.ts';
import type { SharedRuns } from '../sheet/packed-runs.ts';
import type { SheetFields, Snapshot } from '../sheet/snapshot.ts';
import type { SharedLayout } from './shared-layout.ts';

/**
 * A message from one thread to another: a whole document, or a change. Plain data. Both threads share the memory of
 * cells and formulas, so that they exist once. The time to send a message depends on the number of chunks, not on the
 * number of cells.
 */
export interface SharedChange {
  /** Moves of cells in order. They are applied before everything else. */
  readonly moves: readonly Move[];
  /**
   * Absent parts did not change. Names are JSON text: copying a long formula's tree between threads would overflow the
   * stack.
   */
  readonly head: Pick<Snapshot, 'revision' | 'hasClock' | 'nextSheetId'> &
    Partial<Pick<Snapshot, 'settings' | 'carried' | 'tables'>> & { readonly names?: string };
  /**
   * Number of formats that the receiver must already have. With another number, its format ids differ from the ids of
   * the sender.
   */
  readonly knownFormats: number;
  /** New formats in order of their ids. */
  readonly formats: readonly CellFormat[];
  /** All sheets in their order. */
  readonly sheets: readonly SharedSheet[];
  /** Columns and chunks as integers; see `ChangedColumnWriter`. */
  readonly places: Int32Array;
  readonly runs: readonly SharedRuns[];
  readonly buffers: readonly SharedArrayBuffer[];
}

export interface SharedSheet {
  readonly id: number;
  /** True if the sheet did not change, so that the receiver keeps its own. */
  readonly kept: boolean;
  /** New name, visibility and colour; absent if not changed. */
  readonly properties?: SharedSheetProperties;
  /** The whole layout. Absent if not changed. */
  readonly layout?: SharedLayout;
  /** JSON text of the layout change that undoes this one. Absent if not changed. */
  readonly layoutChange?: string;
}

type SharedSheetProperties = Pick<SheetFields, 'name' | 'hidden' | 'color' | 'spills'>;

/**
 * Special buffer indexes. AS_BEFORE: same array as in the previous version of the chunk. NONE: there is no array.
 * UNIFORM: all rows have one format.
 */
export const AS_BEFORE = -1;

export const NONE = -2;

export const UNIFORM = -3;

/** Special revision of a chunk: the chunk was removed. */
export const REMOVED = -1;

/** Number of chunks and runs between two pauses. */
export const CHUNKS_PER_STEP = 16;

/** Number of columns between two pauses, for columns with few chunks. */
export const COLUMNS_PER_STEP = 128;
