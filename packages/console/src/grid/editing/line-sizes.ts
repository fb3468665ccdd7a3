import { type Axis, columnName } from '@cellwire/engine';
import type { Desk } from '../controller/grid-controller.ts';
import { PULLED, ROW_HEIGHT } from '../view/grid-view.ts';
import { heightOf, widthOf } from '../view/row-node.ts';

/** The widest and highest that a double click makes a line, in pixels. */
const MOST_FITTED = { rows: PULLED.rows.most, columns: 600 } as const;

/** Shows a line in a size; with whole lines selected, all of them. */
export function setSize(desk: Desk, axis: Axis, line: number, size: number): void {
  desk.pulled.set(desk.state.sheet, axis, { ...linesWith(desk, axis, line), size });
  desk.view?.setShape(desk.shape);
}

/** Keeps the size with the document; who may only look at it has it until the window is closed. */
export async function keepSize(desk: Desk, axis: Axis, line: number, size: number): Promise<void> {
  setSize(desk, axis, line, size);
  const { sheet, book } = desk;
  if (!book.canEdit || sheet.layout?.may.write === false) return;
  const { first, last } = linesWith(desk, axis, line);
  const name = (one: number) => (axis === 'rows' ? one + 1 : columnName(one));
  const answer = await book.sizeLines(sheet, `${name(first)}:${name(last)}`, size);
  desk.pulled.forget(sheet.name);
  desk.view?.setShape(desk.shape);
  if (!answer.ok) desk.onFailure(answer);
}

/** As wide or as high as what is seen of the line takes. */
export function fitSize(desk: Desk, axis: Axis, line: number): void {
  const { viewport } = desk.view ?? {};
  if (viewport === undefined) return;
  const { first, last } = axis === 'columns' ? viewport.seenRows : viewport.seenColumns;
  const sizes = Array.from({ length: last - first + 1 }, (_, i) =>
    axis === 'columns'
      ? widthIn(desk, first + i, line)
      : heightIn(desk, line, first + i, viewport.columns.size(first + i)),
  );
  const size = Math.max(...sizes);
  if (size > 0) void keepSize(desk, axis, line, Math.min(MOST_FITTED[axis], size));
}

/** What a cell takes of its column's width; 0: nothing stands there. */
function widthIn(desk: Desk, row: number, column: number): number {
  const text = desk.cell({ row, column })?.m ?? '';
  return text === '' ? 0 : widthOf(text, desk.sheet.cells.look(row, column));
}

/** What a cell takes of its row's height, which is the common one at least. */
function heightIn(desk: Desk, row: number, column: number, width: number): number {
  const text = desk.cell({ row, column })?.m ?? '';
  return Math.max(ROW_HEIGHT, heightOf(text, width, desk.sheet.cells.look(row, column)));
}

function linesWith(desk: Desk, axis: Axis, line: number): { readonly first: number; readonly last: number } {
  const { kind } = desk.state.selection;
  const { top, left, bottom, right } = desk.area;
  const [first, last] = axis === 'rows' ? [top, bottom] : [left, right];
  return kind === axis && line >= first && line <= last ? { first, last } : { first: line, last: line };
}
