import { commitSummaries } from '@cellwire/store/documents';
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
import type { Cancel, Clock } from './clock.ts';
import { type ClosingEnvironment, closeWindows } from './close-windows.ts';
import type { NewlyDue } from './dispatcher.ts';
import {
  closeDue,
  type Grouping,
  isGrouped,
  nextClose,
  type Place,
  placeAfter,
  skip,
  sourceOf,
  take,
  type WindowSettings,
} from './grouping.ts';

interface GrouperEnvironment extends ClosingEnvironment {
  readonly commits: CommitSignal;
  readonly clock: Clock;
  readonly settings: WindowSettings;
  readonly onError: (what: string, error: unknown) => void;
  /** Called with the subscriptions that got a delivery, once it is on the disk. */
  readonly onDeliveries: (subscriptions: readonly NewlyDue[]) => void;
}

interface State {
  grouping: Grouping;
  place: Place & { readonly version: number };
  cancel: Cancel | null;
}

/**
 * Groups what the commit log says into windows. Nothing is kept but the place in the log up to which windows are
 * closed: after a crash the open ones are found again from the commits behind it. The place moves in the transaction
 * that stores the closed windows and their deliveries, so nothing is told twice and nothing forgotten.
 */
export class Grouper {
  private readonly environment: GrouperEnvironment;
  /** Documents with open windows. */
  private readonly states = new Map<string, State>();
  private readonly dirty = new Set<string>();
  /** Documents that may have changes in no window yet, with the time at which that was noticed (wall clock, ms). */
  private readonly unread = new Map<string, number>();
  /** The same for documents that are being looked at, their open windows included. */
  private readonly looking = new Map<string, number>();
  private readonly busy = new Map<string, Promise<void>>();
  private cancelPump: Cancel | null = null;
  private cancelPoll: Cancel | null = null;
  private stopListening: () => void = () => {};
  private polling: Promise<void> = Promise.resolve();
  private stopped = false;

  constructor(environment: GrouperEnvironment) {
    this.environment = environment;
  }

  start(): void {
    this.stopListening = this.environment.commits.listen((document) => this.mark(document, GROUPING_DELAY_MS));
    this.poll();
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
   * Finds what other processes have written, what was left when this one was not running, and windows that are due: no
   * timer has to be trusted.
   */
  private poll(): void {
    this.polling = this.findUngrouped()
      .catch((error: unknown) => this.environment.onError('looking for changes', error))
      .finally(() => {
        if (!this.stopped) this.cancelPoll = this.environment.clock.after(LOG_POLL_MS, () => this.poll());
      });
  }

  private async findUngrouped(): Promise<void> {
    const ungrouped = await this.environment.database.read(ungroupedDocuments({}));
    for (const { document_id: document, revision } of ungrouped) {
      const grouping = this.states.get(document)?.grouping;
      const due = grouping !== undefined && nextClose(grouping) <= this.environment.clock.steady();
      if (grouping === undefined || grouping.seen < revision || due) this.mark(document, 0);
    }
    // Documents whose grouping failed and that have been deleted since, or that another process has grouped.
    const present = new Set(ungrouped.map((row) => row.document_id));
    for (const document of this.unread.keys()) {
      if (!present.has(document) && !this.dirty.has(document) && !this.busy.has(document)) this.unread.delete(document);
    }
  }

  /**
   * How long the oldest change has waited for a notification that covers it, in milliseconds; 0 if none waits. Changes in
   * open windows count, too.
   */
  oldestChangeMs(): number {
    let oldest = Infinity;
    for (const at of this.unread.values()) oldest = Math.min(oldest, at);
    for (const at of this.looking.values()) oldest = Math.min(oldest, at);
    for (const { grouping } of this.states.values()) oldest = Math.min(oldest, oldestOf(grouping));
    return oldest === Infinity ? 0 : Math.max(0, this.environment.clock.now() - oldest);
  }

  private mark(document: string, delay: number): void {
    if (this.stopped) return;
    if (!this.unread.has(document)) this.unread.set(document, this.environment.clock.now());
    this.dirty.add(document);
    if (delay === 0) this.pump();
    else
      this.cancelPump ??= this.environment.clock.after(delay, () => {
        this.cancelPump = null;
        this.pump();
      });
  }

  /** Looks at the documents that need it, some at a time: a large one that has to be opened delays no other. */
  private pump(): void {
    for (const document of this.dirty) {
      if (this.busy.size >= MAX_GROUPING_DOCUMENTS || this.stopped) return;
      if (this.busy.has(document)) continue;
      this.dirty.delete(document);
      const state = this.states.get(document);
      const since = Math.min(this.unread.get(document) ?? Infinity, state ? oldestOf(state.grouping) : Infinity);
      this.looking.set(document, since);
      this.unread.delete(document);
      const work = this.look(document)
        .catch((error: unknown) => {
          // The next poll finds it again.
          this.forget(document);
          this.unread.set(document, since);
          this.environment.onError('grouping changes', error);
        })
        .finally(() => {
          this.looking.delete(document);
          this.busy.delete(document);
          if (this.dirty.size > 0) this.pump();
        });
      this.busy.set(document, work);
    }
  }

  private async look(document: string): Promise<void> {
    const state = this.states.get(document) ?? (await this.load(document));
    if (state === null) return;
    state.cancel?.();
    state.cancel = null;
    this.states.set(document, state);
    await this.readLog(document, state);
    state.grouping = closeDue(state.grouping, this.environment.clock.steady());
    const { closed, open, seen } = state.grouping;
    const settled = open.size === 0 && seen > state.place.grouped;
    if ((closed.length > 0 || settled) && !(await this.store(document, state))) return;
    if (open.size === 0) this.forget(document);
    else this.wait(document, state);
  }

  private wait(document: string, state: State): void {
    if (this.stopped) return;
    const { clock } = this.environment;
    const delay = Math.max(0, nextClose(state.grouping) - clock.steady());
    state.cancel = clock.after(delay, () => this.mark(document, 0));
  }

  private forget(document: string): void {
    this.states.get(document)?.cancel?.();
    this.states.delete(document);
  }

  private async load(document: string): Promise<State | null> {
    const row = await this.environment.database.readOne(windowsOf({ document_id: document }));
    if (row === null) return null;
    const place = { grouped: row.grouped, ahead: JSON.parse(row.ahead) as RevisionsAhead, version: row.version };
    return { grouping: { seen: row.grouped, open: new Map(), closed: [] }, place, cancel: null };
  }

  private async readLog(id: string, state: State): Promise<void> {
    const { database, settings, clock } = this.environment;
    for (;;) {
      const after = state.grouping.seen;
      const seen = { now: clock.now(), steady: clock.steady() };
      const commits = await database.read(commitSummaries({ id, after, limit: GROUPING_BATCH }));
      for (const { revision, at, origin, token_id } of commits) {
        const commit = { revision, at, source: sourceOf({ token_id, origin }) };
        const told = !RECALCULATIONS.has(origin) && !isGrouped(state.place, commit);
        state.grouping = told ? take(state.grouping, commit, seen, settings) : skip(state.grouping, revision);
      }
      if (commits.length < GROUPING_BATCH) return;
    }
  }

  /** Stores the closed windows; false where another process was faster, or the document is gone. */
  private async store(document: string, state: State): Promise<boolean> {
    const { environment } = this;
    const { grouping, place } = state;
    const next = { ...placeAfter(grouping, place), version: place.version + 1 };
    const closed = { closed: grouping.closed, grouped: next.grouped };
    const closing = await closeWindows(environment, document, closed, environment.clock.now());
    if (closing === null) {
      this.forget(document);
      return false;
    }
    const move = advanceWindows({
      document_id: document,
      version: place.version,
      next: next.version,
      grouped: next.grouped,
      ahead: JSON.stringify(next.ahead),
    });
    const ending = endWindows({ document_id: document, version: next.version });
    const outcome = await environment.database.write({ document, statements: [move, ...closing.statements, ending] });
    if (outcome.kind === 'conflict') {
      this.forget(document);
      this.mark(document, GROUPING_DELAY_MS);
      return false;
    }
    state.grouping = { ...grouping, closed: [] };
    state.place = next;
    if (closing.newlyDue.length > 0) environment.onDeliveries(closing.newlyDue);
    return true;
  }
}

/** The time of the oldest change in a window that is not stored; infinite if there is none. */
function oldestOf({ open, closed }: Grouping): number {
  let oldest = Infinity;
  for (const { firstAt } of open.values()) oldest = Math.min(oldest, firstAt);
  for (const { firstAt } of closed) oldest = Math.min(oldest, firstAt);
  return oldest;
}
