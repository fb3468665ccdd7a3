import type { WorkbookInfo } from '../functions/context.ts';
import type { Code as CodeOf, FormContext } from '../functions/forms/compiler.ts';
import { computeTextCost } from '../functions/limits.ts';
import type { OrderedNumbers } from '../functions/selection/ordered-numbers.ts';
import { type Lambda, Matrix, Reference, type SheetArea, type Value } from '../functions/value.ts';
import type { Precedent } from '../graph/precedent.ts';
import { type Area, area, cellCount } from '../grid/area.ts';
import { MAX_COLUMNS, MAX_ROWS } from '../grid/limits.ts';
import type { Draft } from '../sheet/draft.ts';
import type { DefinedName, Extent, Sheet } from '../sheet/snapshot.ts';
import { NUM, REF, VALUE } from '../value/errors.ts';
import type { Scalar } from '../value/scalar.ts';
import type { Meter } from './budget.ts';
import type { CalculationMoment } from './calculation-moment.ts';
import type { CellFormats } from './cell-formats.ts';
import { FilledExtents } from './filled-extent.ts';
import type { ColumnIndexes } from './indexes/column-index.ts';
import { findLastAtMost } from './indexes/sorted-column.ts';
import { alignTops, RangeStates } from './range-states.ts';
import type { RangeExtremes, RangeTotals } from './range-totals.ts';
import { clipToUsedPart, computeExtremes, computeStatistics, computeTotals } from './range-totals.ts';
import { AreaReader } from './read-area.ts';
import { scanArea, type VisitCell } from './scan-area.ts';
import { MIN_SHARED_CELLS } from './shared/expression-kinds.ts';
import { ReadRecorder, type SharedKey, type SharedSlot, SharedValues } from './shared/shared-values.ts';
import { SheetReader } from './shared/sheet-reader.ts';

/** Maximum nesting of calls of LAMBDAs and names. Deeper calls give `#NUM!`, as Excel does when its stack ends. */
const MAX_CALL_DEPTH = 1024;

const NO_ROWS: readonly number[] = [];

/** A compiled expression. */
export type Code = CodeOf<Evaluation>;

/**
 * The context of functions while one formula cell is calculated. One object is used for all cells, one after another.
 */
export class Evaluation extends SheetReader implements FormContext {
  row = 0;
  column = 0;
  sheet = 0;
  readonly workbook: WorkbookInfo;
  /** Format tracking; null while results do not inherit formats. */
  formats: CellFormats | null = null;
  private readonly meter: Meter;
  private readonly moment: CalculationMoment;
  /** The random numbers of the cell; null until used. */
  private nextRandom: (() => number) | null = null;
  private depth = 0;
  /** Defined names that are being evaluated, to detect names that refer to themselves. */
  private readonly named = new Set<DefinedName>();
  private precedents: readonly Precedent[] = [];
  /** Number of cells with this formula. Each may make the same requests, so a larger number justifies an index. */
  private cells = 1;
  /** Size to which all open references of the formula are clipped; null until the formula reads one. */
  private common: Extent | null = null;
  private readonly nameCode: (name: DefinedName) => Code;
  private readonly indexes: ColumnIndexes;
  private readonly states = new RangeStates();
  private readonly shared = new SharedValues();
  private readonly areas = new AreaReader();
  private readonly extents = new FilledExtents(this.draft, (id) => this.findReadableSheet(id));

  constructor(
    draft: Draft,
    meter: Meter,
    moment: CalculationMoment,
    workbook: WorkbookInfo,
    nameCode: (name: DefinedName) => Code,
    indexes: ColumnIndexes,
  ) {
    super(draft);
    this.meter = meter;
    this.moment = moment;
    this.workbook = workbook;
    this.nameCode = nameCode;
    this.indexes = indexes;
  }

  get now(): number {
    return this.moment.now;
  }

  random(): number {
    this.nextRandom ??= this.moment.randomFor(this.sheet, this.row, this.column);
    return this.nextRandom();
  }

  get locale() {
    return this.draft.settings.locale;
  }

  get dateSystem() {
    return this.draft.settings.dateSystem;
  }

  get sheets(): readonly Sheet[] {
    return this.draft.sheets;
  }

  hasSheet(id: number): boolean {
    return this.draft.hasSheet(id);
  }

  get names(): readonly DefinedName[] {
    return this.draft.names;
  }

  get tables() {
    return this.draft.tables;
  }

  /** Takes cells from the calculation's budget. Throws `BUDGET_EXHAUSTED` if there are not enough. */
  spendCells(cells: number): void {
    this.meter.spendCells(cells);
  }

  /** Takes the elements of an array from the budget before it is allocated; see `Meter.spendElements`. */
  spendElements(elements: number, isCopy = false): void {
    this.meter.spendElements(elements, isCopy);
  }

  /** Checks the memory of an array with this number of elements without counting them. */
  checkMemory(elements: number): void {
    this.meter.checkMemory(elements);
  }

  /** Reports work before it starts, in units of evaluating one cell. */
  reportWork(work: number): void {
    this.meter.reportWork(work);
  }

  readCell(sheet: number, row: number, column: number): Scalar {
    if (this.isReadRefused(sheet)) return REF;
    if (this.readLog !== null) this.readLog.add(sheet, area(row, column, row, column));
    if (this.guard !== null) this.guard.check(sheet, area(row, column, row, column));
    this.sheetsRead?.add(sheet);
    const existingSheet = this.draft.sheet(sheet);
    if (this.recorder !== null) this.recorder.addArea(existingSheet, { left: column, right: column });
    if (this.formats !== null) this.formats.last = this.formats.readCellFormat(existingSheet, row, column);
    return existingSheet ? existingSheet.value(row, column) : REF;
  }

  /** The used size of a sheet. */
  getExtent(sheet: number): Extent {
    return this.findReadableSheet(sheet)?.extent() ?? { rows: 0, columns: 0 };
  }

  /**
   * Clips the open sides of an area to the filled cells. All open references of one formula are clipped to the size of
   * the largest one, so that `A:A*B:B` pairs its cells. Cells that the formula does not name do not count.
   */
  private clipOpenSides(a: SheetArea): Area {
    const openRows = a.bottom === MAX_ROWS - 1;
    const openColumns = a.right === MAX_COLUMNS - 1;
    if (!openRows && !openColumns) return a;
    const common = this.measureCommonExtent();
    if (this.recorder !== null) this.recorder.common = common;
    const filledExtent = this.extents.measure(a.sheet, a);
    const bottom = openRows ? Math.max(common.rows, filledExtent.rows, a.top + 1) - 1 : a.bottom;
    const right = openColumns ? Math.max(common.columns, filledExtent.columns, a.left + 1) - 1 : a.right;
    return area(a.top, a.left, bottom, right);
  }

  private measureCommonExtent(): Extent {
    this.common ??= this.extents.measureCommon(this.precedents, this);
    return this.common;
  }

  /** The cells of one area, its open sides clipped to the used size; several areas give `#VALUE!`. */
  readReference(reference: Reference): Matrix {
    if (reference.areas.length > 1) return new Matrix(1, 1, [VALUE]);
    const [only] = reference.areas;
    const sheet = this.openSheetForRead(only);
    if (!sheet) return new Matrix(1, 1, [REF]);
    const cut = this.clipOpenSides(only);
    if (cellCount(cut) < MIN_SHARED_CELLS) return this.readCells(sheet, cut);
    return this.readSharedCells(sheet, { ...cut, sheet: sheet.id });
  }

  /** The cells of an area. Formulas that read the same area one after another get the same matrix. */
  private readSharedCells(sheet: Sheet, cut: SheetArea): Matrix {
    const { shared, isNew } = this.shared.findArea(cut, this.formats);
    if (isNew) return this.readCells(sheet, cut);
    if (shared.matrix !== null && shared.isCurrent(sheet, this.draft)) return shared.matrix;
    const matrix = this.readCells(sheet, cut);
    this.shared.storeArea(shared, sheet, this.draft, matrix);
    return matrix;
  }

  private readCells(sheet: Sheet, cut: Area): Matrix {
    const rows = cut.bottom - cut.top + 1;
    const columns = cut.right - cut.left + 1;
    this.meter.spendElements(rows * columns, true);
    const data = this.areas.read(sheet, cut, this.meter);
    return new Matrix(rows, columns, data, this.formats?.readAreaFormats(sheet, cut, this.meter));
  }

  /** The slot of a value that formulas share; null if the running formula must calculate the value itself. */
  openShared(key: SharedKey): SharedSlot | null {
    if (this.readLog !== null || this.sheetsRead !== null || this.text !== null || this.recorder?.isWhole) return null;
    const slot = this.shared.findSlot(key, this);
    slot.requests++;
    if (!slot.isSharable) return null;
    if (slot.value === null) return slot;
    if (this.guard !== null && slot.reads.isWaiting(this.guard)) return null;
    if (!this.isCurrent(slot.reads)) {
      this.shared.renew(slot);
      return slot.isSharable ? slot : null;
    }
    this.recorder?.addReads(slot.reads);
    return slot;
  }

  private isCurrent(reads: ReadRecorder): boolean {
    if (reads.common !== null) {
      const common = this.measureCommonExtent();
      if (common.rows !== reads.common.rows || common.columns !== reads.common.columns) return false;
    }
    return reads.isCurrent(this.draft);
  }

  /**
   * Makes the value of a slot, or a part of it, and records what it reads. `isWhole`: parts of the value are not shared
   * separately.
   */
  recordShared<T>(slot: SharedSlot, isWhole: boolean, make: () => T): T {
    const outer = this.recorder;
    const recorder = new ReadRecorder(isWhole);
    this.recorder = recorder;
    try {
      return make();
    } finally {
      this.recorder = outer;
      slot.reads.addReads(recorder);
      outer?.addReads(recorder);
    }
  }

  /** Keeps the value of a slot. `elements`: the number of its array elements. */
  storeShared(slot: SharedSlot, value: object, elements: number): void {
    if (slot.reads.isUnknown) return slot.exclude();
    this.meter.checkMemory(elements);
    slot.value = value;
    this.shared.resize(slot, elements);
  }

  /** Calls `visit` with each filled cell, area by area and column by column. */
  scanReference(reference: Reference, visit: VisitCell): void {
    for (const part of reference.areas) {
      const sheet = this.openSheetForRead(part);
      if (sheet) scanArea(sheet, part, this.meter, visit);
      else visit(REF, part.top, part.left, part.sheet);
    }
  }

  /** The sum, the counts and the first error of a reference's cells. */
  computeTotals(reference: Reference): RangeTotals {
    return computeTotals(reference, (part) => this.openSheetForRead(part), this.meter);
  }

  /** The least and the greatest number of a reference, and its first error. */
  computeExtremes(reference: Reference): RangeExtremes {
    return computeExtremes(reference, (part) => this.openSheetForRead(part), this.meter);
  }

  /** Statistics of a reference's numbers, or its first error. */
  computeStatistics(reference: Reference) {
    return computeStatistics(reference, (part) => this.openSheetForRead(part), this.meter);
  }

  /** The numbers of a reference in ascending order, from an index; null if there is none. */
  getOrderedNumbers(reference: Reference): OrderedNumbers | null {
    const [only, ...others] = reference.areas;
    const sheet = others.length > 0 ? undefined : this.openSheetForRead(only);
    return sheet ? this.indexes.requestOrderedNumbers(sheet, clipToUsedPart(sheet, only), this) : null;
  }

  /** A function's state for areas, kept from one formula cell to the next; see `FunctionContext.getRangeState`. */
  getRangeState<T extends object>(owner: object, areas: readonly SheetArea[], make: () => T, rows?: 'moved'): T | null {
    // Checked first: a whole column that a state covers may contain cells that the formula does not read.
    if (rows === 'moved' && this.guard !== null) return null;
    const sheets: Sheet[] = [];
    for (const each of areas) {
      const sheet = this.openSheetForRead(each);
      if (!sheet) return null;
      sheets.push(sheet);
    }
    return this.states.findOrCreate(owner, rows === 'moved' ? alignTops(areas) : areas, sheets, make);
  }

  /** The rows with a value in the whole column of an area, from an index; null if there is none. */
  findRowsWithValue(
    area: SheetArea,
    value: number | string | boolean,
    numbersInTexts: boolean,
  ): readonly number[] | null {
    if (this.isReadRefused(area.sheet)) return null;
    const column = this.openSheetForRead(area)?.columns[area.left];
    if (!column) return NO_ROWS;
    return (
      this.indexes
        .requestIndex(area.sheet, area.left, column, this, this.cells)
        ?.findEqualRows(value, numbersInTexts) ?? null
    );
  }

  /**
   * The first row with a value in an area of one column, by the column's index. -1 for none; null if there is no index.
   */
  findFirstRowWithValue(area: SheetArea, value: number | string): number | null {
    if (this.isReadRefused(area.sheet)) return null;
    const column = this.openSheetForRead(area)?.columns[area.left];
    if (!column) return -1;
    const index = this.indexes.requestIndex(area.sheet, area.left, column, this, this.cells);
    if (!index) return null;
    const row = index.findFirstEqualRow(value, area.top);
    return row > area.bottom ? -1 : row;
  }

  /**
   * The row of the last value that is not greater than `value`, in an area of one column in ascending order. -1 for
   * none; null if the area does not contain only numbers.
   */
  findLastRowAtMost(area: SheetArea, value: number): number | null {
    if (this.isReadRefused(area.sheet)) return null;
    const column = this.openSheetForRead(area)?.columns[area.left];
    return column ? findLastAtMost(column, area.top, area.bottom, value, (cells) => this.spendCells(cells)) : null;
  }

  /** Calls a LAMBDA one level deeper, and counts it against the budget. */
  callLambda(lambda: Lambda, args: readonly (Value | undefined)[], formats: readonly number[] | null = null): Value {
    if (args.length > lambda.parameters || args.length < lambda.parameters - lambda.optional) return VALUE;
    const value = this.callNested(() => lambda.body(args, formats));
    if (typeof value === 'string') this.meter.spendCells(computeTextCost(value));
    return value;
  }

  /** Runs an expression one call deeper, within the limit. */
  callNested(run: () => Value): Value {
    if (this.depth >= MAX_CALL_DEPTH) return NUM;
    this.meter.spendCells(1);
    this.depth++;
    try {
      return run();
    } finally {
      this.depth--;
    }
  }

  /** The value of a defined name for the current cell. A name that depends on itself is a circular reference. */
  evaluateName(name: DefinedName): Value {
    if (this.named.has(name)) return REF;
    this.named.add(name);
    try {
      return this.callNested(() => this.nameCode(name)(this, null));
    } finally {
      this.named.delete(name);
    }
  }

  /** The result of a formula: a value with its references replaced by cell values. Its texts count against the budget. */
  finishResult(value: Value): Scalar | Matrix | Lambda {
    const result = this.dereference(value);
    if (typeof result === 'string') this.meter.spendCells(computeTextCost(result));
    if (!(result instanceof Matrix)) return result;
    for (const item of result.data) if (typeof item === 'string') this.meter.spendCells(computeTextCost(item));
    // Other formulas will use the memory of typed elements.
    return new Matrix(result.rows, result.columns, result.data, result.formats);
  }

  /** Replaces a reference by the cell values: one cell by a scalar, several cells by a matrix. */
  dereference(value: Value): Scalar | Matrix | Lambda {
    if (!(value instanceof Reference)) return value;
    const [first, ...others] = value.areas;
    if (others.length > 0) return VALUE;
    if (first.top === first.bottom && first.left === first.right)
      return this.readCell(first.sheet, first.top, first.left);
    return this.readReference(value);
  }

  /**
   * Prepares for the calculation of another formula cell, which reads `precedents`. Clears the state of a formula that
   * was interrupted.
   */
  enterCell(sheet: number, row: number, column: number, precedents: readonly Precedent[], cells = 1): void {
    this.cells = cells;
    this.nextRandom = null;
    this.precedents = precedents;
    this.common = null;
    this.sheet = this.draft.formulaSheet(sheet);
    this.row = row;
    this.column = column;
    this.depth = 0;
    this.recorder = null;
    this.readLog = null;
    this.scratch.takeBack();
  }
}
