import {
  type AreaStatistics,
  areaStatistics,
  distinctCount,
  filteredRows,
  filterOf,
  type NumberStatistics,
  parseArea,
  type Snapshot,
  shownStatistic,
} from '@cellwire/engine';
import { runInSlices } from '@cellwire/event-loop';
import type { DocumentAccess } from '../../access/access.ts';
import type { ServiceContext } from '../context.ts';
import type { SnapshotSheet } from '../ranges.ts';
import { INVALID_RANGE, isRefusal, type Refusal } from '../refusal.ts';
import { personalFilterOf, readableSheet } from '../structure/sheet-filter.ts';

/** Statistics of the selected cells in the rows that the caller's filter shows. */
interface SelectionStatistics {
  /** Number of filled cells. */
  readonly filled: number;
  /** Number of filled cells with a number, without dates and times. */
  readonly numbers: number;
  /** Absent: no cell is a number. */
  readonly sum?: number;
  readonly least?: number;
  readonly greatest?: number;
  /** The first and the last date as display texts. Absent: no cell is a date, or some cells hold other numbers. */
  readonly dates?: { readonly least: string; readonly greatest: string };
  /** The same for times and durations, with their sum. */
  readonly times?: {
    readonly sum: string;
    readonly average: string;
    readonly least: string;
    readonly greatest: string;
  };
}

/** Counts and sums cells; `ranges`: A1 without the sheet, without overlaps. */
export async function selectionStatistics(
  context: ServiceContext,
  access: DocumentAccess,
  name: string,
  ranges: readonly string[],
): Promise<SelectionStatistics | Refusal> {
  const selected = await selectionOf(context, access, name, ranges);
  if (isRefusal(selected)) return selected;
  const { snapshot } = selected;
  return toStatistics(snapshot, await runInSlices(countSteps(selected, areaStatistics)));
}

/** The number of distinct values; slower than the other statistics. */
export async function distinctValues(
  context: ServiceContext,
  access: DocumentAccess,
  name: string,
  ranges: readonly string[],
): Promise<number | Refusal> {
  const selected = await selectionOf(context, access, name, ranges);
  if (isRefusal(selected)) return selected;
  return runInSlices(
    countSteps(selected, (_snapshot, sheet, areas, filtered) => distinctCount(sheet, areas, filtered)),
  );
}

async function selectionOf(context: ServiceContext, access: DocumentAccess, name: string, ranges: readonly string[]) {
  const found = await readableSheet(context, access, name);
  if (isRefusal(found)) return found;
  const areas = ranges.map(parseArea);
  if (areas.includes(null)) return INVALID_RANGE;
  const { snapshot, sheet } = found;
  const filter = (await personalFilterOf(context, access, snapshot, sheet)) ?? filterOf(sheet.layout);
  return { ...found, filter, areas: areas.filter((area) => area !== null) };
}

type ResolvedSelection = Exclude<Awaited<ReturnType<typeof selectionOf>>, Refusal>;
type CountCells<T> = (
  snapshot: Snapshot,
  sheet: SnapshotSheet,
  areas: ResolvedSelection['areas'],
  filtered: Parameters<typeof areaStatistics>[3],
) => Generator<void, T>;

function* countSteps<T>(
  { snapshot, sheet, filter, areas }: ResolvedSelection,
  count: CountCells<T>,
): Generator<void, T> {
  const isFiltered = filter !== null && filter.columns.length > 0;
  const filtered = isFiltered ? yield* filteredRows(snapshot, sheet, filter) : null;
  return yield* count(snapshot, sheet, areas, filtered);
}

function toStatistics(snapshot: Snapshot, { filled, numbers, dates, times }: AreaStatistics): SelectionStatistics {
  const common = { filled, numbers: numbers.count };
  if (numbers.count > 0) {
    return { ...common, sum: numbers.sum, least: numbers.least, greatest: numbers.greatest };
  }
  if (dates.count > 0 && times.count === 0) return { ...common, dates: extremes(snapshot, dates) };
  if (times.count === 0 || dates.count > 0) return common;
  // A sum of times may exceed a day.
  const duration = (value: number) => durationText(value);
  const { sum, count } = times;
  return { ...common, times: { sum: duration(sum), average: duration(sum / count), ...extremes(snapshot, times) } };
}

function extremes(snapshot: Snapshot, { least, greatest, format }: NumberStatistics) {
  return { least: shownStatistic(snapshot, least, format), greatest: shownStatistic(snapshot, greatest, format) };
}

const DAY_SECONDS = 86_400;

/** Formats a number of days as hours, minutes and seconds. */
function durationText(days: number): string {
  const seconds = Math.round(Math.abs(days) * DAY_SECONDS);
  const two = (part: number) => String(part).padStart(2, '0');
  const text = `${Math.floor(seconds / 3_600)}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
  return days < 0 && seconds > 0 ? `-${text}` : text;
}
