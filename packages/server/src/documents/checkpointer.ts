import {
  ChangeSender,
  type Checkpoint,
  encodeCheckpoint,
  type KnownFormats,
  runsOf,
  type Snapshot,
  type StoredChunk,
} from '@cellwire/engine';
import { inSlices } from '../event-loop/slices.ts';
import { CHECKPOINT_COMMITS, CHECKPOINT_LOG_BYTES, LOADING_MS } from '../limits/limits.ts';
import {
  CHECKPOINT_CONFLICT,
  checkpointOf,
  chunkSheets,
  deleteChunk,
  deleteChunksOfSheet,
  putChunk,
  replaceCheckpoint,
} from '../store/checkpoints.ts';
import type { Statement } from '../store/database.ts';
import { keepCheckpoint } from './bases.ts';
import { isEnded } from './calculation/worker.ts';
import type { DocumentsEnvironment } from './environment.ts';
import type { Replica } from './replica.ts';
import type { Loaded } from './state.ts';

/** Keeps the log beside a document's checkpoint short, so that opening it stays fast. */
export class Checkpointer {
  private readonly replica: Replica;
  private readonly environment: DocumentsEnvironment;
  private readonly dueCommits: number;
  private revision: number;
  private metaBytes: number;
  /** Sheets that may have chunks in the store. */
  private readonly sheets: Set<number>;
  /** Those that the stored chunks have numbers for, which the next ones go on with. */
  private formats: KnownFormats;
  /** After a failure: not before this revision. */
  private notBefore = 0;
  private running: Promise<void> | null = null;
  private scheduled = false;

  constructor(replica: Replica, loaded: Loaded, environment: DocumentsEnvironment) {
    this.replica = replica;
    this.environment = environment;
    this.dueCommits = environment.checkpointCommits ?? CHECKPOINT_COMMITS;
    this.revision = loaded.stored.checkpointRevision;
    this.metaBytes = loaded.stored.metaBytes;
    this.sheets = new Set(loaded.stored.checkpointSheets);
    this.formats = loaded.stored.formats;
  }

  get idle(): boolean {
    return this.running === null && !this.scheduled;
  }

  /** Commits that are not in the checkpoint. */
  get pending(): number {
    return this.replica.state.snapshot.revision - this.revision;
  }

  /** Starts a checkpoint in the background when enough has been written since the last. */
  consider(): void {
    if (!this.due() || !this.idle) return;
    this.scheduled = true;
    setImmediate(() => {
      this.scheduled = false;
      void this.save();
    });
  }

  /** Saves a checkpoint of the replica's state. A failure is reported, never thrown: the log still holds everything. */
  save(): Promise<void> {
    this.running ??= this.write()
      .catch((error: unknown) => {
        this.notBefore = this.replica.state.snapshot.revision + this.dueCommits;
        this.environment.onError('checkpoint', error);
      })
      .finally(() => {
        this.running = null;
      });
    return this.running;
  }

  private due(): boolean {
    if (this.replica.state.snapshot.revision < this.notBefore) return false;
    return this.pending >= this.dueCommits || this.replica.logBytes > Math.max(CHECKPOINT_LOG_BYTES, this.metaBytes);
  }

  private async write(): Promise<void> {
    const { id } = this.replica;
    const { snapshot } = this.replica.state;
    // Another process may have saved a later state than this one knows yet.
    if (snapshot.revision <= this.revision) return;
    const { logBytes } = this.replica;
    const from = { since: this.revision, known: this.formats };
    const { meta, chunks, formats } = await encode(this.environment, snapshot, from, this.metaBytes + logBytes);
    for (const { sheet } of chunks) this.sheets.add(sheet);
    const gone = [...this.sheets].filter((sheet) => snapshot.sheetById(sheet) === undefined);
    await keepCheckpoint(this.environment, id, { revision: this.revision, next: snapshot });
    const statements = [
      replaceCheckpoint({ id, since: this.revision, revision: snapshot.revision, meta }),
      ...gone.map((sheet) => deleteChunksOfSheet({ id, sheet })),
      ...chunks.map((chunk) => chunkStatement(id, chunk)),
    ];
    const outcome = await this.environment.database.write({ document: id, statements });
    if (outcome.kind === 'conflict') return this.adopt(outcome.conflict);
    this.revision = snapshot.revision;
    this.formats = formats;
    for (const sheet of gone) this.sheets.delete(sheet);
    this.metaBytes = meta.length;
    this.replica.logBytes -= logBytes;
  }

  /** Another process has saved one (or removed the document): the next goes on from there. */
  private async adopt(conflict: string): Promise<void> {
    if (conflict !== CHECKPOINT_CONFLICT) throw new Error(`Unknown conflict ${conflict}`);
    const { id } = this.replica;
    const [[saved], sheets] = await this.environment.database.readAll([checkpointOf({ id }), chunkSheets({ id })]);
    if (saved === undefined) return;
    this.revision = saved.revision;
    this.formats = saved.meta;
    this.metaBytes = saved.meta.length;
    for (const { sheet_id } of sheets) this.sheets.add(sheet_id);
    this.replica.logBytes = 0;
  }
}

/** The stored form of a state, of which about so many bytes are to be written: large ones are made in a thread. */
export async function encode(
  { threads }: Pick<DocumentsEnvironment, 'threads'>,
  snapshot: Snapshot,
  { since, known }: { readonly since: number; readonly known: KnownFormats },
  bytes: number,
): Promise<Checkpoint> {
  const pool = threads?.pool;
  if (pool === undefined || (bytes <= pool.inline.bytes && runsOf(snapshot) <= pool.inline.runs)) {
    return encodeCheckpoint(snapshot, since, known);
  }
  const whole = await inSlices(new ChangeSender(null).send(snapshot));
  const options = { user: null, milliseconds: LOADING_MS };
  const encoded = await pool.librarian.run('checkpoint', { whole, since, known }, options, [whole.places.buffer]);
  if (isEnded(encoded)) throw new Error(`The thread that makes checkpoints ended: ${encoded.why}`);
  return encoded;
}

export function chunkStatement(id: string, { sheet, column, block, bytes }: StoredChunk): Statement {
  return bytes.length === 0 ? deleteChunk({ id, sheet, column, block }) : putChunk({ id, sheet, column, block, bytes });
}
