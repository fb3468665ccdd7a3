import { type Area, areaText, cellText, columnName, MAX_COLUMNS, MAX_ROWS, quoteSheetName } from '@cellwire/engine';
import type { Failure, Result } from '../data/http.ts';
import type { Desk } from './desk.ts';
import { restOf, seriesOf } from './fill.ts';
import { areaOf, selectionOf, within } from './selection.ts';
import { parseTsv, tsvOf } from './tsv.ts';

/** Cells that copy takes or a paste fills. */
const MOST_CELLS = 200_000;

/** What becomes of a deed: null, or why it was refused. */
type Outcome = Promise<Failure | null>;

function range(sheet: string, area: Area): string {
  return `${quoteSheetName(sheet)}!${areaText(area)}`;
}

async function done(answer: Promise<Result<unknown>>): Outcome {
  const result = await answer;
  return result.ok ? null : result;
}

/** The selection; of whole rows and columns as far as the sheet is used, and the active cell where nothing of it is. */
export function usedSelection(desk: Desk): Area {
  const { selection } = desk.state;
  if (selection.kind === 'cells') return desk.area;
  const { rows, columns } = desk.sheet.shape;
  return within(areaOf(selection), rows, columns) ?? cellArea(desk);
}

function cellArea(desk: Desk): Area {
  const { row, column } = desk.state.selection.active;
  return { top: row, left: column, bottom: row, right: column };
}

export async function clearSelection(desk: Desk): Outcome {
  const area = usedSelection(desk);
  const { sheet } = desk.state;
  const { cells } = desk.book.sheet(sheet);
  const expected = cells.expectEmpty(area);
  const answer = await desk.book.edit('POST', '/values/clear', { range: range(sheet, area) });
  await cells.settle(area, expected);
  return answer.ok ? null : answer;
}

/** The selected cells as people see them; null where they are too many or cannot be read. */
export async function selectedText(desk: Desk): Promise<string | null> {
  const area = usedSelection(desk);
  const count = (area.bottom - area.top + 1) * (area.right - area.left + 1);
  if (count > MOST_CELLS || !(await desk.sheet.cells.fetched(area))) return null;
  return knownText(desk, area);
}

/** The same at once; null where not all cells are known. */
export function knownText(desk: Desk, area: Area): string | null {
  const { cells } = desk.sheet;
  const rows: string[][] = [];
  for (let row = area.top; row <= area.bottom; row++) {
    const line: string[] = [];
    for (let column = area.left; column <= area.right; column++) {
      const written = cells.pendingText(row, column);
      const cell = cells.cell(row, column);
      if (cell === undefined && written === undefined) return null;
      line.push(written ?? cell?.m ?? '');
    }
    rows.push(line);
  }
  return tsvOf(rows);
}

/** One paste is one write: cells that were copied here with all that they are, else the text as if typed. */
export async function paste(desk: Desk, text: string): Outcome {
  const { taken, sheet, selection } = desk.state;
  const target = areaOf(selection);
  if (taken !== null && taken.text === text.replaceAll('\r\n', '\n').replace(/\n$/, '')) {
    return pasteTaken(desk, taken, target);
  }
  const rows = parseTsv(text);
  const width = Math.max(...rows.map((row) => row.length));
  const tiled = tile(rows, width, target);
  if (tiled.length * width > MOST_CELLS) return null;
  const top = Math.min(target.top, selection.active.row);
  const left = Math.min(target.left, selection.active.column);
  const area = { top, left, bottom: top + tiled.length - 1, right: left + (tiled[0]?.length ?? 1) - 1 };
  desk.select(selectionOf(area), { row: top, column: left });
  return desk.write(sheet, { row: top, column: left }, tiled);
}

/** A text that fits into the selection a whole number of times fills it. */
function tile(rows: readonly (readonly string[])[], width: number, { top, left, bottom, right }: Area) {
  const even = rows.map((row) => [...row, ...Array.from({ length: width - row.length }, () => '')]);
  const [high, wide] = [bottom - top + 1, right - left + 1];
  const [down, across] = [high / even.length, wide / width];
  const isWhole = Number.isInteger(down) && Number.isInteger(across) && high * wide <= MOST_CELLS;
  if (!isWhole) return even;
  const line = (row: readonly string[]) => Array.from({ length: across }, () => row).flat();
  return Array.from({ length: down }, () => even.map(line)).flat();
}

async function pasteTaken(desk: Desk, taken: NonNullable<Desk['state']['taken']>, target: Area): Outcome {
  const { sheet, selection } = desk.state;
  const height = taken.area.bottom - taken.area.top;
  const width = taken.area.right - taken.area.left;
  const from = range(taken.sheet, taken.area);
  const bottom = taken.isCut || target.bottom === MAX_ROWS - 1 ? target.top : target.bottom;
  const right = taken.isCut || target.right === MAX_COLUMNS - 1 ? target.left : target.right;
  const operations: Record<string, unknown>[] = [];
  for (let top = target.top; top === target.top || top + height <= bottom; top += height + 1) {
    for (let left = target.left; left === target.left || left + width <= right; left += width + 1) {
      const to = `${quoteSheetName(sheet)}!${cellText(top, left)}`;
      operations.push({ [taken.isCut ? 'cut' : 'copy']: { from, to } });
    }
  }
  const answer = await desk.book.structure(operations);
  if (taken.isCut && desk.state.taken === taken) desk.become({ taken: null });
  if (desk.state.selection !== selection) return answer.ok ? null : answer;
  desk.selectArea({
    ...target,
    bottom: Math.max(target.top + height, bottom),
    right: Math.max(target.left + width, right),
  });
  return answer.ok ? null : answer;
}

/** Goes on with the selection's series in a larger area, and repeats what is none. */
export async function fillTo(desk: Desk, to: Area): Outcome {
  const { sheet } = desk.state;
  const { book } = desk;
  const from = desk.area;
  if (areaText(from) === areaText(to)) return null;
  const { locale, dateSystem } = book;
  const habits = { locale: locale ?? 'en', dateSystem };
  const values = seriesOf(from, to, (row, column) => desk.cell({ row, column }), habits) ?? [];
  const rest = restOf(from, to);
  const body = { from: range(sheet, from), to: range(sheet, rest), values };
  desk.selectArea(to);
  book.reach(book.sheet(sheet), rest);
  const answer = await book.editAsPeople('POST', '/fill', body);
  await book.sheet(sheet).cells.settle(rest);
  return answer.ok ? null : answer;
}

/** Ctrl+D and Ctrl+R: the first line of the selection into the rest of it. */
export async function fillWithin(desk: Desk, way: 'down' | 'right'): Outcome {
  const { sheet } = desk.state;
  const area = usedSelection(desk);
  const isDown = way === 'down';
  if (isDown ? area.top === area.bottom : area.left === area.right) return null;
  const from = isDown ? { ...area, bottom: area.top } : { ...area, right: area.left };
  const to = isDown ? { ...area, top: area.top + 1 } : { ...area, left: area.left + 1 };
  return done(desk.book.structure([{ fill: { from: range(sheet, from), to: range(sheet, to) } }]));
}

export type LineDeed = 'insertBefore' | 'insertAfter' | 'delete' | 'moveBack' | 'moveOn';

/** Rows or columns of the selection: new ones beside them, they go, or they change places with their neighbours. */
export async function changeLines(desk: Desk, axis: 'rows' | 'columns', deed: LineDeed): Outcome {
  const { sheet, selection } = desk.state;
  const area = areaOf(selection);
  const first = axis === 'rows' ? area.top : area.left;
  const last = axis === 'rows' ? area.bottom : area.right;
  const count = last - first + 1;
  const line = (place: number) => (axis === 'rows' ? place + 1 : columnName(place));
  const name = axis === 'rows' ? 'Rows' : 'Columns';
  const operation = (() => {
    switch (deed) {
      case 'insertBefore':
        return { [`insert${name}`]: { sheet, before: line(first), count } };
      case 'insertAfter':
        return { [`insert${name}`]: { sheet, before: line(last + 1), count } };
      case 'delete':
        return { [`delete${name}`]: { sheet, from: line(first), count } };
      case 'moveBack':
        return { [`move${name}`]: { sheet, from: line(first), count, before: line(first - 1) } };
      case 'moveOn':
        return { [`move${name}`]: { sheet, from: line(first), count, before: line(last + 2) } };
    }
  })();
  if (deed === 'moveBack' && first === 0) return null;
  const failure = await done(desk.book.structure([operation]));
  const step = deed === 'moveBack' ? -1 : deed === 'moveOn' ? 1 : 0;
  // Who has gone on meanwhile stays there.
  if (failure === null && step !== 0 && desk.state.selection === selection) {
    const shift =
      axis === 'rows' ? { top: first + step, bottom: last + step } : { left: first + step, right: last + step };
    desk.selectArea({ ...area, ...shift });
  }
  return failure;
}

/** Sorts the selection, or the used rows below the heading where one cell is selected, by the active cell's column. */
export async function sort(desk: Desk, order: 'ascending' | 'descending'): Outcome {
  const { sheet, selection } = desk.state;
  const { rows, columns } = desk.sheet.shape;
  const selected = areaOf(selection);
  const isOne = selected.top === selected.bottom && selected.left === selected.right;
  const wanted =
    isOne || selection.kind === 'columns'
      ? { top: 1, left: isOne ? 0 : selected.left, bottom: rows - 1, right: isOne ? columns - 1 : selected.right }
      : selected;
  const area = within(wanted, rows, columns);
  if (area === null) return null;
  const by = [{ column: columnName(selection.active.column), order }];
  return done(desk.book.structure([{ sort: { range: range(sheet, area), by } }]));
}
