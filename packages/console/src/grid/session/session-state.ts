import type { Failure } from '../../data/http.ts';
import type { Document, Sheet } from '../../data/types.ts';
import type { LiveState } from './live-updates.ts';
import type { SheetPosition } from './position-mapping.ts';

/** Another person who has the document open. */
export interface Viewer {
  readonly tab: string;
  readonly user: { readonly id: number; readonly name: string };
  readonly range: string | null;
  /** Revision of the range. */
  readonly revision: number;
}

export interface SessionState {
  readonly document: Document;
  readonly sheets: readonly Sheet[];
  readonly live: LiveState;
  readonly viewers: readonly Viewer[];
  readonly canUndo: boolean;
  readonly canRedo: boolean;
  /** Number of writes without an answer. */
  readonly pendingWrites: number;
  /** True if the pending edits wait until the service is reachable. */
  readonly isRetrying: boolean;
  /** Why the document is not available any more; null if it is. */
  readonly closed: Failure | null;
  /** Newest reported revision; null if none since the document was opened. */
  readonly latestRevision: number | null;
  /** Number of reported events of proposals: opened and decided ones. */
  readonly proposalEvents: number;
}

/** A cell's new value; null keeps the old one. */
export type TypedValue = string | number | boolean | null;

/** The person's decision about cells that someone else changed. */
export type ConflictChoice = 'mine' | 'theirs';

/** A decision that applies to all parts of one action. Null until the person decides. */
export interface SharedChoice {
  choice: ConflictChoice | null;
}

/** An edit whose cells someone else, or this person on another page, changed while it waited. */
export interface LateEdit {
  /** Current position of the cell; null for an edit of several cells or a deleted cell. */
  readonly cell: SheetPosition | null;
  /** The typed text; null for an edit of several cells. */
  readonly mine: string | null;
  /** Display text of the cell when the person typed. */
  readonly shownText: string | null;
  /** Changed ranges that the service listed. */
  readonly ranges: readonly string[];
  /** True if this person changed the cells, in another tab or on another device. */
  readonly isByMe: boolean;
}

/** An edit of a single cell. */
export interface TypedCellEdit extends SheetPosition {
  readonly text: string;
  readonly shownText: string | null;
}

export function createInitialState(document: Document, sheets: readonly Sheet[]): SessionState {
  return {
    document,
    sheets,
    live: 'connecting',
    viewers: [],
    canUndo: false,
    canRedo: false,
    pendingWrites: 0,
    isRetrying: false,
    closed: null,
    latestRevision: null,
    proposalEvents: 0,
  };
}
