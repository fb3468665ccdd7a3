import type { Node } from '../formula/ast.ts';
import { getGrammar, hasMatchingNode, parse, parseR1C1, print, WIRE } from '../formula/index.ts';
import { FUNCTIONS } from '../functions/catalogue.ts';
import type { WorkbookInfo } from '../functions/context.ts';
import { SortedArray } from '../functions/selection/ordered-numbers.ts';
import { Lambda, Matrix, Reference, type SheetArea, type Value } from '../functions/value.ts';
import { area } from '../grid/area.ts';
import { FILTERED } from '../sheet/attachment.ts';
import type { Draft } from '../sheet/draft.ts';
import { type Column, createAnchorKey } from '../sheet/snapshot.ts';
import { findRun, type Run, type RunList } from '../sheet/template.ts';
import { REF } from '../value/errors.ts';
import { isError } from '../value/scalar.ts';
import { compile } from './compile.ts';
import type { Evaluation } from './evaluation.ts';

/** Answers questions of functions about the names and sheets of a draft. */
export class DraftInfo implements WorkbookInfo {
  private readonly draft: Draft;
  /** The evaluation that uses this object. Set once, when it is created. */
  evaluation: Evaluation | null = null;

  constructor(draft: Draft) {
    this.draft = draft;
  }

  get sheetCount(): number {
    return this.draft.sheetCount;
  }

  /** Zero-based position of a sheet; -1 if there is no such sheet. */
  getSheetPosition(sheet: number): number {
    return this.draft.sheets.findIndex((existingSheet) => existingSheet.id === sheet);
  }

  getSheetName(sheet: number): string {
    return this.draft.sheet(sheet)?.name ?? '';
  }

  /** The id of a sheet by name in any letter case; -1 if there is none. */
  findSheetId(name: string): number {
    return this.draft.sheetByName(name)?.id ?? -1;
  }

  /** A formula's text in the document's locale; null for a cell without a formula. */
  getFormulaText(sheet: number, row: number, column: number): string | null {
    this.evaluation?.readLog?.add(sheet, area(row, column, row, column));
    const run = this.recordRead(sheet)?.run(row, column);
    if (!run) return null;
    const { locale } = this.draft.settings;
    return print(
      run.template.node,
      getGrammar(locale),
      { row, column },
      { getSheetName: (id) => this.draft.sheet(id)?.name ?? null },
    );
  }

  /**
   * The value of a reference text, a defined name or a structured reference, for INDIRECT. `a1`: false for R1C1 style.
   */
  resolveText(text: string, a1: boolean): Value {
    const e = this.evaluation as Evaluation;
    const names = { findSheetId: (name: string) => this.findSheetId(name) };
    const node = a1 ? parse(text, WIRE, e, names) : parseR1C1(text, e);
    if (!node || (node.k !== 'cell' && node.k !== 'area' && node.k !== 'name' && node.k !== 'table')) return REF;
    const value = e.readFromText(text, () => compile(node, null)(e, null));
    if (value instanceof Reference || isError(value)) return value instanceof Reference ? value : REF;
    return value instanceof Matrix || value instanceof Lambda || node.k !== 'name' ? REF : value;
  }

  /** The number format code of a cell. */
  getFormatCode(sheet: number, row: number, column: number): string {
    const existingSheet = this.recordRead(sheet);
    return existingSheet ? this.draft.formats.code(existingSheet.format(row, column)) : 'General';
  }

  /** True if the row is hidden by a filter or by the user. */
  isRowHidden(sheet: number, row: number): boolean {
    return this.recordRead(sheet)?.hiddenRows.has(row) ?? false;
  }

  /** True if a filter hides the row. */
  isRowFiltered(sheet: number, row: number): boolean {
    const existingSheet = this.recordRead(sheet);
    if (existingSheet === undefined || !existingSheet.hiddenRows.has(row)) return false;
    const { attachments } = existingSheet.layout;
    return attachments.some(({ kind, areas }) => {
      return kind === FILTERED && areas.some(({ top, bottom }) => row >= top && row <= bottom);
    });
  }

  /** True if rows of an area are hidden by a filter, or (`hidden`) by a filter or by the user. */
  hasHiddenRows({ sheet, top, bottom }: SheetArea, by: 'filtered' | 'hidden'): boolean {
    const existingSheet = this.recordRead(sheet);
    if (existingSheet === undefined || existingSheet.hiddenRows.size === 0) return false;
    const rows = listHiddenRows(existingSheet.hiddenRows);
    if (!hasRowBetween(rows, top, bottom)) return false;
    if (by === 'hidden') return true;
    return existingSheet.layout.attachments.some(({ kind, areas }) => {
      if (kind !== FILTERED) return false;
      return areas.some((filtered) =>
        hasRowBetween(rows, Math.max(top, filtered.top), Math.min(bottom, filtered.bottom)),
      );
    });
  }

  /** True if the cell's formula contains a SUBTOTAL or AGGREGATE call; these functions omit such cells. */
  isSubtotal(sheet: number, row: number, column: number): boolean {
    const run = this.recordRead(sheet)?.run(row, column);
    return run !== undefined && hasMatchingNode(run.template.node, isSubtotalCall);
  }

  /** True if a formula of an area contains a SUBTOTAL or AGGREGATE call. */
  hasSubtotals({ sheet, top, left, bottom, right }: SheetArea): boolean {
    const { columns = [] } = this.recordRead(sheet) ?? {};
    for (let at = left; at <= Math.min(right, columns.length - 1); at++) {
      const column = columns[at];
      if (column === undefined || column.runList.length === 0) continue;
      const runs = listSubtotalRuns(column);
      const index = findRun(runs, top);
      if (index >= 0) return true;
      const next = runs[~index];
      if (next !== undefined && next.top <= bottom) return true;
    }
    return false;
  }

  /** The area of a fixed array formula by its first cell; null for other cells. */
  findArrayArea(sheet: number, row: number, column: number): SheetArea | null {
    const spill = this.recordRead(sheet)?.spills.get(createAnchorKey(row, column));
    return spill?.fixed ? { ...spill.area, sheet } : null;
  }

  /** The area that the array formula of an anchor fills; null if it is blocked, and for other cells. */
  findSpillArea(sheet: number, row: number, column: number): SheetArea | null {
    const spill = this.recordRead(sheet)?.spills.get(createAnchorKey(row, column));
    return spill && !spill.blocked ? { ...spill.area, sheet } : null;
  }

  /** Records a read of a sheet whose formulas, formats or spills a function queries, like a read of values. */
  private recordRead(sheet: number) {
    if (this.evaluation?.isReadRefused(sheet)) return undefined;
    this.evaluation?.sheetsRead?.add(sheet);
    return this.draft.sheet(sheet);
  }
}

/** Hidden rows in ascending order, by the set of a sheet. */
const hiddenRowLists = new WeakMap<ReadonlySet<number>, SortedArray>();

function listHiddenRows(hiddenRows: ReadonlySet<number>): SortedArray {
  const existingList = hiddenRowLists.get(hiddenRows);
  if (existingList !== undefined) return existingList;
  const rows = new SortedArray(Float64Array.from(hiddenRows).sort());
  hiddenRowLists.set(hiddenRows, rows);
  return rows;
}

/** True if a list contains a row from `first` to `last`, both inclusive. */
function hasRowBetween(rows: SortedArray, first: number, last: number): boolean {
  const at = rows.countBelow(first);
  return at < rows.length && rows.at(at) <= last;
}

/** Runs that contain SUBTOTAL or AGGREGATE calls, by the immutable runs of a column. */
const subtotalRunLists = new WeakMap<RunList, readonly Run[]>();

function listSubtotalRuns(column: Column): readonly Run[] {
  const { runList } = column;
  const existingList = subtotalRunLists.get(runList);
  if (existingList !== undefined) return existingList;
  const runs = column.runs.filter(({ template }) => hasMatchingNode(template.node, isSubtotalCall));
  subtotalRunLists.set(runList, runs);
  return runs;
}

function isSubtotalCall(node: Node): boolean {
  return node.k === 'call' && FUNCTIONS.get(node.name)?.subtotal === true;
}
