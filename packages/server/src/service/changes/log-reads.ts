import type { Snapshot } from '@cellwire/engine';
import { PacedSteps } from '@cellwire/event-loop';
import type { Query } from '@cellwire/store';
import { commitAreas, commitWithHead } from '@cellwire/store/documents';
import { type ParsedAreas, parseAreas } from '@cellwire/store/stored-forms';
import { namesOfUsers, type StoredAuthor } from '@cellwire/store/webhooks';
import type { DocumentAccess } from '../../access/access.ts';
import { readLog } from '../../documents/read-log.ts';
import type { StateViewer } from '../../documents/rights.ts';
import type { Reading } from '../../documents/types.ts';
import { FEED_SLICE_MS, MAX_SHARED_STATES } from '../../limits/notify.ts';
import type { ServiceContext } from '../context.ts';
import { onlookerOf } from '../presence/onlooker.ts';
import { StateWalk } from './state-walk.ts';
import { type Moving, movesBetween } from './watch.ts';

type Row = ReturnType<typeof commitAreas> extends Query<infer R> ? R : never;

/** A commit of the log with what everybody who is told of it needs. */
export type LoggedCommit = Omit<Row, 'areas'> & { readonly areas: ParsedAreas; readonly author: StoredAuthor | null };

/** Divides this thread's time between everybody who is told of changes and all other work. */
const steps = new PacedSteps(FEED_SLICE_MS);

/** Before the next step of telling of changes: null if this turn has time for it, else resolves when it may be taken. */
export function feedTurn(): Promise<void> | null {
  return steps.next();
}

/**
 * Reads a document's log for those who are told of its changes. Readers at the same revision share one of these: each
 * piece is read and parsed once, however many readers and filters there are.
 */
export class LogReads {
  readonly reading: Reading;
  private readonly context: ServiceContext;
  private readonly id: string;
  private readonly known = new Map<string, Promise<unknown>>();
  private plainStates: SharedStates | null = null;
  private onlookerStates: SharedStates | null = null;

  constructor(context: ServiceContext, id: string, reading: Reading) {
    this.context = context;
    this.id = id;
    this.reading = reading;
  }

  /** Commits after a revision, up to that of the reading. */
  commits(after: number, limit: number): Promise<readonly LoggedCommit[]> {
    return this.once(`commits ${after} ${limit}`, () => this.readCommits(after, limit));
  }

  /** Moves of cells after a revision, up to that of the reading. */
  moves(after: number): Promise<readonly Moving[]> {
    return this.once(`moves ${after}`, () =>
      movesBetween(this.context, this.id, after, this.reading.snapshot.revision),
    );
  }

  /**
   * Whether a history is this one: an incarnation is the id of a commit, which is random. A folder put back from a copy,
   * which goes on from an earlier commit with other ones, does not know it.
   */
  isKnown(incarnation: string | null): boolean | Promise<boolean> {
    if (incarnation === null || incarnation === this.reading.head) return true;
    return this.once(`incarnation ${incarnation}`, async () => {
      const found = await this.context.database.readOne(commitWithHead({ id: this.id, head: incarnation }));
      return found !== null;
    });
  }

  /** The states of the document as a reader may see them. */
  async statesFor(access: DocumentAccess): Promise<SharedStates> {
    if (access.hiddenSheets.size === 0) {
      this.plainStates ??= this.statesOf(null);
      return this.plainStates;
    }
    const onlooker = await this.once('onlooker', () => onlookerOf(this.context, access));
    this.onlookerStates ??= this.statesOf(onlooker);
    return this.onlookerStates;
  }

  private statesOf(onlooker: StateViewer | null): SharedStates {
    const begun = this.context.records.told.get(this.id);
    return new SharedStates(new StateWalk(this.context, this.id, this.reading, onlooker), begun);
  }

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

  private once<T>(key: string, read: () => Promise<T>): Promise<T> {
    const known = this.known.get(key) as Promise<T> | undefined;
    if (known !== undefined) return known;
    const reading = read();
    this.known.set(key, reading);
    return reading;
  }
}

/** States of a document along its log. The last ones are kept for readers who ask for the same. */
class SharedStates {
  private readonly walk: StateWalk;
  private readonly states = new Map<number, Promise<Snapshot | null>>();
  /** A walk takes one step at a time. */
  private last: Promise<unknown>;

  constructor(walk: StateWalk, begun: Reading | null) {
    this.walk = walk;
    this.last = walk.beginAt(begun);
  }

  /** See `StateWalk.at`. */
  at(revision: number, commit: string | null): Promise<Snapshot | null> {
    const known = this.states.get(revision);
    if (known !== undefined) return known;
    const state = this.last.then(() => this.walk.at(revision, commit));
    this.last = state.catch(() => null);
    this.states.set(revision, state);
    if (this.states.size > MAX_SHARED_STATES) this.states.delete(this.states.keys().next().value as number);
    return state;
  }
}
