import { Lambda, Matrix } from '../functions/value.ts';
import { CHUNK_MASK, CHUNK_SHIFT, EMPTY, FORMULA, NUMBER, TYPE_MASK } from '../sheet/chunk.ts';
import type { Draft } from '../sheet/draft.ts';
import { anchorKey, type Sheet, type Spill } from '../sheet/snapshot.ts';
import type { Run } from '../sheet/template.ts';
import { CALC, REF } from '../value/errors.ts';
import type { Scalar } from '../value/scalar.ts';
import type { Meter } from './budget.ts';
import type { ChangeLog } from './change-log.ts';
import type { Dirt } from './dirt.ts';
import { planOf } from './plan.ts';
import { inferCellFormat, inferSpillFormats } from './result-formats.ts';
import { type Placement, SpillPlacer } from './spill.ts';
import type { Task } from './task.ts';

/** An array formula calculated more often than this in one recalculation feeds on its own size: `#REF!`. */
const MOST_ROUNDS = 16;

const NO_ROWS: readonly number[] = [];

/** Puts what formulas give in its place on the sheet, with the number format that it takes on. */
export class Results {
  private readonly draft: Draft;
  private readonly dirt: Dirt;
  private readonly meter: Meter;
  private readonly changes: ChangeLog;
  private readonly spills: SpillPlacer;
  /** How often array formulas were placed, by sheet and anchor. */
  private readonly rounds = new Map<number, Map<number, number>>();

  constructor(draft: Draft, dirt: Dirt, meter: Meter, changes: ChangeLog) {
    this.draft = draft;
    this.dirt = dirt;
    this.meter = meter;
    this.changes = changes;
    this.spills = new SpillPlacer(draft, changes);
  }

  /** Takes back what an anchor spilled. */
  erase(sheet: Sheet, spill: Spill): void {
    this.spills.erase(sheet, spill);
    this.draft.deleteSpill(sheet.id, spill.area.top, spill.area.left);
  }

  /** Puts numbers into rows of one chunk; those that were none before take on a format, or all where formats changed. */
  placeNumbers(task: Task, first: number, count: number, numbers: Float64Array, mayInfer: boolean): void {
    const { run, isNew } = task;
    const infersAll = isNew || this.draft.hasNewFormats;
    const rows = mayInfer && !task.namesClosed ? this.rowsToInfer(run, first, count, infersAll) : NO_ROWS;
    this.draft.setResults(run.sheet, run.column, first, numbers, count, (a, b) =>
      this.changes.addRows(run.sheet, run.column, a, b),
    );
    for (const row of rows) inferCellFormat(this.draft, run, row, this.changes);
  }

  private rowsToInfer({ sheet, column }: Run, first: number, count: number, infersAll: boolean): readonly number[] {
    const held = this.draft.sheet(sheet)?.chunk(column, first >> CHUNK_SHIFT);
    if (!infersAll && held?.areResults(first & CHUNK_MASK, count)) return NO_ROWS;
    const rows: number[] = [];
    for (let row = first; row < first + count; row++) {
      const wasNumber = ((held?.kind(row & CHUNK_MASK) ?? EMPTY) & TYPE_MASK) === NUMBER;
      if (infersAll || !wasNumber) rows.push(row);
    }
    return rows;
  }

  /** Puts any result into a cell; an array spills from there. */
  place(task: Task, row: number, result: Scalar | Matrix | Lambda): void {
    const { run } = task;
    const sheet = this.draft.ownSheet(run.sheet);
    const value = result instanceof Lambda ? CALC : result;
    if (!(value instanceof Matrix)) return this.placeScalar(sheet, task, row, value);
    const key = anchorKey(row, run.column);
    if (value.data.length === 1 && !sheet.spills.get(key)?.fixed) {
      return this.placeScalar(sheet, task, row, value.data[0] as Scalar);
    }
    if (this.nextRound(run.sheet, key) > MOST_ROUNDS) return this.placeScalar(sheet, task, row, REF);
    this.meter.spend(value.data.length);
    this.after(run.sheet, this.spills.spread(sheet, row, run.column, value));
    if (!task.namesClosed) this.inferFormats(sheet, run, row, value);
  }

  private nextRound(sheet: number, anchor: number): number {
    let rounds = this.rounds.get(sheet);
    if (!rounds) {
      rounds = new Map();
      this.rounds.set(sheet, rounds);
    }
    const round = (rounds.get(anchor) ?? 0) + 1;
    rounds.set(anchor, round);
    return round;
  }

  /** Puts one value into a cell; `isArithmetic`: of a formula that gives no format of its own. */
  placeScalar(sheet: Sheet, task: Task, row: number, value: Scalar, isArithmetic = false): void {
    const { run } = task;
    // The blank that led a spill showed as 0, but it was no number that a format was inferred for.
    const wasNumber = isNumberAt(sheet, row, run.column) && !isAnchor(sheet, row, run.column);
    const isNewNumber = typeof value === 'number' && !wasNumber;
    if (sheet.spills.size === 0) this.spills.write(sheet, row, run.column, value ?? 0, FORMULA);
    else this.after(run.sheet, this.spills.single(sheet, row, run.column, value));
    // A format tells of the cells that it is taken from.
    if (task.namesClosed || typeof value !== 'number' || !(isNewNumber || task.isNew || this.draft.hasNewFormats))
      return;
    const mayInfer = this.draft.formats.size > 1 || (!isArithmetic && planOf(run.template).givesFormat);
    if (mayInfer) inferCellFormat(this.draft, run, row, this.changes);
  }

  private after(sheet: number, placement: Placement): void {
    for (const grown of placement.grown) this.dirt.touch(sheet, grown);
    if (placement.freed) this.dirt.wake(sheet, placement.freed);
  }

  private inferFormats(sheet: Sheet, run: Run, row: number, matrix: Matrix): void {
    const spill = sheet.spills.get(anchorKey(row, run.column));
    if (!spill || spill.blocked) return;
    if (this.draft.formats.size === 1 && !planOf(run.template).givesFormat) return;
    inferSpillFormats(this.draft, run, row, matrix, this.changes);
  }
}

function isAnchor(sheet: Sheet, row: number, column: number): boolean {
  return sheet.spills.size > 0 && sheet.spills.has(anchorKey(row, column));
}

function isNumberAt(sheet: Sheet, row: number, column: number): boolean {
  return (sheet.kind(row, column) & TYPE_MASK) === NUMBER;
}
