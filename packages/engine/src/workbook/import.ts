import { Meter } from '../calc/budget.ts';
import { type CellKey, createCellKey } from '../calc/hidden-reads.ts';
import { readIteration } from '../calc/iteration.ts';
import { FILE, parse, wrapReferences } from '../formula/index.ts';
import { type Area, cellCount, contains, height, width } from '../grid/area.ts';
import { FORMULA, SPILLED } from '../sheet/cell-kind.ts';
import { CHUNK_MASK, CHUNK_SHIFT, type Chunk } from '../sheet/chunk.ts';
import { ChunkTable } from '../sheet/chunk-table.ts';
import { Draft } from '../sheet/draft.ts';
import { FormatTable } from '../sheet/formats.ts';
import { Column, type Sheet, Snapshot } from '../sheet/snapshot.ts';
import { Template } from '../sheet/template.ts';
import type { Scalar } from '../value/scalar.ts';
import { parseLayout } from './attachments.ts';
import { Batch } from './batch.ts';
import { addCachedResult, findUncalculable } from './formulas/cached-results.ts';
import type { FormulaGraph } from './formulas/formula-graph.ts';
import { TemplateReader } from './formulas/templates.ts';
import { addImplicitIntersections } from './legacy-formulas.ts';
import { PackedCells } from './packed-cells.ts';
import type { ApplyContext } from './types.ts';
import type { CellData, NameData, SheetData, WorkbookData } from './workbook-data.ts';

/** The id of a workbook's first sheet; the other sheets have the following ids. */
export const FIRST_SHEET_ID = 1;

/** Builds a document from a file's contents and calculates it, at revision 0. Exceptions of the meter pass through. */
export function importData(data: WorkbookData, formulas: FormulaGraph, context: ApplyContext): Snapshot {
  const batch = new Batch(createEmptyDocument(data), formulas, context, new Meter(context.budget));
  const names = { findSheetId: (name: string) => findSheetId(batch.draft, name) };
  const reader = new TemplateReader(FILE, names);
  const legacy = new Map<Template, Template>();
  const withoutResult = readIteration(batch.draft.base.carried) === null ? null : new Set<CellKey>();
  batch.recalculation.withoutFileResult = withoutResult;
  for (const sheet of data.sheets) {
    const id = findSheetId(batch.draft, sheet.name);
    const looks = listFormattedColumns(sheet);
    const cells = sheet.cells instanceof PackedCells ? sheet.cells.moveTo(batch.draft, id) : sheet.cells;
    const values = new ValueWriter(batch.draft, id);
    const formulas = new FormulaImport(batch, id, reader, legacy, withoutResult);
    for (const cell of cells) {
      if (isPlain(cell) && !looks.has(cell.column)) values.writeValue(cell.row, cell.column, cell.value);
      else formulas.enterCell(cell);
    }
    formulas.finish();
  }
  batch.recalculate();
  return batch.draft.publish();
}

/** Creates sheets, names and tables without cells, so that formulas can be parsed. */
function createEmptyDocument(data: WorkbookData): Snapshot {
  const empty = new Snapshot({
    revision: -2,
    settings: data.settings,
    sheets: [],
    names: [],
    tables: [],
    formats: new FormatTable(),
    carried: data.carried ?? {},
    nextSheetId: FIRST_SHEET_ID,
    hasClock: false,
  });
  const draft = new Draft(empty);
  for (const sheet of data.sheets) addSheet(draft, sheet);
  const names = { findSheetId: (name: string) => findSheetId(draft, name) };
  for (const { name, layout } of data.sheets)
    draft.ensureOwnSheet(names.findSheetId(name)).layout = parseLayout(layout, names);
  draft.tables = data.tables.flatMap((table) => {
    const sheet = findSheetId(draft, table.sheet);
    return sheet < 0 ? [] : [{ ...table, sheet }];
  });
  draft.names = data.names.flatMap((name) => {
    const sheet = name.sheet === undefined ? undefined : findSheetId(draft, name.sheet);
    return sheet === -1 ? [] : [createDefinedName(draft, name, sheet)];
  });
  return draft.publish();
}

function addSheet(draft: Draft, data: SheetData): void {
  const sheet: Sheet = draft.addSheet(data.name, new Set(data.hiddenRows));
  sheet.hidden = data.hidden;
  sheet.color = data.color;
  for (const column of listFormattedColumns(data)) {
    const format = draft.formats.ensureFormat(
      data.columnFormats.get(column) ?? '',
      false,
      data.columnStyles?.get(column),
    );
    while (sheet.columns.length < column) sheet.columns.push(undefined);
    sheet.columns[column] = new Column(draft.revision, ChunkTable.empty(), [], format);
  }
}

/** Returns the columns with a format or style for unwritten cells. */
function listFormattedColumns({ columnFormats, columnStyles }: SheetData): ReadonlySet<number> {
  return new Set([...columnFormats.keys(), ...(columnStyles?.keys() ?? [])]);
}

/** True if the cell is a plain value, without format, style or formula. */
function isPlain({ format, style, formula, spilled }: CellData): boolean {
  return format === undefined && style === undefined && formula === undefined && !spilled;
}

/** The defined name of a file. `sheet`: the sheet to which it is scoped. */
function createDefinedName(draft: Draft, name: NameData, sheet: number | undefined) {
  const names = { findSheetId: (text: string) => findSheetId(draft, text) };
  const node = wrapReferences(parse(name.formula, FILE, { row: 0, column: 0 }, names));
  return sheet === undefined ? { name: name.name, node } : { name: name.name, sheet, node };
}

function findSheetId(draft: Draft, name: string): number {
  return draft.sheetByName(name)?.id ?? -1;
}

/** An array formula with a cached result, and the values of its area that were read so far. */
interface CachedArray {
  readonly area: Area;
  readonly template: Template;
  readonly values: Scalar[][];
}

/** Maximum number of cells of one array formula whose results are cached. */
const MAX_CACHED_CELLS = 65_536;

/** Enters the cells of one sheet that are not plain values. */
class FormulaImport {
  private readonly batch: Batch;
  private readonly sheet: number;
  private readonly reader: TemplateReader;
  private readonly legacy: Map<Template, Template>;
  /** For each template, true if it can be calculated. */
  private readonly calculable = new Map<Template, boolean>();
  private readonly arrays: CachedArray[] = [];
  /** Collects the formulas without a result, by `createCellKey`; null if circular formulas are errors. */
  private readonly withoutResult: Set<CellKey> | null;

  constructor(
    batch: Batch,
    sheet: number,
    reader: TemplateReader,
    legacy: Map<Template, Template>,
    withoutResult: Set<CellKey> | null,
  ) {
    this.batch = batch;
    this.sheet = sheet;
    this.reader = reader;
    this.legacy = legacy;
    this.withoutResult = withoutResult;
  }

  /** Enters a cell with its format and formula. */
  enterCell(cell: CellData): void {
    const { sheet, batch } = this;
    const { draft } = batch;
    const { row, column, value } = cell;
    // A cell without a format is General, even if its column has another format.
    draft.setFormat(sheet, row, column, draft.formats.ensureFormat(cell.format ?? '', false, cell.style));
    if (cell.spilled) return this.setArrayValue(cell);
    if (cell.formula !== undefined) return this.enterFormula(cell, cell.formula);
    if (value !== null) draft.set(sheet, row, column, value, 0);
  }

  /** Enters a formula; if it cannot be calculated, it keeps its result in the file. */
  private enterFormula(cell: CellData, text: string): void {
    const { sheet, batch } = this;
    const { row, column, value } = cell;
    const read = this.reader.readTemplate(text, row, column);
    const isArray = cell.dynamic === true || cell.array !== undefined;
    const template = isArray ? read : getConvertedTemplate(batch, sheet, read, this.legacy);
    const isCached = (value !== null || template.node.k === 'invalid') && !this.isCalculable(template);
    const area = isCached ? cell.array : undefined;
    if (area && cellCount(area) > 1 && cellCount(area) <= MAX_CACHED_CELLS) {
      const values = Array.from({ length: height(area) }, () => new Array<Scalar>(width(area)).fill(null));
      this.arrays.push({ area, template, values });
      this.setArrayValue(cell);
    }
    const entered = isCached ? addCachedResult(template, [[value]]) : template;
    batch.cells.setTemplate(sheet, row, column, entered, null);
    // Circular formulas are calculated from their previous results, so a missing result matters.
    if (value === null) this.withoutResult?.add(createCellKey(sheet, row, column));
    else if (this.withoutResult !== null) batch.draft.set(sheet, row, column, value, FORMULA);
    if (cell.array && !cell.dynamic) reserveArea(batch.draft, sheet, cell.array);
  }

  /** True if this engine can calculate a formula. */
  private isCalculable(template: Template): boolean {
    let canCalculate = this.calculable.get(template);
    if (canCalculate === undefined) {
      canCalculate = findUncalculable(template.node, this.sheet, this.batch.draft) === null;
      this.calculable.set(template, canCalculate);
    }
    return canCalculate;
  }

  /** Sets the cached value of a cell of an array formula. */
  private setArrayValue({ row, column, value }: CellData): void {
    const array = this.arrays.find(({ area }) => contains(area, row, column));
    const values = array?.values[row - array.area.top];
    if (array && values) values[column - array.area.left] = value;
  }

  /** Sets the cached results of array formulas. Call it after all cells were entered. */
  finish(): void {
    for (const { area, template, values } of this.arrays) {
      this.batch.cells.setTemplate(this.sheet, area.top, area.left, addCachedResult(template, values), null);
    }
  }
}

/** Writes the plain values of one sheet. Consecutive values of a column are written directly into their chunk. */
class ValueWriter {
  private readonly draft: Draft;
  private readonly sheet: Sheet;
  private chunk: Chunk | undefined;
  private column = -1;
  private block = -1;

  constructor(draft: Draft, sheet: number) {
    this.draft = draft;
    this.sheet = draft.ensureOwnSheet(sheet);
  }

  /** Writes a plain value. */
  writeValue(row: number, column: number, value: Scalar): void {
    if (value === null) return;
    const { chunk, sheet } = this;
    const at = row & CHUNK_MASK;
    const block = row >> CHUNK_SHIFT;
    // Between two values, a formula or format may have replaced the chunk.
    if (chunk && column === this.column && block === this.block && at < chunk.rows) {
      if (sheet.chunk(column, block) === chunk) {
        sheet.growExtent(row + 1, column + 1);
        return chunk.set(at, value, 0);
      }
    }
    this.draft.set(sheet.id, row, column, value, 0);
    this.chunk = sheet.chunk(column, block);
    this.column = column;
    this.block = block;
  }
}

/** Marks the area of a fixed array formula before its calculation. */
function reserveArea(draft: Draft, sheet: number, filled: Area): void {
  draft.spills.set(sheet, { area: filled, fixed: true, blocked: false });
  for (let column = filled.left; column <= filled.right; column++) {
    for (let row = filled.top; row <= filled.bottom; row++) {
      if (row !== filled.top || column !== filled.left) draft.set(sheet, row, column, 0, SPILLED);
    }
  }
}

/** The template of a formula from before dynamic arrays, with `@` where it meant one cell. Each is converted once. */
function getConvertedTemplate(
  batch: Batch,
  sheet: number,
  source: Template,
  legacyTemplates: Map<Template, Template>,
): Template {
  const existingTemplate = legacyTemplates.get(source);
  if (existingTemplate) return existingTemplate;
  const template = new Template(addImplicitIntersections(source.node, sheet, batch.draft));
  legacyTemplates.set(source, template);
  return template;
}
