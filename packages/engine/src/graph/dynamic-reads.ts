import { type Area, contains } from '../grid/area.ts';
import type { IntervalVisitor } from '../grid/interval-index.ts';
import type { Run } from '../sheet/template.ts';
import { type AreaRead, SheetIndex } from './sheet-index.ts';

/** Maximum number of areas that are recorded for one formula cell. Formulas with more are calculated after every edit. */
const MAX_AREAS_PER_CELL = 64;
/** Maximum number of areas that are recorded for all formula cells. One takes about 150 bytes. */
const MAX_AREAS = 1_000_000;

/** An area of one sheet. */
interface SheetCells extends Area {
  readonly sheet: number;
}

/** An area that a formula cell read and that its tree does not name. */
export interface DynamicRead extends AreaRead {
  readonly sheet: number;
  readonly run: Run;
  readonly row: number;
}

/** Collects the areas that one formula cell reads while it is calculated. */
export class ReadLog {
  readonly areas: SheetCells[] = [];
  /** True if there are too many areas. */
  isFull = false;

  add(sheet: number, { top, left, bottom, right }: Area): void {
    const last = this.areas.at(-1);
    if (last !== undefined && last.sheet === sheet && contains(last, top, left) && contains(last, bottom, right))
      return;
    if (this.areas.length >= MAX_AREAS_PER_CELL) this.isFull = true;
    else this.areas.push({ sheet, top, left, bottom, right });
  }
}

/**
 * The cells that formulas with INDIRECT and similar functions read when they were calculated. A change of other cells
 * cannot change their results. Changes since `beginBatch` can be rolled back.
 */
export class DynamicReads {
  /** All runs whose reads are recorded. */
  readonly runs = new Set<Run>();
  /** Runs of which not all reads are known. Each batch must calculate them. */
  private unknown = new Set<Run>();
  private readonly reads = new Map<Run, Map<number, readonly DynamicRead[]>>();
  private readonly sheets = new Map<number, SheetIndex<DynamicRead>>();
  private size = 0;
  /** Runs of which the batch recorded reads. */
  private touched = new Set<Run>();
  /** Runs whose reads the batch could not record. */
  private unrecorded = new Set<Run>();

  addRun(run: Run): void {
    this.runs.add(run);
    this.unknown.add(run);
  }

  /** Removes a run with its reads. False if its reads are not recorded. */
  removeRun(run: Run): boolean {
    if (!this.runs.delete(run)) return false;
    this.unknown.delete(run);
    this.unrecorded.delete(run);
    this.touched.delete(run);
    for (const list of this.reads.get(run)?.values() ?? []) this.removeFromIndex(list);
    this.reads.delete(run);
    return true;
  }

  /** Starts to record the reads of a cell of a run; null if they are not recorded. */
  startLog(run: Run): ReadLog | null {
    return this.runs.has(run) ? new ReadLog() : null;
  }

  /** The runs that a batch must calculate because their reads are not known. */
  get unknownRuns(): Iterable<Run> {
    return this.unknown;
  }

  /** True if all reads of the run are recorded during the current batch or were recorded before. */
  isRecorded(run: Run): boolean {
    return this.runs.has(run) && !this.unrecorded.has(run);
  }

  /** Keeps the reads that were recorded since the last call. All unknown runs must have been calculated. */
  commit(): void {
    if (this.runs.size === 0) return;
    this.unknown = this.unrecorded;
    this.unrecorded = new Set();
    this.touched = new Set();
  }

  /** Forgets what was recorded since the last commit: the results of the batch were dropped. */
  rollBack(): void {
    if (this.runs.size === 0) return;
    for (const run of this.touched) this.unknown.add(run);
    for (const run of this.unrecorded) this.unknown.add(run);
    this.unrecorded = new Set();
    this.touched = new Set();
  }

  /** Forgets all reads, because the results come from elsewhere. */
  forgetAll(): void {
    for (const run of this.runs) this.unknown.add(run);
  }

  /** Records that the reads of a run are not known, so that the next batch calculates it again. */
  markUnrecorded(run: Run): void {
    if (this.runs.has(run)) this.unrecorded.add(run);
  }

  /**
   * Replaces the recorded reads of a formula cell. `log`: null for a run whose reads are not recorded. `isIncomplete`:
   * the log may lack reads, because sheets are hidden from users.
   */
  record(run: Run, row: number, log: ReadLog | null, isIncomplete: boolean): void {
    if (log === null) return;
    if (isIncomplete) return this.markUnrecorded(run);
    const { areas, isFull } = log;
    this.touched.add(run);
    const rows = this.reads.get(run) ?? new Map<number, readonly DynamicRead[]>();
    this.reads.set(run, rows);
    const before = rows.get(row) ?? [];
    if (isFull || this.size - before.length + areas.length > MAX_AREAS) return this.markUnrecorded(run);
    if (before.length === areas.length && before.every((read, i) => isSameRead(read, areas[i]!))) return;
    this.removeFromIndex(before);
    const list = areas.map(({ sheet, top: first, left: firstColumn, bottom: last, right: lastColumn }): DynamicRead => {
      return { sheet, run, row, first, last, firstColumn, lastColumn, dead: false };
    });
    for (const read of list) this.ensureSheetIndex(read.sheet).add(read);
    this.size += list.length;
    rows.set(row, list);
  }

  /** Passes each read of a cell of the area to `visitor`, which must not record reads. */
  visitReads(
    sheet: number,
    top: number,
    left: number,
    bottom: number,
    right: number,
    visitor: IntervalVisitor<DynamicRead>,
  ): void {
    this.sheets.get(sheet)?.visitReads(top, left, bottom, right, visitor);
  }

  private removeFromIndex(reads: readonly DynamicRead[]): void {
    for (const read of reads) this.ensureSheetIndex(read.sheet).remove(read);
    this.size -= reads.length;
  }

  private ensureSheetIndex(id: number): SheetIndex<DynamicRead> {
    let index = this.sheets.get(id);
    if (!index) {
      index = new SheetIndex();
      this.sheets.set(id, index);
    }
    return index;
  }
}

function isSameRead(read: DynamicRead, { sheet, top, left, bottom, right }: SheetCells): boolean {
  return (
    read.sheet === sheet &&
    read.first === top &&
    read.last === bottom &&
    read.firstColumn === left &&
    read.lastColumn === right
  );
}
