import {
  ChangeSender,
  type Checkpoint,
  changedSince,
  countRuns,
  encodeCheckpoint,
  type KnownFormats,
  type Snapshot,
  type StoredChunk,
} from '@cellwire/engine';
import { runInSlices } from '@cellwire/event-loop';
import type { Statement } from '@cellwire/store';
import {
  CHECKPOINT_CONFLICT,
  checkpointOf,
  chunkSheets,
  deleteChunk,
  deleteChunksOfSheet,
  putChunk,
  replaceCheckpoint,
} from '@cellwire/store/documents';
import { EXPECTED_MS_PER_STORED_BYTE } from '../limits/calculation.ts';
import { CHECKPOINT_COMMITS, CHECKPOINT_LOG_BYTES } from '../limits/documents.ts';
import { unpackChunks } from './calculation/packed-chunks.ts';
import { isEndedTask } from './calculation/worker.ts';
import type { DocumentsEnvironment } from './environment.ts';
import type { Replica } from './replica.ts';
import { retainCheckpoint } from './retained-checkpoints.ts';
import { estimateLogBytes, type UnretainedLog } from './retention-rules.ts';
import type { LoadedDocument } from './state.ts';

/** Keeps the log after a document's checkpoint short, so that opening the document stays fast. */
export class Checkpointer {
  private readonly replica: Replica;
  private readonly environment: DocumentsEnvironment;
  private readonly dueCommits: number;
  private revision: number;
  private metaBytes: number;
  /** Sheets that may have chunks in the store. */
  private readonly sheets: Set<number>;
  /** Formats that are numbered in the stored chunks. New chunks continue this numbering. */
  private formats: KnownFormats;
  /** An estimate; null if unknown. A checkpoint need not read the log while this is short. */
  private unretainedLog: UnretainedLog | null = null;
  /** After a failure: no checkpoint before this revision. */
  private notBefore = 0;
  private running: Promise<void> | null = null;
  private scheduled = false;

  constructor(replica: Replica, loaded: LoadedDocument, environment: DocumentsEnvironment) {
    this.replica = replica;
    this.environment = environment;
    this.dueCommits = environment.checkpointCommits ?? CHECKPOINT_COMMITS;
    this.revision = loaded.stored.checkpointRevision;
    this.metaBytes = loaded.stored.metaBytes;
    this.sheets = new Set(loaded.stored.checkpointSheets);
    this.formats = loaded.stored.formats;
  }

  get isIdle(): boolean {
    return this.running === null && !this.scheduled;
  }

  /** Number of commits that are not in the checkpoint. */
  get pendingCommits(): number {
    return this.replica.state.snapshot.revision - this.revision;
  }

  /**
   * Starts a checkpoint in the background if enough was written since the last one. `user`: the user who pays for it.
   */
  startIfDue(user: number | null): void {
    if (!this.isDue() || !this.isIdle) return;
    this.scheduled = true;
    setImmediate(() => {
      this.scheduled = false;
      void this.saveCheckpoint(user);
    });
  }

  /**
   * Saves a checkpoint of the replica's state. A failure is reported, never thrown, because the log still holds
   * everything.
   */
  saveCheckpoint(user: number | null): Promise<void> {
    this.running ??= this.writeCheckpoint(user)
      .catch((error: unknown) => {
        this.notBefore = this.replica.state.snapshot.revision + this.dueCommits;
        this.environment.onError('checkpoint', error);
      })
      .finally(() => {
        this.running = null;
      });
    return this.running;
  }

  /** True if enough commits or bytes of log have followed the last checkpoint. */
  private isDue(): boolean {
    if (this.replica.state.snapshot.revision < this.notBefore) return false;
    return (
      this.pendingCommits >= this.dueCommits || this.replica.logBytes > Math.max(CHECKPOINT_LOG_BYTES, this.metaBytes)
    );
  }

  /** Stores the chunks that changed since the last checkpoint, in the turn of the user. */
  private async writeCheckpoint(user: number | null): Promise<void> {
    const { id } = this.replica;
    const { snapshot } = this.replica.state;
    // Another process may have saved a state later than the one known here.
    if (snapshot.revision <= this.revision) return;
    const { logBytes } = this.replica;
    const from = { since: this.revision, known: this.formats };
    const work = { user, bytes: this.metaBytes + logBytes, isBackground: true };
    const { meta, chunks, formats } = await encodeState(this.environment, snapshot, from, work);
    for (const { sheet } of chunks) this.sheets.add(sheet);
    const deleted = [...this.sheets].filter((sheet) => snapshot.sheetById(sheet) === undefined);
    const replaced = { revision: this.revision, next: snapshot, user };
    const unretained = await retainCheckpoint(this.environment, id, replaced, this.unretainedLog);
    const statements = [
      replaceCheckpoint({ id, since: this.revision, revision: snapshot.revision, meta }),
      ...deleted.map((sheet) => deleteChunksOfSheet({ id, sheet })),
      ...(await runInSlices(buildChunkStatements(id, chunks))),
    ];
    const outcome = await this.environment.database.write({ document: id, statements });
    if (outcome.kind === 'conflict') return this.adoptSavedCheckpoint(outcome.conflict);
    this.unretainedLog = unretained && {
      ...unretained,
      bytes: unretained.bytes + estimateLogBytes(snapshot.revision - this.revision, logBytes),
    };
    this.revision = snapshot.revision;
    this.formats = formats;
    for (const sheet of deleted) this.sheets.delete(sheet);
    this.metaBytes = meta.length;
    this.replica.logBytes -= logBytes;
  }

  /** Continues from the checkpoint that another process saved; does nothing if the document was removed. */
  private async adoptSavedCheckpoint(conflict: string): Promise<void> {
    if (conflict !== CHECKPOINT_CONFLICT) throw new Error(`Unknown conflict ${conflict}`);
    const { id } = this.replica;
    const [[saved], sheets] = await this.environment.database.readAll([checkpointOf({ id }), chunkSheets({ id })]);
    if (saved === undefined) return;
    this.unretainedLog = null;
    this.revision = saved.revision;
    this.formats = saved.meta;
    this.metaBytes = saved.meta.length;
    for (const { sheet_id } of sheets) this.sheets.add(sheet_id);
    this.replica.logBytes = 0;
  }
}

/** Inputs of encoding a state. */
interface EncodingRequest {
  /** The user who pays for the work; null: the service. */
  readonly user: number | null;
  /** Estimated size of the output. */
  readonly bytes: number;
  readonly isBackground: boolean;
}

/** Encodes a state to its stored form. Large states are encoded in a thread. */
export async function encodeState(
  { threads }: Pick<DocumentsEnvironment, 'threads'>,
  snapshot: Snapshot,
  { since, known }: { readonly since: number; readonly known: KnownFormats },
  { user, bytes, isBackground }: EncodingRequest,
): Promise<Checkpoint> {
  const pool = threads?.pool;
  if (pool === undefined || (bytes <= pool.inline.bytes && countRuns(snapshot) <= pool.inline.runs)) {
    return encodeCheckpoint(snapshot, since, known);
  }
  const changedState = since < 0 ? snapshot : await runInSlices(changedSince(snapshot, since));
  const whole = await runInSlices(new ChangeSender(null).send(changedState));
  const claim = { user, expectedMs: bytes * EXPECTED_MS_PER_STORED_BYTE, isBackground };
  const encoded = await pool.runReadTask('checkpoint', { whole, since, known }, claim, [whole.places.buffer]);
  if (isEndedTask(encoded)) throw new Error(`The thread that encodes checkpoints ended: ${encoded.why}`);
  return { ...encoded, chunks: await runInSlices(unpackChunks(encoded.chunks)) };
}

/** Chunks between two yields. */
const CHUNKS_A_STEP = 64;

/** Statements that store chunks. Yields regularly, because each chunk gets a checksum. */
function* buildChunkStatements(id: string, chunks: readonly StoredChunk[]): Generator<void, Statement[]> {
  const statements: Statement[] = [];
  for (const chunk of chunks) {
    statements.push(buildChunkStatement(id, chunk));
    if (statements.length % CHUNKS_A_STEP === 0) yield;
  }
  return statements;
}

export function buildChunkStatement(id: string, { sheet, column, block, bytes }: StoredChunk): Statement {
  return bytes.length === 0 ? deleteChunk({ id, sheet, column, block }) : putChunk({ id, sheet, column, block, bytes });
}
