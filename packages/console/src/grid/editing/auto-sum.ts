import { type Area, areaText } from '@cellwire/engine';
import { t } from '../../text/index.ts';
import type { Direction } from '../controller/commands.ts';
import type { Desk } from '../controller/grid-controller.ts';
import { askEdge, beside, isSamePlace, knownEdge } from '../controller/navigation.ts';
import { areaOf, type Place } from '../selection/selection.ts';
import { refusal } from '../session/cell-refusals.ts';
import type { Outcome } from './cell-edits.ts';

/** Cells that are fetched to see where their numbers begin. */
const MAX_FETCHED = 10_000;
/** Columns that are summed at once. */
const MAX_COLUMNS_AT_ONCE = 100;

/**
 * Alt+=: writes the sum of the numbers above the active cell, else of those left of it. With several rows selected it
 * writes below each column the sum of what is selected, in the last row if that is empty.
 */
export async function writeSum(desk: Desk): Outcome {
  if (desk.state.others.length > 0) return refusal(t.grid.oneArea);
  const selected = areaOf(desk.state.selection);
  if (desk.state.selection.kind !== 'cells') return refusal(t.grid.noNumbersToSum);
  if (selected.right - selected.left >= MAX_COLUMNS_AT_ONCE) return refusal(t.grid.noNumbersToSum);
  return selected.bottom > selected.top ? sumsBelow(desk, selected) : sumsOfRow(desk, selected);
}

async function sumsBelow(desk: Desk, selected: Area): Outcome {
  const last = { ...selected, top: selected.bottom };
  await desk.sheet.cells.fetched(last);
  const isLastEmpty = columnsOf(last).every((column) => isEmpty(desk, { row: last.top, column }));
  const bottom = isLastEmpty ? selected.bottom - 1 : selected.bottom;
  const sums = columnsOf(selected).map((column) => sumOf({ top: selected.top, bottom, left: column, right: column }));
  return write(desk, { row: bottom + 1, column: selected.left }, sums);
}

async function sumsOfRow(desk: Desk, selected: Area): Outcome {
  const row = selected.top;
  const sums: string[] = [];
  for (const column of columnsOf(selected)) {
    const place = { row, column };
    const range = (await numbersBeside(desk, place, 'up')) ?? (await numbersBeside(desk, place, 'left'));
    if (range === null) return refusal(t.grid.noNumbersToSum);
    sums.push(sumOf(range));
  }
  return write(desk, { row, column: selected.left }, sums);
}

/** The numbers right beside a cell, without a heading before them; null: there are none. */
async function numbersBeside(desk: Desk, place: Place, to: 'up' | 'left'): Promise<Area | null> {
  const next = beside(desk, place, to);
  if (isSamePlace(next, place)) return null;
  await desk.sheet.cells.fetched(areaBetween(next, next));
  if (!isNumber(desk, next)) return null;
  const first = await edgeOf(desk, next, to);
  const all = areaBetween(first, next);
  if (cellsIn(all) > MAX_FETCHED || !(await desk.sheet.cells.fetched(all))) return all;
  const back: Direction = to === 'up' ? 'down' : 'right';
  let start = first;
  while (!isNumber(desk, start)) start = beside(desk, start, back);
  return areaBetween(start, next);
}

/** The last filled cell in a direction; `from` is filled. */
async function edgeOf(desk: Desk, from: Place, to: Direction): Promise<Place> {
  const after = beside(desk, from, to);
  await desk.sheet.cells.fetched(areaBetween(after, after));
  if (isSamePlace(after, from) || isEmpty(desk, after)) return from;
  return knownEdge(desk, from, to) ?? (await askEdge(desk, from, to)) ?? from;
}

async function write(desk: Desk, place: Place, sums: readonly string[]): Outcome {
  return desk.write(desk.state.sheet, place, [sums]);
}

function sumOf(area: Area): string {
  return `=SUM(${areaText(area)})`;
}

function columnsOf({ left, right }: Area): readonly number[] {
  return Array.from({ length: right - left + 1 }, (_, i) => left + i);
}

function areaBetween(a: Place, b: Place): Area {
  return {
    top: Math.min(a.row, b.row),
    bottom: Math.max(a.row, b.row),
    left: Math.min(a.column, b.column),
    right: Math.max(a.column, b.column),
  };
}

function cellsIn({ top, left, bottom, right }: Area): number {
  return (bottom - top + 1) * (right - left + 1);
}

function isNumber(desk: Desk, place: Place): boolean {
  return typeof desk.cell(place)?.v === 'number';
}

function isEmpty(desk: Desk, place: Place): boolean {
  const cell = desk.cell(place);
  return (cell === null || cell === undefined) && desk.sheet.cells.pendingText(place.row, place.column) === undefined;
}
