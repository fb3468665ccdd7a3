import type { Lambda, Matrix } from '../functions/value.ts';
import { CHUNK_MASK, CHUNK_ROWS, CHUNK_SHIFT } from '../sheet/chunk.ts';
import type { Draft } from '../sheet/draft.ts';
import { GENERAL } from '../sheet/formats.ts';
import type { Sheet, Spill } from '../sheet/snapshot.ts';
import type { Template } from '../sheet/template.ts';
import { NUM } from '../value/errors.ts';
import type { Scalar } from '../value/scalar.ts';
import { computeArithmetic, runArithmetic } from './arithmetic.ts';
import { BlockCalculator } from './block-calculator.ts';
import type { Meter } from './budget.ts';
import type { ChangeLog } from './change-log.ts';
import { Circle, createCircle } from './circles/circle.ts';
import type { DemandedCell } from './circles/circular-cells.ts';
import { type CompiledTemplate, createReleasedTemplate, getCompiledTemplate } from './compiled.ts';
import type { CalculatedFormulas, DirtyTasks } from './dirty-tasks.ts';
import type { Evaluation } from './evaluation.ts';
import { type CellKey, createCellKey, type FormulaProtection, TextReadLog } from './hidden-reads.ts';
import { readIteration } from './iteration.ts';
import type { Kernel } from './kernel.ts';
import { DemandCalculator } from './on-demand.ts';
import { Results } from './results.ts';
import { findSelfOrder } from './run-direction.ts';
import { Schedule } from './schedule.ts';
import { hasSpillInRun } from './spill.ts';
import { type FormulaTask, finishWithPrecedents, namesClosedSheetIn } from './task.ts';

/** Minimum rows of a block. Fewer rows are calculated cell by cell because a block has a fixed cost. */
const MIN_BLOCK_ROWS = 4;

/** Shared empty lists. A list with entries replaces them. */
const NO_TASKS: readonly FormulaTask[] = [];
const NO_CELLS: CalculatedCell[] = [];

/** A formula in its cell. */
interface CalculatedCell {
  readonly sheet: number;
  readonly row: number;
  readonly column: number;
  readonly template: Template;
}

/** The draft to recalculate, and the means for it. */
interface RecalculationHost {
  readonly draft: Draft;
  readonly meter: Meter;
  /** Creates the evaluation of formulas that need more than plain arithmetic. */
  createEvaluation(): Evaluation;
}

/**
 * Calculates the formulas that depend on a change, in waves. A wave finds the dirty formulas along the graph and
 * calculates each run after its precedents. Array cells that a wave fills for the first time cause the next wave.
 */
export class Recalculation {
  private readonly host: RecalculationHost;
  private readonly draft: Draft;
  /** Evaluates formulas that need more than plain arithmetic; created for the first such formula. */
  private madeEvaluation: Evaluation | null = null;
  private readonly meter: Meter;
  private readonly changes: ChangeLog;
  private readonly formulas: CalculatedFormulas;
  /** Writes results; created for the first result. */
  private madeResults: Results | null = null;
  /** Sheets that formulas may not read; null if every user may read all sheets. */
  private readonly protection: FormulaProtection | null;
  /** Calculates blocks of rows; created for the first block. */
  private madeBlocks: BlockCalculator | null = null;
  /** Calculates cells on demand; created for the first of them. */
  private madeOnDemand: DemandCalculator | null = null;
  private readonly dirt: DirtyTasks;
  /** Formulas without a result in the imported file, by `createCellKey`; null unless an import calculates iteratively. */
  withoutFileResult: ReadonlySet<CellKey> | null = null;
  /** Formulas of imported files that are no longer shown with their cached result but calculated, by cell. */
  private releasedCells: CalculatedCell[] = NO_CELLS;
  /** The tasks of the current wave. */
  private tasks: readonly FormulaTask[] = NO_TASKS;
  /** The order of the current wave's tasks; created on demand. */
  private schedule: Schedule | null = null;

  constructor(
    host: RecalculationHost,
    formulas: CalculatedFormulas,
    dirt: DirtyTasks,
    changes: ChangeLog,
    protection: FormulaProtection | null = null,
  ) {
    const { draft, meter } = host;
    this.host = host;
    this.draft = draft;
    this.dirt = dirt;
    this.formulas = formulas;
    this.meter = meter;
    this.changes = changes;
    this.protection = protection;
  }

  /** Cells whose formulas lost the cached result of their file because a precedent changed. */
  get released(): readonly CalculatedCell[] {
    return this.releasedCells;
  }

  private get results(): Results {
    this.madeResults ??= new Results(this.draft, this.dirt, this.meter, this.changes);
    return this.madeResults;
  }

  private get blocks(): BlockCalculator {
    this.madeBlocks ??= new BlockCalculator(this.draft, this.meter);
    return this.madeBlocks;
  }

  private get evaluation(): Evaluation {
    if (this.madeEvaluation === null) {
      this.madeEvaluation = this.host.createEvaluation();
      this.madeEvaluation.closedToText = this.protection?.rights.hidden ?? null;
    }
    return this.madeEvaluation;
  }

  private get onDemand(): DemandCalculator {
    this.madeOnDemand ??= this.makeOnDemand();
    return this.madeOnDemand;
  }

  private makeOnDemand(): DemandCalculator {
    const { draft, evaluation } = this;
    const calculateCell = (task: FormulaTask, row: number) => this.calculateCell(task, row);
    const placeScalar = (task: FormulaTask, row: number, value: Scalar) => this.results.placeResult(task, row, value);
    const iteration = readIteration(draft.base.carried);
    const hasFileResult = ({ task: { run }, row }: DemandedCell) =>
      this.withoutFileResult?.has(createCellKey(run.sheet, row, run.column)) === false;
    const isImport = draft.base.revision < 0;
    const visitReads = (task: FormulaTask, row: number) => this.visitReads(task, row);
    const retryCircle = this.results.retryCircle.bind(this.results);
    const circleHost = {
      ...{ draft, iteration, isImport, hasFileResult },
      ...{ calculateCell, visitReads, placeScalar, retryCircle },
    };
    return new DemandCalculator({
      evaluation,
      calculateCell,
      schedule: () => {
        this.schedule ??= new Schedule(this.tasks, (id) => draft.sheet(id));
        return this.schedule;
      },
      createCircle: (members, number, cells, joined) => {
        for (const { task } of cells) this.formulas.dynamic.markUnrecorded(task.run);
        return createCircle(circleHost, members, number, cells, joined);
      },
      solveCircle: ({ members }) => new Circle(circleHost, members.toReversed(), []),
    });
  }

  /** Clears the area that an anchor filled, because its formula was removed or no longer spills. */
  dissolveSpill(sheet: Sheet, spill: Spill): void {
    this.results.eraseSpill(sheet, spill);
    this.dirt.recordChangedArea(sheet.id, spill.area);
  }

  /** Calculates until nothing is dirty. Exceptions of the meter pass through. */
  run(): void {
    try {
      for (let wave = 1; ; wave++) {
        const grew = this.dirt.hasChanges;
        if (this.dirt.isEmpty() && (wave === 1 || !grew)) return;
        if (wave > 1) this.dirt.markUnrecorded();
        this.calculateWave(this.dirt.takeTasks());
      }
    } finally {
      this.dirt.clearTasks();
    }
  }

  /** Calculates the tasks of one wave, each after its precedents. */
  private calculateWave(tasks: readonly FormulaTask[]): void {
    this.tasks = tasks;
    this.schedule = null;
    if (this.madeEvaluation !== null) this.madeEvaluation.wave++;
    for (const task of tasks) if (task.state === 'waiting') finishWithPrecedents(task, this);
    this.tasks = NO_TASKS;
    this.schedule = null;
  }

  /** Calculates a task whose precedents are done. */
  finishTask(task: FormulaTask): void {
    task.state = 'visiting';
    this.calculateTask(task);
    task.state = 'done';
    this.schedule?.closeTask(task);
  }

  /** Calculates the dirty rows of a task in a direction in which no row is read before it is calculated. */
  private calculateTask(task: FormulaTask): void {
    const { run } = task;
    const sheet = this.draft.ensureOwnSheet(run.sheet);
    const order = this.findCalculationOrder(task, sheet);
    if (order === 'demand') return this.calculateOnDemand(task);
    if (order === 'up') return this.calculateUpwards(task);
    if (!task.isCell) this.calculateSpans(task, sheet);
    else if (!task.isBegun) this.calculateCell(task, run.top);
  }

  /** Calculates the dirty rows of a task downwards, many of them at once if possible. */
  private calculateSpans(task: FormulaTask, sheet: Sheet): void {
    const { run } = task;
    const inBlocks = !task.isBegun && !hasSpillInRun(sheet.spills, run);
    const mayReadAll = !this.namesClosedSheet(task);
    task.forEachSpan((first, last) => {
      const isCached = run.template.node.k === 'cached';
      const compiled =
        inBlocks && last - first + 1 > MIN_BLOCK_ROWS && !isCached ? getCompiledTemplate(run.template) : null;
      if (compiled?.kernel && mayReadAll) this.calculateBlocks(task, compiled.kernel, first, last);
      else if (compiled && !task.readsItself) this.calculateRows(task, compiled, first, last);
      else for (let row = first; row <= last; row++) if (!task.isRowFinished(row)) this.calculateCell(task, row);
    });
  }

  /**
   * True if the tree names a sheet that the writer may not read. Such a formula must be calculated by `Evaluation`,
   * which checks the rights.
   */
  private namesClosedSheet(task: FormulaTask): boolean {
    if (this.protection === null) return false;
    task.namesClosed ??= namesClosedSheetIn(task, this.protection.rights.getClosedSheets(task.run.writer));
    return task.namesClosed;
  }

  /**
   * The direction in which a task's rows can be calculated; `demand` if each row must be calculated when it is read.
   */
  private findCalculationOrder(task: FormulaTask, sheet: Sheet): 'down' | 'up' | 'demand' {
    const { indirect } = this.formulas;
    if (task.circular || (indirect.size > 0 && indirect.has(task.run))) return 'demand';
    if (!task.readsItself) return 'down';
    return sheet.spills.size > 0 ? 'demand' : findSelfOrder(task);
  }

  private calculateOnDemand(task: FormulaTask): void {
    task.forEachSpan((first, last) => {
      for (let row = first; row <= last; row++) if (!task.isRowFinished(row)) this.onDemand.calculate(task, row);
    });
  }

  /**
   * Calculates plain arithmetic chunk by chunk. A chunk that contains anything but numbers is calculated cell by cell.
   * A formula takes a number format when it is entered, when a user changes formats, and when its result becomes a
   * number.
   */
  private calculateBlocks(task: FormulaTask, kernel: Kernel, from: number, to: number): void {
    const room = new Float64Array(CHUNK_ROWS);
    for (let first = from; first <= to; ) {
      const last = Math.min(to, first | CHUNK_MASK);
      if (!this.replaceBlock(task, kernel, first, last)) {
        const done = this.tryCalculateBlock(task, kernel, first, last, room);
        if (!done) for (let row = first; row <= last; row++) this.calculateCell(task, row);
      }
      first = last + 1;
    }
  }

  /** Replaces all results of a chunk. False if the rows do not cover it, or if it contains more than numbers. */
  private replaceBlock({ run, isNew }: FormulaTask, kernel: Kernel, first: number, last: number): boolean {
    if (isNew || this.draft.hasNewFormats) return false;
    const count = last - first + 1;
    const sheet = this.draft.ensureOwnSheet(run.sheet);
    const chunk = this.draft.findWholeResults(sheet, run.column, first, count);
    if (chunk === null) return false;
    const numbers = this.draft.allocateNumbers(count);
    if (!this.blocks.calculate(kernel, run, first, count, numbers)) return false;
    this.meter.spendCells(count);
    if (chunk.containsNumbers(numbers)) return true;
    this.changes.addResultBlock(run.sheet, run.column, { first, before: chunk, after: numbers });
    this.draft.replaceResults(sheet, run.column, chunk, first >> CHUNK_SHIFT, numbers);
    return true;
  }

  /**
   * Calculates rows `first` to `last` as a block and writes the results. False if the rows contain more than numbers.
   * `room`: array for the results.
   */
  private tryCalculateBlock(
    task: FormulaTask,
    kernel: Kernel,
    first: number,
    last: number,
    room: Float64Array,
  ): boolean {
    const count = last - first + 1;
    if (!this.blocks.calculate(kernel, task.run, first, count, room)) return false;
    this.meter.spendCells(count);
    this.results.placeArithmetic(task, first, count, room);
    return true;
  }

  /**
   * Calculates each cell separately. Consecutive numbers are written to their chunk together because no row reads
   * another.
   */
  private calculateRows(task: FormulaTask, compiled: CompiledTemplate, from: number, to: number): void {
    const { run } = task;
    const room = new Float64Array(CHUNK_ROWS);
    const formats = new Uint16Array(CHUNK_ROWS);
    let count = 0;
    for (let row = from; row <= to; row++) {
      this.meter.spendCells(1);
      this.prepareEvaluation(task, row, to - from + 1);
      const result = this.evaluateTemplate(compiled);
      const isNumber = typeof result === 'number';
      const format = this.evaluation.formats?.last ?? GENERAL;
      if (isNumber) {
        room[count] = result;
        formats[count++] = format;
      }
      if (count > 0 && (!isNumber || row === to || (row & CHUNK_MASK) === CHUNK_MASK)) {
        this.results.placeNumbers(run, row + (isNumber ? 1 : 0) - count, count, room, formats);
        count = 0;
      }
      if (!isNumber) this.results.placeResult(task, row, result, format);
    }
  }

  private calculateUpwards(task: FormulaTask): void {
    const { first, last } = task.getRowBounds();
    for (let row = last; row >= first; row--) if (task.isRowUnfinished(row)) this.calculateCell(task, row);
  }

  private calculateCell(task: FormulaTask, row: number): void {
    const { run } = task;
    this.meter.spendCells(1);
    if (!this.madeOnDemand?.isRunning && !this.namesClosedSheet(task)) {
      const sheet = this.draft.ensureOwnSheet(run.sheet);
      const formulaSheet = this.draft.sheet(this.draft.formulaSheet(run.sheet)) ?? sheet;
      // Most new formulas are calculated only once. Compiling them would take longer than the calculation.
      const result = task.isNew
        ? computeArithmetic(run.template.node, this.draft, formulaSheet, row, run.column)
        : runArithmetic(run.template, this.draft, formulaSheet, row, run.column);
      if (!Number.isNaN(result)) return this.results.placeNumber(sheet, task, row, result);
    }
    this.prepareEvaluation(task, row, 1);
    const { dynamic, indirect } = this.formulas;
    const read = this.protection !== null && indirect.has(run) ? new Set<number>() : null;
    const texts = read === null ? null : new TextReadLog();
    this.evaluation.sheetsRead = read;
    this.evaluation.textReads = texts;
    this.evaluation.readLog = dynamic.startLog(run);
    const compiled = getCompiledTemplate(run.template);
    // A formula with a cached result from a file keeps that result only until a precedent changes.
    const released = compiled.isCached && !task.isNew ? createReleasedTemplate(run.template) : null;
    const result = this.evaluateTemplate(released === null ? compiled : getCompiledTemplate(released));
    dynamic.record(run, row, this.evaluation.readLog, this.protection !== null);
    if (released !== null) this.releaseCell({ sheet: run.sheet, row, column: run.column, template: released });
    if (read !== null && texts !== null) {
      this.protection?.hiddenReads.recordReads(run.sheet, row, run.column, read, texts.reads);
    }
    this.results.placeResult(task, row, result, this.evaluation.formats?.last);
  }

  /** Calculates a formula without storing its result, so that the cells that it reads are calculated. */
  private visitReads(task: FormulaTask, row: number): void {
    this.meter.spendCells(1);
    this.prepareEvaluation(task, row, 1);
    this.evaluateTemplate(getCompiledTemplate(task.run.template));
  }

  private releaseCell(cell: CalculatedCell): void {
    if (this.releasedCells === NO_CELLS) this.releasedCells = [];
    this.releasedCells.push(cell);
  }

  /**
   * Prepares `evaluation` for a formula cell and its writer's rights. `cells`: number of cells with the same formula.
   */
  private prepareEvaluation({ run, entry }: FormulaTask, row: number, cells: number): void {
    this.evaluation.enterCell(run.sheet, row, run.column, entry.edges, cells);
    if (this.protection === null) return;
    this.evaluation.closed = this.protection.rights.getClosedSheets(run.writer);
    this.evaluation.sheetsRead = null;
    this.evaluation.textReads = null;
  }

  /** The result of a formula. `evaluation.formats` has its format, or is null if it takes none. */
  private evaluateTemplate(compiled: CompiledTemplate): Scalar | Matrix | Lambda {
    const use = compiled.formatUse;
    const follows = use === 'own' || (use === 'cells' && this.draft.formats.hasNumberFormats);
    this.evaluation.formats = follows ? this.results.formats.hideSheets(this.evaluation.closed) : null;
    try {
      return this.evaluation.finishResult(compiled.code(this.evaluation, null));
    } catch (thrown) {
      // A formula may nest deeper than the machine's stack allows. Its result is then the same as for calls that nest
      // too deeply.
      if (thrown instanceof RangeError) return NUM;
      throw thrown;
    }
  }
}
