/** Where in its history a database server is. */
export interface ServerTimeline {
  /** Shared by a server and its standbys, whichever of them is the primary. */
  readonly system: string;
  /** A standby that takes over begins the next one. */
  readonly timeline: number;
  /** When the server's statistics began, in seconds since 1970-01-01 UTC: anew after a crash. */
  readonly began: string;
}

/**
 * The latest timeline of each system that this process has been connected to, on whatever connection: a primary that
 * another took over from may come back, or stand behind an address that still leads there, and take writes that nobody
 * else sees.
 */
const latestTimelines = new Map<string, number>();

export function recordTimeline({ system, timeline }: ServerTimeline): void {
  if (timeline > (latestTimelines.get(system) ?? 0)) latestTimelines.set(system, timeline);
}

/** Whether another server has taken over from this one since, as far as this process knows. */
export function isSuperseded({ system, timeline }: ServerTimeline): boolean {
  return timeline < (latestTimelines.get(system) ?? 0);
}
