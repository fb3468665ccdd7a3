import { type Band, filterRows, findFilter, type Sheet, type Snapshot } from '@cellwire/engine';
import { type FieldMask, findMemberMask, includesPath, selectMembers } from '../field-mask.ts';
import { CellDataReader } from './cell-data.ts';
import { readMetadata, toMetadataAnswer } from './metadata.ts';
import type { ResolvedRange } from './resolve.ts';

const DEFAULT_ROW_PIXELS = 21;
const DEFAULT_COLUMN_PIXELS = 100;

/** Converts a column's width in characters or a row's height in points to CSS pixels. */
function toPixels(axis: 'rows' | 'columns', size: number): number {
  return Math.round(axis === 'rows' ? (size * 4) / 3 : size * 7 + 5);
}

/** Cells between two yields. */
const STEP_CELLS = 1_024;

/** One `GridData` as JSON text in pieces. Empty pieces let other work run. */
export function* writeGridData(
  snapshot: Snapshot,
  { sheet, range }: ResolvedRange,
  mask: FieldMask,
): Generator<string> {
  let separator = '';
  const writeMember = (name: string, text: string) => {
    const piece = `${separator}"${name}":${text}`;
    separator = ',';
    return piece;
  };
  yield '{';
  if (range.top > 0 && findMemberMask(mask, 'startRow') !== undefined) yield writeMember('startRow', String(range.top));
  if (range.left > 0 && findMemberMask(mask, 'startColumn') !== undefined)
    yield writeMember('startColumn', String(range.left));
  const rows = findMemberMask(mask, 'rowData');
  if (rows !== undefined) {
    const pieces = writeRowData(snapshot, { sheet, range }, rows);
    const first = pieces.next();
    if (!first.done) {
      yield writeMember('rowData', `[${first.value}`);
      yield* pieces;
      yield ']';
    }
  }
  for (const axis of ['rows', 'columns'] as const) {
    const name = axis === 'rows' ? 'rowMetadata' : 'columnMetadata';
    const lines = findMemberMask(mask, name);
    if (lines === undefined) continue;
    const [first, last] = axis === 'rows' ? [range.top, range.bottom] : [range.left, range.right];
    yield writeMember(name, '[');
    yield* writeLineMetadata(snapshot, sheet, axis, { first, last }, lines);
    yield ']';
  }
  yield '}';
}

/** Rows as JSON text, separated by commas. Rows after the last non-empty one are omitted. */
function* writeRowData(
  snapshot: Snapshot,
  { sheet, range }: Pick<ResolvedRange, 'sheet' | 'range'>,
  mask: FieldMask,
): Generator<string> {
  const cells = findMemberMask(mask, 'values');
  if (cells === undefined) return;
  const reader = new CellDataReader(snapshot, sheet, cells);
  const extent = reader.extent;
  const bottom = Math.min(range.bottom, extent.rows - 1);
  const right = Math.min(range.right, extent.columns - 1);
  let waiting = 0;
  let isFirst = true;
  let work = 0;
  for (let row = range.top; row <= bottom; row++) {
    const text = formatRowData(reader, row, range.left, right);
    work += right - range.left + 1;
    if (text === null) waiting++;
    else {
      for (; waiting > 0; waiting--) {
        yield isFirst ? '{}' : ',{}';
        isFirst = false;
      }
      yield isFirst ? text : `,${text}`;
      isFirst = false;
    }
    if (work < STEP_CELLS || isFirst) continue;
    work = 0;
    yield '';
  }
}

/** The JSON text of a row's cells without the empty ones at its end; null if all are empty. */
function formatRowData(reader: CellDataReader, row: number, left: number, right: number): string | null {
  const values: string[] = [];
  let length = 0;
  for (let column = left; column <= right; column++) {
    const cell = reader.buildCellData(row, column);
    values.push(cell === null ? '{}' : JSON.stringify(cell));
    if (cell !== null) length = values.length;
  }
  if (length === 0) return null;
  values.length = length;
  return `{"values":[${values.join(',')}]}`;
}

/** Metadata of every line in the range. */
function* writeLineMetadata(
  snapshot: Snapshot,
  sheet: Sheet,
  axis: 'rows' | 'columns',
  { first, last }: { readonly first: number; readonly last: number },
  mask: FieldMask,
): Generator<string> {
  const bands = sheet.layout[axis];
  const metadata = readMetadata(snapshot).filter(
    (one) => one.sheet === sheet && one.lines !== null && one.axis === axis,
  );
  const isFiltered =
    axis === 'rows' && includesPath(mask, 'hiddenByFilter') ? yield* findFilteredRows(snapshot, sheet) : null;
  let next = 0;
  for (let line = first; line <= last; line++) {
    while ((bands[next]?.last ?? line) < line) next++;
    const band = bands[next];
    const own = band !== undefined && band.first <= line ? band : null;
    const hidden = axis === 'rows' ? sheet.hiddenRows.has(line) : own?.hidden === true;
    const ofLine = metadata.filter(({ lines }) => lines !== null && lines.first <= line && lines.last >= line);
    const shown = {
      ...(isFiltered?.(line) ? { hiddenByFilter: true } : {}),
      ...(hidden ? { hiddenByUser: true } : {}),
      pixelSize: computePixelSize(own, axis),
      ...(ofLine.length > 0 && { developerMetadata: ofLine.map(toMetadataAnswer) }),
    };
    yield `${line === first ? '' : ','}${JSON.stringify(selectMembers(shown, mask))}`;
  }
}

/**
 * Returns a function that tells whether the sheet's filter hides a row; null: there is no filter. Empty pieces let
 * other work run.
 */
function* findFilteredRows(snapshot: Snapshot, sheet: Sheet): Generator<string, ((row: number) => boolean) | null> {
  const filter = findFilter(sheet.layout);
  if (filter === null || filter.columns.length === 0) return null;
  const work = filterRows(snapshot, sheet, filter);
  for (;;) {
    const step = work.next();
    if (!step.done) {
      yield '';
      continue;
    }
    const { area, shown } = step.value;
    return (row) => shown[row - area.top - 1] === 0;
  }
}

/** The height of a row or the width of a column in pixels; Google's default if no size is set. */
function computePixelSize(band: Band | null, axis: 'rows' | 'columns'): number {
  if (band?.size !== undefined) return toPixels(axis, band.size);
  return axis === 'rows' ? DEFAULT_ROW_PIXELS : DEFAULT_COLUMN_PIXELS;
}
