import type { Checkpoint, EditOutcome, FormulaWarning, KnownFormats, Refusal, SharedChange } from '@cellwire/engine';
import type { PackedError } from '@cellwire/event-loop';
import type { StoreLocation } from '@cellwire/store';
import type { StructureText } from '@cellwire/store/stored-forms';
import type { Preview, PreviewQuestion } from '../preview.ts';
import type { Onlooker } from '../rights.ts';
import type { StoredFigures, Times } from '../state.ts';
import type { UndoPlan, UndoQuestion } from '../undo/types.ts';
import type { CalculationContext } from './context.ts';
import type { PackedEdit } from './packed-edits.ts';

/** What threads are asked to do, and what comes back. Plain data, large parts of it in shared memory or transferred. */
export interface Tasks {
  /** Takes over the whole of a document, with its formula graph. */
  readonly adopt: {
    readonly input: { readonly document: number; readonly whole: SharedChange };
    readonly result: null;
  };
  /**
   * Brings an adopted document to a state that it was at, as counted from the one that was adopted (0), and from there
   * on by deltas. False where that state is not kept any more.
   */
  readonly goOn: {
    readonly input: { readonly document: number; readonly from: number; readonly deltas: readonly Uint8Array[] };
    readonly result: boolean;
  };
  /** Applies a batch to an adopted document, on top of the batch before. */
  readonly apply: { readonly input: ApplyInput; readonly result: AppliedThere | Refusal };
  /** Reads a document from a store; null where there is none. Nothing of it stays in the thread. */
  readonly load: {
    readonly input: { readonly store: StoreLocation; readonly id: string };
    readonly result: LoadedThere | null;
  };
  /** What a batch would change in an adopted document. */
  readonly preview: {
    readonly input: ApplyInput & PreviewQuestion;
    readonly result: Preview | Refusal;
  };
  /** The state of a document at a revision of the past; null where nothing leads there. */
  readonly past: {
    readonly input: {
      readonly store: StoreLocation;
      readonly id: string;
      readonly revision: number;
      readonly onlooker: Onlooker | null;
    };
    readonly result: SharedChange | null;
  };
  /** See `planUndo`; its content is in memory that threads share. */
  readonly undoPlan: {
    readonly input: { readonly store: StoreLocation; readonly id: string; readonly question: UndoQuestion };
    readonly result: UndoPlan | null;
  };
  /** See `isBaseDue`. */
  readonly baseDue: {
    readonly input: { readonly store: StoreLocation; readonly id: string; readonly revision: number };
    readonly result: boolean;
  };
  /** The stored form of what changed after revision `since`; see `encodeCheckpoint`. */
  readonly checkpoint: {
    readonly input: { readonly whole: SharedChange; readonly since: number; readonly known: KnownFormats };
    readonly result: Checkpoint;
  };
}

export type TaskName = keyof Tasks;

export interface ApplyInput {
  readonly document: number;
  readonly edits: readonly PackedEdit[];
  readonly context: CalculationContext;
}

export interface AppliedThere {
  readonly kind: 'applied';
  readonly change: SharedChange;
  readonly outcomes: readonly EditOutcome[];
  readonly warnings: readonly FormulaWarning[];
  /** For the log, sealed: see `encodeDelta`, `encodeInverse` and `areasText`. */
  readonly delta: Uint8Array;
  readonly inverse: Uint8Array;
  readonly areas: string;
  readonly rowOrders: string | null;
  /** See `structureOf`. */
  readonly structure: StructureText | null;
}

export interface LoadedThere {
  readonly whole: SharedChange;
  /** See `State`. */
  readonly head: string;
  readonly times: Times;
  readonly stored: StoredFigures;
}

export type Message =
  | { readonly [N in TaskName]: { readonly name: N; readonly input: Tasks[N]['input'] } }[TaskName]
  | Notice;

/** Lets a document go, or only its states before the newest; not answered. */
export type Notice =
  | { readonly name: 'forget'; readonly input: { readonly document: number } }
  | { readonly name: 'settle'; readonly input: { readonly document: number } };

export type Answer = {
  /** What the thread has worked since its start, in milliseconds of a processor. */
  readonly worked: number;
} & (
  | { readonly kind: 'done'; readonly result: unknown }
  /** The task was refused for memory, and the thread holds too much for the next one: it is to be ended. */
  | { readonly kind: 'exhausted' }
  /** The task has thrown; the thread goes on. */
  | ({ readonly kind: 'failed' } & PackedError)
);
