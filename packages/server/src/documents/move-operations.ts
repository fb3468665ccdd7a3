import { areaText, cellText, columnName, type Move, quoteSheetName, sheetsOfMove } from '@cellwire/engine';
import type { StoredOperation, StructureOperation } from '@cellwire/store/stored-forms';

type LoggedLineMove = Exclude<Move, { readonly kind: 'carry' }>;

/** Describes a move of cells or lines for the log. `getSheetName`: returns the name of a sheet by its id. */
export function formatMoveOperation(move: Move, getSheetName: (sheet: number) => string): StoredOperation {
  return { operation: toMoveOperation(move, getSheetName), sheets: [...sheetsOfMove(move)] };
}

/** Describes a move of cells or lines as the operation of the API that performs it. */
function toMoveOperation(move: Move, findSheetName: (sheet: number) => string): StructureOperation {
  if (move.kind === 'carry') {
    const { sheet, area, toSheet, row, column } = move;
    const from = `${quoteSheetName(findSheetName(sheet))}!${areaText(area)}`;
    return { cut: { from, to: `${quoteSheetName(findSheetName(toSheet))}!${cellText(row, column)}` } };
  }
  const sheet = findSheetName(move.sheet);
  if ('across' in move && move.across !== undefined) return toCellsOperation(move, sheet, move.across);
  const { count } = move;
  const isRows = move.axis === 'rows';
  const [row, column] = [move.at + 1, columnName(move.at)];
  switch (move.kind) {
    case 'insert':
      return isRows
        ? { insertRows: { sheet, before: row, count } }
        : { insertColumns: { sheet, before: column, count } };
    case 'delete':
      return isRows ? { deleteRows: { sheet, from: row, count } } : { deleteColumns: { sheet, from: column, count } };
    case 'reorder':
      return isRows
        ? { moveRows: { sheet, from: row, count, before: move.to + 1 } }
        : { moveColumns: { sheet, from: column, count, before: columnName(move.to) } };
  }
}

/** Describes an insertion or deletion that moves cells in only some columns or rows (`across`). */
function toCellsOperation(
  { kind, axis, at, count }: LoggedLineMove,
  sheet: string,
  across: { readonly first: number; readonly last: number },
): StructureOperation {
  const isRows = axis === 'rows';
  const area = isRows
    ? { top: at, left: across.first, bottom: at + count - 1, right: across.last }
    : { top: across.first, left: at, bottom: across.last, right: at + count - 1 };
  const range = `${quoteSheetName(sheet)}!${areaText(area)}`;
  if (kind === 'insert') return { insertCells: { range, shift: isRows ? 'down' : 'right' } };
  return { deleteCells: { range, shift: isRows ? 'up' : 'left' } };
}
