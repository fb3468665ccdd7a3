import { measureMemoryInSteps, type Snapshot } from '@cellwire/engine';
import { type MaybePromise, mapMaybe, runInSlices } from '@cellwire/event-loop';
import { CHECKPOINT_ON_CLOSE_COMMITS } from '../limits/documents.ts';
import { OPEN_DOCUMENT_BASE_BYTES } from '../limits/open-documents.ts';
import { Checkpointer } from './checkpointer.ts';
import { DailyRecalculation } from './daily-recalculation.ts';
import type { OpenEnvironment } from './environment.ts';
import { Pipeline } from './pipeline/pipeline.ts';
import type { WriteWeight } from './pipeline/write-admission.ts';
import { Replica } from './replica.ts';
import { DocumentSharing } from './rights.ts';
import type { LoadedDocument } from './state.ts';
import type { StoredChunks } from './stored-state.ts';
import type { DocumentReading, OpenDocument, Proposer, WorkingCopy, WriteOutcome } from './types.ts';
import { CalculatedCopy } from './working-copy.ts';

interface MeasuredState {
  readonly snapshot: Snapshot | null;
  readonly bytes: number;
}

const NOT_MEASURED: MeasuredState = { snapshot: null, bytes: 0 };
const NO_WEIGHT: WriteWeight = { user: null, bytes: 0 };

interface LiveDocumentListener {
  readonly onRemoved: () => void;
  /** The document has a new state, which may take more memory. */
  readonly onChanged: () => void;
  /** A write or a dry run begins. From this point on the document may hold memory for writers. */
  readonly onWrite: () => void;
}

type OpenedDocument = LoadedDocument & {
  readonly openedFor: number | null;
  /** The chunks that are not in memory yet; null if all are. */
  readonly chunks: StoredChunks | null;
};

/** An open document: its replica for readers, its pipeline for writers, its checkpoints. */
export class LiveDocument implements OpenDocument {
  readonly id: string;
  private readonly environment: OpenEnvironment;
  private readonly replica: Replica;
  private readonly sharing: DocumentSharing;
  private readonly pipeline: Pipeline;
  private readonly checkpointer: Checkpointer;
  private readonly newDay: DailyRecalculation;
  private readonly chunks: StoredChunks | null;
  private readonly onRemoved: () => void;
  private readonly onChanged: () => void;
  private readonly onWrite: () => void;
  private measured: MeasuredState = NOT_MEASURED;

  constructor(
    id: string,
    loaded: OpenedDocument,
    environment: OpenEnvironment,
    { onRemoved, onChanged, onWrite }: LiveDocumentListener,
  ) {
    this.id = id;
    this.environment = environment;
    this.chunks = loaded.chunks;
    this.onRemoved = onRemoved;
    this.onChanged = onChanged;
    this.onWrite = onWrite;
    this.replica = new Replica(id, loaded, environment, (followed) => this.pipeline.recordCommits(followed));
    this.sharing = new DocumentSharing(environment.database, id);
    this.checkpointer = new Checkpointer(this.replica, loaded, environment);
    const onCommit = (user: number | null) => {
      this.startCheckpointIfDue(user);
      environment.commits?.emitOwnCommit(id);
      // The recalculation of a new day commits without a call of `write`.
      onWrite();
      onChanged();
    };
    this.pipeline = new Pipeline(this.replica, this.sharing, environment, { onCommit, onRemoved });
    this.newDay = new DailyRecalculation(this.replica, this.pipeline, environment);
    this.startCheckpointIfDue(loaded.openedFor);
    void loaded.chunks?.finished.then(() => {
      this.measured = NOT_MEASURED;
      this.onChanged();
      this.startCheckpointIfDue(loaded.openedFor);
    });
  }

  /** Whether no work is in progress. */
  get isIdle(): boolean {
    return this.pipeline.isIdle && this.checkpointer.isIdle && !this.isReadingChunks;
  }

  private get isReadingChunks(): boolean {
    return this.chunks?.isReading ?? false;
  }

  /** A checkpoint needs all chunks, so it waits until they are in memory. */
  private startCheckpointIfDue(user: number | null): void {
    if (!this.isReadingChunks) this.checkpointer.startIfDue(user);
  }

  /** Estimated memory in bytes: cells as last found by `measure`, plus formulas and their graph. */
  get bytes(): number {
    return OPEN_DOCUMENT_BASE_BYTES + this.measured.bytes + this.pipeline.memory;
  }

  /** Measures the cells of the newest state. Yields if necessary, because a large document has very many chunks. */
  measure(): MaybePromise<void> {
    const { snapshot } = this.replica.state;
    if (this.measured.snapshot === snapshot) return;
    return mapMaybe(runInSlices(measureMemoryInSteps(snapshot)), (bytes) => {
      this.measured = { snapshot, bytes };
    });
  }

  /** Number of writes waiting for their turn. */
  get waiting(): number {
    return this.pipeline.waiting;
  }

  /** Frees what only writers need. */
  freeWriterState(): void {
    if (this.isIdle) this.pipeline.freeWriterState();
  }

  readSnapshot(): MaybePromise<Snapshot | null> {
    return mapMaybe(this.readLatest(), (reading) => reading?.snapshot ?? null);
  }

  readLatest(): MaybePromise<DocumentReading | null> {
    return mapMaybe(
      this.replica.followLatest((head) => this.pipeline.findStateInFlight(head)),
      (exists) => (exists ? this.readForToday() : this.reportRemoval()),
    );
  }

  /** Tells the set of documents that this one was removed. Returns the null that its readers get. */
  private reportRemoval(): null {
    this.onRemoved();
    return null;
  }

  /** The state that readers see. A state of an earlier day is recalculated first. */
  private readForToday(): MaybePromise<DocumentReading> {
    return this.newDay.isDue ? this.newDay.waitForToday().then(() => this.createReading()) : this.createReading();
  }

  /** The newest known state. Reports a change if its memory has not been measured. */
  private createReading(): DocumentReading {
    const { state } = this.replica;
    // Another process may have written.
    if (state.snapshot !== this.measured.snapshot) this.onChanged();
    return state;
  }

  write<Reply, Reason>(
    propose: Proposer<Reply, Reason>,
    weight: WriteWeight = NO_WEIGHT,
  ): Promise<WriteOutcome<Reply, Reason>> {
    this.onWrite();
    return this.pipeline.write(propose, weight);
  }

  /** A copy of the state in which edits can be tried. Formulas of the edits belong to `writer`. */
  openWorkingCopy(base: Snapshot, writer: number): WorkingCopy {
    return new CalculatedCopy(base, writer, this.sharing, this.environment);
  }

  async close(): Promise<void> {
    await this.pipeline.drain();
    if (!this.checkpointer.isIdle || this.checkpointer.pendingCommits >= CHECKPOINT_ON_CLOSE_COMMITS) {
      await this.chunks?.finished;
      await this.checkpointer.saveCheckpoint(null);
    }
    this.chunks?.close();
  }
}
