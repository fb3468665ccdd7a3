import { type Checkpoint, receiveChange, type SharedChange } from '@cellwire/engine';
import { runSynchronously } from '@cellwire/event-loop';
import type { CsvConventions, ImportedColumn, LeftOutItem } from '@cellwire/files';
import { openReader, type StoreLocation, type StoreReader } from '@cellwire/store';
import { ChunkFile } from '../../documents/chunk-file.ts';
import { calculateState, consumeSnapshot, copyVisibleState, type NewState } from '../../documents/new-state.ts';
import { readStreamedState } from '../../documents/streamed-state.ts';
import type { FilePart } from '../../documents/types.ts';
import { engineRefusal } from '../engine-refusal.ts';
import { isRefusal, type Refusal } from '../refusal.ts';
import { type CachedFormulas, cachedFormulas, type FileKind, type ReadFileOptions, readFile } from './read-file.ts';
import { readSheet, type SheetInput, type SheetOfFile } from './sheet-of-file.ts';
import { type WantedFile, type WrittenState, writeState } from './write-file.ts';

/** What is made of files and documents where that may take long: plain data in and out, as it may be in another thread. */
export interface MakingTasks {
  readonly file: { readonly input: FileInput; readonly result: Made | Refusal };
  readonly copy: { readonly input: CopyInput; readonly result: Made | Refusal };
  readonly export: { readonly input: ExportInput; readonly result: Exported };
  readonly sheet: { readonly input: SheetInput; readonly result: SheetOfFile | Refusal };
}

/** The first state of a document that a file is to be. */
interface FileInput {
  readonly path: string;
  readonly format: FileKind;
  readonly options: Omit<ReadFileOptions, 'onProgress' | 'chunks'>;
  /** Path of a file to be made of its chunks where they are many. Who asks removes it. */
  readonly chunkFile: string;
  /** Milliseconds since 1970-01-01 UTC, as formulas see it. */
  readonly now: number;
}

/** That of a copy of which some formulas have to be calculated anew. */
interface CopyInput {
  readonly stored: Checkpoint;
  /** Ids of the sheets whose readers these are. */
  readonly sheets: readonly number[];
  /** As above. */
  readonly now: number;
}

/** A file that a document is written into. */
interface ExportInput {
  readonly store: StoreLocation;
  readonly id: string;
  readonly from: OpenState | StoredState;
  readonly wanted: WantedFile;
}

/** The state of a document that is open. */
interface OpenState {
  readonly kind: 'open';
  readonly whole: SharedChange;
  readonly head: string;
}

/** The newest one in the store. */
interface StoredState {
  readonly kind: 'stored';
  /** Path of a file to be made of its chunks. Who asks removes it. */
  readonly chunkFile: string;
  /** As above. */
  readonly now: number;
}

/** Null: a stored state that has to be opened (`readStreamedState`). */
type Exported = WrittenState | Refusal | null;

/** A first state, ready to be stored. */
interface Made {
  readonly kind: 'made';
  readonly state: NewState;
  readonly parts: readonly FilePart[];
  /** What the columns of a `.csv` file were taken for. */
  readonly columns: readonly ImportedColumn[];
  /** How a `.csv` file was read; null for any other. */
  readonly csv: CsvConventions | null;
  /** What of the file the document does not hold. */
  readonly leftOut: readonly LeftOutItem[];
  /** Formulas that cannot be calculated: they keep the file's values until something that they depend on changes. */
  readonly cached: readonly CachedFormulas[];
}

/** Told the part of a file that is read, from 0 to 1; calculating comes after 1. */
export type OnProgress = (fraction: number) => void;

type Perform = {
  readonly [K in keyof MakingTasks]: (
    input: MakingTasks[K]['input'],
    onProgress?: OnProgress,
  ) => Promise<MakingTasks[K]['result']>;
};

export const MAKING_TASKS: Perform = {
  async file(input, onProgress) {
    const chunks = new ChunkFile(input.chunkFile);
    try {
      return await made(input, chunks, onProgress);
    } finally {
      chunks.close();
    }
  },
  sheet: readSheet,
  async copy({ stored, sheets, now }) {
    const state = copyVisibleState(stored, sheets, now);
    return 'kind' in state
      ? engineRefusal(state)
      : { kind: 'made', state, parts: [], columns: [], csv: null, leftOut: [], cached: [] };
  },
  async export(input) {
    const reader = await openReader(input.store);
    try {
      return await exported(reader, input);
    } finally {
      await reader.close();
    }
  },
};

async function made(
  { path, format, options, now }: FileInput,
  chunks: ChunkFile,
  onProgress: OnProgress | undefined,
): Promise<Made | Refusal> {
  const file = await readFile(path, format, { ...options, chunks, onProgress });
  if (isRefusal(file)) return file;
  const snapshot = calculateState(file.data, now);
  if ('kind' in snapshot) return engineRefusal(snapshot);
  const { columns, csv, leftOut, formats } = file;
  const parts = file.parts.map((part) => ({ ...part, relationships: JSON.stringify(part.relationships) }));
  const cached = cachedFormulas(snapshot);
  return { kind: 'made', state: consumeSnapshot(snapshot, formats, chunks, now), parts, columns, csv, leftOut, cached };
}

async function exported(reader: StoreReader, { id, from, wanted }: ExportInput): Promise<Exported> {
  if (from.kind === 'open') {
    const snapshot = runSynchronously(receiveChange(null, from.whole));
    return writeState(reader, { id, head: from.head, snapshot }, wanted);
  }
  const state = await readStreamedState(reader, id, { path: from.chunkFile, now: from.now });
  if (state === null) return null;
  try {
    return await writeState(reader, { id, ...state }, wanted);
  } finally {
    state.close();
  }
}
