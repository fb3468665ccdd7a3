import { type DateSystem, serialOf } from '@cellwire/engine';

const ISO = /^(?:(\d{4})-(\d{2})-(\d{2}))?T?(?:(\d{2}):(\d{2})(?::(\d{2}(?:\.\d{1,9})?))?)?Z?$/;
const DAY_SECONDS = 86_400;

/** The serial number of a cell of type `d`: an ISO 8601 date, time or both. Null for other texts. */
export function parseIsoSerial(text: string, system: DateSystem): number | null {
  const match = ISO.exec(text);
  if (!match || (match[1] === undefined && match[4] === undefined)) return null;
  const [year, month, day, hour, minute, second] = match.slice(1).map((part) => Number(part ?? 0));
  const date = match[1] === undefined ? 0 : serialOf(year as number, month as number, day as number, system);
  return date + ((hour as number) * 3600 + (minute as number) * 60 + (second as number)) / DAY_SECONDS;
}
