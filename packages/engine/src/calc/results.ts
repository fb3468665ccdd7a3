import { Lambda, Matrix } from '../functions/value.ts';
import { height, width } from '../grid/area.ts';
import { EMPTY, FORMULA, NUMBER, RESULT, TYPE_MASK } from '../sheet/cell-kind.ts';
import { CHUNK_MASK, CHUNK_SHIFT } from '../sheet/chunk.ts';
import type { Draft } from '../sheet/draft.ts';
import { GENERAL } from '../sheet/formats.ts';
import { createAnchorKey, type Sheet, type Spill } from '../sheet/snapshot.ts';
import type { Run } from '../sheet/template.ts';
import { CALC, REF } from '../value/errors.ts';
import type { Scalar } from '../value/scalar.ts';
import type { Meter } from './budget.ts';
import { CellFormats } from './cell-formats.ts';
import type { ChangeLog } from './change-log.ts';
import type { DemandedCell, SpilledArea } from './circles/circular-cells.ts';
import type { DirtyTasks } from './dirty-tasks.ts';
import { inferFormat } from './infer-format.ts';
import { applyResultFormat, applyResultFormats, applySpillFormats } from './result-formats.ts';
import { computeSpillArea, type SpillPlacement, SpillPlacer } from './spill.ts';
import type { FormulaTask } from './task.ts';

/**
 * Number of waves that are allowed in addition to one for each array. Arrays may wait for one another, and each wave
 * completes at least one. An array whose size still changes after these waves depends on its own size and gives
 * `#REF!`.
 */
const EXTRA_ROUNDS = 16;

const NO_ROWS: readonly number[] = [];

/** Writes results to the sheet, with their number formats. */
export class Results {
  private readonly draft: Draft;
  private readonly dirt: DirtyTasks;
  private readonly meter: Meter;
  private readonly changes: ChangeLog;
  // These objects are created on demand. Results of plain arithmetic in a document without formats and arrays need none.
  private madeSpills: SpillPlacer | null = null;
  private madeFormats: CellFormats | null = null;
  /** Number of size changes of each array formula, by sheet id and anchor key. */
  private rounds: Map<number, Map<number, number>> | null = null;
  /** Number of anchors in `rounds`. */
  private anchors = 0;
  /** Arrays of circles that were calculated again without the areas that they had filled, by sheet id and anchor key. */
  private retried: Map<number, Set<number>> | null = null;

  constructor(draft: Draft, dirt: DirtyTasks, meter: Meter, changes: ChangeLog) {
    this.draft = draft;
    this.dirt = dirt;
    this.meter = meter;
    this.changes = changes;
  }

  private get spills(): SpillPlacer {
    this.madeSpills ??= new SpillPlacer(this.draft, this.changes, this.meter);
    return this.madeSpills;
  }

  /** Format tracking for the results. */
  get formats(): CellFormats {
    this.madeFormats ??= new CellFormats(this.draft);
    return this.madeFormats;
  }

  /** Clears the area that an anchor filled. */
  eraseSpill(sheet: Sheet, spill: Spill): void {
    this.spills.eraseSpill(sheet, spill);
    this.draft.spills.delete(sheet.id, spill.area.top, spill.area.left);
  }

  /**
   * Writes numbers of plain arithmetic into rows of one chunk. Cells that had no number before take a format. If
   * formats changed, all cells do.
   */
  placeArithmetic({ run, isNew }: FormulaTask, first: number, count: number, numbers: Float64Array): void {
    const infersAll = isNew || this.draft.hasNewFormats;
    const rows = this.hasFormats ? this.findRowsToInfer(run, first, count, infersAll) : NO_ROWS;
    this.placeNumbers(run, first, count, numbers, null);
    for (const row of rows) this.inferFormat(run, row);
  }

  /** Writes numbers with their formats into rows of one chunk. */
  placeNumbers(run: Run, first: number, count: number, numbers: Float64Array, formats: Uint16Array | null): void {
    this.draft.setNumbers(RESULT, run.sheet, run.column, first, numbers, count, (a, b) =>
      this.changes.addRows(run.sheet, run.column, a, b),
    );
    if (formats !== null && this.hasFormats) applyResultFormats(this.draft, run, first, count, formats, this.changes);
  }

  /** True if the document has a number format other than General. Otherwise formats need not be tracked. */
  private get hasFormats(): boolean {
    return this.draft.formats.hasNumberFormats;
  }

  private inferFormat(run: Run, row: number): void {
    const at = { sheet: run.sheet, row, column: run.column };
    const format = inferFormat(run.template.node, at, this.draft, this.formats);
    applyResultFormat(this.draft, run, row, format, this.changes);
  }

  /** Returns the rows whose results may take a number format from their formulas. `infersAll`: all rows. */
  private findRowsToInfer({ sheet, column }: Run, first: number, count: number, infersAll: boolean): readonly number[] {
    const chunk = this.draft.sheet(sheet)?.chunk(column, first >> CHUNK_SHIFT);
    if (!infersAll && chunk?.areAllOfKind(RESULT, first & CHUNK_MASK, count)) return NO_ROWS;
    const rows: number[] = [];
    for (let row = first; row < first + count; row++) {
      const wasNumber = ((chunk?.kind(row & CHUNK_MASK) ?? EMPTY) & TYPE_MASK) === NUMBER;
      if (infersAll || !wasNumber) rows.push(row);
    }
    return rows;
  }

  /** Writes any result into a cell. An array spills from this cell. `format`: the format of a scalar result. */
  placeResult({ run }: FormulaTask, row: number, result: Scalar | Matrix | Lambda, format = GENERAL): void {
    const sheet = this.draft.ensureOwnSheet(run.sheet);
    const value = result instanceof Lambda ? CALC : result;
    if (!(value instanceof Matrix)) return this.placeScalar(sheet, run, row, value, format);
    const key = createAnchorKey(row, run.column);
    const oldSpill = sheet.spills.get(key);
    if (value.length === 1 && !oldSpill?.fixed) {
      return this.placeScalar(sheet, run, row, value.data[0] ?? null, value.formatAt(0));
    }
    if (!hasSize(oldSpill, value) && this.countSizeChange(run.sheet, key)) {
      this.placeScalar(sheet, run, row, REF, GENERAL);
      return this.spills.recordCircularSpill(sheet, computeSpillArea(row, run.column, value));
    }
    this.meter.spendCells(value.length);
    this.markDirty(run.sheet, this.spills.placeArray(sheet, row, run.column, value));
    const spill = sheet.spills.get(key);
    if (!this.hasFormats || !spill) return;
    if (spill.blocked) applyResultFormat(this.draft, run, row, GENERAL, this.changes);
    else applySpillFormats(this.draft, run, row, value, this.changes);
  }

  /**
   * Counts a size change of an array. True if there were too many, because the array's size depends on the array
   * itself.
   */
  private countSizeChange(sheet: number, anchor: number): boolean {
    this.rounds ??= new Map();
    const rounds = this.rounds.get(sheet) ?? new Map<number, number>();
    this.rounds.set(sheet, rounds);
    const round = rounds.get(anchor) ?? 0;
    if (round === 0) this.anchors++;
    rounds.set(anchor, round + 1);
    return round >= this.anchors + EXTRA_ROUNDS;
  }

  /**
   * Calculates the formulas of a circle again in the next wave, if arrays among them filled areas before: without these
   * areas there may be no circle, or it may have fewer formulas. Does nothing if the arrays were calculated again before.
   * `spilled`: the areas.
   */
  retryCircle(members: readonly DemandedCell[], spilled: readonly SpilledArea[]): void {
    this.retried ??= new Map();
    let isFirst = false;
    for (const { sheet, area } of spilled) {
      const anchors = this.retried.get(sheet) ?? new Set();
      this.retried.set(sheet, anchors);
      const key = createAnchorKey(area.top, area.left);
      if (anchors.has(key)) continue;
      isFirst = true;
      anchors.add(key);
    }
    if (!isFirst) return;
    for (const { sheet, area } of spilled) {
      this.draft.spills.delete(sheet, area.top, area.left);
      this.dirt.recordChangedArea(sheet, area);
    }
    for (const { task, row } of members) this.dirt.markFormulas(task.run, row, row, task.isNew);
  }

  /** Writes a scalar result with its format into a cell. */
  private placeScalar(sheet: Sheet, run: Run, row: number, value: Scalar, format: number): void {
    this.writeValue(sheet, run, row, value);
    if (!this.hasFormats) return;
    applyResultFormat(this.draft, run, row, typeof value === 'number' ? format : GENERAL, this.changes);
  }

  /** Writes one number of plain arithmetic into a cell. Formats as in `placeArithmetic`. */
  placeNumber(sheet: Sheet, { run, isNew }: FormulaTask, row: number, value: number): void {
    if (sheet.spills.size === 0 && !this.hasFormats) return this.writeNumber(sheet, run, row, value);
    // A blank at the anchor of a spill is displayed as 0, but it is not a number and has no format.
    const wasNumber = isNumberAt(sheet, row, run.column) && !isAnchor(sheet, row, run.column);
    this.writeValue(sheet, run, row, value);
    if (this.hasFormats && (!wasNumber || isNew || this.draft.hasNewFormats)) this.inferFormat(run, row);
  }

  /** Writes a number into a cell of a sheet without spills. */
  private writeNumber(sheet: Sheet, { column }: Run, row: number, value: number): void {
    if (this.draft.setResult(sheet, row, column, value)) this.changes.add(sheet.id, row, column);
  }

  /** Writes a scalar result into a cell. Frees the area into which the cell spilled before. */
  private writeValue(sheet: Sheet, run: Run, row: number, value: Scalar): void {
    if (sheet.spills.size > 0) this.markDirty(run.sheet, this.spills.placeScalar(sheet, row, run.column, value));
    else if (typeof value === 'number') this.writeNumber(sheet, run, row, value);
    else this.spills.writeCell(sheet, row, run.column, value ?? 0, FORMULA);
  }

  /** Marks the formulas that a changed spill affects. */
  private markDirty(sheet: number, placement: SpillPlacement): void {
    for (const grown of placement.grown) this.dirt.recordChangedArea(sheet, grown);
    if (placement.freed) this.dirt.markBlockedSpills(sheet, placement.freed);
  }
}

function hasSize(spill: Spill | undefined, { rows, columns }: Matrix): boolean {
  return spill !== undefined && !spill.circular && height(spill.area) === rows && width(spill.area) === columns;
}

function isAnchor(sheet: Sheet, row: number, column: number): boolean {
  return sheet.spills.size > 0 && sheet.spills.has(createAnchorKey(row, column));
}

function isNumberAt(sheet: Sheet, row: number, column: number): boolean {
  return (sheet.kind(row, column) & TYPE_MASK) === NUMBER;
}
