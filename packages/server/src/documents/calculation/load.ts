import { ChangeSender, type SharedChange, SharedMemory } from '@cellwire/engine';
import { atOnce } from '../../event-loop/slices.ts';
import { openReader, type Reader, type StoreLocation } from '../../store/location.ts';
import { isBaseDue } from '../bases.ts';
import { followed } from '../followed.ts';
import { pastFor } from '../past.ts';
import { read } from '../state.ts';
import type { LoadedThere, Tasks } from './protocol.ts';

let reading: { readonly store: string; readonly reader: Promise<Reader> } | null = null;

/** A thread reads of one store as a rule; of several only where several services share their threads. */
function readerOf(location: StoreLocation): Promise<Reader> {
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
  const whole = atOnce(new ChangeSender(null).send(snapshot));
  return { whole, head, times: { calculatedAt, committedAt }, stored: loaded.stored };
}

/** Reads what a document was at an earlier revision; null: nothing leads there any more. */
export async function loadPast(input: Tasks['past']['input']): Promise<SharedChange | null> {
  const { store, id, revision, onlooker } = input;
  const snapshot = await pastFor(await readerOf(store), id, revision, onlooker);
  return snapshot === null ? null : atOnce(new ChangeSender(null).send(snapshot));
}

/** What takes a revision back after later ones have moved cells; null: nothing leads there, or it takes too long. */
export async function loadFollowed(input: Tasks['followed']['input']): Promise<Uint8Array | null> {
  const { store, id, revision, way } = input;
  return followed(await readerOf(store), id, revision, way);
}

/** See `isBaseDue`. */
export async function findBaseDue({ store, id, revision }: Tasks['baseDue']['input']): Promise<boolean> {
  return isBaseDue(await readerOf(store), id, revision);
}
