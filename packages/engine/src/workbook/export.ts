import type { Node } from '../formula/ast.ts';
import { FILE, print, unwrapReferences, walkTree } from '../formula/index.ts';
import { findCallable } from '../functions/catalogue.ts';
import { FILE_NAMES } from '../functions/file-names.ts';
import { MAX_ROWS } from '../grid/limits.ts';
import { runToEnd } from '../grid/steps.ts';
import { filterRows, listDisplayedValues } from '../records/index.ts';
import { EMPTY, FORMULA, SPILLED } from '../sheet/cell-kind.ts';
import { iterateFilledBlocks } from '../sheet/filled-blocks.ts';
import { type ColumnCondition, findFilter, replaceLayoutFilter } from '../sheet/filter.ts';
import { GENERAL } from '../sheet/formats.ts';
import { createAnchorKey, type Sheet, type Snapshot } from '../sheet/snapshot.ts';
import type { Run, Template } from '../sheet/template.ts';
import { type PrintFormula, toLayoutData } from './attachments.ts';
import { readsMissingWorkbook, removeCachedResult } from './formulas/cached-results.ts';
import { toLegacyFormula } from './legacy-formulas.ts';
import type { CellData, NameData, SheetData, TableData, WorkbookData } from './workbook-data.ts';

/** Options of an exporter. */
export interface ExportOptions {
  /** Replacements for sheet names, for file formats that do not allow the original names. */
  readonly sheetNames?: ReadonlyMap<string, string>;
  /**
   * Number of other workbooks to which formulas may refer by number, from 1. A formula that refers to a larger number
   * is replaced by its value; references to a workbook by name are kept. Absent: all references are kept.
   */
  readonly externalBooks?: number;
  /** True if the file format supports a filter condition. Other conditions are replaced by the list of shown values. */
  readonly holdsCondition?: (condition: ColumnCondition) => boolean;
}

/** A document as plain data for exporters. Cells are generated while they are read. */
export function exportData(snapshot: Snapshot, options: ExportOptions = {}): WorkbookData {
  const nameOf = (sheet: Sheet) => options.sheetNames?.get(sheet.name) ?? sheet.name;
  const isMissing = (sheet: string) => isMissingWorkbook(sheet, options.externalBooks);
  const names = {
    getSheetName: (id: number) => {
      const sheet = snapshot.sheetById(id);
      return sheet ? nameOf(sheet) : null;
    },
    canContainExternal: (sheet: string) => !isMissing(sheet),
  };
  const text: PrintFormula = (node, row, column) =>
    print(node, FILE, { row, column }, names, { file: FILE_NAMES }).slice(1);
  return {
    settings: snapshot.settings,
    names: snapshot.names.flatMap((name): NameData[] => {
      const formula = text(unwrapReferences(name.node), 0, 0);
      if (name.sheet === undefined) return [{ name: name.name, formula }];
      const sheet = snapshot.sheetById(name.sheet);
      return sheet ? [{ name: name.name, sheet: nameOf(sheet), formula }] : [];
    }),
    tables: snapshot.tables.flatMap((table): TableData[] => {
      const sheet = snapshot.sheetById(table.sheet);
      return sheet ? [{ ...table, sheet: nameOf(sheet) }] : [];
    }),
    sheets: snapshot.sheets.map((sheet) => ({
      ...exportSheet(snapshot, sheet, nameOf(sheet), text, createLinkTest(sheet.id, snapshot, isMissing)),
      ...exportFilter(snapshot, sheet, text, options),
    })),
    carried: snapshot.carried,
  };
}

/** True for a sheet of a workbook by number, such as `[2]Prices`, if the file refers to fewer workbooks. */
function isMissingWorkbook(sheet: string, externalBooks: number | undefined): boolean {
  const [, number] = /^\[(\d+)\]/.exec(sheet) ?? [];
  if (externalBooks === undefined || number === undefined) return false;
  return Number(number) < 1 || Number(number) > externalBooks;
}

/**
 * Counts the cells that become values and the names that become `#REF!`, because the file does not refer to such a
 * workbook.
 */
export function countLostLinks(snapshot: Snapshot, externalBooks: number): number {
  const isMissing = (sheet: string) => isMissingWorkbook(sheet, externalBooks);
  let count = 0;
  for (const { node, sheet = NO_SHEET } of snapshot.names) {
    if (readsMissingWorkbook(node, sheet, snapshot, isMissing)) count++;
  }
  for (const { id, columns } of snapshot.sheets) {
    const losesLink = createLinkTest(id, snapshot, isMissing);
    for (const column of columns) {
      for (const { top, bottom, template } of column?.runs ?? []) if (losesLink(template)) count += bottom - top + 1;
    }
  }
  return count;
}

/** A sheet id that does not exist. */
const NO_SHEET = -1;

/** True if a formula reads a workbook to which the file does not refer. */
type LinkTest = (template: Template) => boolean;

/** Creates a test for the formulas of one sheet. It caches the result for each template. */
function createLinkTest(sheet: number, snapshot: Snapshot, isMissing: (sheet: string) => boolean): LinkTest {
  const known = new Map<Template, boolean>();
  return (template) => {
    let isLost = known.get(template);
    if (isLost === undefined) {
      isLost = readsMissingWorkbook(removeCachedResult(template.node), sheet, snapshot, isMissing);
      known.set(template, isLost);
    }
    return isLost;
  };
}

/**
 * Formulas in the form of files from before dynamic arrays; null for a formula that only exists as a dynamic array
 * formula.
 */
type LegacyForms = Map<Template, Node | null>;

/**
 * Returns a sheet with its filter in the form of files: rows that the filter hides are stored as hidden, because other
 * programs evaluate the conditions only on request.
 */
function exportFilter(
  snapshot: Snapshot,
  sheet: Sheet,
  text: PrintFormula,
  { holdsCondition = () => true }: ExportOptions,
): Pick<SheetData, 'hiddenRows' | 'layout'> | null {
  const filter = findFilter(sheet.layout);
  if (filter === null || filter.columns.length === 0) return null;
  const rows = runToEnd(filterRows(snapshot, sheet, filter));
  const { area, shown } = rows;
  const first = area.top + 1;
  const columns = filter.columns.map(({ column, condition }) => {
    if (holdsCondition(condition)) return { column, condition };
    const { values } = runToEnd(listDisplayedValues(snapshot, sheet, rows, { column, limit: MAX_ROWS, search: '' }));
    return { column, condition: { values: values.map((one) => one.text) } };
  });
  const apart = [...sheet.hiddenRows].filter((row) => row < first || row > Math.max(area.bottom, filter.area.bottom));
  const hidden = apart.concat([...shown.keys()].filter((i) => shown[i] === 0).map((i) => first + i));
  const layout = replaceLayoutFilter(sheet.layout, {
    area: { ...filter.area, bottom: Math.max(area.bottom, filter.area.bottom) },
    columns,
  });
  return { hiddenRows: hidden, layout: toLayoutData(layout, text) };
}

/** A sheet as plain data. `losesLink`: formulas that become values. */
function exportSheet(
  snapshot: Snapshot,
  sheet: Sheet,
  name: string,
  text: PrintFormula,
  losesLink: LinkTest,
): SheetData {
  const columnFormats = new Map<number, string>();
  const columnStyles = new Map<number, string>();
  sheet.columns.forEach((column, index) => {
    const { format, style } = describeFormat(snapshot, column?.format ?? GENERAL);
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
    layout: toLayoutData(sheet.layout, text),
    byRow: true,
    cells: { [Symbol.iterator]: () => exportCellsByRow(snapshot, sheet, text, losesLink) },
  };
}

/** Counts the cells whose formulas call a Google function that Excel does not have. */
export function countForeignFunctions(snapshot: Snapshot): number {
  const known = new Map<Template, boolean>();
  const isForeign = (template: Template): boolean => {
    const answer = known.get(template) ?? callsForeignFunction(template.node);
    known.set(template, answer);
    return answer;
  };
  let cells = 0;
  for (const { columns } of snapshot.sheets) {
    for (const column of columns) {
      for (const { top, bottom, template } of column?.runs ?? []) if (isForeign(template)) cells += bottom - top + 1;
    }
  }
  return cells;
}

/** True if a formula calls a Google function that Excel does not have. */
function callsForeignFunction(node: Node): boolean {
  let isForeign = false;
  walkTree(node, (next) => {
    if (next.k === 'call' && findCallable(next.name)?.family === 'google') isForeign = true;
    return true;
  });
  return isForeign;
}

/** The cells of a sheet row by row, in the order of files. Includes cells with only a format. */
function* exportCellsByRow(
  snapshot: Snapshot,
  sheet: Sheet,
  text: PrintFormula,
  losesLink: LinkTest,
): Generator<CellData> {
  const forms: LegacyForms = new Map();
  for (const { top, bottom, columns } of iterateFilledBlocks(sheet)) {
    for (let row = top; row <= bottom; row++) {
      for (const column of columns) {
        const cell = exportCell(snapshot, sheet, row, column, text, forms, losesLink);
        if (cell) yield cell;
      }
    }
  }
}

/** A cell as plain data; null for an empty cell with the format of its column. */
function exportCell(
  snapshot: Snapshot,
  sheet: Sheet,
  row: number,
  column: number,
  text: PrintFormula,
  forms: LegacyForms,
  losesLink: LinkTest,
): CellData | null {
  const kind = sheet.kind(row, column);
  const id = sheet.format(row, column);
  const format = describeFormat(snapshot, id);
  if (kind === EMPTY) {
    return id !== (sheet.columns[column]?.format ?? GENERAL) ? { row, column, value: null, ...format } : null;
  }
  const value = sheet.value(row, column);
  if ((kind & SPILLED) !== 0) return { row, column, value, spilled: true, ...format };
  if ((kind & FORMULA) === 0) return { row, column, value, ...format };
  const run = sheet.run(row, column);
  if (!run || losesLink(run.template)) return { row, column, value, ...format };
  const node = removeCachedResult(run.template.node);
  const filled = describeArray(sheet, row, column);
  if (node.k === 'invalid') {
    const isOfFile = run.template.node.k === 'cached';
    // A file may contain an invalid formula only if it came from a file. Any other invalid formula would make the file
    // unreadable, so it is stored as a text.
    return isOfFile
      ? { row, column, value, formula: node.text.slice(1), ...filled, ...format }
      : { row, column, value: node.text, unreadable: true, ...format };
  }
  if (filled !== null) return { row, column, value, formula: text(node, row, column), ...filled, ...format };
  const legacy = findLegacyForm(forms, run, snapshot);
  const mode = legacy ? {} : { dynamic: true as const };
  return { row, column, value, formula: text(legacy ?? node, row, column), ...mode, ...format };
}

/**
 * Describes the area that an array formula fills; null for other formulas. A blocked spill fills only its own cell,
 * because the area that it needs contains other values.
 */
function describeArray(sheet: Sheet, row: number, column: number): Pick<CellData, 'array' | 'dynamic'> | null {
  const spill = sheet.spills.get(createAnchorKey(row, column));
  if (spill === undefined || (spill.blocked && !spill.fixed)) return null;
  return spill.fixed ? { array: spill.area } : { array: spill.area, dynamic: true };
}

/** The number format code and the style with an id; absent members for General and no style. */
function describeFormat(snapshot: Snapshot, id: number): Pick<CellData, 'format' | 'style'> {
  if (id === GENERAL) return NO_LOOKS;
  const { code, style } = snapshot.formats.get(id);
  return { ...(code === 'General' ? {} : { format: code }), ...(style === '' ? {} : { style }) };
}

const NO_LOOKS = {};

/** The form of a run's formula in files from before dynamic arrays; null if there is none. */
function findLegacyForm(forms: LegacyForms, run: Run, snapshot: Snapshot): Node | null {
  const cached = forms.get(run.template);
  if (cached !== undefined) return cached;
  const form = toLegacyFormula(removeCachedResult(run.template.node), run.sheet, snapshot);
  forms.set(run.template, form);
  return form;
}
