import { followRestoredLines, type Rearrangement } from '@cellwire/engine';
import { API, callApi, formatQuery, type Result } from '../../data/http.ts';
import type { DocumentChange } from '../../data/types.ts';
import type { GridPosition } from '../selection/selection.ts';
import type { PositionMapping } from './position-mapping.ts';

interface ChangePage {
  readonly entries: readonly DocumentChange[];
  readonly revision: number;
  readonly hasMore: boolean;
  readonly gap: boolean;
}

interface RevisionListener {
  readonly onChange: (change: DocumentChange) => void;
  /** The log has a gap; the page restarts at this revision. */
  readonly onGap: (revision: number) => void;
}

/** How long to wait for the event stream before the changes are requested, in milliseconds. */
const EVENT_WAIT_MS = 400;
/** Mappings that are kept for positions which other users report. */
const MAX_RECENT = 100;
/** An id that belongs to no sheet, not even to an unknown one. */
const WAITING_SHEET = -2;
/** Maximum attempts of a request for positions while cells keep moving. */
const MAX_REQUESTS = 5;
/** Delay before the next attempt, in milliseconds. */
const RETRY_DELAY_MS = 2_000;

/**
 * The revision to which all positions on the page belong: cells, selections, drafts and request addresses. Data of a
 * later revision is shown when the page has reached it.
 */
export class RevisionTracker {
  revision: number;
  /** The page's revision when it lost its connection last; -1 if it never lost one. Later changes may be unknown. */
  interruptedRevision = -1;
  /** The last known revision that moved cells. */
  private mappedRevision = 0;
  /** The most recent mappings, the oldest first. No mapping after the revision `recentMappingsStart` is missing. */
  private readonly recentMappings: PositionMapping[] = [];
  private recentMappingsStart: number;
  private readonly document: string;
  private readonly listener: RevisionListener;
  private readonly listeners = new Set<(mapping: PositionMapping) => void>();
  private readonly waiters = new Set<() => void>();
  private catchingUp: Promise<void> | null = null;
  private isClosed = false;

  constructor(document: string, revision: number, events: RevisionListener) {
    this.document = document;
    this.revision = revision;
    this.recentMappingsStart = revision;
    this.listener = events;
  }

  /**
   * Registers a listener that is called with each mapping after the cells were moved. Returns a function that removes
   * the listener.
   */
  onMapping(listener: (mapping: PositionMapping) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  notify(mapping: PositionMapping): void {
    this.mappedRevision = mapping.revision;
    this.recentMappings.push(mapping);
    if (this.recentMappings.length > MAX_RECENT)
      this.recentMappingsStart = this.recentMappings.shift()?.revision ?? this.recentMappingsStart;
    for (const listener of this.listeners) listener(mapping);
  }

  advance(revision: number): void {
    this.revision = Math.max(this.revision, revision);
    for (const resume of this.waiters) resume();
  }

  /** Sets the revision, also to an earlier one. */
  restartAt(revision: number): void {
    this.revision = revision;
    this.recentMappings.length = 0;
    this.recentMappingsStart = revision;
    this.advance(revision);
  }

  markInterrupted(): void {
    this.interruptedRevision = this.revision;
  }

  close(): void {
    this.isClosed = true;
    this.advance(this.revision);
  }

  /** Resolves when the page has reached a revision. */
  async waitFor(revision: number): Promise<void> {
    for (let isFirst = true; revision > this.revision && !this.isClosed; isFirst = false) {
      // The event stream is usually faster, but it may be interrupted.
      await this.waitForEvent(isFirst ? EVENT_WAIT_MS : RETRY_DELAY_MS);
      if (revision > this.revision) await this.catchUp();
    }
  }

  /**
   * The mappings after a revision up to a later one, the oldest first, without those that were undone; null if some of
   * them were dropped.
   */
  findMappingsAfter(revision: number, last = Number.POSITIVE_INFINITY): readonly PositionMapping[] | null {
    if (revision < this.recentMappingsStart) return null;
    const path: PositionMapping[] = [];
    for (const mapping of this.recentMappings) {
      if (mapping.revision <= revision || mapping.revision > last) continue;
      const { restores } = mapping;
      if (restores === null || restores < revision) path.push(mapping);
      else while ((path.at(-1)?.revision ?? restores) > restores) path.pop();
    }
    return path;
  }

  /** Position of a cell at an earlier revision; null if it is newer or cannot be followed. `last`: revision of `cell`. */
  findPreviousCell(sheet: number, cell: GridPosition, revision: number, last: number): GridPosition | null {
    const mappings = this.findMappingsAfter(revision, last);
    if (mappings === null) return null;
    return mappings.reduceRight<GridPosition | null>(
      (position, mapping) => position && mapping.findPreviousCell(sheet, position),
      cell,
    );
  }

  /**
   * The revision whose positions are valid again after a change; null if there is none. Positions return to those before
   * an undone revision if no cells moved between that revision and the change.
   */
  findRestoredRevision({ undoes, restores }: Pick<DocumentChange, 'undoes' | 'restores'>): number | null {
    const restored = restores ?? (undoes === undefined ? null : undoes - 1);
    if (restored === null || restored < this.recentMappingsStart) return null;
    if (restores !== undefined) return restored;
    const last = this.findMappingsAfter(this.recentMappingsStart)?.at(-1);
    return last?.revision === undoes ? restored : null;
  }

  /**
   * The steps from the revision before an undone deletion to its undo, if other cells moved in between; null if the
   * deleted cells cannot be followed. `restored`: the steps of the undo.
   */
  findStepsToReturn(undone: number, restored: readonly Rearrangement[]): readonly Rearrangement[] | null {
    const [deletion, ...between] = this.findMappingsAfter(undone - 1) ?? [];
    if (deletion?.revision !== undone || deletion.deletedSheet !== null || deletion.steps === null) return null;
    const later = between.map((mapping) => (mapping.deletedSheet === null ? mapping.steps : null));
    if (later.some((steps) => steps === null)) return null;
    const known = later.filter((steps) => steps !== null);
    return followRestoredLines(deletion.steps, known, restored, WAITING_SHEET)?.flat() ?? null;
  }

  /**
   * Sends a request that names positions. Repeats it if cells moved before the answer arrived, because the request or
   * the answer then named cells at other positions than the page shows.
   */
  async requestPositions<T extends { readonly revision: number }>(
    request: () => Promise<Result<T>>,
  ): Promise<Result<T>> {
    for (let attempt = 1; ; attempt++) {
      const before = this.mappedRevision;
      const answer = await request();
      if (!answer.ok) return answer;
      await this.waitFor(answer.value.revision);
      if (this.mappedRevision === before || attempt === MAX_REQUESTS || this.isClosed) return answer;
    }
  }

  private waitForEvent(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const resume = () => {
        clearTimeout(timer);
        this.waiters.delete(resume);
        resolve();
      };
      const timer = setTimeout(resume, milliseconds);
      this.waiters.add(resume);
    });
  }

  /** Requests the changes that the event stream has not delivered. */
  catchUp(): Promise<void> {
    this.catchingUp ??= this.requestChanges().finally(() => {
      this.catchingUp = null;
    });
    return this.catchingUp;
  }

  private async requestChanges(): Promise<void> {
    for (;;) {
      const path = `${API}/documents/${this.document}/changes${formatQuery({ since: this.revision })}`;
      const answer = await callApi<{ readonly changes: ChangePage }>('GET', path);
      if (!answer.ok || this.isClosed) return;
      const { entries, gap, hasMore, revision } = answer.value.changes;
      if (gap) return this.listener.onGap(revision);
      for (const entry of entries) this.listener.onChange(entry);
      if (!hasMore) return;
    }
  }
}
