import type { Checkpoint } from '@cellwire/engine';
import { calculatedState, type NewState, seeingState } from '../../documents/new-state.ts';
import type { FilePart } from '../../documents/types.ts';
import type { ImportedColumn, LeftOutItem } from '../../files/index.ts';
import { engineRefusal } from '../engine-refusal.ts';
import { isRefusal, type Refusal } from '../refusal.ts';
import { type FileKind, type ReadFileOptions, readFile } from './read-file.ts';

/** What a document can be made of: plain data, as it may be done in another thread. */
export type MakingTask = FileTask | CopyTask;

interface FileTask {
  readonly kind: 'file';
  readonly path: string;
  readonly format: FileKind;
  readonly options: Omit<ReadFileOptions, 'onProgress'>;
  /** Milliseconds since 1970-01-01 UTC, as formulas see it. */
  readonly now: number;
}

/** Another document's state, of which some formulas have to be calculated anew. */
interface CopyTask {
  readonly kind: 'copy';
  readonly stored: Checkpoint;
  /** Ids of the sheets whose readers these are. */
  readonly sheets: readonly number[];
  /** As above. */
  readonly now: number;
}

/** What came of it, ready to be stored. */
export interface Made {
  readonly kind: 'made';
  readonly state: NewState;
  readonly parts: readonly FilePart[];
  /** What the columns of a `.csv` file were taken for. */
  readonly columns: readonly ImportedColumn[];
  /** What of the file the document does not hold. */
  readonly leftOut: readonly LeftOutItem[];
}

/** Told the part of a file that is read, from 0 to 1; calculating comes after 1. */
export type OnProgress = (fraction: number) => void;

export async function performTask(task: MakingTask, onProgress?: OnProgress): Promise<Made | Refusal> {
  if (task.kind === 'copy') {
    const state = seeingState(task.stored, task.sheets, task.now);
    return 'kind' in state ? engineRefusal(state) : { kind: 'made', state, parts: [], columns: [], leftOut: [] };
  }
  const { path, format, options, now } = task;
  const file = await readFile(path, format, { ...options, onProgress });
  if (isRefusal(file)) return file;
  const state = calculatedState(file.data, now);
  if ('kind' in state) return engineRefusal(state);
  const { columns, leftOut } = file;
  const parts = file.parts.map((part) => ({ ...part, relationships: JSON.stringify(part.relationships) }));
  return { kind: 'made', state, parts, columns, leftOut };
}
