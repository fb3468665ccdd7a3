import { area } from './area.ts';
import { MAX_ROWS } from './limits.ts';
import { type Block, type Move, sheetsOf } from './move.ts';
import { type ColumnPart, type Columns, movingColumns } from './moved-columns.ts';
import { filledIn, type Rope, ropeOf, ropeOfParts, sliced, stretchesOf } from './rope.ts';
import { finished } from './steps.ts';

interface Place {
  readonly sheet: number;
  readonly column: number;
}

/** Rows `top` to `bottom` of a column. */
interface RowsOfColumn extends Place {
  readonly top: number;
  readonly bottom: number;
}

/** Rows of a column that were together, and where the first of them was. */
export interface RowsBefore {
  readonly top: number;
  readonly bottom: number;
  readonly was: Place & { readonly row: number };
}

/** Where cells were before moves: to find it out of one takes no longer for a thousand moves than for a few. */
export class Places {
  private readonly sheets = new Map<number, Columns<Rope<Place>>>();
  private readonly widthOf: (sheet: number) => number;

  /** `widthOf`: how many columns of a sheet have cells, asked before the first move that touches it. */
  constructor(widthOf: (sheet: number) => number) {
    this.widthOf = widthOf;
  }

  move(move: Move): void {
    const sheetOf = (id: number) => this.sheet(id);
    const after = Array.from(sheetsOf(move), (id): Columns<Rope<Place>> => {
      const make = (parts: readonly ColumnPart<Rope<Place>>[]) =>
        ropeOfParts(parts, ({ source, from, count }) => sliced(source, from, count, true));
      const columns = finished(movingColumns(sheetOf(id), move, sheetOf, { isBlank, make }));
      return { id, columns };
    });
    for (const sheet of after) this.sheets.set(sheet.id, sheet);
  }

  /** Where the cells of an area were; those that came from nowhere are left out, and such as had no cells may be. */
  before({ sheet, area: held }: Block): readonly Block[] {
    if (!this.sheets.has(sheet)) return [{ sheet, area: held }];
    const blocks: Block[] = [];
    for (let column = held.left; column <= held.right && column < this.sheet(sheet).columns.length; column++) {
      for (const { top, bottom, was } of this.rowsBefore({ sheet, column, top: held.top, bottom: held.bottom })) {
        blocks.push({ sheet: was.sheet, area: area(was.row, was.column, was.row + bottom - top, was.column) });
      }
    }
    return blocks;
  }

  /** The same of rows of one column, in order, each part with where its first cell was. */
  rowsBefore({ sheet, column, top, bottom }: RowsOfColumn): readonly RowsBefore[] {
    const columns = this.sheets.get(sheet)?.columns;
    if (columns === undefined) return [{ top, bottom, was: { sheet, row: top, column } }];
    return stretchesOf(columns[column] ?? null, top, bottom + 1).map(({ source, from, to, count }) => {
      const first = Math.max(top, to);
      const was = { ...source, row: first + from - to };
      return { top: first, bottom: Math.min(bottom + 1, to + count) - 1, was };
    });
  }

  private sheet(id: number): Columns<Rope<Place>> {
    let sheet = this.sheets.get(id);
    if (sheet === undefined) {
      const columns = Array.from({ length: this.widthOf(id) }, (_, column) =>
        ropeOf({ sheet: id, column }, 0, MAX_ROWS, true),
      );
      sheet = { id, columns };
      this.sheets.set(id, sheet);
    }
    return sheet;
  }
}

function isBlank(column: Rope<Place> | undefined): boolean {
  return column === undefined || filledIn(column) === 0;
}
