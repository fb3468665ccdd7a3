import type { Snapshot } from '@cellwire/engine';
import { MAX_VALUE_CELLS } from '../../limits/google.ts';
import type { MajorDimension } from '../../service/cells/fill-page.ts';
import { createInvalidProblem } from '../problem.ts';
import { formatResolvedRange, type ResolvedRange } from '../sheets/resolve.ts';
import { CellRenderer, type DateRender, type RenderedValue, type ValueRender } from './render.ts';
import { writeRowTexts } from './row-texts.ts';

export interface ValueOptions {
  readonly major: MajorDimension;
  readonly render: ValueRender;
  readonly dates: DateRender;
}

/** Google's `ValueRange`. */
export interface GoogleValueRange {
  readonly range: string;
  readonly majorDimension: MajorDimension;
  /** Absent: no values remain after trimming. */
  readonly values?: readonly (readonly RenderedValue[])[];
}

/**
 * `readValues` as JSON text. The text of a row is reused while its cells are unchanged. `key` identifies the document.
 */
export function* writeValuesText(
  snapshot: Snapshot,
  target: ResolvedRange,
  options: ValueOptions,
  key: string,
): Generator<void, string> {
  const { render, dates, major } = options;
  if (major !== 'ROWS') return JSON.stringify(yield* readValues(snapshot, target, options));
  const { sheet, range } = target;
  const renderer = new CellRenderer(snapshot, sheet);
  const { rows: filled, columns } = sheet.extent();
  const bounds = { ...range, bottom: Math.min(range.bottom, filled - 1), right: Math.min(range.right, columns - 1) };
  refuseLargeRange(bounds);
  const { locale, dateSystem } = snapshot.settings;
  const texts = { renderer, render, dates, key: `${key} ${render} ${dates} ${locale} ${dateSystem}` };
  const rows = bounds.right < bounds.left ? '' : yield* writeRowTexts(bounds, texts);
  const head = `{"range":${JSON.stringify(formatResolvedRange(target))},"majorDimension":"ROWS"`;
  return rows === '' ? `${head}}` : `${head},"values":[${rows}]}`;
}

function refuseLargeRange({ top, left, bottom, right }: ResolvedRange['range']): void {
  if ((bottom - top + 1) * (right - left + 1) <= MAX_VALUE_CELLS) return;
  throw createInvalidProblem('The requested range is too large to be read at once.');
}

/** Cells between two yields. */
const STEP_CELLS = 4_096;

/** The values of a range, trimmed at the end of each row and of the range. Yields regularly. */
export function* readValues(
  snapshot: Snapshot,
  target: ResolvedRange,
  options: ValueOptions,
): Generator<void, GoogleValueRange> {
  const values = yield* renderLines(snapshot, target, options);
  const range = formatResolvedRange(target);
  return { range, majorDimension: options.major, ...(values.length === 0 ? {} : { values }) };
}

/** The values of a range as rows or columns, without empty cells at the ends. Pauses between lines. */
function* renderLines(
  snapshot: Snapshot,
  { sheet, range }: ResolvedRange,
  { major, render, dates }: ValueOptions,
): Generator<void, readonly (readonly RenderedValue[])[]> {
  const renderer = new CellRenderer(snapshot, sheet);
  const { rows, columns } = sheet.extent();
  const bottom = Math.min(range.bottom, rows - 1);
  const right = Math.min(range.right, columns - 1);
  const isByRow = major === 'ROWS';
  const [first, last] = isByRow ? [range.top, bottom] : [range.left, right];
  const [start, end] = isByRow ? [range.left, right] : [range.top, bottom];
  if (last < first || end < start) return [];
  refuseLargeRange({ ...range, bottom, right });
  const lines: RenderedValue[][] = [];
  let filled = 0;
  let work = 0;
  for (let line = first; line <= last; line++) {
    const cells: RenderedValue[] = [];
    let length = 0;
    for (let i = start; i <= end; i++) {
      const value = isByRow
        ? renderer.renderValue(line, i, render, dates)
        : renderer.renderValue(i, line, render, dates);
      cells.push(value ?? '');
      if (value !== null && value !== '') length = cells.length;
    }
    cells.length = length;
    lines.push(cells);
    if (length > 0) filled = lines.length;
    work += end - start + 1;
    if (work < STEP_CELLS) continue;
    work = 0;
    yield;
  }
  lines.length = filled;
  return lines;
}
