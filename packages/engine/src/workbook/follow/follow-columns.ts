import { type Area, area } from '../../grid/area.ts';
import { sliceRows } from '../../sheet/plain-column.ts';
import type { EditOfKind } from '../edits/edit-result.ts';
import type { FollowedPiece } from './follow-block.ts';

/**
 * Returns edits that write the same values to cells that moved. Null if some of the cells were deleted. `findPieces`:
 * returns the pieces of a block, or null if cells of it were deleted.
 */
export function moveColumnEdit(
  edit: EditOfKind<'putColumns'>,
  findPieces: (block: Area) => readonly FollowedPiece[] | null,
): readonly EditOfKind<'putColumns'>[] | null {
  const edits: EditOfKind<'putColumns'>[] = [];
  for (const cells of edit.columns) {
    const { column, rows } = cells;
    const pieces = rows.length === 0 ? [] : findPieces(area(rows[0]!, column, rows.at(-1)!, column));
    if (pieces === null) return null;
    for (const { source, sheet, target } of pieces) {
      const part = sliceRows(cells, source.top, source.bottom);
      const moved = part.rows.map((row) => row + target.top - source.top);
      edits.push({ ...edit, sheet, columns: [{ ...part, rows: moved, column: target.left }] });
    }
  }
  return edits;
}
