import { findFormulaProblem } from '../calc/explain.ts';
import { type CellKey, createCellKey } from '../calc/hidden-reads.ts';
import type { Node } from '../formula/ast.ts';
import { FILE, type Grammar, getGrammar, MAX_NESTING, parse, WIRE } from '../formula/index.ts';
import type { Area } from '../grid/area.ts';
import type { Move } from '../grid/move.ts';
import type { LocaleId } from '../locale/index.ts';
import { EMPTY, FORMULA, SPILLED } from '../sheet/cell-kind.ts';
import type { Draft } from '../sheet/draft.ts';
import type { NewHeader } from '../sheet/moves/move-tables.ts';
import { createAnchorKey, type Sheet } from '../sheet/snapshot.ts';
import type { Template } from '../sheet/template.ts';
import type { Scalar } from '../value/scalar.ts';
import type { BatchState } from './batch-state.ts';
import { moveKeys } from './cell-moves.ts';
import { isCachedForm } from './formulas/cached-results.ts';
import type { FormulaReader } from './formulas/formula-reader.ts';
import type { PendingFormulas } from './formulas/pending-formulas.ts';
import { areSameTemplate } from './formulas/update-runs.ts';

/** The work of parsing a formula, in calculated cells: a constant, and one cell for each 16 characters. */
const FORMULA_WORK = 2;
const FORMULA_WORK_LOG2 = 4;

/** The batch whose cells are written. */
interface WritingBatch extends BatchState {
  readonly pending: PendingFormulas;
  readonly reader: FormulaReader;
}

/** Writes values, formulas and number formats into cells of a batch, and keeps spilled arrays consistent. */
export class CellWriter {
  /** Cells that got formulas in this batch; null if no sheet is hidden from its sender. */
  entered: Set<CellKey> | null;
  private readonly batch: WritingBatch;
  private readonly draft: Draft;

  constructor(batch: WritingBatch, recordsEntered: boolean) {
    this.batch = batch;
    this.draft = batch.draft;
    this.entered = recordsEntered ? new Set() : null;
  }

  /** Sets a cell's number format. The cell counts as written, because formulas that read it may take its format. */
  setFormat(sheet: number, row: number, column: number, format: number): void {
    if (this.draft.setFormat(sheet, row, column, format)) this.batch.written.add(sheet, row, column);
  }

  /** Writes a plain value; null empties the cell. Replaces any content of the cell. */
  putValue(sheetId: number, row: number, column: number, value: Scalar): void {
    const sheet = this.draft.requireSheet(sheetId);
    const kind = sheet.kind(row, column);
    if ((kind & FORMULA) !== 0) this.batch.pending.add(sheetId, column, { row, template: null, writer: null });
    if (kind !== EMPTY) this.detachFromSpill(sheet, kind, row, column);
    // A spilled cell has no content of its own. If it is cleared, the formula fills it again.
    const before = kind === EMPTY ? null : sheet.value(row, column);
    if (before === value && kind === removeFlags(kind)) return;
    this.draft.set(sheetId, row, column, value, 0);
    this.batch.written.add(sheetId, row, column);
  }

  /** Writes the texts of new headers into their cells. */
  putHeaders(headers: readonly NewHeader[]): void {
    for (const { sheet, row, column, name } of headers) this.putValue(sheet, row, column, name);
  }

  /** Enters a formula text with `=` in the grammar of a locale; without a locale, in the grammar of the API. */
  putFormula(sheetId: number, row: number, column: number, text: string, locale: LocaleId | null = null): void {
    const { batch } = this;
    const sheet = this.draft.requireSheet(sheetId);
    const grammar = getGrammar(locale);
    this.batch.meter.reportWork(FORMULA_WORK + (text.length >> FORMULA_WORK_LOG2));
    const read = this.batch.reader.parseFormula(text, grammar, row, column);
    const template = this.keepCachedResult(sheet, row, column, read);
    if (template.node.k === 'invalid' && template.node.tooDeep) {
      const { name } = sheet;
      batch.refusal ??= { kind: 'refusal', reason: 'formulaTooDeep', limit: MAX_NESTING, sheet: name, row, column };
      return;
    }
    if (this.hasFormula(sheet, row, column, template)) {
      batch.toCalculate.add(sheetId, row, column);
      this.entered?.add(createCellKey(sheetId, row, column));
    } else this.putTemplate(sheetId, row, column, template, batch.writer);
    const problem = findFormulaProblem(template.node, sheetId, this.draft);
    if (problem !== null)
      batch.warnings.addWarning(sheetId, row, column, problem + findGrammarHint(template.node, grammar, text));
  }

  /** Writes a formula. Replaces any content of the cell. */
  putTemplate(sheetId: number, row: number, column: number, template: Template, writer: number | null): void {
    const sheet = this.draft.requireSheet(sheetId);
    const kind = sheet.kind(row, column);
    if (kind !== EMPTY) this.detachFromSpill(sheet, kind, row, column);
    this.setTemplate(sheetId, row, column, template, writer);
    this.entered?.add(createCellKey(sheetId, row, column));
  }

  /** Sets the formula of a cell that is not part of a spilled array. The recalculation computes its value. */
  setTemplate(sheetId: number, row: number, column: number, template: Template, writer: number | null): void {
    this.batch.pending.add(sheetId, column, { row, template, writer });
    // From now on, the cell counts as filled, for spills and for the extent of the sheet.
    this.draft.set(sheetId, row, column, 0, FORMULA);
    this.batch.written.add(sheetId, row, column);
  }

  /** Converts an array formula with a fixed area to a spilling formula, so that a value in its area blocks it. */
  makeSpilling(sheet: Sheet, spill: Area): void {
    this.draft.spills.set(sheet.id, { area: spill, fixed: false, blocked: false });
    this.batch.toCalculate.add(sheet.id, spill.top, spill.left);
  }

  /** Updates the keys in `entered` after their cells moved. */
  moveEntered(move: Move): void {
    if (this.entered) this.entered = new Set(moveKeys(this.entered, move));
  }

  /** Keeps the cached result from a file if the same formula is entered in the cell again. */
  private keepCachedResult(sheet: Sheet, row: number, column: number, template: Template): Template {
    const run = sheet.run(row, column);
    if (run === undefined || !isCachedForm(run.template.node, template.node)) return template;
    return this.batch.pending.has(sheet.id, row, column) ? template : run.template;
  }

  /** True if the cell already has this formula from the batch's writer. Entering it again only calculates it. */
  private hasFormula(sheet: Sheet, row: number, column: number, template: Template): boolean {
    const run = sheet.run(row, column);
    if (run === undefined || run.writer !== this.batch.writer || !areSameTemplate(run.template, template)) return false;
    if (this.batch.pending.has(sheet.id, row, column)) return false;
    // An array formula from a file has a fixed area; an entered formula spills.
    return sheet.spills.get(createAnchorKey(row, column))?.fixed !== true;
  }

  /**
   * Prepares a write into a spilled area: clears the area if the cell is its anchor, or schedules the formula that the
   * new value blocks.
   */
  private detachFromSpill(sheet: Sheet, kind: number, row: number, column: number): void {
    if (sheet.spills.size === 0) return;
    const anchoredSpill = sheet.spills.get(createAnchorKey(row, column));
    if (anchoredSpill) return this.batch.recalculation.dissolveSpill(sheet, anchoredSpill);
    if ((kind & SPILLED) === 0) return;
    const spill = this.draft.spills.findSpill(sheet.id, row, column);
    if (!spill) return;
    if (spill.fixed) return this.makeSpilling(sheet, spill.area);
    this.batch.toCalculate.add(sheet.id, spill.area.top, spill.area.left);
  }
}

/** The type of a cell's kind, without its formula and spill flags. */
function removeFlags(kind: number): number {
  return kind & ~(FORMULA | SPILLED);
}

/** Returns a hint that names the other grammar if an invalid formula is valid in it; else an empty text. */
function findGrammarHint(node: Node, grammar: Grammar, text: string): string {
  if (node.k !== 'invalid') return '';
  const [other, locale] = grammar === WIRE ? [FILE, 'en-US'] : [WIRE, 'de-DE'];
  const read = parse(text, other, { row: 0, column: 0 }, { findSheetId: () => -1 });
  return read.k === 'invalid' ? '' : `, or send "inputLocale": "${locale}"`;
}
