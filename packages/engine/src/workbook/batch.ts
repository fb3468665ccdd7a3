import type { Meter } from '../calc/budget.ts';
import type { CalculationMoment } from '../calc/calculation-moment.ts';
import { type CellAreas, ChangeLog } from '../calc/change-log.ts';
import { compileFormula } from '../calc/compile.ts';
import { Evaluation } from '../calc/evaluation.ts';
import { HiddenReadLog } from '../calc/hidden-reads.ts';
import { Recalculation } from '../calc/recalculation.ts';
import { createReadingRights } from '../calc/rights.ts';
import { DraftInfo } from '../calc/workbook-info.ts';
import type { Node } from '../formula/ast.ts';
import { type ParseNames, resolveSheets } from '../formula/index.ts';
import { area } from '../grid/area.ts';
import type { Move } from '../grid/move.ts';
import { Draft } from '../sheet/draft.ts';
import type { NewHeader } from '../sheet/moves/move-tables.ts';
import type { DefinedName, Snapshot } from '../sheet/snapshot.ts';
import { measureStructure } from '../sheet/structure-size.ts';
import type { Run } from '../sheet/template.ts';
import type { BatchState } from './batch-state.ts';
import { CellMoves } from './cell-moves.ts';
import { CellWriter } from './cell-writer.ts';
import { markArea, markPositionDependent } from './formulas/dirty-formulas.ts';
import type { FormulaGraph } from './formulas/formula-graph.ts';
import { FormulaReader } from './formulas/formula-reader.ts';
import { PendingFormulas } from './formulas/pending-formulas.ts';
import { MergedCells } from './merged-cells.ts';
import { Structure } from './structure.ts';
import type { ApplyContext, EditOutcome, Refusal, TextLimits } from './types.ts';
import { WarningList } from './warning-list.ts';

/** The work of moving a name, a merged range or a similar item, as a number of calculated cells. */
const MOVING_WORK = 10;

/**
 * The state of one batch between its edits and the new snapshot, with the operations that edits are made of. It works on
 * a draft: dropping it undoes everything except changes of the dependency graph.
 */
export class Batch implements BatchState {
  readonly draft: Draft;
  readonly meter: Meter;
  readonly formulas: FormulaGraph;
  readonly recalculation: Recalculation;
  readonly written = new ChangeLog();
  /** Cells whose value or number format changed because of the written ones. */
  readonly derived = new ChangeLog();
  readonly toCalculate = new ChangeLog();
  readonly writer: number | null;
  readonly warnings = new WarningList();
  refusal: Refusal | null = null;
  readonly outcomes: EditOutcome[] = [];
  readonly textLimits: TextLimits;
  readonly cells: CellWriter;
  readonly pending: PendingFormulas;
  readonly reader: FormulaReader;
  readonly structure: Structure;
  readonly merged = new MergedCells();
  readonly parseNames: ParseNames;
  /**
   * Keys (`createScopedKey`) of names to which the batch gave a formula, and of names that it renamed to a word which
   * formulas contained already.
   */
  readonly definedNames = new Set<string>();
  /** Hidden sheets that the recalculation read; null if no sheet is hidden from anybody. */
  readonly reached: HiddenReadLog | null;
  /** True if the batch added sheets whose names formulas may contain already. */
  private hasNewSheets = false;
  private hasOtherHiddenRows = false;
  private cellMoves: CellMoves | null = null;
  private nameCodes: Map<DefinedName, ReturnType<typeof compileFormula>> | null = null;

  /** `expectedChunks`: see `Draft`. */
  constructor(
    base: Snapshot,
    formulas: FormulaGraph,
    context: ApplyContext,
    moment: CalculationMoment,
    meter: Meter,
    expectedChunks = 0,
  ) {
    this.meter = meter;
    this.draft = new Draft(base, expectedChunks);
    this.formulas = formulas;
    const rights = createReadingRights(context.rights);
    this.structure = new Structure(this.draft, formulas, this.toCalculate, rights);
    this.writer = context.writer ?? null;
    this.textLimits = context;
    this.reached = rights && new HiddenReadLog(rights.hidden);
    const protection = rights && this.reached && { rights, hiddenReads: this.reached };
    const evaluation = () => this.createEvaluation(moment);
    this.recalculation = new Recalculation(this.draft, formulas, evaluation, meter, this.derived, protection);
    this.parseNames = { sheetId: (name) => this.draft.sheetByName(name)?.id ?? -1 };
    this.reader = new FormulaReader(this.parseNames);
    this.pending = new PendingFormulas(this);
    this.cells = new CellWriter(this, this.pending, this.reader, rights?.sheetsClosedTo(this.writer) != null);
  }

  /** Calculates the edits so far, for an edit that depends on results. */
  calculateSoFar(): void {
    this.pending.flush();
    if (this.outcomes.length > 0) this.recalculate();
  }

  /** Calculates what was written, what depends on it, and the formulas that every batch calculates. */
  recalculate(): void {
    const { draft, recalculation } = this;
    this.flushFormulas();
    this.updateTables();
    this.structure.rereadFormulas();
    for (const { sheet, areas } of this.toCalculate.areas()) {
      for (const rows of areas) markArea(this, sheet, rows, true);
    }
    for (const { sheet, areas } of this.cellMoves?.stale.areas() ?? []) {
      for (const rows of areas) markArea(this, sheet, rows, false);
    }
    if (this.cellMoves !== null || this.hasOtherHiddenRows) {
      markPositionDependent(this, this.cellMoves?.hasTornTables ?? false);
    }
    for (const { sheet, areas } of this.written.areas()) {
      for (const changed of areas) recalculation.recordChangedArea(sheet, changed);
    }
    for (const run of this.formulas.always) recalculation.markFormulas(run, run.top, run.bottom);
    recalculation.run();
    this.releaseCached();
    draft.hasClock = this.formulas.clock.size > 0;
  }

  /** Records that sheets were added or renamed: formulas may contain their names. Call it after such a change. */
  onSheetsAdded(): void {
    this.reader.reset();
    this.hasNewSheets = true;
  }

  /** Makes formulas that name added sheets refer to them, in one pass for all of these sheets. */
  resolveNewSheets(): void {
    if (!this.hasNewSheets) return;
    this.hasNewSheets = false;
    this.changeFormulas((node) => resolveSheets(node, this.parseNames));
  }

  /**
   * Brings the runs of all formulas up to date, and makes formulas refer to added sheets. Call it before an edit that
   * reads all formulas.
   */
  flushFormulas(): void {
    this.resolveNewSheets();
    this.pending.flush();
  }

  /** Changes all formulas and names that depend on the list of sheets. */
  changeFormulas(change: (node: Node) => Node): void {
    this.pending.flush();
    this.reader.reset();
    this.structure.changeTrees(change);
  }

  /** Records that rows were hidden or shown: formulas that omit hidden rows must be calculated. */
  onRowsHidden(): void {
    this.hasOtherHiddenRows = true;
  }

  /** Cells that the opposite moves do not restore, by their positions before the batch. */
  get lostCells(): readonly CellAreas[] {
    return this.cellMoves?.lost.areas() ?? [];
  }

  /**
   * Moves cells and what refers to them. Returns the headers that columns new to tables are to get. Sets `refusal` if
   * filled cells would leave the grid.
   */
  moveCells(move: Move): readonly NewHeader[] {
    this.meter.pass(measureStructure(this.draft) * MOVING_WORK);
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

  /** Records that cells which the batch moved to a sheet are lost. Call it before deleting the sheet. */
  recordLostSheet(sheet: number): void {
    this.cellMoves?.recordLostSheet(sheet);
  }

  /** Gives formulas another text because cells that they refer to changed. They keep their writers. */
  rewriteRun({ sheet, column, top, bottom, template, writer }: Run): void {
    for (let row = top; row <= bottom; row++) this.pending.add(sheet, column, { row, template, writer });
    this.cellMover.recordLost({ sheet, area: area(top, column, bottom, column) });
  }

  private get cellMover(): CellMoves {
    const logs = [this.written, this.derived, this.toCalculate];
    this.cellMoves ??= new CellMoves(this.draft, this.formulas, this.recalculation, this.meter, logs);
    return this.cellMoves;
  }

  private updateTables(): void {
    this.structure.growTables(this.written);
    const renamed = this.structure.followHeaders(this.written, this.cellMoves?.headers);
    if (renamed.size === 0) return;
    this.meter.pass(measureStructure(this.draft));
    this.structure.followInLayouts(renamed);
  }

  /** Turns formulas that lost the cached result of their file into ordinary formulas. */
  private releaseCached(): void {
    for (const { sheet, row, column, template } of this.recalculation.released) {
      const run = this.draft.sheet(sheet)?.run(row, column);
      if (run?.template.node.k !== 'cached') continue;
      this.pending.add(sheet, column, { row, template, writer: run.writer });
      this.written.add(sheet, row, column);
    }
    this.pending.flush();
  }

  private createEvaluation(moment: CalculationMoment): Evaluation {
    const { draft, formulas, meter } = this;
    const info = new DraftInfo(draft);
    const evaluation = new Evaluation(draft, meter, moment, info, (name) => this.compileName(name), formulas.indexes);
    info.evaluation = evaluation;
    return evaluation;
  }

  private compileName(name: DefinedName) {
    this.nameCodes ??= new Map();
    const existingCode = this.nameCodes.get(name);
    if (existingCode) return existingCode;
    const code = compileFormula(name.node);
    this.nameCodes.set(name, code);
    return code;
  }
}
