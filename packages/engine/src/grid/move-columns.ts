import { type Area, contains } from './area.ts';
import { MAX_COLUMNS, MAX_ROWS } from './limits.ts';
import { getMovePieces, getPieceTarget, type Move, offsetArea } from './move.ts';

/** The columns of a sheet, with any data per column. */
export interface SheetColumns<C> {
  readonly id: number;
  readonly columns: readonly (C | undefined)[];
}

type FindSheetColumns<C> = (sheet: number) => SheetColumns<C> | undefined;

/** Rows of a column, and the column of an earlier state from which they come. */
export interface ColumnPart<C> {
  readonly source: C;
  readonly sheet: number;
  readonly column: number;
  readonly from: number;
  readonly to: number;
  readonly count: number;
}

/** Functions with which the caller recognises and creates columns. */
interface ColumnOperations<C> {
  /** True if a column contains nothing that could move. */
  readonly isBlank: (column: C | undefined) => boolean;
  readonly make: (parts: readonly ColumnPart<C>[], index: number) => C | undefined;
}

/** Number of columns between two pauses. A column takes a few microseconds. */
const COLUMNS_PER_STEP = 256;

/** Returns the columns of a sheet after a move. Unchanged columns are the same objects. Pauses regularly. */
export function* moveColumns<C>(
  sheet: SheetColumns<C>,
  move: Move,
  findSheet: FindSheetColumns<C>,
  operations: ColumnOperations<C>,
): Generator<void, (C | undefined)[]> {
  const columns: (C | undefined)[] = [];
  const width = Math.min(MAX_COLUMNS, computeWidthAfterMove(sheet, move, findSheet));
  for (let index = 0; index < width; index++) {
    columns.push(moveColumn(sheet, index, move, findSheet, operations));
    if (index % COLUMNS_PER_STEP === COLUMNS_PER_STEP - 1) yield;
  }
  while (columns.length > 0 && columns[columns.length - 1] === undefined) columns.pop();
  return columns;
}

function moveColumn<C>(
  sheet: SheetColumns<C>,
  index: number,
  move: Move,
  sheetOf: FindSheetColumns<C>,
  { isBlank, make }: ColumnOperations<C>,
): C | undefined {
  const oldColumn = sheet.columns[index];
  // A blank column that receives no cells is not rebuilt: a sheet may be wide, or a thousand columns may be inserted.
  if (isBlank(oldColumn) && findIncomingColumns(sheet, index, move, sheetOf).every(isBlank)) return oldColumn;
  const parts = listColumnParts(sheet, index, move, sheetOf);
  return parts === null ? oldColumn : make(parts, index);
}

/** Returns the other columns from which cells move into a column. */
function findIncomingColumns<C>(
  sheet: SheetColumns<C>,
  index: number,
  move: Move,
  findSheet: FindSheetColumns<C>,
): readonly (C | undefined)[] {
  return getMovePieces(move).pieces.flatMap(({ sheet: from, area, toSheet, columns }) => {
    if (toSheet !== sheet.id || !contains(area, area.top, index - columns)) return [];
    return from === toSheet && columns === 0 ? [] : [findSheet(from)?.columns[index - columns]];
  });
}

function computeWidthAfterMove<C>(sheet: SheetColumns<C>, move: Move, findSheet: FindSheetColumns<C>): number {
  let width = sheet.columns.length;
  for (const { sheet: id, area, toSheet, columns } of getMovePieces(move).pieces) {
    if (toSheet !== sheet.id) continue;
    const right = Math.min(area.right, (findSheet(id)?.columns.length ?? 0) - 1);
    width = Math.max(width, right + columns + 1);
  }
  return width;
}

/** Returns the parts of a column after a move, by row; null if none of its rows move. */
export function listColumnParts<C>(
  sheet: SheetColumns<C>,
  index: number,
  move: Move,
  findSheet: FindSheetColumns<C>,
): readonly ColumnPart<C>[] | null {
  const { pieces, lost } = getMovePieces(move);
  const column = (area: Area) => contains(area, area.top, index);
  const taken: Area[] = [];
  for (const block of [...pieces, ...lost, ...pieces.map(getPieceTarget)]) {
    if (block.sheet === sheet.id && column(block.area)) taken.push(block.area);
  }
  if (taken.length === 0) return null;
  const parts: ColumnPart<C>[] = [];
  const oldColumn = sheet.columns[index];
  if (oldColumn) {
    for (const { first, last } of findRowsOutside(taken)) {
      parts.push({
        source: oldColumn,
        sheet: sheet.id,
        column: index,
        from: first,
        to: first,
        count: last - first + 1,
      });
    }
  }
  for (const piece of pieces) {
    const { area, rows, columns } = piece;
    if (piece.toSheet !== sheet.id || !column(offsetArea(area, 0, columns))) continue;
    const source = findSheet(piece.sheet)?.columns[index - columns];
    const count = area.bottom - area.top + 1;
    if (source)
      parts.push({ source, sheet: piece.sheet, column: index - columns, from: area.top, to: area.top + rows, count });
  }
  return parts.sort((a, b) => a.to - b.to);
}

/** Returns the rows of the grid that are in none of the areas. */
function findRowsOutside(areas: readonly Area[]): { readonly first: number; readonly last: number }[] {
  const rest: { first: number; last: number }[] = [];
  let next = 0;
  for (const { top, bottom } of [...areas].sort((a, b) => a.top - b.top)) {
    if (top > next) rest.push({ first: next, last: top - 1 });
    next = Math.max(next, bottom + 1);
  }
  if (next < MAX_ROWS) rest.push({ first: next, last: MAX_ROWS - 1 });
  return rest;
}
