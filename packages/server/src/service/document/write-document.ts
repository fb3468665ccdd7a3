import { ChangeSender, countRuns, measureMemory } from '@cellwire/engine';
import { runInSlices } from '@cellwire/event-loop';
import { DOCUMENT_NOT_FOUND } from '../../access/refusal.ts';
import { INLINE_LOAD_BYTES, INLINE_RUNS } from '../../limits/calculation.ts';
import { LARGE_DOCUMENT_BYTES } from '../../limits/open-documents.ts';
import type { ServiceContext } from '../context.ts';
import type { Refusal } from '../refusal.ts';
import type { JobOwner } from './document-jobs.ts';
import { type FileRequest, type WrittenState, writeState } from './write-file.ts';

interface FileWrite {
  readonly file: FileRequest;
  /** Path for a temporary file. The caller deletes it. */
  readonly chunkFile: string;
  /** Null: a command, which does nothing else in the meantime. */
  readonly waiter: Omit<JobOwner, 'bytes'> | null;
}

/**
 * Writes the newest state of a document into a file, in another thread if a request waits for it (`waiter`). A large
 * document that is not open is streamed from its stored chunks, with memory for a few blocks of rows. All other documents
 * are written from memory.
 */
export async function writeDocument(
  context: Pick<ServiceContext, 'documents' | 'database' | 'documentJobs' | 'store' | 'clock'>,
  id: string,
  { file, chunkFile, waiter }: FileWrite,
): Promise<WrittenState | Refusal> {
  const { documents, database, documentJobs, store, clock } = context;
  if (await documents.shouldStream(id)) {
    const input = { store, id, from: { kind: 'stored', chunkFile, now: clock() }, file } as const;
    const result = await (waiter === null
      ? documentJobs.runInline('export', input)
      : documentJobs.runInThread('export', input, { ...waiter, bytes: LARGE_DOCUMENT_BYTES }));
    if (result !== null) return result;
  }
  const reading = await (await documents.open(id, waiter?.user ?? null))?.readLatest();
  if (!reading) return DOCUMENT_NOT_FOUND;
  const { snapshot, head } = reading;
  const bytes = measureMemory(snapshot);
  const isSmall = bytes <= INLINE_LOAD_BYTES && countRuns(snapshot) <= INLINE_RUNS;
  // Starting a thread takes longer than writing a small document.
  if (isSmall || waiter === null) return writeState(database, { id, head, snapshot }, file);
  const whole = await runInSlices(new ChangeSender(null).send(snapshot));
  const input = { store, id, from: { kind: 'open', whole, head }, file } as const;
  const result = await documentJobs.runInThread('export', input, { ...waiter, bytes }, [
    whole.places.buffer as ArrayBuffer,
  ]);
  if (result === null) throw new Error('An open state is written as it is');
  return result;
}
