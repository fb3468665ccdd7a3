import { ChangeSender, type SharedChange, SharedMemory } from '@cellwire/engine';
import { runSynchronously } from '@cellwire/event-loop';
import { openReader, type StoreLocation, type StoreReader } from '@cellwire/store';
import { isBaseDue } from '../bases.ts';
import { read } from '../load-state.ts';
import { pastFor } from '../past.ts';
import { planUndo } from '../undo/plan.ts';
import type { UndoPlan } from '../undo/types.ts';
import type { LoadedThere, Tasks } from './protocol.ts';

let reading: { readonly store: string; readonly reader: Promise<StoreReader> } | null = null;

/** A thread reads of one store as a rule; of several only where several services share their threads. */
function readerOf(location: StoreLocation): Promise<StoreReader> {
  const store = JSON.stringify(location);
  if (reading?.store !== store) {
    void reading?.reader.then((before) => before.close());
    reading = { store, reader: openReader(location) };
  }
  return reading.reader;
}

/** Reads a document in a calculation thread; null: there is none. */
export async function load({ store, id }: Tasks['load']['input']): Promise<LoadedThere | null> {
  const loaded = await read(await readerOf(store), id, { shared: new SharedMemory() });
  if (loaded === null) return null;
  const { snapshot, head, calculatedAt, committedAt } = loaded.state;
  const whole = runSynchronously(new ChangeSender(null).send(snapshot));
  return { whole, head, times: { calculatedAt, committedAt }, stored: loaded.stored };
}

/** Reads what a document was at an earlier revision; null: nothing leads there any more. */
export async function loadPast(input: Tasks['past']['input']): Promise<SharedChange | null> {
  const { store, id, revision, onlooker } = input;
  const snapshot = await pastFor(await readerOf(store), id, revision, onlooker);
  return snapshot === null ? null : runSynchronously(new ChangeSender(null).send(snapshot));
}

/** How a revision is taken back. What it writes may be long: the threads that it passes through share its memory. */
export async function loadUndoPlan({ store, id, question }: Tasks['undoPlan']['input']): Promise<UndoPlan | null> {
  const plan = await planUndo(await readerOf(store), id, question);
  const content = plan?.back?.content ?? null;
  if (plan?.back == null || content === null) return plan;
  const shared = new Uint8Array(new SharedArrayBuffer(content.length));
  shared.set(content);
  return { ...plan, back: { ...plan.back, content: shared } };
}

/** See `isBaseDue`. */
export async function findBaseDue({ store, id, revision }: Tasks['baseDue']['input']): Promise<boolean> {
  return isBaseDue(await readerOf(store), id, revision);
}
