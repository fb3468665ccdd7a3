import { type Checkpoint, measureMemory, type Snapshot } from '@cellwire/engine';
import { type MaybePromise, TurnScheduler } from '@cellwire/event-loop';
import { StoreError } from '@cellwire/store';
import {
  EVICTION_INTERVAL_MS,
  MAX_OPEN_BYTES,
  MAX_OPEN_DOCUMENTS,
  MAX_OPEN_WORKBOOKS,
  MAX_STORED_STATES,
} from '../limits/open-documents.ts';
import { encodeState } from './checkpointer.ts';
import { createDocument } from './create.ts';
import type { DocumentsEnvironment, OpenEnvironment } from './environment.ts';
import { LiveDocument } from './live-document.ts';
import { loadDocument } from './load-state.ts';
import type { StoringCollector } from './new-chunks/chunk-collector.ts';
import { ChunkUpload } from './new-chunks/chunk-upload.ts';
import { type MemoryBounds, OpenSet } from './open-set.ts';
import { readPartialState } from './partial-state.ts';
import { PastStates } from './past.ts';
import { WriteAdmission } from './pipeline/write-admission.ts';
import { deleteDocument, moveToTrash, purgeTrashedDocument } from './remove.ts';
import type { LoadedDocument } from './state.ts';
import { hasManyChunks, openStoredState, type StoredChunks } from './stored-state.ts';
import { isLarge } from './streamed-state.ts';
import type {
  AreaLister,
  CreateOutcome,
  DocumentReading,
  DocumentSetMetrics,
  Documents,
  NewDocument,
  OpenDocument,
  PastReader,
  RemovalOutcome,
  RemovalStatements,
} from './types.ts';
import { readUndoPlan } from './undo/plan.ts';
import type { UndoPlan, UndoPlanRequest } from './undo/types.ts';

export type { MemoryBounds };

const DEFAULT_BOUNDS: MemoryBounds = {
  documents: MAX_OPEN_DOCUMENTS,
  workbooks: MAX_OPEN_WORKBOOKS,
  bytes: MAX_OPEN_BYTES,
};

export function openDocuments(environment: DocumentsEnvironment, bounds: MemoryBounds = DEFAULT_BOUNDS): Documents {
  return new DocumentSet(
    { ...environment, turns: new TurnScheduler(), waiting: new WriteAdmission(), graphs: { built: 0 } },
    bounds,
  );
}

/** The documents that are open in this process, the least recently used first. */
class DocumentSet implements Documents {
  private readonly environment: OpenEnvironment;
  private readonly pastStates: PastStates;
  private readonly live: OpenSet<LiveDocument>;
  private readonly opening = new Map<string, Promise<LiveDocument | null>>();
  /** Chunks that are still being read, of documents that are already open. */
  private readonly reading = new Set<StoredChunks>();
  /** Documents with a chunk that could not be read. They are read whole before they are used again. */
  private readonly unreadable = new Set<string>();
  private closed = false;
  private evictionTimer: NodeJS.Timeout | null = null;

  constructor(environment: OpenEnvironment, bounds: MemoryBounds) {
    this.environment = environment;
    this.live = new OpenSet(bounds);
    this.pastStates = new PastStates(environment);
  }

  open(id: string, user: number | null = null): MaybePromise<OpenDocument | null> {
    if (this.closed) throw new StoreError('Documents are closed', 'CLOSED');
    return this.live.findAndMarkUsed(id) ?? this.openShared(id, user);
  }

  isOpen(id: string): boolean {
    return this.live.has(id);
  }

  /**
   * Reads a document, and opens it if it is small. Reads only the areas of `listAreas` if the document is large and
   * not open. Null if there is no document.
   */
  readAreas(id: string, user: number | null, listAreas: AreaLister): MaybePromise<DocumentReading | null> {
    if (this.closed) throw new StoreError('Documents are closed', 'CLOSED');
    return this.live.findAndMarkUsed(id)?.readLatest() ?? this.readClosedAreas(id, user, listAreas);
  }

  /**
   * Reads areas of a document that is not open. If opening it takes long, reads them from its chunks and opens it
   * afterwards. Null if it does not exist.
   */
  private async readClosedAreas(
    id: string,
    user: number | null,
    listAreas: AreaLister,
  ): Promise<DocumentReading | null> {
    const document = await this.openFromStore(id, user);
    if (document !== null) return document.readLatest();
    const { database, clock } = this.environment;
    const partial = await readPartialState(database, id, { now: clock(), maxBytes: this.maxInlineBytes, listAreas });
    if (partial === null) return (await (await this.open(id, user))?.readLatest()) ?? null;
    this.openInBackground(id, user);
    return partial;
  }

  /** Maximum stored bytes of a document without its chunks that this thread reads. */
  private get maxInlineBytes(): number {
    return this.environment.threads?.pool.inline.bytes ?? Number.POSITIVE_INFINITY;
  }

  private openInBackground(id: string, user: number | null): void {
    if (this.closed || this.live.has(id)) return;
    this.openShared(id, user).catch((error: unknown) => this.environment.onError('open a document', error));
  }

  /** True if a full scan should stream the document's chunks because it is large and not open. */
  async shouldStream(id: string): Promise<boolean> {
    return !this.live.has(id) && (await isLarge(this.environment.database, id));
  }

  create(document: NewDocument): Promise<CreateOutcome> {
    return createDocument(document, this.environment);
  }

  startUpload(): StoringCollector {
    return new ChunkUpload(this.environment);
  }

  readPastState(id: string, revision: number, commit: string, reader: PastReader): Promise<Snapshot | null> {
    return this.pastStates.readState(id, revision, commit, reader);
  }

  planUndo(id: string, request: UndoPlanRequest, user: number | null): Promise<UndoPlan | null> {
    return readUndoPlan(this.environment, id, request, user);
  }

  encodeCheckpoint(snapshot: Snapshot, user: number | null): Promise<Checkpoint> {
    const work = { user, bytes: measureMemory(snapshot), isBackground: false };
    return encodeState(this.environment, snapshot, { since: -1, known: [] }, work);
  }

  async remove(id: string, statements: RemovalStatements = {}): Promise<RemovalOutcome> {
    const { database, clock } = this.environment;
    const outcome = await deleteDocument(database, id, clock(), statements);
    if (outcome.kind !== 'conflict') this.live.dropById(id);
    return outcome;
  }

  async moveToTrash(id: string, statements: RemovalStatements = {}): Promise<RemovalOutcome> {
    const { database, clock } = this.environment;
    const trashed = await moveToTrash(database, id, clock(), statements);
    if (trashed.kind !== 'conflict') this.live.dropById(id);
    return trashed;
  }

  purge(id: string, statements: RemovalStatements = {}): Promise<RemovalOutcome> {
    const { database, clock } = this.environment;
    return purgeTrashedDocument(database, id, clock(), statements);
  }

  collectMetrics(): DocumentSetMetrics {
    let waiting = 0;
    for (const document of this.live.listDocuments()) waiting += document.waiting;
    const { graphs, threads } = this.environment;
    const waitingForThread = threads?.pool.waiting ?? 0;
    return { open: this.live.size, bytes: this.live.bytes, waiting, waitingForThread, graphsBuilt: graphs.built };
  }

  async close(): Promise<void> {
    this.closed = true;
    if (this.evictionTimer !== null) clearTimeout(this.evictionTimer);
    // Callers of an opening that fails get its error.
    await Promise.allSettled(this.opening.values());
    for (const document of this.live.listDocuments()) await document.close();
    for (const chunks of this.reading) chunks.close();
    this.live.clear();
  }

  /** Opens a document; null if it does not exist. Callers that arrive while it is being read share the read. */
  private openShared(id: string, user: number | null): Promise<LiveDocument | null> {
    let opening = this.opening.get(id);
    if (opening === undefined) {
      opening = this.loadDocument(id, user).finally(() => this.opening.delete(id));
      this.opening.set(id, opening);
    }
    return opening;
  }

  private async loadDocument(id: string, user: number | null): Promise<LiveDocument | null> {
    const openedFromStore = await this.openFromStore(id, user);
    if (openedFromStore !== null) return openedFromStore;
    const loaded = await loadDocument(this.environment, id, user);
    if (loaded === null) return null;
    this.unreadable.delete(id);
    const document = this.live.findAndMarkUsed(id) ?? this.addDocument(id, loaded, user, null);
    await this.live.measure(document);
    this.live.evictDocuments();
    return document;
  }

  /**
   * Opens a large document before its chunks are read. Null if the document must be read first: it is small, has a long
   * log or many formulas, or one of its chunks could not be read.
   */
  private async openFromStore(id: string, user: number | null): Promise<LiveDocument | null> {
    const { database, onError } = this.environment;
    const isPossible = () => this.reading.size < MAX_STORED_STATES && !this.unreadable.has(id);
    if (database.openSnapshot === null || !isPossible()) return null;
    if (!(await hasManyChunks(database, id, this.maxInlineBytes))) return null;
    const openDocument = this.live.findAndMarkUsed(id);
    if (openDocument !== undefined || !isPossible() || this.closed) return openDocument ?? null;
    const opened = openStoredState(database, id, (error) => {
      this.unreadable.add(id);
      this.live.dropById(id);
      onError('open a document', error);
    });
    if (opened === null) return null;
    const { chunks, loaded } = opened;
    this.reading.add(chunks);
    void chunks.finished.then(() => this.reading.delete(chunks));
    const document = this.addDocument(id, loaded, user, chunks);
    void chunks.readInBackground();
    return document;
  }

  private addDocument(
    id: string,
    loaded: LoadedDocument,
    user: number | null,
    chunks: StoredChunks | null,
  ): LiveDocument {
    const document: LiveDocument = new LiveDocument(id, { ...loaded, openedFor: user, chunks }, this.environment, {
      onRemoved: () => this.live.removeDocument(document),
      onChanged: () => {
        this.live.recordChange(document);
        this.scheduleEviction();
      },
      onWrite: () => this.live.recordWrite(document),
    });
    this.live.addDocument(document);
    return document;
  }

  /** Measures and evicts documents soon: after writes, open documents may have grown. */
  private scheduleEviction(): void {
    if (this.evictionTimer !== null) return;
    this.evictionTimer = setTimeout(() => {
      this.evictionTimer = null;
      void this.live.measureChanged().then(() => this.live.evictDocuments());
    }, EVICTION_INTERVAL_MS);
    this.evictionTimer.unref();
  }
}
