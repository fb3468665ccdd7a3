import { API, call, query } from '../../data/http.ts';
import type { Change } from '../../data/types.ts';
import type { PositionMapping } from './position-mapping.ts';

interface ChangePage {
  readonly entries: readonly Change[];
  readonly revision: number;
  readonly hasMore: boolean;
  readonly gap: boolean;
}

interface RevisionListener {
  readonly onChange: (change: Change) => void;
  /** The log does not lead on: a page begins again at this revision. */
  readonly onGap: (revision: number) => void;
}

/** How long the event stream may take to tell of a revision before it is asked for, in milliseconds. */
const EVENT_WAIT_MS = 400;
/** Before that is tried again, in milliseconds. */
const RETRY_DELAY_MS = 2_000;

/**
 * The revision in whose places everything on a page is: cells, what the person holds, and the addresses of requests.
 * Whatever is told of a later revision is shown once the page has come there.
 */
export class RevisionTracker {
  revision: number;
  private readonly document: string;
  private readonly listener: RevisionListener;
  private readonly listeners = new Set<(mapping: PositionMapping) => void>();
  private readonly waiters = new Set<() => void>();
  private catchingUp: Promise<void> | null = null;
  private isClosed = false;

  constructor(document: string, revision: number, events: RevisionListener) {
    this.document = document;
    this.revision = revision;
    this.listener = events;
  }

  /** Calls back with each arrangement, after the cells on the page have followed it; the answer ends that. */
  onMapping(listener: (mapping: PositionMapping) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  notify(mapping: PositionMapping): void {
    for (const listener of this.listeners) listener(mapping);
  }

  advance(revision: number): void {
    this.revision = Math.max(this.revision, revision);
    for (const done of this.waiters) done();
  }

  /** Goes to a revision that may be an earlier one. */
  restartAt(revision: number): void {
    this.revision = revision;
    this.advance(revision);
  }

  close(): void {
    this.isClosed = true;
    this.advance(this.revision);
  }

  /** Comes when the page is at a revision. */
  async waitFor(revision: number): Promise<void> {
    for (let isFirst = true; revision > this.revision && !this.isClosed; isFirst = false) {
      // The event stream tells sooner, as a rule; it may be cut off.
      await this.waitForEvent(isFirst ? EVENT_WAIT_MS : RETRY_DELAY_MS);
      if (revision > this.revision) await this.catchUp();
    }
  }

  private waitForEvent(milliseconds: number): Promise<void> {
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
    this.catchingUp ??= this.requestChanges().finally(() => {
      this.catchingUp = null;
    });
    return this.catchingUp;
  }

  private async requestChanges(): Promise<void> {
    for (;;) {
      const path = `${API}/documents/${this.document}/changes${query({ since: this.revision })}`;
      const answer = await call<{ readonly changes: ChangePage }>('GET', path);
      if (!answer.ok || this.isClosed) return;
      const { entries, gap, hasMore, revision } = answer.value.changes;
      if (gap) return this.listener.onGap(revision);
      for (const entry of entries) this.listener.onChange(entry);
      if (!hasMore) return;
    }
  }
}
