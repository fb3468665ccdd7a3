import { DAY_MS, toDateSerial } from './calendar.ts';
import type { DateSystem } from './date-system.ts';

/** Maximum number of time zones whose formatter is cached. The documents of a server use few zones. */
const MAX_CACHED_ZONES = 64;

const formatters = new Map<string, Intl.DateTimeFormat>();

function getFormatter(timeZone: string): Intl.DateTimeFormat {
  let formatter = formatters.get(timeZone);
  if (formatter === undefined) {
    formatter = new Intl.DateTimeFormat('en-US', {
      timeZone,
      calendar: 'gregory',
      hourCycle: 'h23',
      era: 'short',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
    if (formatters.size >= MAX_CACHED_ZONES) formatters.clear();
    formatters.set(timeZone, formatter);
  }
  return formatter;
}

/**
 * Returns the serial number of an instant (milliseconds since 1970-01-01 UTC) in the local time of an IANA time zone.
 * Throws a RangeError if the runtime does not know the zone; the zones of documents were checked before.
 */
export function instantToSerial(epochMs: number, timeZone: string, system: DateSystem): number {
  if (timeZone === 'UTC') return toDateSerial(1970, 1, 1, system) + epochMs / DAY_MS;
  const fields: Record<string, string> = {};
  for (const part of getFormatter(timeZone).formatToParts(epochMs)) fields[part.type] = part.value;
  const year = fields['era'] === 'BC' ? 1 - Number(fields['year']) : Number(fields['year']);
  const day = toDateSerial(year, Number(fields['month']), Number(fields['day']), system);
  const seconds = Number(fields['hour']) * 3600 + Number(fields['minute']) * 60 + Number(fields['second']);
  const milliseconds = ((epochMs % 1000) + 1000) % 1000;
  return day + (seconds * 1000 + milliseconds) / DAY_MS;
}
