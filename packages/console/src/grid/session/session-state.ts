import type { Failure } from '../../data/http.ts';
import type { Document, Sheet } from '../../data/types.ts';
import type { LiveState } from './live-updates.ts';
import type { SheetPosition } from './position-mapping.ts';

/** Somebody else who has the document open. */
export interface Viewer {
  readonly tab: string;
  readonly user: { readonly id: number; readonly name: string };
  readonly range: string | null;
}

export interface SessionState {
  readonly document: Document;
  readonly sheets: readonly Sheet[];
  readonly live: LiveState;
  readonly viewers: readonly Viewer[];
  readonly canUndo: boolean;
  readonly canRedo: boolean;
  /** Writes that are under way. */
  readonly pendingWrites: number;
  /** Whether they wait for the service to be reached. */
  readonly isRetrying: boolean;
  /** Why the document cannot be seen any more; null: it can. */
  readonly closed: Failure | null;
  /** The last revision that was told of; null: none since the document was opened. */
  readonly latestRevision: number | null;
}

/** What a cell is told: null leaves it as it is. */
export type TypedValue = string | number | boolean | null;

/** An edit that waited while someone else changed its cells. */
export interface LateEdit {
  /** Where its cell is now; null: an edit of more cells, or a cell that is gone. */
  readonly cell: SheetPosition | null;
  /** The text that was typed; null: an edit of more cells. */
  readonly mine: string | null;
  /** What its cell showed when it was typed. */
  readonly seen: string | null;
}

/** What is known of an edit of a single cell. */
export interface TypedCell extends SheetPosition {
  readonly text: string;
  readonly seen: string | null;
}

export function initialState(document: Document, sheets: readonly Sheet[]): SessionState {
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
  };
}
