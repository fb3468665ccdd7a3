/** A commit as grouping sees it. */
export interface GroupedCommit {
  readonly revision: number;
  /** Milliseconds since 1970-01-01 UTC. */
  readonly at: number;
  readonly source: string;
}

/** Edits of one source that are still being gathered. */
export interface OpenWindow {
  readonly source: string;
  /** Revisions of its first and last commit, and their times. */
  readonly first: number;
  readonly last: number;
  readonly firstAt: number;
  readonly lastAt: number;
  /** When the quiet time and the maximum wait are over, by this process's steady clock. */
  readonly quietEnd: number;
  readonly waitEnd: number;
}

/** A moment by both clocks of this process, in milliseconds. */
export interface ClockReading {
  /** Since 1970-01-01 UTC. */
  readonly now: number;
  readonly steady: number;
}

export interface WindowSettings {
  readonly quietMs: number;
  readonly maxWaitMs: number;
}

/** The source that a commit belongs to: the API token, by its number, else the commit's origin (browser, operator). */
export function sourceOf({ token_id, origin }: { readonly token_id: number | null; readonly origin: string }): string {
  return token_id === null ? origin : String(token_id);
}

/** Until when a commit still belongs to a window, by the times of its commits. */
function joinsUntil(window: OpenWindow, { quietMs, maxWaitMs }: WindowSettings): number {
  return Math.min(window.lastAt + quietMs, window.firstAt + maxWaitMs);
}

/** When a window closes: after the quiet time, and never later than the maximum wait after its first edit. */
function closesAt({ quietEnd, waitEnd }: OpenWindow): number {
  return Math.min(quietEnd, waitEnd);
}

/**
 * When a time that began with a commit is over, by the steady clock. The wall clock says how long ago the commit was
 * made, within what is possible: at most the whole time (it is over), and not less than nothing.
 */
function endOf(ms: number, at: number, seen: ClockReading): number {
  return seen.steady + ms - Math.min(Math.max(seen.now - at, 0), ms);
}

/** What is grouped and what is open of one document. Commits are given once each, in the order of revisions. */
export interface WindowGrouping {
  /** The newest revision that was looked at. */
  readonly seen: number;
  /** The open window of each source that has one. */
  readonly open: ReadonlyMap<string, OpenWindow>;
  /** Closed but not yet stored, the oldest first. */
  readonly closed: readonly OpenWindow[];
}

/**
 * Takes the next commit, come upon at `seen`. Only the commits' own times decide what belongs together, so that a
 * process that looks later, or starts anew from the log, finds the same windows; only durations by the steady clock
 * decide when a window closes, so that a clock which is or was wrong holds none back.
 */
export function addCommit(
  grouping: WindowGrouping,
  commit: GroupedCommit,
  seen: ClockReading,
  settings: WindowSettings,
): WindowGrouping {
  const { revision, at, source } = commit;
  const { quietMs, maxWaitMs } = settings;
  const current = grouping.open.get(source);
  const open = new Map(grouping.open);
  const quietEnd = endOf(quietMs, at, seen);
  if (current !== undefined && at < joinsUntil(current, settings)) {
    const lastAt = Math.max(current.lastAt, at);
    open.set(source, { ...current, last: revision, lastAt, quietEnd: Math.max(current.quietEnd, quietEnd) });
    return { ...grouping, seen: revision, open };
  }
  const waitEnd = endOf(maxWaitMs, at, seen);
  open.set(source, { source, first: revision, last: revision, firstAt: at, lastAt: at, quietEnd, waitEnd });
  const closed = current === undefined ? grouping.closed : [...grouping.closed, current];
  return { seen: revision, open, closed };
}

/** A commit that is told to nobody. */
export function skipCommit(grouping: WindowGrouping, revision: number): WindowGrouping {
  return { ...grouping, seen: revision };
}

/** Closes the windows whose time has come; `steady`: of this process's steady clock. */
export function closeDue(grouping: WindowGrouping, steady: number): WindowGrouping {
  const due = [...grouping.open.values()].filter((window) => closesAt(window) <= steady);
  if (due.length === 0) return grouping;
  const open = new Map(grouping.open);
  for (const { source } of due) open.delete(source);
  return { ...grouping, open, closed: [...grouping.closed, ...due] };
}

/** When the next window closes, by the steady clock; infinite where none is open. */
export function nextClose(grouping: WindowGrouping): number {
  let next = Infinity;
  for (const window of grouping.open.values()) next = Math.min(next, closesAt(window));
  return next;
}

/** The place in the log that is stored: everything up to `grouped` is closed, of the sources in `ahead` even more. */
export interface LogPosition {
  readonly grouped: number;
  readonly ahead: Readonly<Record<string, number>>;
}

/** The place after all of `closed` is stored, given the one before. */
export function positionAfter({ seen, open, closed }: WindowGrouping, before: LogPosition): LogPosition {
  let grouped = seen;
  for (const { first } of open.values()) grouped = Math.min(grouped, first - 1);
  const ahead: Record<string, number> = {};
  const reached = [...Object.entries(before.ahead), ...closed.map(({ source, last }) => [source, last] as const)];
  for (const [source, revision] of reached) {
    if (revision > grouped) ahead[source] = Math.max(revision, ahead[source] ?? 0);
  }
  return { grouped, ahead };
}

/** Whether a commit is in a window that is stored already. */
export function isGrouped({ ahead }: LogPosition, { source, revision }: GroupedCommit): boolean {
  return revision <= (ahead[source] ?? 0);
}
