import { Meter } from '../calc/budget.ts';
import type { Moment } from '../calc/evaluation.ts';
import { FILE, parse } from '../formula/index.ts';
import type { Area } from '../grid/area.ts';
import { CHUNK_MASK, CHUNK_SHIFT, type Chunk, SPILLED } from '../sheet/chunk.ts';
import { Draft } from '../sheet/draft.ts';
import { FormatTable } from '../sheet/formats.ts';
import { type Sheet, Snapshot } from '../sheet/snapshot.ts';
import { Template } from '../sheet/template.ts';
import type { Scalar } from '../value/scalar.ts';
import { layoutOf } from './attachments.ts';
import type { CellData, NameData, SheetData, WorkbookData } from './data.ts';
import type { FormulaGraph } from './formula-graph.ts';
import { withImplicitIntersection } from './legacy.ts';
import { TemplateReader } from './templates.ts';
import { Transaction } from './transaction.ts';
import type { ApplyContext } from './types.ts';

/** Builds a document from a file's contents and calculates it: revision 0. Throws what the meter throws. */
export function importData(
  data: WorkbookData,
  formulas: FormulaGraph,
  context: ApplyContext,
  moment: Moment,
): Snapshot {
  const transaction = new Transaction(skeletonOf(data), formulas, context, moment, new Meter(context.budget));
  const names = { sheetId: (name: string) => sheetByName(transaction.draft, name) };
  const reader = new TemplateReader(FILE, names);
  const legacy = new Map<Template, Template>();
  for (const sheet of data.sheets) {
    const id = sheetByName(transaction.draft, sheet.name);
    const values = new ValueWriter(transaction.draft, id);
    const looks = columnLooks(sheet);
    for (const cell of sheet.cells) {
      if (isPlain(cell) && !looks.has(cell.column)) {
        values.write(cell.row, cell.column, cell.value);
      } else importCell(transaction, id, cell, reader, legacy);
    }
  }
  transaction.recalculate();
  return transaction.draft.publish();
}

/** Sheets, names and tables without any cells, so that formulas can be read against them. */
function skeletonOf(data: WorkbookData): Snapshot {
  const empty = new Snapshot({
    revision: -2,
    settings: data.settings,
    sheets: [],
    names: [],
    tables: [],
    formats: new FormatTable(),
    carried: data.carried ?? {},
    nextSheetId: 1,
    hasClock: false,
  });
  const draft = new Draft(empty);
  for (const sheet of data.sheets) addSheet(draft, sheet);
  const names = { sheetId: (name: string) => sheetByName(draft, name) };
  for (const { name, layout } of data.sheets) draft.ownSheet(names.sheetId(name)).layout = layoutOf(layout, names);
  draft.tables = data.tables.flatMap((table) => {
    const sheet = sheetByName(draft, table.sheet);
    return sheet < 0 ? [] : [{ ...table, sheet }];
  });
  draft.names = data.names.flatMap((name) => {
    const sheet = name.sheet === undefined ? undefined : sheetByName(draft, name.sheet);
    return sheet === -1 ? [] : [definedName(draft, name, sheet)];
  });
  return draft.publish();
}

function addSheet(draft: Draft, data: SheetData): void {
  const sheet: Sheet = draft.addSheet(data.name, new Set(data.hiddenRows));
  sheet.hidden = data.hidden;
  sheet.color = data.color;
  for (const column of columnLooks(data)) {
    const format = draft.formats.idOf(data.columnFormats.get(column) ?? '', false, data.columnStyles?.get(column));
    draft.setColumnFormat(sheet, column, format);
  }
}

/** Columns that have a format or a style for cells never written. */
function columnLooks({ columnFormats, columnStyles }: SheetData): ReadonlySet<number> {
  return new Set([...columnFormats.keys(), ...(columnStyles?.keys() ?? [])]);
}

/** A value in no format of its own. */
function isPlain({ format, style, formula, spilled }: CellData): boolean {
  return format === undefined && style === undefined && formula === undefined && !spilled;
}

function definedName(draft: Draft, name: NameData, sheet: number | undefined) {
  const names = { sheetId: (text: string) => sheetByName(draft, text) };
  const node = parse(name.formula, FILE, { row: 0, column: 0 }, names);
  return sheet === undefined ? { name: name.name, node } : { name: name.name, sheet, node };
}

function sheetByName(draft: Draft, name: string): number {
  return draft.sheetByName(name)?.id ?? -1;
}

function importCell(
  transaction: Transaction,
  sheet: number,
  cell: CellData,
  reader: TemplateReader,
  legacy: Map<Template, Template>,
): void {
  const { draft } = transaction;
  const { row, column } = cell;
  // A cell without a format has none, whatever its column has.
  draft.setFormat(sheet, row, column, draft.formats.idOf(cell.format ?? '', false, cell.style));
  if (cell.formula === undefined) {
    if (cell.value !== null && !cell.spilled) draft.set(sheet, row, column, cell.value, 0);
    return;
  }
  const read = reader.read(cell.formula, row, column);
  const isArray = cell.dynamic === true || cell.array !== undefined;
  const template = isArray ? read : legacyTemplate(transaction, sheet, read, legacy);
  transaction.setTemplate(sheet, row, column, template, null);
  if (cell.array && !cell.dynamic) reserve(draft, sheet, cell.array);
}

/** Writes the plain values of one sheet; those that follow one another down a column go into their chunk at once. */
class ValueWriter {
  private readonly draft: Draft;
  private readonly sheet: Sheet;
  private chunk: Chunk | undefined;
  private column = -1;
  private block = -1;

  constructor(draft: Draft, sheet: number) {
    this.draft = draft;
    this.sheet = draft.ownSheet(sheet);
  }

  write(row: number, column: number, value: Scalar): void {
    if (value === null) return;
    const { chunk, sheet } = this;
    const at = row & CHUNK_MASK;
    const block = row >> CHUNK_SHIFT;
    // Formulas and formats in between may have put another chunk in its place.
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

/** The cells of a fixed array formula belong to it from the start. */
function reserve(draft: Draft, sheet: number, filled: Area): void {
  if (filled.top === filled.bottom && filled.left === filled.right) return;
  draft.setSpill(sheet, { area: filled, fixed: true, blocked: false });
  for (let column = filled.left; column <= filled.right; column++) {
    for (let row = filled.top; row <= filled.bottom; row++) {
      if (row !== filled.top || column !== filled.left) draft.set(sheet, row, column, 0, SPILLED);
    }
  }
}

function legacyTemplate(
  transaction: Transaction,
  sheet: number,
  read: Template,
  known: Map<Template, Template>,
): Template {
  const held = known.get(read);
  if (held) return held;
  const template = new Template(withImplicitIntersection(read.node, sheet, transaction.draft));
  known.set(read, template);
  return template;
}
