import { parentPort } from 'node:worker_threads';
import {
  type AppliedBatch,
  applyDelta,
  ChangeSender,
  type Edit,
  encodeCheckpoint,
  encodeDelta,
  encodeInverse,
  receiveChange,
  type SharedChange,
  type Snapshot,
  Workbook,
} from '@cellwire/engine';
import {
  assertSourcesUnchanged,
  createHeapCheck,
  isHeapHalfFull,
  lowerOwnPriority,
  packError,
  readThreadCpuMs,
  runSynchronously,
  startWorkClock,
} from '@cellwire/event-loop';
import { allocateSealable, COMMIT_KEYS, sealPiece } from '@cellwire/store/stored-forms';
import { buildPreview } from '../preview.ts';
import { GarbageCollection } from './garbage-collection.ts';
import { LastStates } from './last-states.ts';
import { describeForLog, NOT_LOGGED } from './log-parts.ts';
import { type PackedCheckpoint, packChunks } from './packed-chunks.ts';
import { unpackEdits } from './packed-edits.ts';
import type {
  CalculationTasks,
  ThreadAnswer,
  ThreadBatchResult,
  ThreadLoadResult,
  ThreadMessage,
  ThreadNotice,
} from './protocol.ts';

/** A document that the thread received. */
interface ThreadDocument {
  readonly workbook: Workbook;
  readonly sender: ChangeSender;
  readonly states: LastStates<Snapshot>;
}

interface TaskOutcome<T> {
  readonly result: T;
  readonly transfer: readonly ArrayBufferLike[];
}

const held = new Map<number, ThreadDocument>();
const garbage = new GarbageCollection();
const check = createHeapCheck();
/** Whether the task was refused memory. */
let wasRefused = false;

/** True if the heap has space for `bytes` more. Records a refusal in `wasRefused`. */
function hasFreeMemory(bytes: number): boolean {
  const has = check(bytes);
  if (!has) wasRefused = true;
  return has;
}

/** Keeps a whole document, sent by the serving thread, for later batches. */
function adoptState({ document, whole }: CalculationTasks['adopt']['input']): TaskOutcome<null> {
  const snapshot = runSynchronously(receiveChange(null, whole));
  const workbook = Workbook.open(snapshot);
  workbook.prepare();
  held.set(document, { workbook, sender: new ChangeSender(snapshot), states: new LastStates(snapshot) });
  return { result: null, transfer: [] };
}

/**
 * Repeats commits of other processes on a kept state. False if the state is no longer kept. The sender object stays in
 * place: it sends changes relative to the last state that it sent, even if that state was dropped.
 */
function continueFrom({ document, from, deltas }: CalculationTasks['continueFrom']['input']): TaskOutcome<boolean> {
  const { workbook, states } = held.get(document) as ThreadDocument;
  const base = states.findState(from);
  if (base === null) return { result: false, transfer: [] };
  const state = deltas.reduce(applyDelta, base);
  workbook.follow(state);
  states.addState(state);
  return { result: true, transfer: [] };
}

/** Applies a batch to a kept document. Returns the change, and the parts for the log if it is logged. */
function applyEdits({
  document,
  edits,
  context,
  isLogged,
}: CalculationTasks['apply']['input']): TaskOutcome<CalculationTasks['apply']['result']> {
  const { workbook, sender, states } = held.get(document) as ThreadDocument;
  const startMs = readThreadCpuMs();
  const budget = { ...context.budget, clock: startWorkClock(context.budget.milliseconds), hasMemory: hasFreeMemory };
  const unpacked = unpackEdits(edits);
  const applied = workbook.apply(unpacked, { ...context, budget });
  if (applied.kind === 'refusal') return { result: applied, transfer: [] };
  const { change, outcomes, warnings } = applied;
  states.addState(change.after);
  const log = isLogged ? sealForLog(unpacked, applied) : NOT_LOGGED;
  const sent = runSynchronously(sender.send(change.after, change));
  const result: ThreadBatchResult = {
    kind: 'applied',
    change: sent,
    outcomes,
    warnings,
    ...log,
    cpuMs: readThreadCpuMs() - startMs,
  };
  return { result, transfer: [sent.places.buffer] };
}

/** Encodes a commit for the log as `encodeForLog` does, with checksums. */
function sealForLog(edits: readonly Edit[], { change, outcomes }: AppliedBatch): typeof NOT_LOGGED {
  const { revision } = change.after;
  const described = describeForLog(edits, { change, outcomes });
  const texts = COMMIT_KEYS.texts(described.areas, described.structure);
  const delta = sealPiece(encodeDelta(change, allocateSealable), COMMIT_KEYS.delta(revision), texts);
  const inverse = sealPiece(encodeInverse(change, allocateSealable), COMMIT_KEYS.inverse(revision));
  return { ...described, delta, inverse };
}

/** Calculates what a batch would change, and keeps nothing of it. */
function previewEdits({
  document,
  edits,
  context,
  ...question
}: CalculationTasks['preview']['input']): TaskOutcome<CalculationTasks['preview']['result']> {
  const { workbook } = held.get(document) as ThreadDocument;
  const budget = { ...context.budget, clock: startWorkClock(context.budget.milliseconds), hasMemory: hasFreeMemory };
  const applied = workbook.preview(unpackEdits(edits), { ...context, budget });
  if (applied.kind === 'refusal') return { result: applied, transfer: [] };
  return { result: buildPreview(applied, question), transfer: [] };
}

/**
 * Modules that read the store are loaded on first use. A thread that only calculates starts in half the time without
 * them.
 */
const loadStoreModules = () => {
  assertSourcesUnchanged();
  return import('./load-tasks.ts');
};

async function loadDocumentTask(
  input: CalculationTasks['load']['input'],
): Promise<TaskOutcome<ThreadLoadResult | null>> {
  const result = await (await loadStoreModules()).loadCurrentDocument(input);
  return { result, transfer: result === null ? [] : [result.whole.places.buffer] };
}

/** Loads a past state of a document from the log; null if the log does not reach back to it. */
async function readPastTask(input: CalculationTasks['past']['input']): Promise<TaskOutcome<SharedChange | null>> {
  const result = await (await loadStoreModules()).loadPastRevision(input);
  return { result, transfer: result === null ? [] : [result.places.buffer] };
}

async function planUndoTask(
  input: CalculationTasks['undoPlan']['input'],
): Promise<TaskOutcome<CalculationTasks['undoPlan']['result']>> {
  return { result: await (await loadStoreModules()).loadUndoPlan(input), transfer: [] };
}

/** Checks whether the document needs another retained checkpoint. */
async function checkRetentionTask(
  input: CalculationTasks['retention']['input'],
): Promise<TaskOutcome<CalculationTasks['retention']['result']>> {
  return { result: await (await loadStoreModules()).checkStoredRetention(input), transfer: [] };
}

/**
 * Encodes the checkpoint of a state in this thread. `since`: revision of the last checkpoint, whose unchanged chunks
 * are omitted.
 */
function encodeCheckpointState({
  whole,
  since,
  known,
}: CalculationTasks['checkpoint']['input']): TaskOutcome<PackedCheckpoint> {
  const encoded = encodeCheckpoint(runSynchronously(receiveChange(null, whole)), since, known);
  const chunks = packChunks(encoded.chunks);
  return { result: { ...encoded, chunks }, transfer: [encoded.meta.buffer, chunks.heads.buffer] };
}

function performTask(
  message: Exclude<ThreadMessage, ThreadNotice>,
): TaskOutcome<unknown> | Promise<TaskOutcome<unknown>> {
  switch (message.name) {
    case 'adopt':
      return adoptState(message.input);
    case 'continueFrom':
      return continueFrom(message.input);
    case 'apply':
      return applyEdits(message.input);
    case 'load':
      return loadDocumentTask(message.input);
    case 'preview':
      return previewEdits(message.input);
    case 'past':
      return readPastTask(message.input);
    case 'undoPlan':
      return planUndoTask(message.input);
    case 'retention':
      return checkRetentionTask(message.input);
    case 'checkpoint':
      return encodeCheckpointState(message.input);
  }
}

async function answerMessage(message: ThreadMessage): Promise<void> {
  if (message.name === 'forget') {
    if (held.delete(message.input.document)) garbage.onRelease();
    return;
  }
  if (message.name === 'settle') {
    held.get(message.input.document)?.states.forgetOldStates();
    return garbage.scheduleCheck();
  }
  garbage.postponeCheck();
  wasRefused = false;
  try {
    const { result, transfer } = await performTask(message);
    // The task's own memory is garbage at this point; the rest of the heap is documents.
    if (wasRefused && isHeapHalfFull()) return postAnswer({ kind: 'exhausted', cpuMs: readThreadCpuMs() }, []);
    postAnswer({ kind: 'done', result, cpuMs: readThreadCpuMs() }, transfer);
  } catch (error) {
    postAnswer({ kind: 'failed', ...packError(error), cpuMs: readThreadCpuMs() }, []);
  }
  garbage.scheduleCheck();
}

/** Sends an answer to the serving thread. Buffers in `transfer` are moved, not copied. */
function postAnswer(message: ThreadAnswer, transfer: readonly ArrayBufferLike[]): void {
  parentPort?.postMessage(message, transfer as ArrayBuffer[]);
}

lowerOwnPriority();
parentPort?.on('message', (message: ThreadMessage) => {
  void answerMessage(message);
});
