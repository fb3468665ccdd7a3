/** The facts of a commit that decide its window. */
export interface GroupedCommit {
  readonly revision: number;
  /** Milliseconds since 1970-01-01 UTC. */
  readonly at: number;
  readonly source: string;
}

/** A window that still accepts commits of its source. */
export interface OpenWindow {
  readonly source: string;
  /** Revisions of the first and last commit, and their times (wall clock). */
  readonly first: number;
  readonly last: number;
  readonly firstAt: number;
  readonly lastAt: number;
  /** End of the quiet time and of the maximum wait, by this process's monotonic clock. */
  readonly quietEnd: number;
  readonly waitEnd: number;
}

/** The same time by both clocks of this process, in milliseconds. */
export interface ClockReading {
  /** Wall-clock time, in milliseconds since 1970-01-01 UTC. */
  readonly now: number;
  readonly steady: number;
}

export interface WindowSettings {
  readonly quietMs: number;
  readonly maxWaitMs: number;
}

/** The source of a commit: the number of its API token, or else its origin (browser, operator). */
export function toCommitSource({
  token_id,
  origin,
}: {
  readonly token_id: number | null;
  readonly origin: string;
}): string {
  return token_id === null ? origin : String(token_id);
}

/** End of the time in which a commit joins a window, by the commits' own times. */
function computeJoinEnd(window: OpenWindow, { quietMs, maxWaitMs }: WindowSettings): number {
  return Math.min(window.lastAt + quietMs, window.firstAt + maxWaitMs);
}

/** When a window closes: after the quiet time, and at the latest when the maximum wait since its first commit ends. */
function computeCloseTime({ quietEnd, waitEnd }: OpenWindow): number {
  return Math.min(quietEnd, waitEnd);
}

/**
 * Converts the end of a duration that began with a commit to the monotonic clock. The wall clock gives the age of the
 * commit, which is limited to the range from 0 to `duration`.
 */
function toSteadyEnd(duration: number, committedAt: number, reading: ClockReading): number {
  return reading.steady + duration - Math.min(Math.max(reading.now - committedAt, 0), duration);
}

/** The windows of one document. Each commit is added once, in the order of revisions. */
export interface WindowGrouping {
  /** The newest revision that was added or skipped. */
  readonly seen: number;
  /** The open window of each source that has one. */
  readonly open: ReadonlyMap<string, OpenWindow>;
  /** Closed windows that are not stored yet, the oldest first. */
  readonly closed: readonly OpenWindow[];
}

/**
 * Adds the next commit, which was read at `seen`. Only the commits' own times decide which commits share a window. A
 * process that reads later, or rebuilds windows from the log, therefore gets the same windows. Only durations by the
 * monotonic clock decide when a window closes, so that a wrong wall clock cannot delay it.
 */
export function addCommit(
  grouping: WindowGrouping,
  commit: GroupedCommit,
  reading: ClockReading,
  settings: WindowSettings,
): WindowGrouping {
  const { revision, at, source } = commit;
  const { quietMs, maxWaitMs } = settings;
  const current = grouping.open.get(source);
  const open = new Map(grouping.open);
  const quietEnd = toSteadyEnd(quietMs, at, reading);
  if (current !== undefined && at < computeJoinEnd(current, settings)) {
    const lastAt = Math.max(current.lastAt, at);
    open.set(source, { ...current, last: revision, lastAt, quietEnd: Math.max(current.quietEnd, quietEnd) });
    return { ...grouping, seen: revision, open };
  }
  const waitEnd = toSteadyEnd(maxWaitMs, at, reading);
  open.set(source, { source, first: revision, last: revision, firstAt: at, lastAt: at, quietEnd, waitEnd });
  const closed = current === undefined ? grouping.closed : [...grouping.closed, current];
  return { seen: revision, open, closed };
}

/** Skips a commit that is not notified. */
export function skipCommit(grouping: WindowGrouping, revision: number): WindowGrouping {
  return { ...grouping, seen: revision };
}

/** Closes due windows. `steady`: the time of the monotonic clock. */
export function closeDueWindows(grouping: WindowGrouping, steady: number): WindowGrouping {
  const due = [...grouping.open.values()].filter((window) => computeCloseTime(window) <= steady);
  if (due.length === 0) return grouping;
  const open = new Map(grouping.open);
  for (const { source } of due) open.delete(source);
  return { ...grouping, open, closed: [...grouping.closed, ...due] };
}

/** When the next window closes, by the monotonic clock; infinity: no window is open. */
export function findNextClose(grouping: WindowGrouping): number {
  let next = Infinity;
  for (const window of grouping.open.values()) next = Math.min(next, computeCloseTime(window));
  return next;
}

/**
 * The stored log position. Windows up to the revision `grouped` are closed; for sources in `ahead`, up to a later one.
 */
export interface LogPosition {
  readonly grouped: number;
  readonly ahead: Readonly<Record<string, number>>;
}

/** The log position after the closed windows are stored. */
export function computeNextPosition({ seen, open, closed }: WindowGrouping, before: LogPosition): LogPosition {
  let grouped = seen;
  for (const { first } of open.values()) grouped = Math.min(grouped, first - 1);
  const ahead: Record<string, number> = {};
  const reached = [...Object.entries(before.ahead), ...closed.map(({ source, last }) => [source, last] as const)];
  for (const [source, revision] of reached) {
    if (revision > grouped) ahead[source] = Math.max(revision, ahead[source] ?? 0);
  }
  return { grouped, ahead };
}

/** Whether a commit belongs to a window that is already stored. */
export function isGrouped({ ahead }: LogPosition, { source, revision }: GroupedCommit): boolean {
  return revision <= (ahead[source] ?? 0);
}
