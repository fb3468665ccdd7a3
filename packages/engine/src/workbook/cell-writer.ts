import type { Meter } from '../calc/budget.ts';
import type { ChangeLog } from '../calc/change-log.ts';
import { findFormulaProblem } from '../calc/explain.ts';
import { type CellKey, cellKey } from '../calc/hidden-reads.ts';
import type { Node } from '../formula/ast.ts';
import { FILE, type Grammar, getGrammar, MAX_NESTING, parse, WIRE } from '../formula/index.ts';
import type { Area } from '../grid/area.ts';
import type { Move } from '../grid/move.ts';
import type { LocaleId } from '../locale/index.ts';
import { EMPTY, FORMULA, SPILLED } from '../sheet/cell-kind.ts';
import type { Draft } from '../sheet/draft.ts';
import type { NewHeader } from '../sheet/moves/move-tables.ts';
import { anchorKey, type Sheet } from '../sheet/snapshot.ts';
import type { Template } from '../sheet/template.ts';
import type { Scalar } from '../value/scalar.ts';
import type { BatchState } from './batch-state.ts';
import { moveKeys } from './cell-moves.ts';
import { isCachedForm } from './formulas/cached-results.ts';
import type { FormulaReader } from './formulas/formula-reader.ts';
import type { PendingFormulas } from './formulas/pending-formulas.ts';
import { areSameTemplate } from './formulas/update-runs.ts';

/** The work of reading a formula, in calculated cells: a constant, and one cell for each 16 characters. */
const FORMULA_WORK = 2;
const FORMULA_WORK_LOG2 = 4;

/** Writes values, formulas and number formats into cells of a batch, and keeps spilled arrays consistent. */
export class CellWriter {
  /** Cells that the batch gave formulas; null if all sheets are visible to its sender. */
  entered: Set<CellKey> | null;
  private readonly batch: BatchState;
  private readonly draft: Draft;
  private readonly meter: Meter;
  private readonly written: ChangeLog;
  private readonly pending: PendingFormulas;
  private readonly reader: FormulaReader;

  constructor(batch: BatchState, pending: PendingFormulas, reader: FormulaReader, recordsEntered: boolean) {
    this.batch = batch;
    this.draft = batch.draft;
    this.meter = batch.meter;
    this.written = batch.written;
    this.pending = pending;
    this.reader = reader;
    this.entered = recordsEntered ? new Set() : null;
  }

  /** Sets a cell's number format. The cell counts as written because its readers and dependents see another format. */
  setFormat(sheet: number, row: number, column: number, format: number): void {
    if (this.draft.setFormat(sheet, row, column, format)) this.written.add(sheet, row, column);
  }

  /** Puts a plain value, or null for an empty cell. Replaces any content of the cell. */
  putValue(sheetId: number, row: number, column: number, value: Scalar): void {
    const sheet = this.draft.requireSheet(sheetId);
    const kind = sheet.kind(row, column);
    if ((kind & FORMULA) !== 0) this.pending.add(sheetId, column, { row, template: null, writer: null });
    if (kind !== EMPTY) this.detachFromSpill(sheet, kind, row, column);
    // A cleared spilled cell holds nothing of its own; its formula fills it again.
    const before = sheet.value(row, column);
    if (before === value && kind === clearFlags(kind)) return;
    this.draft.set(sheetId, row, column, value, 0);
    this.written.add(sheetId, row, column);
  }

  putHeaders(headers: readonly NewHeader[]): void {
    for (const { sheet, row, column, name } of headers) this.putValue(sheet, row, column, name);
  }

  /** Enters a formula text with `=`, as people of a locale type it; without a locale, in the grammar of the API. */
  putFormula(sheetId: number, row: number, column: number, text: string, locale: LocaleId | null = null): void {
    const { batch } = this;
    const sheet = this.draft.requireSheet(sheetId);
    const grammar = getGrammar(locale);
    this.meter.pass(FORMULA_WORK + (text.length >> FORMULA_WORK_LOG2));
    const template = this.keepCachedResult(sheet, row, column, this.reader.parseFormula(text, grammar, row, column));
    if (template.node.k === 'invalid' && template.node.tooDeep) {
      const { name } = sheet;
      batch.refusal ??= { kind: 'refusal', reason: 'formulaTooDeep', limit: MAX_NESTING, sheet: name, row, column };
      return;
    }
    if (this.hasFormula(sheet, row, column, template)) {
      batch.toCalculate.add(sheetId, row, column);
      this.entered?.add(cellKey(sheetId, row, column));
    } else this.putTemplate(sheetId, row, column, template, batch.writer);
    const problem = findFormulaProblem(template.node, sheetId, this.draft);
    if (problem !== null)
      batch.warnings.addWarning(sheetId, row, column, problem + findGrammarHint(template.node, grammar, text));
  }

  /** Puts a formula over whatever the cell holds. */
  putTemplate(sheetId: number, row: number, column: number, template: Template, writer: number | null): void {
    const sheet = this.draft.requireSheet(sheetId);
    const kind = sheet.kind(row, column);
    if (kind !== EMPTY) this.detachFromSpill(sheet, kind, row, column);
    this.setTemplate(sheetId, row, column, template, writer);
    this.entered?.add(cellKey(sheetId, row, column));
  }

  /** Sets the formula of a cell that belongs to no spilled array. The recalculation computes its value. */
  setTemplate(sheetId: number, row: number, column: number, template: Template, writer: number | null): void {
    this.pending.add(sheetId, column, { row, template, writer });
    // From this edit on, the cell counts as filled for spills around it and for the extent of the sheet.
    this.draft.set(sheetId, row, column, 0, FORMULA);
    this.written.add(sheetId, row, column);
  }

  /** Turns an array formula of a fixed area into one that spills, so that a value within its area blocks it. */
  makeSpilling(sheet: Sheet, spill: Area): void {
    this.draft.spills.set(sheet.id, { area: spill, fixed: false, blocked: false });
    this.batch.toCalculate.add(sheet.id, spill.top, spill.left);
  }

  /** Moves the keys of entered formulas with their cells. */
  moveEntered(move: Move): void {
    if (this.entered) this.entered = new Set(moveKeys(this.entered, move));
  }

  /**
   * Keeps the cached result that a file gave for a formula if the cell already has that formula: entering it again
   * changes nothing.
   */
  private keepCachedResult(sheet: Sheet, row: number, column: number, template: Template): Template {
    const run = sheet.run(row, column);
    if (run === undefined || !isCachedForm(run.template.node, template.node)) return template;
    return this.pending.has(sheet.id, row, column) ? template : run.template;
  }

  /** True if the cell has this formula from the batch's writer. Entering it again only calculates it. */
  private hasFormula(sheet: Sheet, row: number, column: number, template: Template): boolean {
    const run = sheet.run(row, column);
    if (run === undefined || run.writer !== this.batch.writer || !areSameTemplate(run.template, template)) return false;
    if (this.pending.has(sheet.id, row, column)) return false;
    // An array formula from a file keeps its area; an entered one spills.
    return sheet.spills.get(anchorKey(row, column))?.fixed !== true;
  }

  /**
   * Prepares a write into a spilled area: removes the area of an anchor, or schedules the formula that is blocked from
   * now on.
   */
  private detachFromSpill(sheet: Sheet, kind: number, row: number, column: number): void {
    if (sheet.spills.size === 0) return;
    const own = sheet.spills.get(anchorKey(row, column));
    if (own) return this.batch.recalculation.dissolveSpill(sheet, own);
    if ((kind & SPILLED) === 0) return;
    const spill = this.draft.spills.findSpill(sheet.id, row, column);
    if (!spill) return;
    if (spill.fixed) return this.makeSpilling(sheet, spill.area);
    this.batch.toCalculate.add(sheet.id, spill.area.top, spill.area.left);
  }
}

function clearFlags(kind: number): number {
  return kind & ~(FORMULA | SPILLED);
}

/** Names the other grammar if an invalid formula can be read in that one; else empty. */
function findGrammarHint(node: Node, grammar: Grammar, text: string): string {
  if (node.k !== 'invalid') return '';
  const [other, locale] = grammar === WIRE ? [FILE, 'en-US'] : [WIRE, 'de-DE'];
  const read = parse(text, other, { row: 0, column: 0 }, { sheetId: () => -1 });
  return read.k === 'invalid' ? '' : `, or send "inputLocale": "${locale}"`;
}
