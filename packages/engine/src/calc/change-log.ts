import { IntervalSet } from '../graph/interval-set.ts';
import { type Area, area } from '../grid/area.ts';
import { MAX_ROWS } from '../grid/limits.ts';

/** Cells of one sheet as rectangles, in no particular order, never overlapping. */
export interface CellAreas {
  readonly sheet: number;
  readonly areas: readonly Area[];
}

/** Rows as they come, `first, last` after one another; sorted and joined only when somebody asks. */
class RowLog {
  private readonly pairs: number[] = [];

  add(first: number, last: number): void {
    const { pairs } = this;
    const length = pairs.length;
    if (length > 0 && first <= (pairs[length - 1] as number) + 1 && first >= (pairs[length - 2] as number)) {
      if (last > (pairs[length - 1] as number)) pairs[length - 1] = last;
    } else pairs.push(first, last);
  }

  rows(): IntervalSet {
    const { pairs } = this;
    if (pairs.length === 2) return IntervalSet.of(pairs[0] as number, pairs[1] as number);
    const count = this.pairs.length / 2;
    const sorted = new Float64Array(count);
    for (let i = 0; i < count; i++)
      sorted[i] = (this.pairs[2 * i] as number) * MAX_ROWS + (this.pairs[2 * i + 1] as number);
    sorted.sort();
    const rows = new IntervalSet();
    for (const pair of sorted) rows.add(Math.floor(pair / MAX_ROWS), pair % MAX_ROWS);
    return rows;
  }
}

type ColumnRows = ReadonlyMap<number, IntervalSet>;

/** Collects single cells by sheet and column; gives them back as rectangles. */
export class ChangeLog {
  private readonly sheets = new Map<number, Map<number, RowLog>>();

  add(sheet: number, row: number, column: number): void {
    this.log(sheet, column).add(row, row);
  }

  addRows(sheet: number, column: number, first: number, last: number): void {
    this.log(sheet, column).add(first, last);
  }

  private log(sheet: number, column: number): RowLog {
    let columns = this.sheets.get(sheet);
    if (!columns) {
      columns = new Map();
      this.sheets.set(sheet, columns);
    }
    let rows = columns.get(column);
    if (!rows) {
      rows = new RowLog();
      columns.set(column, rows);
    }
    return rows;
  }

  areas(): CellAreas[] {
    return this.areasWithout(NOTHING);
  }

  /** The cells that are not in `other`. */
  areasWithout(other: ChangeLog): CellAreas[] {
    const found: CellAreas[] = [];
    for (const [sheet, columns] of this.sheets) {
      const taken = other.sheets.get(sheet);
      const rest = new Map<number, IntervalSet>();
      for (const [column, log] of columns) {
        const others = taken?.get(column);
        const rows = others ? log.rows().without(others.rows()) : log.rows();
        if (!rows.isEmpty) rest.set(column, rows);
      }
      if (rest.size > 0) found.push({ sheet, areas: rectangles(rest) });
    }
    return found;
  }
}

const NOTHING = new ChangeLog();

/** Joins equal row intervals of neighbouring columns. */
function rectangles(columns: ColumnRows): Area[] {
  if (columns.size === 1) for (const [column, rows] of columns) return columnAreas(column, rows);
  const open = new Map<number, Area>();
  const done: Area[] = [];
  for (const column of [...columns.keys()].sort((a, b) => a - b)) {
    (columns.get(column) as IntervalSet).forEach((first, last) => {
      const key = first * MAX_ROWS + last;
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

function columnAreas(column: number, rows: IntervalSet): Area[] {
  const areas: Area[] = [];
  rows.forEach((first, last) => {
    areas.push(area(first, column, last, column));
  });
  return areas;
}
