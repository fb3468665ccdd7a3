import { API, call, query } from '../../data/http.ts';
import type { Change } from '../../data/types.ts';
import type { Arrangement } from './position-mapping.ts';

interface ChangePage {
  readonly entries: readonly Change[];
  readonly revision: number;
  readonly hasMore: boolean;
  readonly gap: boolean;
}

interface FollowerEvents {
  readonly onChange: (change: Change) => void;
  /** The log does not lead on: a page begins again at this revision. */
  readonly onGap: (revision: number) => void;
}

/** How long the event stream may take to tell of a revision before it is asked for, in milliseconds. */
const EVENT_WAIT_MS = 400;
/** Before that is tried again, in milliseconds. */
const RETRY_MS = 2_000;

/**
 * The revision in whose places everything on a page is: cells, what the person holds, and the addresses of requests.
 * Whatever is told of a later revision is shown once the page has come there.
 */
export class PlacesFollower {
  revision: number;
  private readonly document: string;
  private readonly events: FollowerEvents;
  private readonly listeners = new Set<(arrangement: Arrangement) => void>();
  private readonly waiters = new Set<() => void>();
  private catchingUp: Promise<void> | null = null;
  private isEnded = false;

  constructor(document: string, revision: number, events: FollowerEvents) {
    this.document = document;
    this.revision = revision;
    this.events = events;
  }

  /** Calls back with each arrangement, after the cells on the page have followed it; the answer ends that. */
  onArranged(listener: (arrangement: Arrangement) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  tell(arrangement: Arrangement): void {
    for (const listener of this.listeners) listener(arrangement);
  }

  advance(revision: number): void {
    this.revision = Math.max(this.revision, revision);
    for (const done of this.waiters) done();
  }

  /** Goes to a revision that may be an earlier one. */
  beginAt(revision: number): void {
    this.revision = revision;
    this.advance(revision);
  }

  end(): void {
    this.isEnded = true;
    this.advance(this.revision);
  }

  /** Comes when the page is at a revision. */
  async reached(revision: number): Promise<void> {
    for (let isFirst = true; revision > this.revision && !this.isEnded; isFirst = false) {
      // The event stream tells sooner, as a rule; it may be cut off.
      await this.nextEvent(isFirst ? EVENT_WAIT_MS : RETRY_MS);
      if (revision > this.revision) await this.catchUp();
    }
  }

  private nextEvent(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        this.waiters.delete(done);
        resolve();
      };
      const timer = setTimeout(done, milliseconds);
      this.waiters.add(done);
    });
  }

  /** Asks for the changes that the event stream has not told of. */
  catchUp(): Promise<void> {
    this.catchingUp ??= this.askChanges().finally(() => {
      this.catchingUp = null;
    });
    return this.catchingUp;
  }

  private async askChanges(): Promise<void> {
    for (;;) {
      const path = `${API}/documents/${this.document}/changes${query({ since: this.revision })}`;
      const answer = await call<{ readonly changes: ChangePage }>('GET', path);
      if (!answer.ok || this.isEnded) return;
      const { entries, gap, hasMore, revision } = answer.value.changes;
      if (gap) return this.events.onGap(revision);
      for (const entry of entries) this.events.onChange(entry);
      if (!hasMore) return;
    }
  }
}
