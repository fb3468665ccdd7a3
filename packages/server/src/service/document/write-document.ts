import { ChangeSender, memoryOf, runsOf } from '@cellwire/engine';
import { runInSlices } from '@cellwire/event-loop';
import { DOCUMENT_NOT_FOUND } from '../../access/refusal.ts';
import { INLINE_LOAD_BYTES, INLINE_RUNS } from '../../limits/calculation.ts';
import { LARGE_DOCUMENT_BYTES } from '../../limits/open-documents.ts';
import type { ServiceContext } from '../context.ts';
import type { Refusal } from '../refusal.ts';
import type { Waiter } from './makings.ts';
import { type WantedFile, type WrittenState, writeState } from './write-file.ts';

interface Writing {
  readonly wanted: WantedFile;
  /** Path of a file that may be made meanwhile. Who asks removes it. */
  readonly chunkFile: string;
  /** Null: a command, which has nothing else to do. */
  readonly waiter: Omit<Waiter, 'bytes'> | null;
}

/**
 * Writes the newest state of a document into a file, for a waiter beside serving: a large one that is not open by going
 * through its stored chunks, in the memory of a few blocks of rows; any other as it is open.
 */
export async function writeDocument(
  context: Pick<ServiceContext, 'documents' | 'database' | 'makings' | 'store' | 'clock'>,
  id: string,
  { wanted, chunkFile, waiter }: Writing,
): Promise<WrittenState | Refusal> {
  const { documents, database, makings, store, clock } = context;
  if (await documents.shouldStream(id)) {
    const input = { store, id, from: { kind: 'stored', chunkFile, now: clock() }, wanted } as const;
    const written = await (waiter === null
      ? makings.here('export', input)
      : makings.beside('export', input, { ...waiter, bytes: LARGE_DOCUMENT_BYTES }));
    if (written !== null) return written;
  }
  const reading = await (await documents.open(id, waiter?.user ?? null))?.latest();
  if (!reading) return DOCUMENT_NOT_FOUND;
  const { snapshot, head } = reading;
  const bytes = memoryOf(snapshot);
  const isSmall = bytes <= INLINE_LOAD_BYTES && runsOf(snapshot) <= INLINE_RUNS;
  // Starting a thread takes longer than writing a small one.
  if (isSmall || waiter === null) return writeState(database, { id, head, snapshot }, wanted);
  const whole = await runInSlices(new ChangeSender(null).send(snapshot));
  const input = { store, id, from: { kind: 'open', whole, head }, wanted } as const;
  const written = await makings.beside('export', input, { ...waiter, bytes }, [whole.places.buffer as ArrayBuffer]);
  if (written === null) throw new Error('An open state is written as it is');
  return written;
}
