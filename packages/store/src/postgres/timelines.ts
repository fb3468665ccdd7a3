/** Position of a server in the history of its database. */
export interface ServerTimeline {
  /** Identifier that a server and its standbys share. */
  readonly system: string;
  /** Increases when a standby takes over. */
  readonly timeline: number;
  /** Start of the server's statistics, in seconds since 1970-01-01 UTC; reset by a crash. */
  readonly began: string;
}

/**
 * Latest timeline of each system that this process has connected to. A replaced primary may return, or still be
 * reachable at its address, and accept writes that no other node sees.
 */
const latestTimelines = new Map<string, number>();

/** Remembers the newest timeline of a database system, by which an outdated server is recognized. */
export function recordTimeline({ system, timeline }: ServerTimeline): void {
  if (timeline > (latestTimelines.get(system) ?? 0)) latestTimelines.set(system, timeline);
}

/** True if this process has seen a newer timeline of the system. */
export function isSuperseded({ system, timeline }: ServerTimeline): boolean {
  return timeline < (latestTimelines.get(system) ?? 0);
}
