// Runs Cellwire's engine for the conformance scorer. README.md in this folder describes the interface.
import { area, cellText, errorByCode, parseArea, VALUE, Workbook } from '../../packages/engine/src/index.ts';

/** An arbitrary time: no workbook of the corpus depends on it. */
const NOW = Date.UTC(2024, 0, 15, 12);
/** A clock that stands still, so that no time limit ends a calculation. */
const NO_CLOCK = () => 0;

/** Imports and calculates a workbook of the corpus. Returns its snapshot. */
function loadWorkbook(book) {
  const workbook = Workbook.import(convertToWorkbookData(book), {
    now: NOW,
    seed: 1,
    budget: { cells: 200_000_000, milliseconds: 60_000, clock: NO_CLOCK },
  });
  if (!(workbook instanceof Workbook)) throw new Error(`refused: ${workbook.reason}`);
  return workbook.head;
}

/** Returns the value of a cell in the scorer's form, `{ t, v }`. `cellAddress`: in A1 form. */
function readCell(snapshot, sheetName, cellAddress) {
  const sheet = snapshot.sheetByName(sheetName);
  const at = parseArea(cellAddress);
  const value = sheet ? sheet.value(at.top, at.left) : null;
  if (value === null) return { t: 'z' };
  if (typeof value === 'number') return { t: 'n', v: value };
  if (typeof value === 'string') return { t: 's', v: value };
  if (typeof value === 'boolean') return { t: 'b', v: value };
  return { t: 'e', v: KEPT_ERRORS.has(value.code) ? value.code : '#VALUE!' };
}

/** The names that the scorer calls. */
export { loadWorkbook as load, readCell as get };

/** The errors that files can contain. Files store newer errors as `#VALUE!`, and so does our export. */
const KEPT_ERRORS = new Set(['#NULL!', '#DIV/0!', '#VALUE!', '#REF!', '#NAME?', '#NUM!', '#N/A']);

/** Converts a workbook of the corpus to the input of the engine's import. */
function convertToWorkbookData(book) {
  return {
    settings: { locale: 'en-US', dateSystem: getDateSystem(book), timeZone: 'UTC' },
    names: book.names.map(({ name, ref, sheet }) => (sheet ? { name, sheet, formula: ref } : { name, formula: ref })),
    tables: book.tables.map((table) => {
      const { top, left, bottom, right } = parseArea(table.ref);
      const header = book.sheets.find(({ name }) => name === table.sheet)?.cells ?? {};
      return {
        name: table.name,
        sheet: table.sheet,
        area: area(top, left, bottom, right),
        headerRow: table.headerRow !== 0 && table.headerRow !== false,
        totalsRow: Boolean(table.totalsRow),
        // A column without a name in the workbook takes the text of its header cell.
        columns: table.columns.map((name, i) => name ?? String(header[cellText(top, left + i)]?.v ?? '')),
      };
    }),
    sheets: book.sheets.map((sheet) => ({
      name: sheet.name,
      hidden: false,
      color: null,
      hiddenRows: [],
      columnFormats: new Map(),
      cells: convertCells(sheet.cells),
    })),
  };
}

/**
 * The date system of a workbook. OpenDocument files count days from 1899-12-30, Excel files from 1900-01-01 or
 * 1904-01-01.
 */
function getDateSystem(book) {
  if (book.date1904) return '1904';
  return book.id.endsWith('ods') ? 'google' : '1900';
}

/** Returns the value of a cell by its type in the corpus: number, text or boolean. */
const VALUES = {
  n: (v) => v,
  s: (v) => v,
  b: (v) => v,
};

/** Converts the cells of a sheet, given by address, to cells of an import. */
function convertCells(cells) {
  return Object.entries(cells).flatMap(([ref, cell]) => {
    const { top: row, left: column } = parseArea(ref);
    if (cell.f === undefined) return cell.F === undefined ? [{ row, column, value: convertValue(cell) }] : [];
    const formula = { row, column, value: null, formula: cell.f };
    if (cell.D) return [{ ...formula, dynamic: true }];
    if (cell.F === undefined) return [formula];
    const { top, left, bottom, right } = parseArea(cell.F);
    return [{ ...formula, array: area(top, left, bottom, right) }];
  });
}

/** Converts the stored value of a cell to a scalar of the engine; null if the cell is empty. */
function convertValue(cell) {
  if (cell.t === 'e') return errorByCode(cell.v) ?? VALUE;
  return VALUES[cell.t]?.(cell.v) ?? null;
}
