import { IntervalSet } from '../graph/interval-set.ts';
import { type Area, area, cellCount } from '../grid/area.ts';
import { MAX_COLUMNS, MAX_ROWS } from '../grid/limits.ts';
import type { Chunk } from '../sheet/chunk.ts';

/** Cells of one sheet as rectangles that do not overlap, in no order. */
export interface CellAreas {
  readonly sheet: number;
  readonly areas: readonly Area[];
}

/** Some changed cells of one sheet as rectangles, and the number of the remaining changed cells. */
export interface FirstAreas extends CellAreas {
  /** Number of changed cells that are not in `areas`. */
  readonly left: number;
}

/** Results of a chunk before and after a calculation. They are compared only when the log is read. */
interface ResultBlock {
  /** The sheet row of the first result. */
  readonly first: number;
  readonly before: Chunk;
  readonly after: Float64Array;
}

/** Shared empty lists. A list with entries replaces them. */
const NO_PAIRS: number[] = [];
const NO_BLOCKS: ResultBlock[] = [];

/** Changed rows of one column. They are sorted and joined when they are read. */
class ColumnLog {
  readonly sheet: number;
  readonly column: number;
  /** The last change, and the changes before it: first and last row, alternating. Most logs have only one change. */
  private first = -1;
  private last = -1;
  private pairs: number[] = NO_PAIRS;
  private blocks: ResultBlock[] = NO_BLOCKS;
  /** The last result of `rows`; null after a row was added. */
  private sorted: IntervalSet | null = null;

  constructor(sheet: number, column: number) {
    this.sheet = sheet;
    this.column = column;
  }

  /** Records a change of rows `first` to `last`. */
  addRows(first: number, last: number): void {
    this.sorted = null;
    if (this.first >= 0 && first <= this.last + 1 && first >= this.first) {
      if (last > this.last) this.last = last;
      return;
    }
    if (this.first >= 0) this.keepLastPair();
    this.first = first;
    this.last = last;
  }

  private keepLastPair(): void {
    if (this.pairs === NO_PAIRS) this.pairs = [this.first, this.last];
    else this.pairs.push(this.first, this.last);
  }

  /** Records results of a chunk. Their changed rows are determined when the log is read. */
  addResultBlock(block: ResultBlock): void {
    this.sorted = null;
    if (this.blocks === NO_BLOCKS) this.blocks = [block];
    else this.blocks.push(block);
  }

  /** The changed rows. */
  getRows(): IntervalSet {
    this.sorted ??= this.createSortedRows();
    return this.sorted;
  }

  /** True if the changes were added in order without gaps: rows `firstRow` to `lastRow`. */
  get isConsecutive(): boolean {
    return this.first >= 0 && this.pairs === NO_PAIRS && this.blocks === NO_BLOCKS;
  }

  get firstRow(): number {
    return this.first;
  }

  get lastRow(): number {
    return this.last;
  }

  /** Sorts and joins the recorded rows, including the changed rows of the result blocks. */
  private createSortedRows(): IntervalSet {
    for (const { first, before, after } of this.blocks) {
      before.reportChanges(0, after, after.length, (a, b) => this.addRows(first + a, first + b));
    }
    this.blocks = NO_BLOCKS;
    if (this.first < 0) return new IntervalSet();
    if (this.isConsecutive) return IntervalSet.fromRange(this.first, this.last);
    const { pairs } = this;
    const sorted = new Float64Array(pairs.length / 2 + 1);
    for (let i = 0; i < pairs.length; i += 2) sorted[i / 2] = pairs[i]! * MAX_ROWS + pairs[i + 1]!;
    sorted[pairs.length / 2] = this.first * MAX_ROWS + this.last;
    sorted.sort();
    const rows = new IntervalSet();
    for (const pair of sorted) rows.add(Math.floor(pair / MAX_ROWS), pair % MAX_ROWS);
    return rows;
  }
}

type RowsByColumn = Map<number, IntervalSet>;

/**
 * Maximum number of column logs that are searched as a list; more columns are indexed by a map. Most batches change one
 * or two columns.
 */
const MAX_LISTED_COLUMNS = 16;

const NO_LOGS: ColumnLog[] = [];
const NO_AREAS: readonly CellAreas[] = [];

/** Collects single cells by sheet and column and returns them as rectangles. */
export class ChangeLog {
  private logs = NO_LOGS;
  private byPlace: Map<number, ColumnLog> | null = null;

  /** Records a change of one cell. */
  add(sheet: number, row: number, column: number): void {
    this.ensureColumnLog(sheet, column).addRows(row, row);
  }

  /** Records a change of rows `first` to `last` of a column. */
  addRows(sheet: number, column: number, first: number, last: number): void {
    this.ensureColumnLog(sheet, column).addRows(first, last);
  }

  /** Records results of a chunk before and after a calculation. */
  addResultBlock(sheet: number, column: number, block: ResultBlock): void {
    this.ensureColumnLog(sheet, column).addResultBlock(block);
  }

  /** The log of a column; creates it if there is none. */
  private ensureColumnLog(sheet: number, column: number): ColumnLog {
    const existingLog = this.findColumnLog(sheet, column);
    if (existingLog) return existingLog;
    const log = new ColumnLog(sheet, column);
    if (this.logs === NO_LOGS) this.logs = [log];
    else this.logs.push(log);
    if (this.byPlace) this.byPlace.set(getColumnKey(log), log);
    else if (this.logs.length > MAX_LISTED_COLUMNS)
      this.byPlace = new Map(this.logs.map((each) => [getColumnKey(each), each]));
    return log;
  }

  private findColumnLog(sheet: number, column: number): ColumnLog | undefined {
    if (this.byPlace) return this.byPlace.get(sheet * MAX_COLUMNS + column);
    for (const log of this.logs) if (log.column === column && log.sheet === sheet) return log;
    return undefined;
  }

  /** Replaces each area by the areas that `mapArea` returns. Call it after cells moved. */
  replaceAreas(
    mapArea: (sheet: number, area: Area) => readonly { readonly sheet: number; readonly area: Area }[],
  ): void {
    const sheetAreas = this.listAreas();
    this.logs = NO_LOGS;
    this.byPlace = null;
    for (const { sheet, areas } of sheetAreas) {
      for (const each of areas) for (const moved of mapArea(sheet, each)) this.addArea(moved.sheet, moved.area);
    }
  }

  addArea(sheet: number, { top, left, bottom, right }: Area): void {
    for (let column = left; column <= right; column++) this.addRows(sheet, column, top, bottom);
  }

  has(sheet: number, row: number, column: number): boolean {
    return this.findColumnLog(sheet, column)?.getRows().has(row) ?? false;
  }

  /** The last of the consecutive changed rows that begin at `row`; -1 if `row` did not change. */
  findLastConsecutiveRow(sheet: number, column: number, row: number): number {
    return this.findColumnLog(sheet, column)?.getRows().findIntervalEnd(row) ?? -1;
  }

  /** The changed rows of a column; undefined for none. */
  getChangedRows(sheet: number, column: number): IntervalSet | undefined {
    return this.findColumnLog(sheet, column)?.getRows();
  }

  get isEmpty(): boolean {
    return this.logs === NO_LOGS;
  }

  listAreas(): readonly CellAreas[] {
    return this.listAreasWithout(NOTHING);
  }

  /** Reports each area of `listAreas` to `receiver`. */
  reportAreas(receiver: { recordChangedArea(sheet: number, area: Area): void }): void {
    if (this.isEmpty) return;
    const block = this.findSingleArea(NOTHING);
    if (block !== null) return receiver.recordChangedArea(this.logs[0]!.sheet, block);
    for (const { sheet, areas } of this.listAreas()) for (const each of areas) receiver.recordChangedArea(sheet, each);
  }

  /** The cells of this log that are not in `other`. */
  listAreasWithout(other: ChangeLog): readonly CellAreas[] {
    const first = this.logs[0];
    if (first === undefined) return NO_AREAS;
    const block = this.findSingleArea(other);
    if (block !== null) return [{ sheet: first.sheet, areas: [block] }];
    if (this.logs.length === 1) return listSingleColumnAreas(first, other.findColumnLog(first.sheet, first.column));
    return Array.from(this.getRowsWithout(other), ([sheet, columns]) => ({ sheet, areas: joinRectangles(columns) }));
  }

  /**
   * The cells that are not in `other`, in at most `limit` rectangles for all sheets together. If there are more,
   * returns the first rectangles from the top and the number of the remaining cells. It takes no longer than visiting
   * the cells once.
   */
  listFirstAreas(limit: number, other: ChangeLog = NOTHING): FirstAreas[] {
    const [only] = this.logs;
    if (only === undefined) return [];
    const block = limit > 0 ? this.findSingleArea(other) : null;
    if (block !== null) return [{ sheet: only.sheet, areas: [block], left: 0 }];
    let room = limit;
    return Array.from(this.getRowsWithout(other), ([sheet, columns]) => {
      const areas = joinFirstRectangles(columns, room);
      room -= areas.length;
      return {
        sheet,
        areas,
        left: countCells(columns) - areas.reduce((sum, each) => sum + cellCount(each), 0),
      };
    });
  }

  /**
   * Returns all cells as one area if adjacent columns have the same consecutive rows and `other` is empty; else null.
   * This is the case in most batches, and every write reads its areas several times.
   */
  private findSingleArea(other: ChangeLog): Area | null {
    const first = this.logs[0];
    if (first === undefined || !first.isConsecutive || !other.isEmpty) return null;
    const { firstRow: top, lastRow: bottom } = first;
    for (let i = 1; i < this.logs.length; i++) {
      const log = this.logs[i]!;
      if (log.sheet !== first.sheet || log.column !== first.column + i) return null;
      if (!log.isConsecutive || log.firstRow !== top || log.lastRow !== bottom) return null;
    }
    return area(top, first.column, bottom, first.column + this.logs.length - 1);
  }

  /** The changed rows of each column by sheet without the rows in `other`. Omits empty columns. */
  getRowsWithout(other: ChangeLog): ReadonlyMap<number, RowsByColumn> {
    const bySheet = new Map<number, RowsByColumn>();
    for (const log of this.logs) {
      const taken = other.findColumnLog(log.sheet, log.column);
      const rows = taken ? log.getRows().subtract(taken.getRows()) : log.getRows();
      if (rows.isEmpty) continue;
      const columns = bySheet.get(log.sheet) ?? new Map();
      bySheet.set(log.sheet, columns.set(log.column, rows));
    }
    return bySheet;
  }
}

const NOTHING = new ChangeLog();

/** The areas of a log with only one changed column, without the rows in `excludedLog`. */
function listSingleColumnAreas(log: ColumnLog, excludedLog: ColumnLog | undefined): CellAreas[] {
  const rows = excludedLog ? log.getRows().subtract(excludedLog.getRows()) : log.getRows();
  return rows.isEmpty ? [] : [{ sheet: log.sheet, areas: listColumnAreas(log.column, rows) }];
}

function getColumnKey({ sheet, column }: ColumnLog): number {
  return sheet * MAX_COLUMNS + column;
}

/** Joins equal row intervals of adjacent columns. */
function joinRectangles(columns: RowsByColumn): Area[] {
  if (columns.size === 1) for (const [column, rows] of columns) return listColumnAreas(column, rows);
  const growing = new Map<number, Area>();
  const done: Area[] = [];
  for (const column of [...columns.keys()].sort((a, b) => a - b)) {
    columns.get(column)!.forEach((first, last) => {
      const key = first * MAX_ROWS + last;
      const left = growing.get(key);
      if (left && left.right === column - 1) {
        growing.set(key, area(first, left.left, last, column));
        return;
      }
      if (left) done.push(left);
      growing.set(key, area(first, column, last, column));
    });
  }
  return done.concat([...growing.values()]);
}

/** Number of row intervals that are joined for each requested area, to find a few rectangles among many. */
const JOINED_PER_AREA = 16;

/** The first rectangles from the top, at most `limit`. */
function joinFirstRectangles(columns: RowsByColumn, limit: number): Area[] {
  if (limit <= 0) return [];
  let parts = 0;
  for (const rows of columns.values()) parts += rows.intervalCount;
  if (parts <= limit) return joinRectangles(columns);
  const each = Math.max(1, Math.floor((limit * JOINED_PER_AREA) / columns.size));
  const firsts = new Map(Array.from(columns, ([column, rows]) => [column, rows.takeFirstIntervals(each)]));
  return joinRectangles(firsts)
    .sort((a, b) => a.top - b.top || a.left - b.left)
    .slice(0, limit);
}

function countCells(columns: RowsByColumn): number {
  let cells = 0;
  for (const rows of columns.values()) cells += rows.rows;
  return cells;
}

function listColumnAreas(column: number, rows: IntervalSet): Area[] {
  const areas: Area[] = [];
  rows.forEach((first, last) => {
    areas.push(area(first, column, last, column));
  });
  return areas;
}
