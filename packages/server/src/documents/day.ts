const HOUR_MS = 60 * 60 * 1000;
/** Upper bound of a calendar day's length, including clock changes. */
const MAX_DAY_MS = 27 * HOUR_MS;

const formats = new Map<string, Intl.DateTimeFormat>();

/** The calendar day in a zone, as text that is used only for comparison. */
function formatDay(ms: number, timeZone: string): string {
  let format = formats.get(timeZone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' });
    formats.set(timeZone, format);
  }
  return format.format(ms);
}

/** A calendar day in a time zone. Milliseconds since 1970-01-01 UTC. */
export interface Day {
  /** First moment of the day, and first moment after it. */
  readonly start: number;
  readonly end: number;
}

/** The last day computed in each zone. Nearly all calls are about the same day. */
const found = new Map<string, Day>();

/** The day of a moment in the zone; `ms`: milliseconds since 1970-01-01 UTC. */
export function computeDay(ms: number, timeZone: string): Day {
  const known = found.get(timeZone);
  if (known !== undefined && ms >= known.start && ms < known.end) return known;
  const today = formatDay(ms, timeZone);
  const isToday = (moment: number): boolean => formatDay(moment, timeZone) === today;
  const day = { start: findEdge(ms, ms - MAX_DAY_MS, isToday), end: findEdge(ms, ms + MAX_DAY_MS, isToday) };
  found.set(timeZone, day);
  return day;
}

/**
 * Searches between a moment inside the day and one outside. Returns the first moment inside, or, if `outside` is later,
 * the first moment after the day.
 */
function findEdge(inside: number, outside: number, isInside: (moment: number) => boolean): number {
  let [within, without] = [inside, outside];
  while (Math.abs(without - within) > 1) {
    const middle = Math.floor((within + without) / 2);
    if (isInside(middle)) within = middle;
    else without = middle;
  }
  return Math.max(within, without);
}
