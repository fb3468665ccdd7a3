import type { Area } from '@cellwire/engine';

/** Visible rows of a filter. */
export interface VisibleFilterRows {
  /** Row of the header. It and the rows above it are visible. */
  readonly top: number;
  /** Visible rows below the header, sorted. */
  readonly rows: readonly number[];
  /** First row below the filter's range. It and the rows after it are visible. */
  readonly count: number;
}

interface FilteredSheet extends VisibleFilterRows {
  readonly sheet: string;
}

/** Consecutive lines, from 0, both ends inclusive. */
export interface LineSpan {
  readonly first: number;
  readonly last: number;
}

/** True if a filter hides a row. The header, the rows above it and the rows below the range are visible. */
export function isFilteredOut(filter: FilteredSheet | null, sheet: string, row: number): boolean {
  if (filter === null || filter.sheet !== sheet || row <= filter.top || row >= filter.count) return false;
  return filter.rows[findLowerBound(filter.rows, row)] !== row;
}

/** Visible rows of a span, in order. */
export function splitVisibleSpans(
  filter: FilteredSheet | null,
  sheet: string,
  { first, last }: LineSpan,
): readonly LineSpan[] {
  if (filter === null || filter.sheet !== sheet) return [{ first, last }];
  const { top, rows, count } = filter;
  const spans: { first: number; last: number }[] = [];
  const add = (from: number, to: number) => {
    const before = spans.at(-1);
    if (before !== undefined && before.last === from - 1) before.last = to;
    else spans.push({ first: from, last: to });
  };
  if (first <= top) add(first, Math.min(top, last));
  let i = findLowerBound(rows, Math.max(top + 1, first));
  for (let row = rows[i]; row !== undefined && row <= last; row = rows[++i]) add(row, row);
  if (last >= count && last > top) add(Math.max(first, count, top + 1), last);
  return spans;
}

/** Areas without the rows that a filter hides. */
export function splitVisibleAreas(
  filter: FilteredSheet | null,
  sheet: string,
  areas: readonly Area[],
): readonly Area[] {
  return areas.flatMap((area) =>
    splitVisibleSpans(filter, sheet, { first: area.top, last: area.bottom }).map(({ first, last }) => ({
      ...area,
      top: first,
      bottom: last,
    })),
  );
}

/** All hidden rows of a filter, as lines of size 0. */
export function listHiddenRowSpans({
  top,
  rows,
  count,
}: VisibleFilterRows): readonly (LineSpan & { readonly size: number })[] {
  const lines: (LineSpan & { readonly size: number })[] = [];
  let next = top + 1;
  for (const row of [...rows, count]) {
    if (row > next) lines.push({ first: next, last: row - 1, size: 0 });
    next = Math.max(next, row + 1);
  }
  return lines;
}

/** Number of visible rows of a span. */
export function countVisibleRows(filter: FilteredSheet | null, sheet: string, { first, last }: LineSpan): number {
  const all = last - first + 1;
  if (filter === null || filter.sheet !== sheet || last <= filter.top || first >= filter.count) return all;
  const { top, rows, count } = filter;
  const [from, end] = [Math.max(first, top + 1), Math.min(last + 1, count)];
  return all - (end - from) + findLowerBound(rows, end) - findLowerBound(rows, from);
}

/** A source row and its target row. */
interface RowPair {
  readonly from: number;
  readonly to: number;
}

/** Consecutive rows on both sides; `before` and `to` are the first. */
export interface RowStretch extends RowPair {
  readonly count: number;
}

/** A source row for each target row. The sources repeat in order. */
export function repeatSourceRows(sources: readonly number[], targets: readonly number[]): readonly RowPair[] {
  return targets.flatMap((to, i) => {
    const from = sources[i % sources.length];
    return from === undefined ? [] : [{ from, to }];
  });
}

/** Groups row pairs into stretches that are consecutive on both sides. */
export function groupStretches(pairs: readonly RowPair[]): readonly RowStretch[] {
  const stretches: { from: number; to: number; count: number }[] = [];
  for (const { from, to } of pairs) {
    const last = stretches.at(-1);
    if (last !== undefined && last.from + last.count === from && last.to + last.count === to) last.count++;
    else stretches.push({ from, to, count: 1 });
  }
  return stretches;
}

export function* iterateRows(spans: readonly LineSpan[]): Generator<number> {
  for (const { first, last } of spans) for (let row = first; row <= last; row++) yield row;
}

/** Index of the first number that is not below `least`. */
function findLowerBound(sorted: readonly number[], least: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const value = sorted[middle];
    if (value !== undefined && value < least) low = middle + 1;
    else high = middle;
  }
  return low;
}
