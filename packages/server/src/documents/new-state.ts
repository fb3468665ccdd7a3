import {
  type Checkpoint,
  checkpointWithWriters,
  type DocumentSettings,
  drainCheckpoint,
  encodeCheckpoint,
  type KnownFormats,
  type Refusal,
  restoreCheckpoint,
  type Snapshot,
  Workbook,
  type WorkbookData,
} from '@cellwire/engine';
import { createHeapCheck, startWorkClock } from '@cellwire/event-loop';
import { IMPORT_CALCULATION_CELLS, IMPORT_CALCULATION_MS } from '../limits/jobs.ts';
import { createCalculationContext } from './calculation/context.ts';
import type { ChunkCollector, CollectedChunks } from './new-chunks/chunk-collector.ts';

/**
 * The calculated first state of a new document: plain data that threads can transfer. Its chunks are in `stored`, or
 * outside memory.
 */
export interface NewState extends Omit<CollectedChunks, 'held'> {
  readonly revision: number;
  readonly settings: DocumentSettings;
  /** Names of the sheets, in document order. */
  readonly sheets: readonly string[];
  /** Time at which its volatile functions were evaluated, in milliseconds since 1970-01-01 UTC. */
  readonly calculatedAt: number;
  readonly stored: Checkpoint;
}

const LIMITS = { calculationMs: IMPORT_CALCULATION_MS, calculationCells: IMPORT_CALCULATION_CELLS };

/** Calculates the state of a workbook that was read from a file. */
export function calculateState(data: WorkbookData, now: number): Snapshot | Refusal {
  const workbook = Workbook.import(data, createBudget(now));
  return workbook instanceof Workbook ? workbook.head : workbook;
}

export function encodeNewState(snapshot: Snapshot, now: number): NewState {
  return createNewState(snapshot, encodeCheckpoint(snapshot, -1), now);
}

/**
 * Makes the state of a snapshot that no caller reads any more. Its cells are moved to `chunks`, which may already
 * contain some. `knownFormats`: formats of those chunks.
 */
export async function consumeSnapshot(
  snapshot: Snapshot,
  knownFormats: KnownFormats,
  chunks: ChunkCollector,
  now: number,
): Promise<NewState> {
  const head = drainCheckpoint(snapshot, knownFormats, (chunk) => chunks.add(chunk));
  const { held, chunkFile, uploaded } = await chunks.collectChunks();
  return { ...createNewState(snapshot, { ...head, chunks: held }, now), chunkFile, uploaded };
}

/** The state of a copied document. The new owner becomes the writer of every formula. */
export function copyState({ snapshot, stored, now }: CopySource): NewState {
  const { sheets } = snapshot;
  const isOwned = !sheets.some(({ columns }) =>
    columns.some((column) => column?.runs.some(({ writer }) => writer !== null)),
  );
  const meta = isOwned ? stored.meta : checkpointWithWriters(stored.meta, () => null);
  return createNewState(snapshot, { ...stored, meta }, now);
}

/** A document's state to copy, and its stored form. */
interface CopySource {
  readonly snapshot: Snapshot;
  readonly stored: Checkpoint;
  /** Milliseconds since 1970-01-01 UTC. */
  readonly now: number;
}

/**
 * Like `copyState`, for a document whose formula writers may not see `sheets`: formulas that read these sheets are
 * recalculated.
 */
export function copyVisibleState(stored: Checkpoint, sheets: readonly number[], now: number): NewState | Refusal {
  const workbook = Workbook.open(restoreCheckpoint(stored.meta, stored.chunks));
  // Recalculates with the original writers, before the formulas become the owner's.
  const applied = workbook.apply([{ kind: 'recalculate', readersOf: sheets }], createBudget(now));
  if (applied.kind === 'refusal') return applied;
  const snapshot = workbook.head;
  return copyState({ snapshot, stored: encodeCheckpoint(snapshot, -1), now });
}

function createNewState({ revision, settings, sheets }: Snapshot, stored: Checkpoint, calculatedAt: number): NewState {
  const names = sheets.map(({ name }) => name);
  return { revision, settings, sheets: names, calculatedAt, stored, chunkFile: null, uploaded: null };
}

/** The context of a calculation at `now`, limited in time and memory. */
function createBudget(now: number) {
  const context = createCalculationContext(now, LIMITS);
  return {
    ...context,
    budget: { ...context.budget, clock: startWorkClock(LIMITS.calculationMs), hasMemory: createHeapCheck() },
  };
}
