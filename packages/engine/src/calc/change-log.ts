import { IntervalSet } from '../graph/interval-set.ts';
import { type Area, area } from '../grid/area.ts';

/** Cells of one sheet as rectangles, in no particular order, never overlapping. */
export interface CellAreas {
  readonly sheet: number;
  readonly areas: readonly Area[];
}

/** Collects single cells by sheet and column; gives them back as rectangles. */
export class ChangeLog {
  private readonly sheets = new Map<number, Map<number, IntervalSet>>();

  add(sheet: number, row: number, column: number): void {
    this.rows(sheet, column).add(row, row);
  }

  addRows(sheet: number, column: number, first: number, last: number): void {
    this.rows(sheet, column).add(first, last);
  }

  has(sheet: number, row: number, column: number): boolean {
    return this.sheets.get(sheet)?.get(column)?.has(row) ?? false;
  }

  /** The cells that are not in `other`. */
  without(other: ChangeLog): ChangeLog {
    const rest = new ChangeLog();
    for (const [sheet, columns] of this.sheets) {
      const others = other.sheets.get(sheet);
      for (const [column, rows] of columns) {
        const taken = others?.get(column);
        rest.put(sheet, column, taken ? rows.without(taken) : rows);
      }
    }
    return rest;
  }

  private put(sheet: number, column: number, rows: IntervalSet): void {
    if (rows.isEmpty) return;
    const columns = this.sheets.get(sheet) ?? new Map<number, IntervalSet>();
    this.sheets.set(sheet, columns);
    columns.set(column, rows);
  }

  private rows(sheet: number, column: number): IntervalSet {
    let columns = this.sheets.get(sheet);
    if (!columns) {
      columns = new Map();
      this.sheets.set(sheet, columns);
    }
    let rows = columns.get(column);
    if (!rows) {
      rows = new IntervalSet();
      columns.set(column, rows);
    }
    return rows;
  }

  areas(): CellAreas[] {
    return [...this.sheets].map(([sheet, columns]) => ({ sheet, areas: rectangles(columns) }));
  }
}

/** Joins equal row intervals of neighbouring columns. */
function rectangles(columns: ReadonlyMap<number, IntervalSet>): Area[] {
  const open = new Map<number, Area>();
  const done: Area[] = [];
  for (const column of [...columns.keys()].sort((a, b) => a - b)) {
    (columns.get(column) as IntervalSet).forEach((first, last) => {
      const key = first * 2 ** 20 + last;
      const left = open.get(key);
      if (left && left.right === column - 1) {
        open.set(key, area(first, left.left, last, column));
        return;
      }
      if (left) done.push(left);
      open.set(key, area(first, column, last, column));
    });
  }
  return done.concat([...open.values()]);
}
