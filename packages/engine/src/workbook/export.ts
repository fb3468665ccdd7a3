import type { Node } from '../formula/ast.ts';
import { FILE, print, unwrapped } from '../formula/index.ts';
import { FILE_NAMES } from '../functions/file-names.ts';
import type { Area } from '../grid/area.ts';
import { CHUNK_SHIFT, EMPTY, FORMULA, SPILLED } from '../sheet/chunk.ts';
import { GENERAL } from '../sheet/formats.ts';
import { anchorKey, type Sheet, type Snapshot } from '../sheet/snapshot.ts';
import type { Run, Template } from '../sheet/template.ts';
import { layoutData } from './attachments.ts';
import { withoutCachedResult } from './cached-results.ts';
import type { CellData, NameData, SheetData, TableData, WorkbookData } from './data.ts';
import { asLegacyFormula } from './legacy.ts';

/** What an exporter may settle. */
export interface ExportOptions {
  /** Names to write in place of sheets' own, for formats that can't hold those. */
  readonly sheetNames?: ReadonlyMap<string, string>;
  /** Workbooks that formulas may name by number, from 1: a reference to any other becomes `#REF!`. Absent: as it is. */
  readonly externalBooks?: number;
}

/** A document in the plain terms of exporters; cells are made as they are read. */
export function exportData(snapshot: Snapshot, options: ExportOptions = {}): WorkbookData {
  const nameOf = (sheet: Sheet) => options.sheetNames?.get(sheet.name) ?? sheet.name;
  const names = {
    sheetName: (id: number) => {
      const sheet = snapshot.sheetById(id);
      return sheet ? nameOf(sheet) : null;
    },
    holdsExternal: (sheet: string) => {
      const { externalBooks } = options;
      return externalBooks === undefined || Number(/^\[([1-9][0-9]*)\]/.exec(sheet)?.[1]) <= externalBooks;
    },
  };
  const text: PrintFormula = (node, row, column) =>
    print(node, FILE, { row, column }, names, { file: FILE_NAMES }).slice(1);
  return {
    settings: snapshot.settings,
    names: snapshot.names.flatMap((name): NameData[] => {
      const formula = text(unwrapped(name.node), 0, 0);
      if (name.sheet === undefined) return [{ name: name.name, formula }];
      const sheet = snapshot.sheetById(name.sheet);
      return sheet ? [{ name: name.name, sheet: nameOf(sheet), formula }] : [];
    }),
    tables: snapshot.tables.flatMap((table): TableData[] => {
      const sheet = snapshot.sheetById(table.sheet);
      return sheet ? [{ ...table, sheet: nameOf(sheet) }] : [];
    }),
    sheets: snapshot.sheets.map((sheet) => sheetData(snapshot, sheet, nameOf(sheet), text)),
    carried: snapshot.carried,
  };
}

/** What templates are in files from before dynamic arrays; null: a dynamic array formula. */
type LegacyForms = Map<Template, Node | null>;

type PrintFormula = (node: Node, row: number, column: number) => string;

function sheetData(snapshot: Snapshot, sheet: Sheet, name: string, text: PrintFormula): SheetData {
  const columnFormats = new Map<number, string>();
  const columnStyles = new Map<number, string>();
  sheet.columns.forEach((column, index) => {
    const { format, style } = looks(snapshot, column?.format ?? GENERAL);
    if (format !== undefined) columnFormats.set(index, format);
    if (style !== undefined) columnStyles.set(index, style);
  });
  return {
    name,
    hidden: sheet.hidden,
    color: sheet.color,
    hiddenRows: [...sheet.hiddenRows],
    columnFormats,
    columnStyles,
    layout: layoutData(sheet.layout, text),
    byRow: true,
    cells: { [Symbol.iterator]: () => cellsByRow(snapshot, sheet, text) },
  };
}

/** Row by row, as files are written. Cells with a format and no value are listed too. */
function* cellsByRow(snapshot: Snapshot, sheet: Sheet, text: PrintFormula): Generator<CellData> {
  const rows = heldRows(sheet);
  const forms: LegacyForms = new Map();
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < sheet.columns.length; column++) {
      const cell = sheet.columns[column] ? cellData(snapshot, sheet, row, column, text, forms) : null;
      if (cell) yield cell;
    }
  }
}

function heldRows(sheet: Sheet): number {
  let rows = 0;
  for (const column of sheet.columns) {
    const last = (column?.chunks.length ?? 0) - 1;
    if (last >= 0) rows = Math.max(rows, (last << CHUNK_SHIFT) + (column?.chunks.at(last)?.rows ?? 0));
  }
  return rows;
}

function cellData(
  snapshot: Snapshot,
  sheet: Sheet,
  row: number,
  column: number,
  text: PrintFormula,
  forms: LegacyForms,
): CellData | null {
  const kind = sheet.kind(row, column);
  const id = sheet.format(row, column);
  const format = looks(snapshot, id);
  if (kind === EMPTY) {
    return id !== (sheet.columns[column]?.format ?? GENERAL) ? { row, column, value: null, ...format } : null;
  }
  const value = sheet.value(row, column);
  if ((kind & SPILLED) !== 0) return { row, column, value, spilled: true, ...format };
  if ((kind & FORMULA) === 0) return { row, column, value, ...format };
  const run = sheet.run(row, column);
  if (!run) return { row, column, value, ...format };
  const node = withoutCachedResult(run.template.node);
  // No file format holds a formula that cannot be read: its text is kept as a text.
  if (node.k === 'invalid') return { row, column, value: node.text, ...format };
  const spill = sheet.spills.get(anchorKey(row, column));
  // A blocked one fills no cell but its own: the area that it waits for holds others' values.
  if (spill && (spill.fixed || !spill.blocked)) {
    const array: { array: Area; dynamic?: true } = spill.fixed
      ? { array: spill.area }
      : { array: spill.area, dynamic: true };
    return { row, column, value, formula: text(node, row, column), ...array, ...format };
  }
  const legacy = legacyForm(forms, run, snapshot);
  const mode = legacy ? {} : { dynamic: true as const };
  return { row, column, value, formula: text(legacy ?? node, row, column), ...mode, ...format };
}

function looks(snapshot: Snapshot, id: number): Pick<CellData, 'format' | 'style'> {
  if (id === GENERAL) return NO_LOOKS;
  const { code, style } = snapshot.formats.get(id);
  return { ...(code === 'General' ? {} : { format: code }), ...(style === '' ? {} : { style }) };
}

const NO_LOOKS = {};

function legacyForm(forms: LegacyForms, run: Run, snapshot: Snapshot): Node | null {
  const known = forms.get(run.template);
  if (known !== undefined) return known;
  const form = asLegacyFormula(withoutCachedResult(run.template.node), run.sheet, snapshot);
  forms.set(run.template, form);
  return form;
}
