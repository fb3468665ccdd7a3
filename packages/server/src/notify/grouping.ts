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
}

export interface WindowSettings {
  readonly quietMs: number;
  readonly maxWaitMs: number;
}

/** Edits without a token are made in the browser. */
const BROWSER = 'browser';

/** The source that a commit belongs to: the API token, by its number, or the browser. */
export function sourceOf(tokenId: number | null): string {
  return tokenId === null ? BROWSER : String(tokenId);
}

/** When a window closes: after the quiet time, and never later than the maximum wait after its first edit. */
function closesAt(window: OpenWindow, { quietMs, maxWaitMs }: WindowSettings): number {
  return Math.min(window.lastAt + quietMs, window.firstAt + maxWaitMs);
}

/** What is grouped and what is open of one document. Commits are given once each, in the order of revisions. */
export interface Grouping {
  /** The newest revision that was looked at. */
  readonly seen: number;
  /** The open window of each source that has one. */
  readonly open: ReadonlyMap<string, OpenWindow>;
  /** Closed but not yet stored, the oldest first. */
  readonly closed: readonly OpenWindow[];
}

/**
 * Takes the next commit. Only the commits' own times decide what belongs together, so that a process that looks later,
 * or starts anew from the log, finds the same windows.
 */
export function take(grouping: Grouping, commit: GroupedCommit, settings: WindowSettings): Grouping {
  const { revision, at, source } = commit;
  const current = grouping.open.get(source);
  const open = new Map(grouping.open);
  if (current !== undefined && at < closesAt(current, settings)) {
    open.set(source, { ...current, last: revision, lastAt: Math.max(current.lastAt, at) });
    return { ...grouping, seen: revision, open };
  }
  open.set(source, { source, first: revision, last: revision, firstAt: at, lastAt: at });
  const closed = current === undefined ? grouping.closed : [...grouping.closed, current];
  return { seen: revision, open, closed };
}

/** A commit that is told to nobody. */
export function skip(grouping: Grouping, revision: number): Grouping {
  return { ...grouping, seen: revision };
}

/** Closes the windows whose time has come. */
export function closeDue(grouping: Grouping, now: number, settings: WindowSettings): Grouping {
  const due = [...grouping.open.values()].filter((window) => closesAt(window, settings) <= now);
  if (due.length === 0) return grouping;
  const open = new Map(grouping.open);
  for (const { source } of due) open.delete(source);
  return { ...grouping, open, closed: [...grouping.closed, ...due] };
}

/** When the next window closes; infinite where none is open. */
export function nextClose(grouping: Grouping, settings: WindowSettings): number {
  let next = Infinity;
  for (const window of grouping.open.values()) next = Math.min(next, closesAt(window, settings));
  return next;
}

/** The place in the log that is stored: everything up to `grouped` is closed, of the sources in `ahead` even more. */
export interface Place {
  readonly grouped: number;
  readonly ahead: Readonly<Record<string, number>>;
}

/** The place after all of `closed` is stored, given the one before. */
export function placeAfter({ seen, open, closed }: Grouping, before: Place): Place {
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
export function isGrouped({ ahead }: Place, { source, revision }: GroupedCommit): boolean {
  return revision <= (ahead[source] ?? 0);
}
