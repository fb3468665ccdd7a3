import type { Move } from '../grid/move.ts';
import type { CellFormat } from '../sheet/formats.ts';
import type { SharedRuns } from '../sheet/packed-runs.ts';
import type { SheetFields, Snapshot } from '../sheet/snapshot.ts';
import type { SharedLayout } from './shared-layout.ts';

/**
 * What one thread tells another of a document: the whole of it, or what a change made other. Cells and formulas lie in
 * memory that both share, so telling takes time by chunk and not by cell, and they exist once. Plain data.
 */
export interface SharedChange {
  /** Cells that change places, one move after the other, before all that follows. */
  readonly moves: readonly Move[];
  /** Absent: as before. Names as JSON: copying a formula's tree between threads would overflow on a long one. */
  readonly head: Pick<Snapshot, 'revision' | 'hasClock' | 'nextSheetId'> &
    Partial<Pick<Snapshot, 'settings' | 'carried' | 'tables'>> & { readonly names?: string };
  /** Formats that the receiver has to have already: else its numbers for them are others than the sender's. */
  readonly knownFormats: number;
  /** Formats that the receiver does not have, in the order of their ids. */
  readonly formats: readonly CellFormat[];
  /** In order. */
  readonly sheets: readonly SharedSheet[];
  /** Columns and chunks as integers; see `ColumnWriter`. */
  readonly places: Int32Array;
  readonly runs: readonly SharedRuns[];
  readonly buffers: readonly SharedArrayBuffer[];
}

export interface SharedSheet {
  readonly id: number;
  /** Nothing of it is other than before. */
  readonly kept: boolean;
  /** Absent: as before. */
  readonly look?: SheetLook;
  /** The whole of it; absent: as before. */
  readonly layout?: SharedLayout;
  /** JSON text of what leads back from before to this; absent: nothing is other. */
  readonly layoutChange?: string;
}

type SheetLook = Pick<SheetFields, 'name' | 'hidden' | 'color' | 'spills'>;

/** In place of a buffer: the part is that of the chunk before, there is none, or (formats) all rows have the same. */
export const AS_BEFORE = -1;

export const NONE = -2;

export const UNIFORM = -3;

/** In place of a chunk's revision: the chunk is gone. */
export const REMOVED = -1;

/** Chunks and runs between two pauses. */
export const CHUNKS_PER_STEP = 16;

/** Columns between two pauses where each has few chunks. */
export const COLUMNS_PER_STEP = 128;
