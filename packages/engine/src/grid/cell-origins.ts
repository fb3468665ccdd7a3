import { area } from './area.ts';
import { MAX_ROWS } from './limits.ts';
import { type Block, listMoveSheets, type Move } from './move.ts';
import { type ColumnPart, moveColumns, type SheetColumns } from './move-columns.ts';
import { countFilledRopeRows, createRope, createRopeFromParts, listRopeParts, type Rope, sliceRope } from './rope.ts';
import { runToEnd } from './steps.ts';

interface ColumnPosition {
  readonly sheet: number;
  readonly column: number;
}

/** Rows `top` to `bottom` of a column. */
interface ColumnRowRange extends ColumnPosition {
  readonly top: number;
  readonly bottom: number;
}

/** Rows of a column that were adjacent, and the original position of the first one. */
interface OriginalRows {
  readonly top: number;
  readonly bottom: number;
  readonly origin: ColumnPosition & { readonly row: number };
}

/**
 * Tracks the original positions of cells through moves. A query takes no longer after a thousand moves than after a
 * few.
 */
export class CellOrigins {
  private readonly sheets = new Map<number, SheetColumns<Rope<ColumnPosition>>>();
  private readonly widthOf: (sheet: number) => number;

  /**
   * `widthOf`: returns the number of columns of a sheet that contain cells. It is called before the first move that
   * changes the sheet.
   */
  constructor(widthOf: (sheet: number) => number) {
    this.widthOf = widthOf;
  }

  applyMove(move: Move): void {
    const sheetOf = (id: number) => this.ensureSheet(id);
    const after = Array.from(listMoveSheets(move), (id): SheetColumns<Rope<ColumnPosition>> => {
      const make = (parts: readonly ColumnPart<Rope<ColumnPosition>>[]) =>
        createRopeFromParts(parts, ({ source, from, count }) => sliceRope(source, from, count, true));
      const columns = runToEnd(moveColumns(sheetOf(id), move, sheetOf, { isBlank, make }));
      return { id, columns };
    });
    for (const sheet of after) this.sheets.set(sheet.id, sheet);
  }

  /** The original positions of the cells of an area. Omits new cells; may omit cells that were empty. */
  findOrigins({ sheet, area: currentArea }: Block): readonly Block[] {
    if (!this.sheets.has(sheet)) return [{ sheet, area: currentArea }];
    const blocks: Block[] = [];
    for (
      let column = currentArea.left;
      column <= currentArea.right && column < this.ensureSheet(sheet).columns.length;
      column++
    ) {
      for (const { top, bottom, origin } of this.findRowOrigins({
        sheet,
        column,
        top: currentArea.top,
        bottom: currentArea.bottom,
      })) {
        blocks.push({
          sheet: origin.sheet,
          area: area(origin.row, origin.column, origin.row + bottom - top, origin.column),
        });
      }
    }
    return blocks;
  }

  /** The original positions of rows of one column, in order. */
  findRowOrigins({ sheet, column, top, bottom }: ColumnRowRange): readonly OriginalRows[] {
    const columns = this.sheets.get(sheet)?.columns;
    if (columns === undefined) return [{ top, bottom, origin: { sheet, row: top, column } }];
    return listRopeParts(columns[column] ?? null, top, bottom + 1).map(({ source, from, to, count }) => {
      const first = Math.max(top, to);
      const origin = { ...source, row: first + from - to };
      return { top: first, bottom: Math.min(bottom + 1, to + count) - 1, origin };
    });
  }

  private ensureSheet(id: number): SheetColumns<Rope<ColumnPosition>> {
    let sheet = this.sheets.get(id);
    if (sheet === undefined) {
      const columns = Array.from({ length: this.widthOf(id) }, (_, column) =>
        createRope({ sheet: id, column }, 0, MAX_ROWS, true),
      );
      sheet = { id, columns };
      this.sheets.set(id, sheet);
    }
    return sheet;
  }
}

function isBlank(column: Rope<ColumnPosition> | undefined): boolean {
  return column === undefined || countFilledRopeRows(column) === 0;
}
