import {
  type Checkpoint,
  checkpointWithWriters,
  type DocumentSettings,
  drainedCheckpoint,
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
import { calculationContext } from './calculation/context.ts';
import type { ChunkFile } from './chunk-file.ts';

/** The first state of a document that is to be, calculated: plain data, which threads can hand over. */
export interface NewState {
  readonly revision: number;
  readonly settings: DocumentSettings;
  /** Names, in order. */
  readonly sheets: readonly string[];
  /** When its volatile functions were evaluated, in milliseconds since 1970-01-01 UTC. */
  readonly calculatedAt: number;
  readonly stored: Checkpoint;
  /** Path of a file that holds more of its chunks (`chunk-file`); null for none. */
  readonly chunkFile: string | null;
}

const LIMITS = { calculationMs: IMPORT_CALCULATION_MS, calculationCells: IMPORT_CALCULATION_CELLS };

/** The state of a workbook as it came from a file. */
export function calculated(data: WorkbookData, now: number): Snapshot | Refusal {
  const workbook = Workbook.import(data, budgeted(now));
  return workbook instanceof Workbook ? workbook.head : workbook;
}

export function stateOf(snapshot: Snapshot, now: number): NewState {
  return newState(snapshot, encodeCheckpoint(snapshot, -1), now);
}

/** Of a snapshot that nobody reads any more: its cells go to `chunks`, which may have some of them; `known`: their formats. */
export function spentStateOf(snapshot: Snapshot, known: KnownFormats, chunks: ChunkFile, now: number): NewState {
  const head = drainedCheckpoint(snapshot, known, chunks.add);
  const { held, path } = chunks.whole();
  return newState(snapshot, { ...head, chunks: held }, now, path);
}

/** The state of another document, for whoever owns it from then on: every formula is theirs. */
export function copiedState({ snapshot, stored, now }: Original): NewState {
  const { sheets } = snapshot;
  const isOwned = !sheets.some(({ columns }) =>
    columns.some((held) => held?.runs.some(({ writer }) => writer !== null)),
  );
  const meta = isOwned ? stored.meta : checkpointWithWriters(stored.meta, () => null);
  return newState(snapshot, { ...stored, meta }, now);
}

/** A document's state that is copied, and its stored form. */
interface Original {
  readonly snapshot: Snapshot;
  readonly stored: Checkpoint;
  /** Milliseconds since 1970-01-01 UTC. */
  readonly now: number;
}

/** The same of a document where writers of formulas might not see `sheets`: what reads these is calculated anew. */
export function seeingState(stored: Checkpoint, sheets: readonly number[], now: number): NewState | Refusal {
  const workbook = Workbook.open(restoreCheckpoint(stored.meta, stored.chunks));
  // By writers, so before the formulas are the owner's.
  const applied = workbook.apply([{ kind: 'recalculate', readersOf: sheets }], budgeted(now));
  if (applied.kind === 'refusal') return applied;
  const snapshot = workbook.head;
  return copiedState({ snapshot, stored: encodeCheckpoint(snapshot, -1), now });
}

function newState(
  { revision, settings, sheets }: Snapshot,
  stored: Checkpoint,
  calculatedAt: number,
  chunkFile: string | null = null,
): NewState {
  return { revision, settings, sheets: sheets.map(({ name }) => name), calculatedAt, stored, chunkFile };
}

function budgeted(now: number) {
  const context = calculationContext(now, LIMITS);
  return {
    ...context,
    budget: { ...context.budget, clock: startWorkClock(LIMITS.calculationMs), hasMemory: createHeapCheck() },
  };
}
