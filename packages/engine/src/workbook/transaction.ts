import type { Meter } from '../calc/budget.ts';
import { type CellAreas, ChangeLog } from '../calc/change-log.ts';
import { compileFormula } from '../calc/compile.ts';
import { Evaluation, type Moment } from '../calc/evaluation.ts';
import { formulaProblem } from '../calc/explain.ts';
import { type CellKey, cellKey, ReachLog } from '../calc/reach.ts';
import { Recalculation } from '../calc/recalculation.ts';
import { readingRights } from '../calc/rights.ts';
import { DraftInfo } from '../calc/workbook-info.ts';
import type { Node } from '../formula/ast.ts';
import { type Grammar, grammarOf, MAX_NESTING, type ParseNames, resolveSheets } from '../formula/index.ts';
import { type Area, area } from '../grid/area.ts';
import type { Move } from '../grid/move.ts';
import type { LocaleId } from '../locale/index.ts';
import { CHUNK_SHIFT, EMPTY, FORMULA, SPILLED } from '../sheet/chunk.ts';
import { clipped, Draft } from '../sheet/draft.ts';
import type { NewHeader } from '../sheet/move-tables.ts';
import { anchorKey, type DefinedName, type Sheet, type Snapshot } from '../sheet/snapshot.ts';
import { structureSize } from '../sheet/structure-size.ts';
import { findRun, type Run, type Template } from '../sheet/template.ts';
import type { Scalar } from '../value/scalar.ts';
import { isCachedFormOf } from './cached-results.ts';
import { CellMoves, movedKeys } from './cell-moves.ts';
import { operate } from './cell-operations.ts';
import { formatArea } from './format-area.ts';
import { FormulaEdits } from './formula-edits.ts';
import type { FormulaGraph } from './formula-graph.ts';
import { MergedCells } from './merged-cells.ts';
import { type NamingEdit, nameThings } from './names.ts';
import { putNumbers, rowsByChunk } from './number-columns.ts';
import { type FormulaEdit, sameTemplate, updateRuns } from './runs.ts';
import { changeSheets } from './sheet-edits.ts';
import { Structure } from './structure.ts';
import { TemplateReader } from './templates.ts';
import { enterText, enterTyped, otherGrammar } from './typed-input.ts';
import type {
  ApplyContext,
  Edit,
  EditOutcome,
  Entering,
  FormulaWarning,
  Input,
  OrderedRows,
  Refusal,
  Return,
  TextLimits,
} from './types.ts';

/** What reading takes, in cells calculated in that time: as powers of two, characters of a text and of a formula. */
const TEXT_WORK_LOG2 = 6;
const FORMULA_WORK_LOG2 = 4;
const FORMULA_WORK = 2;
/** What a name, a merged range and the like take when cells move. */
const MOVING_WORK = 10;
/** Edits that make a list of sheets, names or tables anew. */
const STRUCTURAL: ReadonlySet<Edit['kind']> = new Set([
  'addSheet',
  'renameSheet',
  'deleteSheet',
  'hideSheet',
  'duplicateSheet',
  'moveSheet',
  'colorSheet',
  'setName',
  'deleteName',
  'setTable',
  'deleteTable',
]);

/** Warnings told of one batch at most. */
const MAX_WARNINGS = 100;

/** One batch on its way from edits to a new snapshot. Works on a draft; dropping it undoes all but the graph. */
export class Transaction {
  readonly draft: Draft;
  readonly written = new ChangeLog();
  readonly derived = new ChangeLog();
  readonly outcomes: EditOutcome[] = [];
  readonly warnings: FormulaWarning[] = [];
  /** Row orders of the edit that is being performed. */
  readonly orders: OrderedRows[] = [];
  private readonly merged = new MergedCells();
  /** Why the batch cannot be, found on the way; the rest of it need not be performed. */
  refusal: Refusal | null = null;
  /** Cells that this batch gave formulas; kept where sheets are hidden from its sender. */
  entered: Set<CellKey> | null;
  /** Which hidden sheets its recalculation came to; null where none is hidden from anybody. */
  readonly reached: ReachLog | null;
  readonly formulas: FormulaGraph;
  /** Formula cells to calculate although nothing they read has changed. */
  readonly toCalculate = new ChangeLog();
  readonly structure: Structure;
  /** Whose formulas those are that this batch enters. */
  readonly writer: number | null;
  readonly textLimits: TextLimits;
  /** Sheets have come whose names formulas may hold. */
  private hasNewSheets = false;
  private hasOtherRows = false;
  /** Made for the first formula of each grammar, and anew once the same texts may be other formulas. */
  private readers: Map<Grammar, TemplateReader> | null = null;
  readonly meter: Meter;
  readonly recalculation: Recalculation;
  /** Made for the first move. */
  private cellMoves: CellMoves | null = null;
  /** Formula changes not yet in the columns' runs, by sheet and column. */
  private pending: Map<number, Map<number, FormulaEdits>> | null = null;
  private nameCodes: Map<DefinedName, ReturnType<typeof compileFormula>> | null = null;

  constructor(
    base: Snapshot,
    formulas: FormulaGraph,
    context: ApplyContext,
    moment: Moment,
    meter: Meter,
    expectedChunks = 0,
  ) {
    this.meter = meter;
    this.draft = new Draft(base, expectedChunks);
    this.formulas = formulas;
    const rights = readingRights(context.rights);
    this.structure = new Structure(this.draft, formulas, this.toCalculate, rights);
    this.writer = context.writer ?? null;
    this.textLimits = context;
    this.entered = rights?.closedTo(this.writer) ? new Set() : null;
    this.reached = rights && new ReachLog(rights.hidden);
    const protection = rights && this.reached && { rights, reached: this.reached };
    const evaluation = () => this.evaluation(moment, meter);
    this.recalculation = new Recalculation(this.draft, formulas, evaluation, meter, this.derived, protection);
  }

  private readerOf(grammar: Grammar): TemplateReader {
    const known = this.readers?.get(grammar);
    if (known !== undefined) return known;
    const reader = new TemplateReader(grammar, this.parseNames);
    this.readers = (this.readers ?? new Map<Grammar, TemplateReader>()).set(grammar, reader);
    return reader;
  }

  private evaluation(moment: Moment, meter: Meter): Evaluation {
    const { draft, formulas } = this;
    const info = new DraftInfo(draft);
    const evaluation = new Evaluation(draft, meter, moment, info, (name) => this.codeOf(name), formulas.indexes);
    info.evaluation = evaluation;
    return evaluation;
  }

  private codeOf(name: DefinedName) {
    this.nameCodes ??= new Map();
    const held = this.nameCodes.get(name);
    if (held) return held;
    const code = compileFormula(name.node);
    this.nameCodes.set(name, code);
    return code;
  }

  get parseNames(): ParseNames {
    return { sheetId: (name) => this.draft.sheetByName(name)?.id ?? -1 };
  }

  perform(edit: Exclude<Edit, Return>): void {
    if (STRUCTURAL.has(edit.kind)) this.meter.pass(structureSize(this.draft));
    switch (edit.kind) {
      case 'setValues':
        return this.setValues(edit.sheet, edit.row, edit.column, edit.values, edit);
      case 'append':
        return this.append(edit.sheet, edit.column, edit.values, edit);
      case 'clear':
        return this.clear(edit.sheet, edit.area);
      case 'setFormat':
        formatArea(this, edit.sheet, edit.area, edit.format);
        return this.outcome(edit.sheet, edit.area, 0);
      case 'sizeLines':
      case 'setFilter':
      case 'filterColumn':
      case 'addSheet':
      case 'renameSheet':
      case 'deleteSheet':
      case 'hideSheet':
      case 'duplicateSheet':
      case 'moveSheet':
      case 'colorSheet':
        return this.outcome(changeSheets(this, edit), null, 0);
      case 'moveCells':
        this.putHeaders(this.moveCells(edit.move));
        return this.outcome(edit.move.sheet, null, 0);
      case 'copy':
      case 'fill':
      case 'sort':
      case 'replace':
      case 'removeDuplicates':
        return this.outcome(edit.sheet, edit.area, operate(this, edit));
      case 'setName':
      case 'deleteName':
      case 'setTable':
      case 'deleteTable':
        return this.nameThings(edit);
      case 'recalculate':
        if (edit.everything) this.markAll();
        if (edit.readersOf) this.markReaders(new Set(edit.readersOf));
        return this.outcome(0, null, 0);
    }
  }

  private outcome(sheet: number, cells: Area | null, count: number): void {
    const outcome = { sheet, area: cells, cells: count };
    this.outcomes.push(this.orders.length === 0 ? outcome : { ...outcome, orders: this.orders.splice(0) });
  }

  private append(sheet: number, column: number, values: readonly (readonly Input[])[], how: Entering): void {
    this.flush();
    const row = (this.draft.sheet(sheet) as Sheet).extent().rows;
    this.setValues(sheet, row, column, values, how);
  }

  private setValues(
    sheet: number,
    row: number,
    column: number,
    values: readonly (readonly Input[])[],
    how: Entering,
  ): void {
    let cells = 0;
    let columns = 0;
    for (const rows of rowsByChunk(row, values)) {
      const isPut = putNumbers(this, { sheet, row, column }, rows);
      for (let r = rows.first; r < rows.end && this.refusal === null; r++) {
        const inputs = values[r] as readonly Input[];
        if (inputs.length > columns) columns = inputs.length;
        for (let c = 0; c < inputs.length; c++) {
          const input = inputs[c] as Input;
          if (input === null) continue;
          cells++;
          if (isPut[c] !== true) this.enter(sheet, row + r, column + c, input, how);
        }
      }
    }
    const { merges } = (this.draft.sheet(sheet) as Sheet).layout;
    this.merged.warn(merges, { row, column, values }, (r, c, message) => this.warn(sheet, r, c, message));
    this.outcome(sheet, area(row, column, row + values.length - 1, column + Math.max(columns, 1) - 1), cells);
  }

  enter(
    sheet: number,
    row: number,
    column: number,
    input: Exclude<Input, null>,
    { mode, locale = null }: Entering,
  ): void {
    if (typeof input === 'object') return enterTyped(this, sheet, row, column, input);
    this.meter.pass(typeof input === 'string' ? 1 + (input.length >> TEXT_WORK_LOG2) : 1);
    if (input === '') return this.put(sheet, row, column, null);
    if (typeof input !== 'string' || mode === 'raw') return this.put(sheet, row, column, input);
    if (input.charCodeAt(0) === 61 && input.length > 1) return this.putFormula(sheet, row, column, input, locale);
    enterText(this, sheet, row, column, input, locale);
  }

  /** A cell that shows the same value in another format has changed too, for who reads it and for who depends on it. */
  format(sheet: number, row: number, column: number, format: number): void {
    if (this.draft.setFormat(sheet, row, column, format)) this.written.add(sheet, row, column);
  }

  /** Puts a plain value (null: nothing) where a formula, a spilled value or nothing may have been. */
  put(sheetId: number, row: number, column: number, value: Scalar): void {
    const sheet = this.draft.sheet(sheetId) as Sheet;
    const kind = sheet.kind(row, column);
    if ((kind & FORMULA) !== 0) this.pendingColumn(sheetId, column).push({ row, template: null, writer: null });
    if (kind !== EMPTY) this.leaveSpill(sheet, kind, row, column);
    // A spilled cell that is "cleared" keeps nothing of its own; its formula fills it again.
    const before = sheet.value(row, column);
    if (before === value && kind === plainKind(kind)) return;
    this.draft.set(sheetId, row, column, value, 0);
    this.written.add(sheetId, row, column);
  }

  putFormula(sheetId: number, row: number, column: number, text: string, locale: LocaleId | null = null): void {
    const sheet = this.draft.sheet(sheetId) as Sheet;
    this.meter.pass(FORMULA_WORK + (text.length >> FORMULA_WORK_LOG2));
    const read = this.readerOf(grammarOf(locale)).read(text, row, column);
    const template = this.withHeldResult(sheet, row, column, read);
    if (template.node.k === 'invalid' && template.node.tooDeep) {
      this.refusal ??= {
        kind: 'refusal',
        reason: 'formulaTooDeep',
        limit: MAX_NESTING,
        sheet: sheet.name,
        row,
        column,
      };
      return;
    }
    if (this.holds(sheet, row, column, template)) {
      this.toCalculate.add(sheetId, row, column);
      this.entered?.add(cellKey(sheetId, row, column));
    } else this.enterTemplate(sheetId, row, column, template, this.writer);
    const problem = formulaProblem(template.node, sheetId, this.draft);
    if (problem !== null)
      this.warn(sheetId, row, column, problem + otherGrammar(template.node, grammarOf(locale), text));
  }

  /** The formula that a cell has, where it gives what a file said it does and is entered once more. */
  private withHeldResult(sheet: Sheet, row: number, column: number, template: Template): Template {
    const run = sheet.run(row, column);
    if (run === undefined || !isCachedFormOf(run.template.node, template.node)) return template;
    return this.pending?.get(sheet.id)?.get(column)?.has(row) ? template : run.template;
  }

  /** Gives a cell a formula in the place of whatever it held. */
  enterTemplate(sheetId: number, row: number, column: number, template: Template, writer: number | null): void {
    const sheet = this.draft.sheet(sheetId) as Sheet;
    const kind = sheet.kind(row, column);
    if (kind !== EMPTY) this.leaveSpill(sheet, kind, row, column);
    this.setTemplate(sheetId, row, column, template, writer);
    this.entered?.add(cellKey(sheetId, row, column));
  }

  /** Calculates a formula although nothing that it reads may have changed. */
  calculate(sheet: number, row: number, column: number): void {
    this.toCalculate.add(sheet, row, column);
  }

  /** Whether a cell has this very formula of this writer's: entered once more, it is calculated and nothing else. */
  private holds(sheet: Sheet, row: number, column: number, template: Template): boolean {
    const run = sheet.run(row, column);
    if (run === undefined || run.writer !== this.writer || !sameTemplate(run.template, template)) return false;
    if (this.pending?.get(sheet.id)?.get(column)?.has(row)) return false;
    // An array formula of a file keeps to its area; one that is entered spills.
    return sheet.spills.get(anchorKey(row, column))?.fixed !== true;
  }

  /** Gives a cell a formula of a writer's; its value follows with the recalculation. */
  setTemplate(sheetId: number, row: number, column: number, template: Template, writer: number | null): void {
    this.pendingColumn(sheetId, column).push({ row, template, writer });
    // The cell counts as filled from now on, for spills around it and for the sheet's extent.
    this.draft.set(sheetId, row, column, 0, FORMULA);
    this.written.add(sheetId, row, column);
  }

  warn(sheet: number, row: number, column: number, message: string): void {
    if (this.canWarn) this.warnings.push({ sheet, row, column, message });
  }

  hasNewFormula(sheet: number, row: number, column: number): boolean {
    return this.pending?.get(sheet)?.get(column)?.has(row) === true;
  }

  /** Whether another warning would be told. */
  get canWarn(): boolean {
    return this.warnings.length < MAX_WARNINGS;
  }

  private pendingColumn(sheet: number, column: number): FormulaEdits {
    this.pending ??= new Map();
    let columns = this.pending.get(sheet);
    if (!columns) {
      columns = new Map();
      this.pending.set(sheet, columns);
    }
    let edits = columns.get(column);
    if (!edits) {
      edits = new FormulaEdits();
      columns.set(column, edits);
    }
    return edits;
  }

  /** A write into a spilled area: the anchor's area is given up, or its formula finds itself blocked. */
  private leaveSpill(sheet: Sheet, kind: number, row: number, column: number): void {
    if (sheet.spills.size === 0) return;
    const own = sheet.spills.get(anchorKey(row, column));
    if (own) return this.recalculation.dissolve(sheet, own);
    if ((kind & SPILLED) === 0) return;
    const spill = this.draft.spillAt(sheet.id, row, column);
    if (!spill) return;
    if (spill.fixed) return this.loosen(sheet, spill.area);
    this.toCalculate.add(sheet.id, spill.area.top, spill.area.left);
  }

  /** A fixed array formula becomes one that spills: what is written into its area blocks it. */
  loosen(sheet: Sheet, spill: Area): void {
    this.draft.setSpill(sheet.id, { area: spill, fixed: false, blocked: false });
    this.toCalculate.add(sheet.id, spill.top, spill.left);
  }

  private clear(sheetId: number, cleared: Area): void {
    this.flush();
    const sheet = this.draft.sheet(sheetId) as Sheet;
    const within = clipped(sheet, cleared);
    let cells = 0;
    if (within) {
      for (let column = within.left; column <= within.right; column++) {
        const chunks = sheet.columns[column]?.chunks;
        const first = within.top >> CHUNK_SHIFT;
        const last = Math.min(within.bottom >> CHUNK_SHIFT, (chunks?.length ?? 0) - 1);
        // Only where there are chunks: an extent of millions of rows and columns may hold two cells.
        for (let block = first; block <= last; block++) {
          const base = block << CHUNK_SHIFT;
          const bottom = Math.min(within.bottom, base + (chunks?.at(block)?.rows ?? 0) - 1);
          cells += this.clearRows(sheetId, column, Math.max(within.top, base), bottom);
        }
      }
    }
    this.outcome(sheetId, cleared, cells);
  }

  private clearRows(sheetId: number, column: number, top: number, bottom: number): number {
    let cells = 0;
    this.meter.pass(bottom - top + 1);
    for (let row = top; row <= bottom; row++) {
      const kind = (this.draft.sheet(sheetId) as Sheet).kind(row, column);
      if (kind === EMPTY || (kind & SPILLED) !== 0) continue;
      cells++;
      this.put(sheetId, row, column, null);
    }
    return cells;
  }

  /** There are names of sheets that were not there before: formulas may hold them. */
  sheetsCame(): void {
    this.readers = null;
    this.hasNewSheets = true;
  }

  /** Formulas that name sheets that have come get to them: all sheets at once, for each may be named by all formulas. */
  resolveNewSheets(): void {
    if (!this.hasNewSheets) return;
    this.hasNewSheets = false;
    this.restructure((node) => resolveSheets(node, this.parseNames));
  }

  private nameThings(edit: NamingEdit): void {
    this.resolveNewSheets();
    this.flush();
    const refusal = nameThings(
      edit,
      this.draft,
      this.structure,
      (text, grammar) => this.readerOf(grammar).read(text, 0, 0).node,
    );
    this.readers = null;
    if (refusal && 'kind' in refusal) this.refusal ??= refusal;
    else this.putHeaders(refusal);
    this.outcome('sheet' in edit ? edit.sheet : 0, null, 0);
  }

  /** Calculates what the edits before have left to be, for those that go by results. */
  bringUpToDate(): void {
    this.flush();
    if (this.outcomes.length > 0) this.recalculate();
  }

  /** Cells that moving back does not bring back, by where they were before the batch. */
  get lost(): readonly CellAreas[] {
    return this.cellMoves?.lost.areas() ?? [];
  }

  private get moving(): CellMoves {
    const logs = [this.written, this.derived, this.toCalculate];
    this.cellMoves ??= new CellMoves(this.draft, this.formulas, this.recalculation, this.meter, logs);
    return this.cellMoves;
  }

  /** Gives the headers that columns new to tables are to get. */
  moveCells(move: Move): readonly NewHeader[] {
    this.meter.pass(structureSize(this.draft) * MOVING_WORK);
    this.resolveNewSheets();
    this.flush();
    const { moving } = this;
    if (moving.losesCells(move)) {
      this.refusal ??= { kind: 'refusal', reason: 'outsideGrid' };
      return [];
    }
    const headers = moving.perform(move);
    if (this.entered) this.entered = new Set(movedKeys(this.entered, move));
    this.readers = null;
    return headers;
  }

  putHeaders(headers: readonly NewHeader[]): void {
    for (const { sheet, row, column, name } of headers) this.put(sheet, row, column, name);
  }

  /** A sheet is about to go: what the batch moved there is lost with it. */
  leaveCells(sheet: number): void {
    this.cellMoves?.leaveSheet(sheet);
  }

  /** Gives formulas in some rows of a column another text, which they have because of others' cells: nobody writes it. */
  rewrite({ sheet, column, top, bottom, template, writer }: Run): void {
    for (let row = top; row <= bottom; row++) this.pendingColumn(sheet, column).push({ row, template, writer });
    this.moving.lose({ sheet, area: area(top, column, bottom, column) });
  }

  restructure(change: (node: Node) => Node): void {
    this.flush();
    this.readers = null;
    this.structure.change(change);
  }

  /** Brings formula changes into the columns' runs and the graph. */
  flush(): void {
    const { pending } = this;
    if (pending === null) return;
    this.pending = null;
    for (const [sheet, columns] of pending) {
      for (const [column, edits] of columns) this.flushColumn(sheet, column, edits.inOrder);
    }
  }

  private flushColumn(sheet: number, column: number, edits: readonly FormulaEdit[]): void {
    const runs = this.draft.sheet(sheet)?.columns[column]?.runs ?? [];
    const update = updateRuns(sheet, column, runs, edits);
    this.draft.setRuns(sheet, column, update.runs);
    for (const run of update.removed) this.formulas.remove(run);
    for (const run of update.added) this.formulas.add(run, this.draft);
    for (const { row, template } of edits) {
      if (template) this.toCalculate.addRows(sheet, column, row, row);
    }
  }

  /** Brings everything up to date: what was written, what depends on it, and what is always calculated. */
  recalculate(): void {
    this.flush();
    this.resolveNewSheets();
    this.structure.growTables(this.written);
    const renamed = this.structure.followHeaders(this.written, this.cellMoves?.headers);
    if (renamed.size > 0) {
      this.meter.pass(structureSize(this.draft));
      this.structure.followInLayouts(renamed);
    }
    this.structure.read();
    for (const { sheet, areas } of this.toCalculate.areas()) {
      for (const rows of areas) this.markArea(sheet, rows, true);
    }
    if (this.cellMoves !== null) this.markStale(this.cellMoves);
    if (this.cellMoves !== null || this.hasOtherRows) this.markFollowing();
    for (const { sheet, areas } of this.written.areas()) {
      for (const changed of areas) this.recalculation.touch(sheet, changed);
    }
    for (const run of this.formulas.always) this.recalculation.mark(run, run.top, run.bottom);
    this.recalculation.run();
    this.releaseCached();
    this.draft.hasClock = this.formulas.clock.size > 0;
  }

  /** Formulas of files that do not give any more what they gave there are formulas like others from now on. */
  private releaseCached(): void {
    for (const { sheet, row, column, template } of this.recalculation.released) {
      const run = this.draft.sheet(sheet)?.run(row, column);
      if (run?.template.node.k !== 'cached') continue;
      this.pendingColumn(sheet, column).push({ row, template, writer: run.writer });
      this.written.add(sheet, row, column);
    }
    this.flush();
  }

  /** Rows are hidden that were not, or the other way round. */
  rowsHidden(): void {
    this.hasOtherRows = true;
  }

  /** Marks what reads other cells than before. */
  private markStale({ stale }: CellMoves): void {
    for (const { sheet, areas } of stale.areas()) for (const rows of areas) this.markArea(sheet, rows, false);
  }

  /** Marks what tells where cells stand or whether they are hidden, and what names tables whose cells went different ways. */
  private markFollowing(): void {
    const naming = this.cellMoves?.hasTornTables ? this.formulas.followingNames : [];
    for (const run of [...this.formulas.followingMoves, ...naming]) this.recalculation.mark(run, run.top, run.bottom);
  }

  private markAll(): void {
    for (const { run } of this.formulas.graph.runs()) this.recalculation.mark(run, run.top, run.bottom, true);
  }

  /** Marks the formulas by others than the owner that read one of the sheets; volatile ones are calculated anyway. */
  private markReaders(sheets: ReadonlySet<number>): void {
    for (const { run, edges } of this.formulas.graph.runs()) {
      if (run.writer === null || !edges.some(({ sheet }) => sheets.has(sheet))) continue;
      this.recalculation.mark(run, run.top, run.bottom);
    }
  }

  /** Marks the formulas of an area to be calculated. */
  private markArea(sheet: number, marked: Area, areNew: boolean): void {
    for (let column = marked.left; column <= marked.right; column++) {
      const runs = this.draft.sheet(sheet)?.columns[column]?.runs ?? [];
      const from = findRun(runs, marked.top);
      for (let i = from < 0 ? ~from : from; i < runs.length; i++) {
        const run = runs[i] as Run;
        if (run.top > marked.bottom) break;
        this.recalculation.mark(run, Math.max(run.top, marked.top), Math.min(run.bottom, marked.bottom), areNew);
      }
    }
  }
}

function plainKind(kind: number): number {
  return kind & ~(FORMULA | SPILLED);
}
