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

interface Day {
  /** A moment of the day, and the first moment after it. */
  readonly within: number;
  readonly end: number;
}

/** The day found last in each zone: nearly every question is about the same one. */
const found = new Map<string, Day>();

/** The first moment of the day after the one that `ms` is in, in the zone; milliseconds since 1970-01-01 UTC. */
export function nextDayStart(ms: number, timeZone: string): number {
  const known = found.get(timeZone);
  if (known !== undefined && ms >= known.within && ms < known.end) return known.end;
  const end = searchDayEnd(ms, timeZone);
  found.set(timeZone, { within: ms, end });
  return end;
}

function searchDayEnd(ms: number, timeZone: string): number {
  const today = dayText(ms, timeZone);
  let before = ms;
  let after = ms + LONGEST_DAY_MS;
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (dayText(middle, timeZone) === today) before = middle;
    else after = middle;
  }
  return after;
}
