import {
  type AreaStatistics,
  areaStatistics,
  countDistinct,
  filterRows,
  findFilter,
  formatStatistic,
  type NumberStatistics,
  parseArea,
  type Snapshot,
} from '@cellwire/engine';
import { runInSlices } from '@cellwire/event-loop';
import type { DocumentAccess } from '../../access/access.ts';
import type { ServiceContext } from '../context.ts';
import type { SnapshotSheet } from '../ranges.ts';
import { INVALID_RANGE, isRefusal, type Refusal } from '../refusal.ts';
import { openReadableSheet, readPersonalFilter } from '../structure/sheet-filter.ts';

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
export async function computeStatistics(
  context: ServiceContext,
  access: DocumentAccess,
  name: string,
  ranges: readonly string[],
): Promise<SelectionStatistics | Refusal> {
  const selected = await openSelection(context, access, name, ranges);
  if (isRefusal(selected)) return selected;
  const { snapshot } = selected;
  return toStatistics(snapshot, await runInSlices(countSelection(selected, areaStatistics)));
}

/** The number of distinct values; slower than the other statistics. */
export async function countDistinctValues(
  context: ServiceContext,
  access: DocumentAccess,
  name: string,
  ranges: readonly string[],
): Promise<number | Refusal> {
  const selected = await openSelection(context, access, name, ranges);
  if (isRefusal(selected)) return selected;
  return runInSlices(
    countSelection(selected, (_snapshot, sheet, areas, filtered) => countDistinct(sheet, areas, filtered)),
  );
}

/** The sheet, its filter for the caller, and the selected areas; refused if hidden or if a range is invalid. */
async function openSelection(context: ServiceContext, access: DocumentAccess, name: string, ranges: readonly string[]) {
  const found = await openReadableSheet(context, access, name);
  if (isRefusal(found)) return found;
  const areas = ranges.map(parseArea);
  if (areas.includes(null)) return INVALID_RANGE;
  const { snapshot, sheet } = found;
  const filter = (await readPersonalFilter(context, access, snapshot, sheet)) ?? findFilter(sheet.layout);
  return { ...found, filter, areas: areas.filter((area) => area !== null) };
}

type ResolvedSelection = Exclude<Awaited<ReturnType<typeof openSelection>>, Refusal>;
type CountCells<T> = (
  snapshot: Snapshot,
  sheet: SnapshotSheet,
  areas: ResolvedSelection['areas'],
  filtered: Parameters<typeof areaStatistics>[3],
) => Generator<void, T>;

/** Runs `count` over the selected cells in the rows that the caller’s filter shows. */
function* countSelection<T>(
  { snapshot, sheet, filter, areas }: ResolvedSelection,
  count: CountCells<T>,
): Generator<void, T> {
  const isFiltered = filter !== null && filter.columns.length > 0;
  const filtered = isFiltered ? yield* filterRows(snapshot, sheet, filter) : null;
  return yield* count(snapshot, sheet, areas, filtered);
}

/** What the status bar shows of a selection: of numbers, else of dates or times unless it has both. */
function toStatistics(snapshot: Snapshot, { filled, numbers, dates, times }: AreaStatistics): SelectionStatistics {
  const common = { filled, numbers: numbers.count };
  if (numbers.count > 0) {
    return { ...common, sum: numbers.sum, least: numbers.least, greatest: numbers.greatest };
  }
  if (dates.count > 0 && times.count === 0) return { ...common, dates: toExtremes(snapshot, dates) };
  if (times.count === 0 || dates.count > 0) return common;
  // A sum of times may exceed a day.
  const toDuration = (value: number) => formatDuration(value);
  const { sum, count } = times;
  return {
    ...common,
    times: { sum: toDuration(sum), average: toDuration(sum / count), ...toExtremes(snapshot, times) },
  };
}

/** The least and greatest value as texts in the format of their cells. */
function toExtremes(snapshot: Snapshot, { least, greatest, format }: NumberStatistics) {
  return { least: formatStatistic(snapshot, least, format), greatest: formatStatistic(snapshot, greatest, format) };
}

const DAY_SECONDS = 86_400;

/** Formats a number of days as hours, minutes and seconds. */
function formatDuration(days: number): string {
  const seconds = Math.round(Math.abs(days) * DAY_SECONDS);
  const padToTwo = (part: number) => String(part).padStart(2, '0');
  const text = `${Math.floor(seconds / 3_600)}:${padToTwo(Math.floor(seconds / 60) % 60)}:${padToTwo(seconds % 60)}`;
  return days < 0 && seconds > 0 ? `-${text}` : text;
}
