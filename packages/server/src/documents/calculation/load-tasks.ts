import { ChangeSender, type SharedChange, SharedMemory } from '@cellwire/engine';
import { runSynchronously } from '@cellwire/event-loop';
import { openReader, type StoreLocation, type StoreReader } from '@cellwire/store';
import { readDocument } from '../load-state.ts';
import { readPastForViewer } from '../past.ts';
import { checkRetention } from '../retained-checkpoints.ts';
import type { RetentionCheck } from '../retention-rules.ts';
import { planUndo } from '../undo/plan.ts';
import type { UndoPlan } from '../undo/types.ts';
import type { CalculationTasks, ThreadLoadResult } from './protocol.ts';

let reading: { readonly store: string; readonly reader: Promise<StoreReader> } | null = null;

/** A thread usually reads one store. It reads several if services share their threads. */
function getStoreReader(location: StoreLocation): Promise<StoreReader> {
  const store = JSON.stringify(location);
  if (reading?.store !== store) {
    void reading?.reader.then((before) => before.close());
    reading = { store, reader: openReader(location) };
  }
  return reading.reader;
}

/** Reads a document in a calculation thread. Null if there is no such document. */
export async function loadCurrentDocument({
  store,
  id,
}: CalculationTasks['load']['input']): Promise<ThreadLoadResult | null> {
  const loaded = await readDocument(await getStoreReader(store), id, { shared: new SharedMemory() });
  if (loaded === null) return null;
  const { snapshot, head, calculatedAt, committedAt } = loaded.state;
  const whole = runSynchronously(new ChangeSender(null).send(snapshot));
  return { whole, head, times: { calculatedAt, committedAt }, stored: loaded.stored };
}

/** Reads a past revision of a document. Null if the data for it is no longer retained. */
export async function loadPastRevision(input: CalculationTasks['past']['input']): Promise<SharedChange | null> {
  const { store, id, revision, viewer } = input;
  const snapshot = await readPastForViewer(await getStoreReader(store), id, revision, viewer);
  return snapshot === null ? null : runSynchronously(new ChangeSender(null).send(snapshot));
}

/** Plans the undo of a revision. The plan can be large, so its content is in memory shared between threads. */
export async function loadUndoPlan({
  store,
  id,
  question,
}: CalculationTasks['undoPlan']['input']): Promise<UndoPlan | null> {
  const plan = await planUndo(await getStoreReader(store), id, question);
  const content = plan?.back?.content ?? null;
  if (plan?.back == null || content === null) return plan;
  const shared = new Uint8Array(new SharedArrayBuffer(content.length));
  shared.set(content);
  return { ...plan, back: { ...plan.back, content: shared } };
}

/** See `checkRetention`. */
export async function checkStoredRetention({
  store,
  id,
  revision,
}: CalculationTasks['retention']['input']): Promise<RetentionCheck> {
  return checkRetention(await getStoreReader(store), id, revision);
}
