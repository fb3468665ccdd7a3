import type { Meter } from '../calc/budget.ts';
import { type CellAreas, ChangeLog } from '../calc/change-log.ts';
import { compileFormula } from '../calc/compile.ts';
import { DirtyTasks } from '../calc/dirty-tasks.ts';
import { Evaluation } from '../calc/evaluation.ts';
import { HiddenReadLog } from '../calc/hidden-reads.ts';
import { Recalculation } from '../calc/recalculation.ts';
import { createReadingRights, type ReadingRights } from '../calc/rights.ts';
import { DraftInfo } from '../calc/workbook-info.ts';
import type { Node } from '../formula/ast.ts';
import { type ParseNames, resolveSheets } from '../formula/index.ts';
import { area } from '../grid/area.ts';
import type { Move } from '../grid/move.ts';
import { Draft } from '../sheet/draft.ts';
import type { NewHeader } from '../sheet/moves/move-tables.ts';
import type { DefinedName, Sheet, Snapshot } from '../sheet/snapshot.ts';
import { measureStructure } from '../sheet/structure-size.ts';
import type { Run } from '../sheet/template.ts';
import { BatchMoment } from './batch-moment.ts';
import type { BatchState } from './batch-state.ts';
import { CellMoves } from './cell-moves.ts';
import { CellWriter } from './cell-writer.ts';
import {
  markFormulasInArea,
  markFormulasOmittingRows,
  markPositionDependentFormulas,
} from './formulas/dirty-formulas.ts';
import { type FormulaGraph, haveSameSheetNames } from './formulas/formula-graph.ts';
import { FormulaReader } from './formulas/formula-reader.ts';
import { PendingFormulas } from './formulas/pending-formulas.ts';
import { MergedCells } from './merged-cells.ts';
import { Structure } from './structure.ts';
import type { ApplyContext, EditOutcome, FormulaWarning, Refusal, TextLimits } from './types.ts';
import { WarningList } from './warning-list.ts';

/** The work of moving a name, a merged range or a similar item, in calculated cells. */
const MOVING_WORK = 10;

const NO_OUTCOMES: readonly EditOutcome[] = [];
const NO_CELLS: readonly CellAreas[] = [];
const NO_WARNINGS: readonly FormulaWarning[] = [];

/**
 * The state of one batch between its edits and the new snapshot, and the operations that edits use. It works on a
 * draft. If the draft is dropped, everything is undone except changes of the dependency graph.
 */
export class Batch implements BatchState {
  readonly draft: Draft;
  readonly meter: Meter;
  readonly formulas: FormulaGraph;
  readonly dirtyTasks: DirtyTasks;
  readonly written = new ChangeLog();
  /** Cells whose value or number format changed as a consequence of the written cells. */
  readonly derived = new ChangeLog();
  readonly writer: number | null;
  refusal: Refusal | null = null;
  readonly cells: CellWriter;
  /** Hidden sheets that the recalculation read; null if no sheet is hidden from any user. */
  readonly hiddenReadLog: HiddenReadLog | null;
  /** True if the batch added sheets. Formulas may already contain their names. */
  private hasNewSheets = false;
  private hasOtherHiddenRows = false;
  private readonly context: ApplyContext;
  private readonly rights: ReadingRights | null;
  private outcomeList: EditOutcome[] | null = null;
  // Objects that are created at their first use, because most batches only write a few cells.
  private cellMoves: CellMoves | null = null;
  private lazyRecalculation: Recalculation | null = null;
  private lazyMoment: BatchMoment | null = null;
  private lazyPending: PendingFormulas | null = null;
  private lazyToCalculate: ChangeLog | null = null;
  private lazyWarnings: WarningList | null = null;
  private lazyStructure: Structure | null = null;
  private lazyReader: FormulaReader | null = null;
  private lazyMergedCells: MergedCells | null = null;
  private lazyParseNames: ParseNames | null = null;
  private lazyDefinedNames: Set<string> | null = null;
  private nameCodes: Map<DefinedName, ReturnType<typeof compileFormula>> | null = null;

  /** `expectedChunks`: see `Draft`. */
  constructor(base: Snapshot, formulas: FormulaGraph, context: ApplyContext, meter: Meter, expectedChunks = 0) {
    this.meter = meter;
    this.draft = new Draft(base, expectedChunks);
    this.formulas = formulas;
    this.context = context;
    const rights = createReadingRights(context.rights);
    this.rights = rights;
    this.writer = context.writer ?? null;
    this.hiddenReadLog = rights && new HiddenReadLog(rights.hidden);
    this.dirtyTasks = new DirtyTasks(this.draft, formulas, meter);
    this.cells = new CellWriter(this, rights?.getClosedSheets(this.writer) != null);
  }

  /** The outcome of each performed edit, in order. */
  get outcomes(): readonly EditOutcome[] {
    return this.outcomeList ?? NO_OUTCOMES;
  }

  addOutcome(outcome: EditOutcome): void {
    // Most batches have one edit. V8 would reserve space for 17 outcomes at the first `push`.
    if (this.outcomeList === null) this.outcomeList = [outcome];
    else this.outcomeList.push(outcome);
  }

  get textLimits(): TextLimits {
    return this.context;
  }

  get recalculation(): Recalculation {
    this.lazyRecalculation ??= this.makeRecalculation();
    return this.lazyRecalculation;
  }

  private makeRecalculation(): Recalculation {
    const { rights, hiddenReadLog } = this;
    const protection = rights && hiddenReadLog && { rights, hiddenReads: hiddenReadLog };
    return new Recalculation(this, this.formulas, this.dirtyTasks, this.derived, protection);
  }

  get pending(): PendingFormulas {
    this.lazyPending ??= new PendingFormulas(this);
    return this.lazyPending;
  }

  get toCalculate(): ChangeLog {
    this.lazyToCalculate ??= new ChangeLog();
    return this.lazyToCalculate;
  }

  get warnings(): WarningList {
    this.lazyWarnings ??= new WarningList();
    return this.lazyWarnings;
  }

  /** The warnings so far. */
  get warningItems(): readonly FormulaWarning[] {
    return this.lazyWarnings?.items ?? NO_WARNINGS;
  }

  private get moment(): BatchMoment {
    this.lazyMoment ??= new BatchMoment(this.draft.base.settings, this.context);
    return this.lazyMoment;
  }

  get structure(): Structure {
    this.lazyStructure ??= new Structure(this.draft, this.formulas, this.toCalculate, this.rights);
    return this.lazyStructure;
  }

  get reader(): FormulaReader {
    this.lazyReader ??= new FormulaReader(this.parseNames);
    return this.lazyReader;
  }

  get parseNames(): ParseNames {
    this.lazyParseNames ??= { findSheetId: (name) => this.draft.sheetByName(name)?.id ?? -1 };
    return this.lazyParseNames;
  }

  get merged(): MergedCells {
    this.lazyMergedCells ??= new MergedCells();
    return this.lazyMergedCells;
  }

  /** Keys of the names that the batch defined or changed. */
  get definedNames(): Set<string> {
    this.lazyDefinedNames ??= new Set();
    return this.lazyDefinedNames;
  }

  /** Calculates the previous edits, for an edit that depends on results. */
  calculateSoFar(): void {
    this.pending.flush();
    if (this.outcomes.length > 0) this.recalculate();
  }

  /** Calculates the written formulas, all formulas that depend on changes, and the volatile formulas. */
  recalculate(): void {
    const { draft } = this;
    this.flushFormulas();
    if (draft.tables.length > 0) this.updateTables();
    if (this.lazyStructure !== null || hasOtherNames(draft)) this.structure.rereadFormulas();
    if (this.lazyToCalculate !== null) this.markFormulasIn(this.lazyToCalculate, true);
    if (this.cellMoves !== null) this.markFormulasIn(this.cellMoves.stale, false);
    if (this.cellMoves !== null) markPositionDependentFormulas(this, this.cellMoves.hasTornTables);
    if (this.hasOtherHiddenRows) markFormulasOmittingRows(this);
    this.written.reportAreas(this.dirtyTasks);
    this.markRepeatedFormulas();
    if (!this.dirtyTasks.isEmpty()) this.calculateDirtyFormulas();
    draft.hasClock = this.formulas.clock.size > 0;
  }

  private calculateDirtyFormulas(): void {
    const { recalculation } = this;
    recalculation.run();
    if (recalculation.released.length > 0) this.releaseCached();
  }

  /** Marks the formulas that must be calculated even if no cell that they read has changed. */
  private markRepeatedFormulas(): void {
    const { always, clock, dynamic } = this.formulas;
    if (always.size > 0) this.markRuns(always);
    if (clock.size > 0) this.markFormulasOfDay();
    if (dynamic.runs.size > 0) this.markRuns(this.areReadsRecorded() ? dynamic.unknownRuns : dynamic.runs);
  }

  /** Marks the formulas with TODAY if the day has changed since their calculation. */
  private markFormulasOfDay(): void {
    const { formulas } = this;
    const day = Math.floor(this.moment.now);
    if (formulas.isNewDay(day)) this.markRuns(formulas.daily);
    formulas.onDayCalculated(day);
  }

  /** True if the recorded reads of INDIRECT and similar functions show which of their results can change. */
  private areReadsRecorded(): boolean {
    const { draft } = this;
    const hasSameStructure =
      this.cellMoves === null &&
      !hasOtherNames(draft) &&
      draft.settings === draft.base.settings &&
      haveSameSheetNames(draft.base, draft);
    // Reads of hidden sheets are not recorded. Circular arrays spill in other ways if fewer formulas are calculated.
    return hasSameStructure && this.rights === null && !draft.sheets.some(hasCircularSpill);
  }

  private markRuns(runs: Iterable<Run>): void {
    for (const run of runs) this.dirtyTasks.markFormulas(run, run.top, run.bottom);
  }

  /** Marks the formulas in the recorded cells for calculation. `areNew`: true if these formulas have no results yet. */
  private markFormulasIn(cells: ChangeLog, areNew: boolean): void {
    if (cells.isEmpty) return;
    for (const { sheet, areas } of cells.listAreas())
      for (const rows of areas) markFormulasInArea(this, sheet, rows, areNew);
  }

  /**
   * Records that sheets were added or renamed. Formulas may already contain their names. Call it after such a change.
   */
  onSheetsAdded(): void {
    this.reader.reset();
    this.hasNewSheets = true;
  }

  /**
   * Changes formulas that contain the names of added sheets so that they refer to these sheets. It does this once for
   * all added sheets.
   */
  resolveNewSheets(): void {
    if (!this.hasNewSheets) return;
    this.hasNewSheets = false;
    this.changeFormulas((node) => resolveSheets(node, this.parseNames));
  }

  /**
   * Updates the runs of all formulas, and resolves references to added sheets. Call it before an edit that reads all
   * formulas.
   */
  flushFormulas(): void {
    this.resolveNewSheets();
    this.lazyPending?.flush();
  }

  /** Applies `change` to all formulas and names that depend on the list of sheets. */
  changeFormulas(change: (node: Node) => Node): void {
    this.pending.flush();
    this.reader.reset();
    this.structure.changeTrees(change);
  }

  /** Records that rows were hidden or shown. Formulas that omit hidden rows must be calculated again. */
  onRowsHidden(): void {
    this.hasOtherHiddenRows = true;
  }

  /** Cells that the reverse moves do not restore, by their positions before the batch. */
  get lostCells(): readonly CellAreas[] {
    return this.cellMoves?.lost.listAreas() ?? NO_CELLS;
  }

  /**
   * Moves cells and all references to them. Returns the headers for columns that were added to tables. Sets `refusal`
   * if filled cells would leave the grid.
   */
  moveCells(move: Move): readonly NewHeader[] {
    this.meter.reportWork(measureStructure(this.draft) * MOVING_WORK);
    this.flushFormulas();
    const { cellMover } = this;
    if (cellMover.losesCells(move)) {
      this.refusal ??= { kind: 'refusal', reason: 'outsideGrid' };
      return [];
    }
    const headers = cellMover.moveCells(move);
    this.cells.moveEntered(move);
    this.reader.reset();
    return headers;
  }

  /** Records that the cells that the batch moved to a sheet are deleted with it. Call it before deleting the sheet. */
  recordLostSheet(sheet: number): void {
    this.cellMoves?.recordLostSheet(sheet);
  }

  /** Replaces the formulas of a run because cells that they refer to changed. The formulas keep their writers. */
  rewriteRun({ sheet, column, top, bottom, template, writer }: Run): void {
    for (let row = top; row <= bottom; row++) this.pending.add(sheet, column, { row, template, writer });
    this.cellMover.recordLost({ sheet, area: area(top, column, bottom, column) });
  }

  private get cellMover(): CellMoves {
    const logs = [this.written, this.derived, this.toCalculate];
    this.cellMoves ??= new CellMoves(this, logs);
    return this.cellMoves;
  }

  /** Extends tables by rows that were written below them, and renames columns whose headers were written. */
  private updateTables(): void {
    this.structure.growTables(this.written);
    const renamed = this.structure.followHeaders(this.written, this.cellMoves?.headers);
    if (renamed.size === 0) return;
    this.meter.reportWork(measureStructure(this.draft));
    this.structure.followInLayouts(renamed);
  }

  /** Converts formulas that lost the cached result of their file to ordinary formulas. */
  private releaseCached(): void {
    for (const { sheet, row, column, template } of this.recalculation.released) {
      const run = this.draft.sheet(sheet)?.run(row, column);
      if (run?.template.node.k !== 'cached') continue;
      this.pending.add(sheet, column, { row, template, writer: run.writer });
      this.written.add(sheet, row, column);
    }
    this.pending.flush();
  }

  /** Creates the evaluation of formulas for this batch. */
  createEvaluation(): Evaluation {
    const { draft, formulas, meter, moment } = this;
    const info = new DraftInfo(draft);
    const evaluation = new Evaluation(draft, meter, moment, info, (name) => this.compileName(name), formulas.indexes);
    info.evaluation = evaluation;
    return evaluation;
  }

  /** The compiled formula of a defined name; each name is compiled once. */
  private compileName(name: DefinedName) {
    this.nameCodes ??= new Map();
    const existingCode = this.nameCodes.get(name);
    if (existingCode) return existingCode;
    const code = compileFormula(name.node);
    this.nameCodes.set(name, code);
    return code;
  }
}

function hasCircularSpill({ spills }: Sheet): boolean {
  for (const { circular } of spills.values()) if (circular) return true;
  return false;
}

/** True if a draft changed names or tables. */
function hasOtherNames({ names, tables, base }: Draft): boolean {
  return names !== base.names || tables !== base.tables;
}
