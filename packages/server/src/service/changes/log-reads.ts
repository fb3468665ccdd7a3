import type { Snapshot } from '@cellwire/engine';
import { PacedSteps } from '@cellwire/event-loop';
import type { Query } from '@cellwire/store';
import { commitAreas, commitWithHead } from '@cellwire/store/documents';
import { type ParsedAreas, parseAreas } from '@cellwire/store/stored-forms';
import { namesOfUsers, type StoredAuthor } from '@cellwire/store/webhooks';
import type { DocumentAccess } from '../../access/access.ts';
import { readLog } from '../../documents/read-log.ts';
import type { StateViewer } from '../../documents/rights.ts';
import type { DocumentReading } from '../../documents/types.ts';
import { FEED_SLICE_MS, MAX_SHARED_STATES } from '../../limits/notify.ts';
import type { ServiceContext } from '../context.ts';
import { findStateViewer } from '../presence/viewer.ts';
import { StateWalk } from './state-walk.ts';
import { type CommitMoves, readMovesBetween } from './watch.ts';

type CommitAreasRow = ReturnType<typeof commitAreas> extends Query<infer R> ? R : never;

/** A commit of the log with the data that all readers need. */
export type LoggedCommit = Omit<CommitAreasRow, 'areas'> & {
  readonly areas: ParsedAreas;
  readonly author: StoredAuthor | null;
};

/** Divides this thread's time between publishing changes and all other work. */
const feedPacer = new PacedSteps(FEED_SLICE_MS);

/** Null if the feed may take its next step now; else a promise that resolves when the feed may continue. */
export function waitForFeedTurn(): Promise<void> | null {
  return feedPacer.waitForTurn();
}

/**
 * Reads a document's log for publication. Readers at the same revision share one instance: each part of the log is read
 * and parsed once, for any number of readers and filters.
 */
export class LogReads {
  readonly reading: DocumentReading;
  private readonly context: ServiceContext;
  private readonly id: string;
  private readonly known = new Map<string, Promise<unknown>>();
  private plainStates: SharedStates | null = null;
  private viewerStates: SharedStates | null = null;

  constructor(context: ServiceContext, id: string, reading: DocumentReading) {
    this.context = context;
    this.id = id;
    this.reading = reading;
  }

  /** Commits after a revision, up to the revision of the reading. */
  listCommits(after: number, limit: number): Promise<readonly LoggedCommit[]> {
    return this.readOnce(`commits ${after} ${limit}`, () => this.readCommits(after, limit));
  }

  /** Moves of cells after a revision, up to the revision of the reading. */
  readMoves(after: number): Promise<readonly CommitMoves[]> {
    return this.readOnce(`moves ${after}`, () =>
      readMovesBetween(this.context, this.id, after, this.reading.snapshot.revision),
    );
  }

  /**
   * True if this history contains the commit that `incarnation` names. Commit ids are random: after a restore from a
   * backup, later commits have other ids, so the history before the restore is recognized as a different one.
   */
  containsCommit(incarnation: string | null): boolean | Promise<boolean> {
    if (incarnation === null || incarnation === this.reading.head) return true;
    return this.readOnce(`incarnation ${incarnation}`, async () => {
      const found = await this.context.database.readOne(commitWithHead({ id: this.id, head: incarnation }));
      return found !== null;
    });
  }

  /** States of the document that a reader may see. */
  async getStatesFor(access: DocumentAccess): Promise<SharedStates> {
    if (access.hiddenSheets.size === 0) {
      this.plainStates ??= this.createSharedStates(null);
      return this.plainStates;
    }
    const viewer = await this.readOnce('viewer', () => findStateViewer(this.context, access));
    this.viewerStates ??= this.createSharedStates(viewer);
    return this.viewerStates;
  }

  /** States of the document for viewers with the same rights. */
  private createSharedStates(viewer: StateViewer | null): SharedStates {
    const published = this.context.recordMemory.publishedStates.findState(this.id);
    return new SharedStates(new StateWalk(this.context, this.id, this.reading, viewer), published);
  }

  /** The next commits after a revision, at most `limit`, with the names of their authors. */
  private async readCommits(after: number, limit: number): Promise<readonly LoggedCommit[]> {
    const { database } = this.context;
    const { revision } = this.reading.snapshot;
    const range = { id: this.id, after, to: Math.min(revision, after + limit), limit };
    const [rows] = await readLog(database, range, [commitAreas(range)]);
    const ids = [...new Set(rows.flatMap(({ author_id }) => author_id ?? []))];
    const users = ids.length === 0 ? [] : await database.read(namesOfUsers(ids));
    const authors = new Map(users.map((user) => [user.id, user]));
    return rows.map((row) => ({
      ...row,
      areas: parseAreas(row.areas),
      author: authors.get(row.author_id ?? 0) ?? null,
    }));
  }

  /** Loads the value of a key once; later callers share the promise. */
  private readOnce<T>(key: string, load: () => Promise<T>): Promise<T> {
    const cached = this.known.get(key) as Promise<T> | undefined;
    if (cached !== undefined) return cached;
    const reading = load();
    this.known.set(key, reading);
    return reading;
  }
}

/** States of a document along its log. The most recent ones are kept for readers with the same request. */
class SharedStates {
  private readonly walk: StateWalk;
  private readonly states = new Map<number, Promise<Snapshot | null>>();
  /** Resolves when the current walk ends. Only one walk runs at a time. */
  private last: Promise<unknown>;

  constructor(walk: StateWalk, published: DocumentReading | null) {
    this.walk = walk;
    this.last = walk.startAtState(published);
  }

  /** See `StateWalk.readStateAt`. */
  readStateAt(revision: number, commit: string | null): Promise<Snapshot | null> {
    const cached = this.states.get(revision);
    if (cached !== undefined) return cached;
    const state = this.last.then(() => this.walk.readStateAt(revision, commit));
    this.last = state.catch(() => null);
    this.states.set(revision, state);
    if (this.states.size > MAX_SHARED_STATES) this.states.delete(this.states.keys().next().value as number);
    return state;
  }
}
