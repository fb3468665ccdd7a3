import { type Area, type DateSystem, splitSerial, toDateSerial } from '@cellwire/engine';
import type { Cell } from '../../data/types.ts';

/** Maximum relative difference between steps that count as equal. */
const TOLERANCE = 1e-9;
/** A longer number at the end of a text is not a series: doubles cannot represent the next one exactly. */
const MAX_DIGITS = 15;

/** Value to write; null repeats the source cells. */
type FilledValue = number | string | null;

/** Locale and date system of the document. */
interface SeriesLocale {
  readonly locale: string;
  readonly dateSystem: DateSystem;
}

/** People shorten names to this many letters (`янв`), although the locale data has other abbreviations. */
const SHORT_NAME_LENGTH = 3;

type GetCell = (row: number, column: number) => Cell | null | undefined;
/** Returns element `i` of a series, from 0. Negative indexes come before it. */
type Series = (i: number) => number | string;

/**
 * Continues the series of an area (numbers, dates, names of days and months, texts with a number at the end) into the
 * rest of a larger area. Returns values by rows of that rest; null if there is no series.
 */
export function continueSeries(
  from: Area,
  to: Area,
  cellAt: GetCell,
  seriesLocale: SeriesLocale,
): FilledValue[][] | null {
  const isDown = to.bottom !== from.bottom || to.top !== from.top;
  const lines = isDown ? from.right - from.left + 1 : from.bottom - from.top + 1;
  const length = isDown ? from.bottom - from.top + 1 : from.right - from.left + 1;
  const before = isDown ? from.top - to.top : from.left - to.left;
  const after = isDown ? to.bottom - from.bottom : to.right - from.right;
  const filled = Array.from({ length: lines }, (_, line): FilledValue[] => {
    const known = Array.from({ length }, (_, i) =>
      isDown ? cellAt(from.top + i, from.left + line) : cellAt(from.top + line, from.left + i),
    );
    const series = known.every((cell) => isInput(cell)) ? detectSeries(known, seriesLocale) : null;
    const first = before > 0 ? -before : length;
    return Array.from({ length: before + after }, (_, i) => series?.(first + i) ?? null);
  });
  if (filled.every((line) => line.every((value) => value === null))) return null;
  return isDown ? transposeLines(filled) : filled;
}

/** The cells that a larger area adds to a smaller one. */
export function findAddedArea(from: Area, to: Area): Area {
  if (to.bottom > from.bottom) return { ...to, top: from.bottom + 1 };
  if (to.top < from.top) return { ...to, bottom: from.top - 1 };
  if (to.right > from.right) return { ...to, left: from.right + 1 };
  return { ...to, right: from.left - 1 };
}

/** True for a cell with an entered value: neither empty, nor a formula, nor an error. */
function isInput(cell: Cell | null | undefined): cell is Cell {
  return cell !== null && cell !== undefined && cell.f === undefined && cell.error === undefined;
}

/** One date, one name or one numbered text starts a series; one number does not. */
function detectSeries(cells: readonly Cell[], { locale, dateSystem }: SeriesLocale): Series | null {
  const numbers = cells.flatMap(({ v }) => (typeof v === 'number' ? [v] : []));
  if (numbers.length === cells.length) {
    if (cells.every(({ t }) => t === 'd'))
      return createMonthSeries(numbers, dateSystem) ?? createArithmeticSeries(numbers, 1);
    return createArithmeticSeries(numbers, null);
  }
  const texts = cells.flatMap(({ v }) => (typeof v === 'string' ? [v] : []));
  return texts.length === cells.length ? (createNameSeries(texts, locale) ?? createNumberedSeries(texts)) : null;
}

/** Numbers with a constant difference. `singleStep` is the difference for a single number; null if it is no series. */
function createArithmeticSeries(numbers: readonly number[], singleStep: number | null): Series | null {
  const [first = 0, second] = numbers;
  const by = second === undefined ? singleStep : second - first;
  if (by === null) return null;
  const isEven = numbers.every(
    (value, i) => Math.abs(value - first - by * i) <= TOLERANCE * Math.max(1, Math.abs(value)),
  );
  return isEven ? (i) => roundOff(first + by * i) : null;
}

/** The same day of months with a constant difference (or the last day); null if the days differ otherwise. */
function createMonthSeries(serials: readonly number[], system: DateSystem): Series | null {
  if (serials.length < 2 || !serials.every(Number.isInteger)) return null;
  const dates = serials.map((serial) => splitSerial(serial, system));
  const days = dates.map(({ year, month, day }) => ({ day, last: findLastDay(year, month, system) }));
  const areLast = days.every(({ day, last }) => day === last);
  if (!areLast && days.some(({ day }) => day !== days[0]?.day)) return null;
  const count = createArithmeticSeries(
    dates.map(({ year, month }) => year * 12 + month),
    null,
  );
  if (count === null || count(0) === count(1)) return null;
  return (i) => {
    const all = Number(count(i)) - 1;
    const [year, month] = [Math.floor(all / 12), (all % 12) + 1];
    const last = findLastDay(year, month, system);
    return toDateSerial(year, month, areLast ? last : Math.min(days[0]?.day ?? 1, last), system);
  };
}

function findLastDay(year: number, month: number, system: DateSystem): number {
  return splitSerial(toDateSerial(year, month + 1, 0, system), system).day;
}

/** Names of weekdays and months in the document's language or in English, with the capitalization of the first. */
function createNameSeries(texts: readonly string[], locale: string): Series | null {
  const names = texts.map((text) => text.trim().toLowerCase());
  for (const list of listNames(locale)) {
    const lower = list.map((name) => name.toLowerCase());
    const places = names.map((text) => lower.indexOf(text));
    if (places.includes(-1)) continue;
    // Monday follows Sunday: differences wrap around.
    const wrapIndex = (position: number) => ((position % list.length) + list.length) % list.length;
    const [first = 0, second] = places;
    const by = second === undefined ? 1 : wrapIndex(second - first);
    if (places.some((position, i) => position !== wrapIndex(first + by * i))) continue;
    const firstText = texts[0]?.trim() ?? '';
    return (i) => matchCase(list[wrapIndex(first + by * i)] ?? '', firstText);
  }
  return null;
}

/** Lists the names of weekdays and months in a locale and in English, in several lengths. */
function listNames(locale: string): readonly (readonly string[])[] {
  const languages = [...new Set([locale, 'en'])];
  const days = Array.from({ length: 7 }, (_, i) => new Date(Date.UTC(2024, 0, 1 + i)));
  const firsts = Array.from({ length: 12 }, (_, i) => new Date(Date.UTC(2024, i, 1)));
  const formatNames = (name: Intl.DateTimeFormatOptions, sampleDates: readonly Date[]) =>
    languages.map((language) => {
      const format = new Intl.DateTimeFormat(language, { ...name, timeZone: 'UTC' });
      return sampleDates.map((date) => format.format(date).replace(/\.$/, ''));
    });
  const whole = [...formatNames({ weekday: 'long' }, days), ...formatNames({ month: 'long' }, firsts)];
  const short = [...formatNames({ weekday: 'short' }, days), ...formatNames({ month: 'short' }, firsts)];
  return [...whole, ...short, ...whole.map((list) => list.map((name) => name.slice(0, SHORT_NAME_LENGTH)))];
}

/** Applies the capitalization of a sample. */
function matchCase(name: string, sample: string): string {
  if (sample === sample.toUpperCase()) return name.toUpperCase();
  if (sample === sample.toLowerCase()) return name.toLowerCase();
  return name.charAt(0).toUpperCase() + name.slice(1);
}

const NUMBERED = /^(.*?)(\d+)$/s;

/** Texts that differ only in the number at the end: `Item 1`, `A-007`. */
function createNumberedSeries(texts: readonly string[]): Series | null {
  const found = texts.map((text) => NUMBERED.exec(text));
  const [head = '', digits = ''] = found[0]?.slice(1) ?? [];
  if (head === '' || digits.length > MAX_DIGITS || found.some((match) => match?.[1] !== head)) return null;
  const count = createArithmeticSeries(
    found.map((match) => Number(match?.[2])),
    1,
  );
  return count === null ? null : (i) => head + String(Math.max(0, Number(count(i)))).padStart(digits.length, '0');
}

/** Removes floating-point noise. */
function roundOff(value: number): number {
  return Number(value.toPrecision(12));
}

function transposeLines(lines: readonly (readonly FilledValue[])[]): FilledValue[][] {
  return Array.from({ length: lines[0]?.length ?? 0 }, (_, i) => lines.map((line) => line[i] ?? null));
}
