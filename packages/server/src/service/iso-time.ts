/** A calendar day, optionally with a time of day and a zone. */
const ISO_TIME = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)?)?$/;

/**
 * Parses an ISO 8601 time into milliseconds since 1970-01-01 UTC. Without a zone it is UTC, without a time of day
 * midnight. Null for any other text and for days that do not exist in the calendar.
 */
export function parseIsoTime(text: string): number | null {
  const [whole, day = '', clock, zone] = ISO_TIME.exec(text) ?? [];
  if (whole === undefined) return null;
  const midnight = Date.parse(day);
  // `Date` reads 30 February as 2 March.
  if (Number.isNaN(midnight) || !new Date(midnight).toISOString().startsWith(day)) return null;
  if (clock === undefined) return midnight;
  const time = Date.parse(zone === undefined ? `${text}Z` : text);
  return Number.isNaN(time) ? null : time;
}

/** The largest time that `Date` represents, in milliseconds. */
const MAX_TIME_MS = 8.64e15;

/**
 * A stored time in ISO 8601. A damaged row can contain any value: a number outside of the range of dates becomes the
 * nearest date, and anything else the first of 1970.
 */
export function formatStoredTime(time: number): string {
  const known = Number.isFinite(time) ? time : 0;
  return new Date(Math.min(Math.max(known, -MAX_TIME_MS), MAX_TIME_MS)).toISOString();
}

/** `formatStoredTime` of a column that can be null. */
export function formatOptionalTime(time: number | null): string | null {
  return time === null ? null : formatStoredTime(time);
}

/** Like `parseIsoTime`, but time of day and zone are required, so that the text names one moment (RFC 3339). */
export function parseIsoMoment(text: string): number | null {
  return ISO_TIME.exec(text)?.[3] === undefined ? null : parseIsoTime(text);
}
