const HOUR_MS = 60 * 60 * 1000;
/** No calendar day is longer, changes of the clock included. */
const LONGEST_DAY_MS = 27 * HOUR_MS;

const formats = new Map<string, Intl.DateTimeFormat>();

/** The calendar day in a zone, as a text that is only good for comparing. */
function dayText(ms: number, timeZone: string): string {
  let format = formats.get(timeZone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' });
    formats.set(timeZone, format);
  }
  return format.format(ms);
}

/** A calendar day in some zone. Milliseconds since 1970-01-01 UTC. */
export interface Day {
  /** Its first moment, and the first moment after it. */
  readonly start: number;
  readonly end: number;
}

/** The day found last in each zone: nearly every question is about the same one. */
const found = new Map<string, Day>();

/** The day that a moment is in, in the zone; `ms`: milliseconds since 1970-01-01 UTC. */
export function dayOf(ms: number, timeZone: string): Day {
  const known = found.get(timeZone);
  if (known !== undefined && ms >= known.start && ms < known.end) return known;
  const today = dayText(ms, timeZone);
  const isToday = (moment: number): boolean => dayText(moment, timeZone) === today;
  const day = { start: edge(ms, ms - LONGEST_DAY_MS, isToday), end: edge(ms, ms + LONGEST_DAY_MS, isToday) };
  found.set(timeZone, day);
  return day;
}

/** Between a moment inside and one outside: the first inside, or, where the outside is later, the first outside. */
function edge(inside: number, outside: number, isInside: (moment: number) => boolean): number {
  let [within, without] = [inside, outside];
  while (Math.abs(without - within) > 1) {
    const middle = Math.floor((within + without) / 2);
    if (isInside(middle)) within = middle;
    else without = middle;
  }
  return Math.max(within, without);
}
