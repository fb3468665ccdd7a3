import { type Checkpoint, receiveChange, type SharedChange } from '@cellwire/engine';
import { runSynchronously } from '@cellwire/event-loop';
import type { CsvConventions, ImportedColumn, LeftOutItem } from '@cellwire/files';
import { openReader, type StoreLocation, type StoreReader } from '@cellwire/store';
import type { ChunkCollector } from '../../documents/new-chunks/chunk-collector.ts';
import { ChunkFile } from '../../documents/new-chunks/chunk-file.ts';
import { calculateState, consumeSnapshot, copyVisibleState, type NewState } from '../../documents/new-state.ts';
import { readStreamedState } from '../../documents/streamed-state.ts';
import type { FilePart } from '../../documents/types.ts';
import { toApiRefusal } from '../engine-refusal.ts';
import { isRefusal, type Refusal } from '../refusal.ts';
import { type CachedFormulas, type FileKind, listCachedFormulas, type ReadFileOptions, readFile } from './read-file.ts';
import { readSheet, type SheetInput, type SheetOfFile } from './sheet-of-file.ts';
import { type FileRequest, type WrittenState, writeState } from './write-file.ts';

/**
 * Tasks on files and documents that may take long. Input and output are plain data, because a task may run in another
 * thread.
 */
export interface JobTasks {
  readonly file: { readonly input: FileInput; readonly result: PreparedDocument | Refusal };
  readonly copy: { readonly input: CopyInput; readonly result: PreparedDocument | Refusal };
  readonly export: { readonly input: ExportInput; readonly result: ExportResult };
  readonly sheet: { readonly input: SheetInput; readonly result: SheetOfFile | Refusal };
}

/** Reads a file into the first state of a document. */
interface FileInput {
  readonly path: string;
  readonly format: FileKind;
  readonly options: Omit<ReadFileOptions, 'onProgress' | 'chunks'>;
  /** Path for a temporary file of chunks, if there are many. The caller deletes it. */
  readonly chunkFile: string;
  /** Current time for formulas, in milliseconds since 1970-01-01 UTC. */
  readonly now: number;
}

/** Recalculates some formulas of a copy. */
interface CopyInput {
  readonly stored: Checkpoint;
  /** Ids of the sheets whose readers are recalculated. */
  readonly sheets: readonly number[];
  /** See `FileInput`. */
  readonly now: number;
}

/** Writes a document into a file. */
interface ExportInput {
  readonly store: StoreLocation;
  readonly id: string;
  readonly from: OpenState | StoredState;
  readonly file: FileRequest;
}

/** The state of an open document. */
interface OpenState {
  readonly kind: 'open';
  readonly whole: SharedChange;
  readonly head: string;
}

/** The newest state in the store. */
interface StoredState {
  readonly kind: 'stored';
  /** Path for a temporary file of chunks. The caller deletes it. */
  readonly chunkFile: string;
  /** See `FileInput`. */
  readonly now: number;
}

/** Null: the document must be opened before it can be exported (see `readStreamedState`). */
type ExportResult = WrittenState | Refusal | null;

/** A first state that is ready to be stored. */
export interface PreparedDocument {
  readonly kind: 'made';
  readonly state: NewState;
  readonly parts: readonly FilePart[];
  /** Detected types of the columns of a `.csv` file. */
  readonly columns: readonly ImportedColumn[];
  /** Detected format of a `.csv` file; null for other files. */
  readonly csv: CsvConventions | null;
  /** Content of the file that the document does not hold. */
  readonly leftOut: readonly LeftOutItem[];
  /** Formulas that cannot be calculated: they keep the file's values until a cell that they depend on changes. */
  readonly cached: readonly CachedFormulas[];
}

/** Receives the fraction of the file that is read, from 0 to 1; calculation follows after 1. */
export type OnProgress = (fraction: number) => void;

type PerformTask = {
  readonly [K in keyof JobTasks]: (
    input: JobTasks[K]['input'],
    onProgress?: OnProgress,
  ) => Promise<JobTasks[K]['result']>;
};

export const JOB_TASKS: PerformTask = {
  async file(input, onProgress) {
    const chunks = new ChunkFile(input.chunkFile);
    try {
      return await prepareDocument(input, chunks, onProgress);
    } finally {
      chunks.close();
    }
  },
  sheet: readSheet,
  async copy({ stored, sheets, now }) {
    const state = copyVisibleState(stored, sheets, now);
    return 'kind' in state
      ? toApiRefusal(state)
      : { kind: 'made', state, parts: [], columns: [], csv: null, leftOut: [], cached: [] };
  },
  async export(input) {
    const reader = await openReader(input.store);
    try {
      return await exportState(reader, input);
    } finally {
      await reader.close();
    }
  },
};

/** Reads a file, calculates its formulas and collects its chunks; refused if it is no valid file. */
export async function prepareDocument(
  { path, format, options, now }: Omit<FileInput, 'chunkFile'>,
  chunks: ChunkCollector,
  onProgress: OnProgress | undefined,
): Promise<PreparedDocument | Refusal> {
  const file = await readFile(path, format, { ...options, chunks, onProgress });
  if (isRefusal(file)) return file;
  const snapshot = calculateState(file.data, now);
  if ('kind' in snapshot) return toApiRefusal(snapshot);
  const { columns, csv, leftOut, formats } = file;
  const parts = file.parts.map((part) => ({ ...part, relationships: JSON.stringify(part.relationships) }));
  const cached = listCachedFormulas(snapshot);
  const state = await consumeSnapshot(snapshot, formats, chunks, now);
  return { kind: 'made', state, parts, columns, csv, leftOut, cached };
}

/** Writes an open or a stored state to a file; null if the document no longer exists. */
async function exportState(reader: StoreReader, { id, from, file }: ExportInput): Promise<ExportResult> {
  if (from.kind === 'open') {
    const snapshot = runSynchronously(receiveChange(null, from.whole));
    return writeState(reader, { id, head: from.head, snapshot }, file);
  }
  const state = await readStreamedState(reader, id, { path: from.chunkFile, now: from.now });
  if (state === null) return null;
  try {
    return await writeState(reader, { id, ...state }, file);
  } finally {
    state.close();
  }
}
