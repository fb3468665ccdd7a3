import { cellText, MAX_COLUMNS, MAX_ROWS } from '@cellwire/engine';
import { call, OWN, query } from '../../data/http.ts';
import { areaOf, nextWithin, type Place } from '../selection/selection.ts';
import { isFilteredOut } from '../selection/visible-rows.ts';
import type { Direction } from './commands.ts';
import type { GridModel } from './grid-model.ts';

/** The nearest cell that is shown in a direction; merged ones count as one. */
export function beside(model: GridModel, place: Place, to: Direction): Place {
  const { rows, columns } = model.view?.viewport ?? {};
  const { row, column } = place;
  const { top, left, bottom, right } = model.span(place);
  switch (to) {
    case 'up':
      return top === 0 ? place : model.holder({ row: rows?.shown(top - 1, -1) ?? top - 1, column });
    case 'down':
      return bottom >= MAX_ROWS - 1 ? place : model.holder({ row: rows?.shown(bottom + 1, 1) ?? bottom + 1, column });
    case 'left':
      return left === 0 ? place : model.holder({ row, column: columns?.shown(left - 1, -1) ?? left - 1 });
    case 'right':
      return right >= MAX_COLUMNS - 1
        ? place
        : model.holder({ row, column: columns?.shown(right + 1, 1) ?? right + 1 });
  }
}

/** Where data ends as seen from a cell, as far as the cells that are known tell; null: they do not. */
export function knownEdge(model: GridModel, from: Place, to: Direction): Place | null {
  const filled = (place: Place) => {
    const cell = model.cell(place);
    return cell === undefined ? null : cell !== null;
  };
  let at = beside(model, from, to);
  if (isSamePlace(at, from)) return from;
  const isInside = filled(from) === true && filled(at) === true;
  for (let last = from; ; last = at, at = beside(model, at, to)) {
    const now = filled(at);
    if (now === null) return null;
    if (isInside && !now) return last;
    if (!isInside && now) return at;
    if (isSamePlace(at, last)) return at;
  }
}

/** The same by the service; null: it could not be asked. */
export async function askEdge(model: GridModel, from: Place, to: Direction): Promise<Place | null> {
  const path = `${OWN}/documents/${model.book.id}/sheets/${encodeURIComponent(model.state.sheet)}/edge`;
  const cell = cellText(from.row, from.column);
  const answer = await call<{ readonly edge: Place }>('GET', path + query({ cell, direction: to }));
  return answer.ok ? answer.value.edge : null;
}

/** The last row of the filled cells that begin right below a place; the place's own row if that cell is empty. */
export async function lastFilledBelow(model: GridModel, place: Place): Promise<number> {
  const first = beside(model, place, 'down');
  if (!(await isFilled(model, first))) return place.row;
  if (!(await isFilled(model, beside(model, first, 'down')))) return first.row;
  const end = knownEdge(model, first, 'down') ?? (await askEdge(model, first, 'down'));
  return end?.row ?? first.row;
}

async function isFilled(model: GridModel, { row, column }: Place): Promise<boolean> {
  await model.sheet.cells.fetched({ top: row, bottom: row, left: column, right: column });
  const cell = model.cell({ row, column });
  return cell !== null && cell !== undefined;
}

/** The next cell within the selection, of rows that are shown. */
export function nextShown(model: GridModel, by: 'row' | 'column', step: 1 | -1): Place {
  const { selection, filter, sheet } = model.state;
  const { top, bottom, left, right } = areaOf(selection);
  let next = nextWithin(selection, selection.active, by, step);
  // At most once around: all of the selection may be hidden.
  for (let tried = (bottom - top + 1) * (right - left + 1); tried > 0; tried--) {
    if (!isFilteredOut(filter, sheet, next.row)) break;
    next = nextWithin(selection, next, by, step);
  }
  return next;
}

export function isSamePlace(a: Place, b: Place): boolean {
  return a.row === b.row && a.column === b.column;
}
