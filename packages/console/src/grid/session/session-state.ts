import type { Failure } from '../../data/http.ts';
import type { Document, Sheet } from '../../data/types.ts';
import type { LiveState } from './live-updates.ts';
import type { SheetPlace } from './position-mapping.ts';

/** Somebody else who has the document open. */
export interface Present {
  readonly tab: string;
  readonly user: { readonly id: number; readonly name: string };
  readonly range: string | null;
}

export interface BookState {
  readonly document: Document;
  readonly sheets: readonly Sheet[];
  readonly live: LiveState;
  readonly present: readonly Present[];
  readonly canUndo: boolean;
  readonly canRedo: boolean;
  /** Writes that are under way. */
  readonly saving: number;
  /** Whether they wait for the service to be reached. */
  readonly isStuck: boolean;
  /** Why the document cannot be seen any more; null: it can. */
  readonly closed: Failure | null;
  /** The last revision that was told of; null: none since the document was opened. */
  readonly latest: number | null;
}

/** What a cell is told: null leaves it as it is. */
export type TypedValue = string | number | boolean | null;

/** An edit that waited while someone else changed its cells. */
export interface LateEdit {
  /** Where its cell is now; null: an edit of more cells, or a cell that is gone. */
  readonly cell: SheetPlace | null;
  /** The text that was typed; null: an edit of more cells. */
  readonly mine: string | null;
  /** What its cell showed when it was typed. */
  readonly seen: string | null;
}

/** What is known of an edit of a single cell. */
export interface TypedCell extends SheetPlace {
  readonly text: string;
  readonly seen: string | null;
}

export function initialState(document: Document, sheets: readonly Sheet[]): BookState {
  return {
    document,
    sheets,
    live: 'connecting',
    present: [],
    canUndo: false,
    canRedo: false,
    saving: 0,
    isStuck: false,
    closed: null,
    latest: null,
  };
}
