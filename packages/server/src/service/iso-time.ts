/** A day of the calendar, with or without a time of day and a zone. */
const ISO_TIME = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)?)?$/;

/**
 * A time of ISO 8601, in milliseconds since 1970-01-01 UTC: without a zone that of UTC, without a time of day its
 * beginning. Null for what is none, and for days that the calendar does not have.
 */
export function isoTime(text: string): number | null {
  const [whole, day = '', clock, zone] = ISO_TIME.exec(text) ?? [];
  if (whole === undefined) return null;
  const midnight = Date.parse(day);
  // `Date` takes 30 February for 2 March.
  if (Number.isNaN(midnight) || !new Date(midnight).toISOString().startsWith(day)) return null;
  if (clock === undefined) return midnight;
  const time = Date.parse(zone === undefined ? `${text}Z` : text);
  return Number.isNaN(time) ? null : time;
}

/** Like `isoTime`, for what must mean one moment to everybody (RFC 3339): with a time of day and a zone. */
export function isoMoment(text: string): number | null {
  return ISO_TIME.exec(text)?.[3] === undefined ? null : isoTime(text);
}
