import { findSheetByName, nameKey, nameViews, type Sheet, type Snapshot } from '@cellwire/engine';
import { type ClosedRange, formatA1Range, type OpenRange, parseA1, WHOLE_SHEET } from '../a1.ts';
import { createInvalidProblem } from '../problem.ts';
import { computeGridSize, type GridSize } from './state.ts';

/** Cells named by a request. */
export interface ResolvedRange {
  readonly sheet: Sheet;
  readonly grid: GridSize;
  /** As in the request; open ends are null. */
  readonly open: OpenRange;
  /** Within the grid. */
  readonly range: ClosedRange;
  /** Whether the request names a whole sheet. */
  readonly isSheet: boolean;
}

/** The cells of a range in A1 notation, of a sheet or of a named range. Throws a `Problem`. */
export function resolveA1(snapshot: Snapshot, text: string): ResolvedRange {
  const createUnparsedRangeProblem = () => createInvalidProblem(`Unable to parse range: ${text.slice(0, MAX_SHOWN)}`);
  const parts = parseA1(text);
  if (parts === null || (parts.sheet !== null && parts.range === null)) {
    // A sheet's name may contain characters with a meaning in ranges.
    const sheet = findSheetByName(snapshot.sheets, text);
    if (sheet !== undefined) return clampToGrid(sheet, WHOLE_SHEET, true);
  }
  if (parts === null) throw createUnparsedRangeProblem();
  if (parts.sheet !== null) {
    const sheet = findSheetByName(snapshot.sheets, parts.sheet);
    if (sheet === undefined) throw createUnparsedRangeProblem();
    if (parts.range !== null) return clampToGrid(sheet, parts.range, parts.text === '');
    // gspread writes the sheet's name before every range, also before a named one.
    const named = resolveName(snapshot, parts.text);
    if (named === null || named.sheet.id !== sheet.id) throw createUnparsedRangeProblem();
    return named;
  }
  if (parts.range !== null) {
    const [first] = snapshot.sheets;
    if (first === undefined) throw createUnparsedRangeProblem();
    return clampToGrid(first, parts.range, false);
  }
  const sheet = findSheetByName(snapshot.sheets, parts.text);
  if (sheet !== undefined) return clampToGrid(sheet, WHOLE_SHEET, true);
  const rangeOfName = resolveName(snapshot, parts.text);
  if (rangeOfName === null) throw createUnparsedRangeProblem();
  return rangeOfName;
}

const MAX_SHOWN = 500;

function resolveName(snapshot: Snapshot, name: string): ResolvedRange | null {
  const key = nameKey(name);
  const table = snapshot.tables.find((one) => nameKey(one.name) === key);
  if (table !== undefined) {
    const sheet = snapshot.sheetById(table.sheet);
    return sheet === undefined ? null : clampToGrid(sheet, table.area, false);
  }
  if (!snapshot.names.some((one) => nameKey(one.name) === key)) return null;
  const view = nameViews(snapshot).find((one) => nameKey(one.name) === key);
  const parts = view === undefined ? null : parseA1(view.refersTo.replace(/^=/, '').replaceAll('$', ''));
  if (parts?.sheet == null || parts.range === null) return null;
  const sheet = findSheetByName(snapshot.sheets, parts.sheet);
  return sheet === undefined ? null : clampToGrid(sheet, parts.range, false);
}

/** Clamps a range to the grid. Throws if it starts outside. `isSheet` is true if the caller named a whole sheet. */
export function clampToGrid(sheet: Sheet, open: OpenRange, isSheet: boolean): ResolvedRange {
  const grid = computeGridSize(sheet);
  const bottom = Math.min(open.bottom ?? grid.rows - 1, grid.rows - 1);
  const right = Math.min(open.right ?? grid.columns - 1, grid.columns - 1);
  if (open.top >= grid.rows || open.left >= grid.columns) throw createBeyondGridProblem(sheet, open, grid);
  return { sheet, grid, open, range: { top: open.top, left: open.left, bottom, right }, isSheet };
}

function createBeyondGridProblem(
  { name }: Sheet,
  { top, left, bottom, right }: OpenRange,
  { rows, columns }: GridSize,
) {
  const range = { top, left, bottom: bottom ?? Math.max(top, rows - 1), right: right ?? Math.max(left, columns - 1) };
  const shown = formatA1Range(name, range);
  return createInvalidProblem(`Range (${shown}) exceeds grid limits. Max rows: ${rows}, max columns: ${columns}`);
}

/** The sheet name and range in the form of answers. */
export function formatResolvedRange({ sheet, range }: ResolvedRange): string {
  return formatA1Range(sheet.name, range);
}
