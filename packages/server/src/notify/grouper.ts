import { commitSummaries } from '@cellwire/store/documents';
import { parseStoredJson } from '@cellwire/store/stored-forms';
import {
  advanceWindows,
  endWindows,
  type RevisionsAhead,
  ungroupedDocuments,
  windowsOf,
} from '@cellwire/store/webhooks';
import type { CommitSignal } from '../documents/commit-signal.ts';
import { RECALCULATIONS } from '../documents/types.ts';
import { GROUPING_BATCH, GROUPING_DELAY_MS, LOG_POLL_MS, MAX_GROUPING_DOCUMENTS } from '../limits/notify.ts';
import type { CancelTimer, Clock } from './clock.ts';
import { closeWindows, type WindowCloserEnvironment } from './close-windows.ts';
import type { DueSubscription } from './dispatcher.ts';
import {
  addCommit,
  closeDueWindows,
  computeNextPosition,
  findNextClose,
  isGrouped,
  type LogPosition,
  skipCommit,
  toCommitSource,
  type WindowGrouping,
  type WindowSettings,
} from './grouping.ts';

interface GrouperEnvironment extends WindowCloserEnvironment {
  readonly commits: CommitSignal;
  readonly clock: Clock;
  readonly settings: WindowSettings;
  readonly onError: (activity: string, error: unknown) => void;
  /** Called with the subscriptions that got a delivery, after it is stored. */
  readonly onDeliveries: (subscriptions: readonly DueSubscription[]) => void;
}

interface DocumentWindows {
  grouping: WindowGrouping;
  position: LogPosition & { readonly version: number };
  cancel: CancelTimer | null;
}

/**
 * Groups commits of the log into windows. Only the log position up to which windows are closed is stored. After a crash
 * the open windows are rebuilt from the commits after it. The position advances in the same transaction that stores the
 * deliveries, so that no change is notified twice or lost.
 */
export class Grouper {
  private readonly environment: GrouperEnvironment;
  /** Documents with open windows. */
  private readonly states = new Map<string, DocumentWindows>();
  private readonly dirty = new Set<string>();
  /** Documents that may have changes outside of windows, with the time of detection (wall clock, in milliseconds). */
  private readonly unreadSince = new Map<string, number>();
  /** The same for documents that are being processed, including their open windows. */
  private readonly inProgress = new Map<string, number>();
  private readonly busy = new Map<string, Promise<void>>();
  private cancelPump: CancelTimer | null = null;
  private cancelPoll: CancelTimer | null = null;
  /** Ends the subscription to commits; replaced by `start`. */
  private stopListening: () => void = () => {};
  private polling: Promise<void> = Promise.resolve();
  private stopped = false;

  constructor(environment: GrouperEnvironment) {
    this.environment = environment;
  }

  start(): void {
    this.stopListening = this.environment.commits.listen((document) => this.markDocument(document, GROUPING_DELAY_MS));
    this.pollCommits();
  }

  async stop(): Promise<void> {
    this.stopped = true;
    this.stopListening();
    this.cancelPump?.();
    this.cancelPoll?.();
    for (const { cancel } of this.states.values()) cancel?.();
    await this.polling;
    await Promise.all(this.busy.values());
  }

  /**
   * Finds commits of other processes, commits made while no process was running, and due windows. Notifications
   * therefore do not depend on timers.
   */
  private pollCommits(): void {
    this.polling = this.findUngroupedDocuments()
      .catch((error: unknown) => this.environment.onError('looking for changes', error))
      .finally(() => {
        if (!this.stopped) this.cancelPoll = this.environment.clock.after(LOG_POLL_MS, () => this.pollCommits());
      });
  }

  /** Marks documents that have commits without a window, for example after a restart, or windows that are due. */
  private async findUngroupedDocuments(): Promise<void> {
    const ungrouped = await this.environment.database.read(ungroupedDocuments({}));
    for (const { document_id: document, revision } of ungrouped) {
      const grouping = this.states.get(document)?.grouping;
      const due = grouping !== undefined && findNextClose(grouping) <= this.environment.clock.steady();
      if (grouping === undefined || grouping.seen < revision || due) this.markDocument(document, 0);
    }
    // Forget documents that were deleted, or grouped by another process, after their grouping failed here.
    const present = new Set(ungrouped.map((row) => row.document_id));
    for (const document of this.unreadSince.keys()) {
      if (!present.has(document) && !this.dirty.has(document) && !this.busy.has(document))
        this.unreadSince.delete(document);
    }
  }

  /**
   * How long the oldest change has waited for its notification, in milliseconds; 0: no change is waiting. Changes in
   * open windows count.
   */
  computeOldestChangeMs(): number {
    let oldest = Infinity;
    for (const at of this.unreadSince.values()) oldest = Math.min(oldest, at);
    for (const at of this.inProgress.values()) oldest = Math.min(oldest, at);
    for (const { grouping } of this.states.values()) oldest = Math.min(oldest, findOldestChange(grouping));
    return oldest === Infinity ? 0 : Math.max(0, this.environment.clock.now() - oldest);
  }

  /** Notes that a document has commits to group, and processes it after the delay in milliseconds. */
  private markDocument(document: string, delayMs: number): void {
    if (this.stopped) return;
    if (!this.unreadSince.has(document)) this.unreadSince.set(document, this.environment.clock.now());
    this.dirty.add(document);
    if (delayMs === 0) this.processMarkedDocuments();
    else
      this.cancelPump ??= this.environment.clock.after(delayMs, () => {
        this.cancelPump = null;
        this.processMarkedDocuments();
      });
  }

  /** Processes marked documents, several at a time, so that opening a large document does not delay the others. */
  private processMarkedDocuments(): void {
    const documents = this.takeMarkedDocuments();
    const loading = this.loadWindows(documents.filter((document) => !this.states.has(document)));
    for (const document of documents) this.startProcessing(document, loading);
  }

  private takeMarkedDocuments(): readonly string[] {
    const taken: string[] = [];
    for (const document of this.dirty) {
      if (this.busy.size + taken.length >= MAX_GROUPING_DOCUMENTS || this.stopped) break;
      if (this.busy.has(document)) continue;
      this.dirty.delete(document);
      taken.push(document);
    }
    return taken;
  }

  private startProcessing(document: string, loading: Promise<ReadonlyMap<string, StoredWindows>>): void {
    const state = this.states.get(document);
    const since = Math.min(
      this.unreadSince.get(document) ?? Infinity,
      state ? findOldestChange(state.grouping) : Infinity,
    );
    this.inProgress.set(document, since);
    this.unreadSince.delete(document);
    const work = this.processDocument(document, loading)
      .catch((error: unknown) => {
        // The next poll finds the document again.
        this.forgetDocument(document);
        this.unreadSince.set(document, since);
        this.environment.onError('grouping changes', error);
      })
      .finally(() => {
        this.inProgress.delete(document);
        this.busy.delete(document);
        if (this.dirty.size > 0) this.processMarkedDocuments();
      });
    this.busy.set(document, work);
  }

  /**
   * Reads the new commits of a document, closes due windows and schedules the next close. `loading`: the stored
   * positions of documents without open windows.
   */
  private async processDocument(document: string, loading: Promise<ReadonlyMap<string, StoredWindows>>): Promise<void> {
    const state = this.states.get(document) ?? toDocumentWindows((await loading).get(document));
    if (state === null) return;
    state.cancel?.();
    state.cancel = null;
    this.states.set(document, state);
    await this.readLog(document, state);
    state.grouping = closeDueWindows(state.grouping, this.environment.clock.steady());
    const { closed, open, seen } = state.grouping;
    const settled = open.size === 0 && seen > state.position.grouped;
    if ((closed.length > 0 || settled) && !(await this.storeWindows(document, state))) return;
    if (open.size === 0) this.forgetDocument(document);
    else this.scheduleNextClose(document, state);
  }

  /** Processes the document again when its next window must close. */
  private scheduleNextClose(document: string, state: DocumentWindows): void {
    if (this.stopped) return;
    const { clock } = this.environment;
    const delay = Math.max(0, findNextClose(state.grouping) - clock.steady());
    state.cancel = clock.after(delay, () => this.markDocument(document, 0));
  }

  private forgetDocument(document: string): void {
    this.states.get(document)?.cancel?.();
    this.states.delete(document);
  }

  /**
   * The stored positions of those documents that are grouped. They are read together, because most documents have no
   * subscriptions.
   */
  private async loadWindows(documents: readonly string[]): Promise<ReadonlyMap<string, StoredWindows>> {
    const [first, ...others] = documents;
    if (first === undefined) return new Map();
    const rows = await this.environment.database.read(windowsOf([first, ...others]));
    return new Map(rows.map((row) => [row.document_id, row]));
  }

  /** Reads the commits after the last seen one and puts them into windows. */
  private async readLog(id: string, state: DocumentWindows): Promise<void> {
    const { database, settings, clock } = this.environment;
    for (;;) {
      const after = state.grouping.seen;
      const reading = { now: clock.now(), steady: clock.steady() };
      const commits = await database.read(commitSummaries({ id, after, limit: GROUPING_BATCH }));
      for (const { revision, at, origin, token_id } of commits) {
        const commit = { revision, at, source: toCommitSource({ token_id, origin }) };
        const isNotified = !RECALCULATIONS.has(origin) && !isGrouped(state.position, commit);
        state.grouping = isNotified
          ? addCommit(state.grouping, commit, reading, settings)
          : skipCommit(state.grouping, revision);
      }
      if (commits.length < GROUPING_BATCH) return;
    }
  }

  /** Stores the closed windows. False: another process was faster, or the document no longer exists. */
  private async storeWindows(document: string, state: DocumentWindows): Promise<boolean> {
    const { environment } = this;
    const { grouping, position } = state;
    const next = { ...computeNextPosition(grouping, position), version: position.version + 1 };
    const closed = { closed: grouping.closed, grouped: next.grouped };
    const closing = await closeWindows(environment, document, closed, environment.clock.now());
    if (closing === null) {
      this.forgetDocument(document);
      return false;
    }
    const move = advanceWindows({
      document_id: document,
      version: position.version,
      next: next.version,
      grouped: next.grouped,
      ahead: JSON.stringify(next.ahead),
    });
    const ending = endWindows({ document_id: document, version: next.version });
    const outcome = await environment.database.write({ document, statements: [move, ...closing.statements, ending] });
    if (outcome.kind === 'conflict') {
      this.forgetDocument(document);
      this.markDocument(document, GROUPING_DELAY_MS);
      return false;
    }
    state.grouping = { ...grouping, closed: [] };
    state.position = next;
    if (closing.newlyDue.length > 0) environment.onDeliveries(closing.newlyDue);
    return true;
  }
}

/** The stored position of a document's grouping, without open windows; null if none is stored. */
function toDocumentWindows(row: StoredWindows | undefined): DocumentWindows | null {
  if (row === undefined) return null;
  const { grouped, ahead, version } = row;
  const revisions = parseStoredJson<RevisionsAhead>(ahead, 'The grouped revisions of a document');
  return {
    grouping: { seen: grouped, open: new Map(), closed: [] },
    position: { grouped, ahead: revisions, version },
    cancel: null,
  };
}

interface StoredWindows {
  readonly grouped: number;
  /** JSON of `RevisionsAhead`. */
  readonly ahead: string;
  readonly version: number;
}

/** The time of the oldest change in a window that is not stored; infinity: there is none. */
function findOldestChange({ open, closed }: WindowGrouping): number {
  let oldest = Infinity;
  for (const { firstAt } of open.values()) oldest = Math.min(oldest, firstAt);
  for (const { firstAt } of closed) oldest = Math.min(oldest, firstAt);
  return oldest;
}
