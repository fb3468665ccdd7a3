import { type Checkpoint, memoryOf, type Snapshot } from '@cellwire/engine';
import type { Soon } from '../event-loop/soon.ts';
import { Turns } from '../event-loop/turns.ts';
import { MAKE_ROOM_MS, MAX_OPEN_BYTES, MAX_OPEN_DOCUMENTS, MAX_OPEN_WORKBOOKS } from '../limits/limits.ts';
import { StoreError } from '../store/database.ts';
import { encode } from './checkpointer.ts';
import { createDocument } from './create.ts';
import type { DocumentsEnvironment, OpenEnvironment } from './environment.ts';
import { LiveDocument } from './live-document.ts';
import { isLarge } from './passing.ts';
import { PastStates } from './past.ts';
import { purgeTrashed, remove, trash } from './remove.ts';
import { load } from './state.ts';
import type {
  Created,
  DocumentFigures,
  Documents,
  NewDocument,
  OpenDocument,
  PastReader,
  Removal,
  Removed,
} from './types.ts';
import { readUndoPlan, type UndoPlan, type UndoQuestion } from './undo/plan.ts';
import { WaitingRoom } from './waiting-room.ts';

/** How much may be open at once. */
export interface Room {
  readonly documents: number;
  /** Documents that keep their formula graph ready for the next write. */
  readonly workbooks: number;
  /** Memory of all, in bytes: cells as they are, formulas and graphs about. */
  readonly bytes: number;
}

const ROOM: Room = { documents: MAX_OPEN_DOCUMENTS, workbooks: MAX_OPEN_WORKBOOKS, bytes: MAX_OPEN_BYTES };

export function openDocuments(environment: DocumentsEnvironment, room: Room = ROOM): Documents {
  return new DocumentSet(
    { ...environment, turns: new Turns(), waiting: new WaitingRoom(), graphs: { built: 0 } },
    room,
  );
}

/** The documents that are open in this process, the least recently used first. */
class DocumentSet implements Documents {
  private readonly environment: OpenEnvironment;
  private readonly room: Room;
  private readonly pastStates: PastStates;
  private readonly live = new Map<string, LiveDocument>();
  private readonly opening = new Map<string, Promise<LiveDocument | null>>();
  /** Used last, and so at the end of `live` already; null where that one is not held any more. */
  private newest: LiveDocument | null = null;
  private closed = false;
  private roomTimer: NodeJS.Timeout | null = null;

  constructor(environment: OpenEnvironment, room: Room) {
    this.environment = environment;
    this.room = room;
    this.pastStates = new PastStates(environment);
  }

  open(id: string, user: number | null = null): Soon<OpenDocument | null> {
    if (this.closed) throw new StoreError('Documents are closed', 'CLOSED');
    const known = this.live.get(id);
    if (known === undefined) return this.openOnce(id, user);
    if (known === this.newest) return known;
    this.newest = known;
    this.live.delete(id);
    this.live.set(id, known);
    return known;
  }

  async isPassing(id: string): Promise<boolean> {
    return !this.live.has(id) && (await isLarge(this.environment.database, id));
  }

  create(document: NewDocument): Promise<Created> {
    return createDocument(document, this.environment);
  }

  past(id: string, revision: number, commit: string, reader: PastReader): Promise<Snapshot | null> {
    return this.pastStates.read(id, revision, commit, reader);
  }

  undoPlan(id: string, question: UndoQuestion, user: number | null): Promise<UndoPlan | null> {
    return readUndoPlan(this.environment, id, question, user);
  }

  stored(snapshot: Snapshot, user: number | null): Promise<Checkpoint> {
    const work = { user, bytes: memoryOf(snapshot), isBackground: false };
    return encode(this.environment, snapshot, { since: -1, known: [] }, work);
  }

  async remove(id: string, around: Removal = {}): Promise<Removed> {
    const { database, clock } = this.environment;
    const removed = await remove(database, id, clock(), around);
    if (removed.kind !== 'conflict') this.drop(id);
    return removed;
  }

  async trash(id: string, around: Removal = {}): Promise<Removed> {
    const { database, clock } = this.environment;
    const trashed = await trash(database, id, clock(), around);
    if (trashed.kind !== 'conflict') this.drop(id);
    return trashed;
  }

  purge(id: string, around: Removal = {}): Promise<Removed> {
    const { database, clock } = this.environment;
    return purgeTrashed(database, id, clock(), around);
  }

  figures(): DocumentFigures {
    let bytes = 0;
    let waiting = 0;
    for (const document of this.live.values()) {
      bytes += document.bytes;
      waiting += document.waiting;
    }
    const { graphs, threads } = this.environment;
    const waitingForThread = threads?.pool.waiting ?? 0;
    return { open: this.live.size, bytes, waiting, waitingForThread, graphsBuilt: graphs.built };
  }

  async close(): Promise<void> {
    this.closed = true;
    if (this.roomTimer !== null) clearTimeout(this.roomTimer);
    await Promise.all(this.opening.values());
    for (const document of this.live.values()) await document.close();
    this.live.clear();
    this.newest = null;
  }

  /** Callers that come while a document is being read share it. */
  private openOnce(id: string, user: number | null): Promise<LiveDocument | null> {
    let opening = this.opening.get(id);
    if (opening === undefined) {
      opening = this.read(id, user).finally(() => this.opening.delete(id));
      this.opening.set(id, opening);
    }
    return opening;
  }

  private async read(id: string, user: number | null): Promise<LiveDocument | null> {
    const loaded = await load(this.environment, id, user);
    if (loaded === null) return null;
    const document: LiveDocument = new LiveDocument(id, { ...loaded, openedFor: user }, this.environment, {
      onRemoved: () => this.forget(document),
      onGrown: () => this.makeRoomSoon(),
    });
    this.live.set(id, document);
    this.newest = document;
    await document.measure();
    this.makeRoom();
    return document;
  }

  /** After writes: what is open may have grown. */
  private makeRoomSoon(): void {
    if (this.roomTimer !== null) return;
    this.roomTimer = setTimeout(() => {
      this.roomTimer = null;
      void this.measureAll().then(() => this.makeRoom());
    }, MAKE_ROOM_MS);
    this.roomTimer.unref();
  }

  private async measureAll(): Promise<void> {
    for (const document of [...this.live.values()]) await document.measure();
  }

  private forget(document: LiveDocument): void {
    if (this.live.get(document.id) === document) this.drop(document.id);
  }

  /** Holds a document no longer, by neither of its two ways. */
  private drop(id: string): void {
    if (this.newest?.id === id) this.newest = null;
    this.live.delete(id);
  }

  /**
   * Closes documents that were not used for long and lets others forget their formula graphs. One that is busy stays;
   * whoever still holds a closed one can go on with it, as another process could.
   */
  private makeRoom(): void {
    let count = this.live.size;
    let bytes = 0;
    for (const document of this.live.values()) bytes += document.bytes;
    for (const [id, document] of this.live) {
      if (count <= this.room.workbooks && bytes <= this.room.bytes) return;
      const tooMuch = count > this.room.documents || bytes > this.room.bytes;
      // The last one is the one used last: it stays however large it is.
      const before = document.bytes;
      document.rest();
      bytes -= before - document.bytes;
      if (tooMuch && document.idle && count > 1) {
        this.drop(id);
        bytes -= document.bytes;
      }
      count--;
    }
  }
}
