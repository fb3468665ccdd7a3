import { type Area, area } from './area.ts';
import { MAX_ROWS } from './limits.ts';
import { type Block, type Move, sheetsOf } from './move.ts';
import { type Columns, movedColumns } from './moved-columns.ts';
import { filledIn, type Rope, ropeOf, ropeOfParts, sliced, stretchesOf } from './rope.ts';

interface Place {
  readonly sheet: number;
  readonly column: number;
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
      const columns = movedColumns(sheetOf(id), move, sheetOf, isBlank, (parts) =>
        ropeOfParts(parts, ({ source, from, count }) => sliced(source, from, count, true)),
      );
      return { id, columns };
    });
    for (const sheet of after) this.sheets.set(sheet.id, sheet);
  }

  /** Where the cells of an area were; those that came from nowhere are left out, and such as had no cells may be. */
  before({ sheet, area: held }: Block): readonly Block[] {
    const columns = this.sheets.get(sheet)?.columns;
    if (columns === undefined) return [{ sheet, area: held }];
    const blocks: Block[] = [];
    for (let column = held.left; column <= Math.min(held.right, columns.length - 1); column++) {
      for (const { source, from, to, count } of stretchesOf(columns[column] ?? null, held.top, held.bottom + 1)) {
        const first = Math.max(held.top, to) + from - to;
        const last = Math.min(held.bottom + 1, to + count) - 1 + from - to;
        blocks.push({ sheet: source.sheet, area: columnArea(first, last, source.column) });
      }
    }
    return blocks;
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

function columnArea(first: number, last: number, column: number): Area {
  return area(first, column, last, column);
}

function isBlank(column: Rope<Place> | undefined): boolean {
  return column === undefined || filledIn(column) === 0;
}
