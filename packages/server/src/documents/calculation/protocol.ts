import type { EditOutcome, FormulaWarning, KnownFormats, Refusal, SharedChange } from '@cellwire/engine';
import type { PackedError } from '@cellwire/event-loop';
import type { StoreLocation } from '@cellwire/store';
import type { StructureText } from '@cellwire/store/stored-forms';
import type { Preview, PreviewRequest } from '../preview.ts';
import type { RetentionCheck } from '../retention-rules.ts';
import type { StateViewer } from '../rights.ts';
import type { CommitTimes, StoredFormFacts } from '../state.ts';
import type { UndoPlan, UndoPlanRequest } from '../undo/types.ts';
import type { CalculationContext } from './context.ts';
import type { PackedCheckpoint } from './packed-chunks.ts';
import type { PackedEdit } from './packed-edits.ts';

/**
 * Tasks of calculation threads with their inputs and results: plain data, large parts in shared memory or transferred.
 */
export interface CalculationTasks {
  /** Takes over a complete document with its formula graph. */
  readonly adopt: {
    readonly input: { readonly document: number; readonly whole: SharedChange };
    readonly result: null;
  };
  /**
   * Brings an adopted document to an earlier state, numbered from the adopted one (0), and then applies deltas to it.
   * False if that state is no longer retained.
   */
  readonly continueFrom: {
    readonly input: { readonly document: number; readonly from: number; readonly deltas: readonly Uint8Array[] };
    readonly result: boolean;
  };
  /** Applies a batch to an adopted document, on top of the previous batch. */
  readonly apply: { readonly input: BatchInput; readonly result: ThreadBatchResult | Refusal };
  /** Reads a document from a store. Null if there is none. The thread keeps nothing of it. */
  readonly load: {
    readonly input: { readonly store: StoreLocation; readonly id: string };
    readonly result: ThreadLoadResult | null;
  };
  /** Previews a batch on an adopted document. */
  readonly preview: {
    readonly input: ApplyInput & PreviewRequest;
    readonly result: Preview | Refusal;
  };
  /** The state of a document at a past revision. Null if the data for it is no longer retained. */
  readonly past: {
    readonly input: {
      readonly store: StoreLocation;
      readonly id: string;
      readonly revision: number;
      readonly viewer: StateViewer | null;
    };
    readonly result: SharedChange | null;
  };
  /** See `planUndo`. The content is in memory shared between threads. */
  readonly undoPlan: {
    readonly input: { readonly store: StoreLocation; readonly id: string; readonly question: UndoPlanRequest };
    readonly result: UndoPlan | null;
  };
  /** See `checkRetention`. */
  readonly retention: {
    readonly input: { readonly store: StoreLocation; readonly id: string; readonly revision: number };
    readonly result: RetentionCheck;
  };
  /** The stored form of the changes after revision `since`; see `encodeCheckpoint`. */
  readonly checkpoint: {
    readonly input: { readonly whole: SharedChange; readonly since: number; readonly known: KnownFormats };
    readonly result: PackedCheckpoint;
  };
}

export type CalculationTaskName = keyof CalculationTasks;

interface ApplyInput {
  readonly document: number;
  readonly edits: readonly PackedEdit[];
  readonly context: CalculationContext;
}

/** `isLogged`: whether the result contains what a commit stores in the log; see `NOT_LOGGED`. */
interface BatchInput extends ApplyInput {
  readonly isLogged: boolean;
}

export interface ThreadBatchResult {
  readonly kind: 'applied';
  readonly change: SharedChange;
  readonly outcomes: readonly EditOutcome[];
  readonly warnings: readonly FormulaWarning[];
  /** Checksummed, for the log; see `encodeDelta`, `encodeInverse` and `formatAreas`. */
  readonly delta: Uint8Array;
  readonly inverse: Uint8Array;
  readonly areas: string;
  readonly rowOrders: string | null;
  /** See `describeStructure`. */
  readonly structure: StructureText | null;
  /** Processor time of the batch in the thread, in milliseconds. */
  readonly cpuMs: number;
}

export interface ThreadLoadResult {
  readonly whole: SharedChange;
  /** See `DocumentState`. */
  readonly head: string;
  readonly times: CommitTimes;
  readonly stored: StoredFormFacts;
}

export type ThreadMessage =
  | {
      readonly [N in CalculationTaskName]: { readonly name: N; readonly input: CalculationTasks[N]['input'] };
    }[CalculationTaskName]
  | ThreadNotice;

/** Frees a document, or only its states before the newest one. Has no answer. */
export type ThreadNotice =
  | { readonly name: 'forget'; readonly input: { readonly document: number } }
  | { readonly name: 'settle'; readonly input: { readonly document: number } };

export type ThreadAnswer = {
  /** Processor time that the thread has used since its start, in milliseconds. */
  readonly cpuMs: number;
} & (
  | { readonly kind: 'done'; readonly result: unknown }
  /** The task was refused memory, and the thread holds too much for the next task: it must be ended. */
  | { readonly kind: 'exhausted' }
  /** The task threw; the thread keeps running. */
  | ({ readonly kind: 'failed' } & PackedError)
);
