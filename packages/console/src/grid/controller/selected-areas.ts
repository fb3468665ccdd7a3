import {
  type Area,
  areaText,
  intersects,
  type LocaleId,
  MAX_COLUMNS,
  MAX_ROWS,
  parseArea,
  quoteSheetName,
  splitSheetPrefix,
} from '@cellwire/engine';
import type { Failure, Result } from '../../data/http.ts';
import { t } from '../../text/index.ts';
import { areaOf, type Place, within } from '../selection/selection.ts';
import { rowsIn, type Span, shownAreas, shownCount, shownSpans } from '../selection/visible-rows.ts';
import { namingCell } from '../session/cell-refusals.ts';
import type { Desk } from './grid-controller.ts';

/** What becomes of an action: null, or why it was not done. */
export type Outcome = Promise<Failure | null>;

/** Edits of one request, see the console's route for cells. */
export const MAX_EDITS = 10_000;
/** Operations of one request of the API's `structure`. */
export const MAX_OPERATIONS = 1_000;

/** One edit among others of an action, see the service's `CellEdit`. */
export type CellEdit =
  | { readonly clear: string }
  | { readonly format: string; readonly code: string }
  | { readonly copy: string; readonly to: string }
  | { readonly fill: string; readonly to: string }
  | { readonly put: string; readonly values: readonly (readonly unknown[])[] };

export function rangeOf(sheet: string, area: Area): string {
  return `${quoteSheetName(sheet)}!${areaText(area)}`;
}

/** An action that cannot be done here, in words. */
export function refusal(message: string): Failure {
  return { ok: false, status: 422, message, errors: {}, body: {} };
}

export async function outcomeOf(answer: Promise<Result<unknown>>): Outcome {
  const result = await answer;
  return result.ok ? null : result;
}

/** The selection; of whole rows and columns as far as the sheet is used, and the active cell where nothing of it is. */
export function usedSelection(desk: Desk): Area {
  const { selection } = desk.state;
  if (selection.kind === 'cells') return desk.area;
  const { rows, columns } = desk.sheet.shape;
  const { row, column } = selection.active;
  return within(areaOf(selection), rows, columns) ?? { top: row, left: column, bottom: row, right: column };
}

/** Everything that is selected, as far as it is shown and, of whole rows and columns, used. */
export function selectedAreas(desk: Desk): readonly Area[] {
  return shown(desk, selectedRanges(desk));
}

/** The same with the rows that a filter hides. */
export function selectedRanges(desk: Desk): readonly Area[] {
  const { rows, columns } = desk.sheet.shape;
  const others = desk.state.others.flatMap((area) =>
    isOfLines(area) ? (within(area, rows, columns) ?? []) : [desk.sheet.merges.around(area)],
  );
  return withoutOverlaps([...others, usedSelection(desk)]);
}

function isOfLines({ left, right, top, bottom }: Area): boolean {
  return (left === 0 && right === MAX_COLUMNS - 1) || (top === 0 && bottom === MAX_ROWS - 1);
}

function shown(desk: Desk, areas: readonly Area[]): readonly Area[] {
  return shownAreas(desk.state.filter, desk.state.sheet, areas);
}

/** Rows of an area that are shown. */
export function shownRows(desk: Desk, { top, bottom }: Area): readonly Span[] {
  return shownSpans(desk.state.filter, desk.state.sheet, { first: top, last: bottom });
}

/** The same cells, each in one area. */
function withoutOverlaps(areas: readonly Area[]): readonly Area[] {
  const kept: Area[] = [];
  for (const area of areas) {
    let parts: readonly Area[] = [area];
    for (const known of kept) parts = parts.flatMap((part) => minus(part, known));
    kept.push(...parts);
  }
  return kept;
}

function minus(area: Area, taken: Area): readonly Area[] {
  if (!intersects(area, taken)) return [area];
  const [top, bottom] = [Math.max(area.top, taken.top), Math.min(area.bottom, taken.bottom)];
  return [
    { ...area, bottom: taken.top - 1 },
    { ...area, top, bottom, right: taken.left - 1 },
    { ...area, top, bottom, left: taken.right + 1 },
    { ...area, top: taken.bottom + 1 },
  ].filter((part) => part.top <= part.bottom && part.left <= part.right);
}

/** How many of the selected cells are shown. */
export function shownCells(desk: Desk): number {
  const { filter, sheet } = desk.state;
  return selectedRanges(desk).reduce((sum, { top, bottom, left, right }) => {
    return sum + shownCount(filter, sheet, { first: top, last: bottom }) * (right - left + 1);
  }, 0);
}

export function countOf(areas: readonly Area[]): number {
  return areas.reduce((sum, { top, left, bottom, right }) => sum + (bottom - top + 1) * (right - left + 1), 0);
}

/** Makes edits in one revision. */
export function sendEdits(
  { book }: Desk,
  edits: readonly CellEdit[],
  inputLocale: LocaleId | null = null,
): Promise<Result<unknown>> {
  if (edits.length > MAX_EDITS) return Promise.resolve(refusal(t.grid.tooManyAreas(MAX_EDITS)));
  const locale = inputLocale ?? book.locale;
  return book.editAsPeople('POST', '/cells', locale === null ? { edits } : { edits, inputLocale: locale });
}

/** Makes edits of the shown sheet in one revision, and shows what comes of them in these areas. */
export async function editAreas(
  desk: Desk,
  edits: readonly CellEdit[],
  areas: readonly Area[],
  inputLocale: LocaleId | null = null,
): Outcome {
  if (edits.length === 0) return null;
  const { book } = desk;
  const open = book.sheet(desk.state.sheet);
  for (const area of areas) book.reach(open, area);
  const answer = await sendEdits(desk, edits, inputLocale);
  if (!answer.ok) book.layoutsSoon();
  open.cells.outdate(areas);
  return answer.ok ? null : namingCell(answer, (place) => firstCell(edits[place]));
}

/** Where the values of an edit begin; null: it has none. */
function firstCell(edit: CellEdit | undefined): Place | null {
  const area = edit === undefined || !('put' in edit) ? null : parseArea(splitSheetPrefix(edit.put)?.rest ?? '');
  return area === null ? null : { row: area.top, column: area.left };
}

/** Null where one area is selected whose rows are all shown; else why an action that needs that is not done. */
export function onlyOneArea(desk: Desk): Failure | null {
  if (desk.state.others.length > 0) return refusal(t.grid.oneArea);
  return shownRows(desk, usedSelection(desk)).length > 1 ? refusal(t.grid.hasHiddenRows) : null;
}

/** The first rows from one on that are shown, so many; fewer where the grid ends. */
export function nextShownRows(desk: Desk, from: number, count: number): readonly number[] {
  const rows: number[] = [];
  const last = from + count - 1;
  const all = shownSpans(desk.state.filter, desk.state.sheet, { first: from, last: Math.min(MAX_ROWS - 1, last) });
  for (const row of rowsIn(all)) rows.push(row);
  const { filter, sheet } = desk.state;
  for (let next = last + 1; rows.length < count && next < MAX_ROWS; ) {
    const end = Math.min(MAX_ROWS - 1, Math.max(next + count, filter?.count ?? 0));
    for (const row of rowsIn(shownSpans(filter, sheet, { first: next, last: end }))) {
      if (rows.length < count) rows.push(row);
    }
    next = end + 1;
  }
  return rows;
}
