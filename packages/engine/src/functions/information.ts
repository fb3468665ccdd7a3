import { cellText } from '../grid/a1.ts';
import { type CellError, NA, REF, VALUE } from '../value/errors.ts';
import { isError, type Scalar } from '../value/scalar.ts';
import { toNumber } from './coerce.ts';
import { define } from './define.ts';
import { readAsScalar, takeTopLeftElement } from './invoke.ts';
import { buildMatrix } from './shape.ts';
import type { FunctionContext, FunctionSpec } from './spec.ts';
import { Lambda, Matrix, Reference, type SheetArea, type Value } from './value.ts';

/** Results of `ERROR.TYPE` by error code, as documented by Excel. */
const ERROR_TYPES: Readonly<Record<string, number>> = {
  '#NULL!': 1,
  '#DIV/0!': 2,
  '#VALUE!': 3,
  '#REF!': 4,
  '#NAME?': 5,
  '#NUM!': 6,
  '#N/A': 7,
  '#SPILL!': 9,
  '#CALC!': 14,
};

/** Results of `INFO`. They describe the product, not the machine that it runs on. */
const INFO_TEXTS: ReadonlyMap<string, string> = new Map([
  ['recalc', 'Automatic'],
  ['release', '16.0'],
  ['system', 'pcdos'],
  ['origin', '$A:$A$1'],
]);

/** Defines a function such as ISBLANK, which is true for some values. */
function defineTest(name: string, isSatisfied: (value: Scalar) => boolean): FunctionSpec {
  return define('information', name, ['any'], (_, value) => isSatisfied(value), { returns: 'boolean' });
}

/** Defines ISEVEN or ISODD. */
function defineParity(name: string, odd: 0 | 1): FunctionSpec {
  return define('information', name, ['scalar'], (context, value) => {
    if (typeof value === 'boolean') return VALUE;
    const number = toNumber(value, context);
    return isError(number) ? number : Math.abs(Math.trunc(number)) % 2 === odd;
  });
}

/** Returns one result per cell: a scalar for a single cell, an array for more. */
function mapCells(context: FunctionContext, area: SheetArea, answer: (row: number, column: number) => Scalar): Value {
  const rows = area.bottom - area.top + 1;
  const columns = area.right - area.left + 1;
  if (rows === 1 && columns === 1) return answer(area.top, area.left);
  return buildMatrix(context, rows, columns, (r, c) => answer(area.top + r, area.left + c));
}

/** N: the number of a value. */
function convertToNumber(value: Scalar): Scalar {
  if (typeof value === 'number' || isError(value)) return value;
  return value === true ? 1 : 0;
}

/** TYPE: the number of a value's type. */
function findTypeNumber(context: FunctionContext, value: Value): number {
  if (value instanceof Lambda) return 128;
  if (value instanceof Matrix) return 64;
  const scalar = readAsScalar(context, value);
  if (scalar === undefined) return 64;
  if (isError(scalar)) return 16;
  if (typeof scalar === 'boolean') return 4;
  return typeof scalar === 'string' ? 2 : 1;
}

function findSheetNumber(context: FunctionContext, value: Value | undefined): number | CellError {
  const { workbook } = context;
  if (value === undefined) return workbook.getSheetPosition(context.sheet) + 1;
  if (value instanceof Reference) return workbook.getSheetPosition(value.areas[0].sheet) + 1;
  const scalar = takeTopLeftElement(context, value);
  if (isError(scalar)) return scalar;
  if (typeof scalar !== 'string') return NA;
  const id = workbook.findSheetId(scalar);
  return id < 0 ? NA : workbook.getSheetPosition(id) + 1;
}

function countSheets(context: FunctionContext, value: Value | undefined): number | CellError {
  if (value === undefined) return context.workbook.sheetCount;
  if (isError(value)) return value;
  return value instanceof Reference ? new Set(value.areas.map((a) => a.sheet)).size : REF;
}

/** INFO: a property of the environment, such as the number of sheets. */
function readEnvironmentInfo(context: FunctionContext, infoType: string): Value {
  const key = infoType.toLowerCase();
  return key === 'numfile' ? context.workbook.sheetCount : (INFO_TEXTS.get(key) ?? VALUE);
}

/** The address of a cell with `$` before column and row. */
function formatAbsoluteCell(row: number, column: number): string {
  return cellText(row, column).replace(/^([A-Z]+)/, '$$$1$');
}

const DATE_CODE = /[dy]|m{3,}/i;
const TIME_CODE = /[hs]/i;
const QUOTED = /"[^"]*"|\[[^\]]*\]|\\./g;

/** Returns the result of `CELL("format")`: the short code in Excel's table for a format. */
function findFormatLetter(code: string): string {
  if (code === '' || code.toLowerCase() === 'general') return 'G';
  const bare = code.replace(QUOTED, '');
  if (DATE_CODE.test(bare)) return TIME_CODE.test(bare) ? 'D4' : 'D1';
  if (TIME_CODE.test(bare)) return bare.includes('s') ? 'D8' : 'D9';
  const decimals = /\.(0+)/.exec(bare)?.[1]?.length ?? 0;
  if (bare.includes('%')) return `P${decimals}`;
  if (/e\+/i.test(bare)) return `S${decimals}`;
  if (/[$€£¥₽]/.test(code)) return `C${decimals}`;
  return `${bare.includes('#,##') ? ',' : 'F'}${decimals}`;
}

/** CELL: a property of a cell, such as its address or format. */
function readCellInfo(context: FunctionContext, infoType: string, reference: Reference | undefined): Value {
  const area = reference?.areas[0];
  const sheet = area?.sheet ?? context.sheet;
  const row = area?.top ?? context.row;
  const column = area?.left ?? context.column;
  switch (infoType.toLowerCase()) {
    case 'address':
      return formatAbsoluteCell(row, column);
    case 'row':
      return row + 1;
    case 'col':
      return column + 1;
    case 'contents':
      return context.readCell(sheet, row, column) ?? 0;
    case 'type':
      return getTypeLetter(context.readCell(sheet, row, column));
    case 'format':
      return findFormatLetter(context.workbook.getFormatCode(sheet, row, column));
    case 'filename':
      return context.workbook.getSheetName(sheet);
    case 'prefix':
      return typeof context.readCell(sheet, row, column) === 'string' ? "'" : '';
    case 'color':
      return /;[^;]*\[(red|color)/i.test(context.workbook.getFormatCode(sheet, row, column)) ? 1 : 0;
    case 'parentheses':
      return /\(.*\)/.test(context.workbook.getFormatCode(sheet, row, column)) ? 1 : 0;
    case 'protect':
      return 1;
    default:
      return VALUE;
  }
}

/** The result of CELL("type"): `b` for a blank, `l` for a text, `v` for any other value. */
function getTypeLetter(value: Scalar): string {
  if (value === null) return 'b';
  return typeof value === 'string' ? 'l' : 'v';
}

export const INFORMATION: readonly FunctionSpec[] = [
  defineTest('ISBLANK', (value) => value === null),
  defineTest('ISERR', (value) => isError(value) && value !== NA),
  defineTest('ISERROR', isError),
  defineTest('ISNA', (value) => value === NA),
  defineTest('ISLOGICAL', (value) => typeof value === 'boolean'),
  defineTest('ISNONTEXT', (value) => typeof value !== 'string'),
  defineTest('ISNUMBER', (value) => typeof value === 'number'),
  defineTest('ISTEXT', (value) => typeof value === 'string'),
  defineParity('ISEVEN', 0),
  defineParity('ISODD', 1),
  define('information', 'ISREF', ['value'], (_, value) => value instanceof Reference),
  define('information', 'ISFORMULA', ['reference'], (context, reference) => {
    const [area] = reference.areas;
    return mapCells(context, area, (r, c) => context.workbook.getFormulaText(area.sheet, r, c) !== null);
  }),
  define(
    'information',
    'N',
    ['value'],
    (context, value) => {
      if (!(value instanceof Matrix)) return convertToNumber(takeTopLeftElement(context, value));
      return buildMatrix(context, value.rows, value.columns, (r, c) => convertToNumber(value.get(r, c)));
    },
    { carries: 0, manyCells: true },
  ),
  define('information', 'NA', [], () => NA),
  define('information', 'ERROR.TYPE', ['any'], (_, value) => (isError(value) ? (ERROR_TYPES[value.code] ?? NA) : NA)),
  define('information', 'TYPE', ['value'], findTypeNumber),
  define('information', 'SHEET', ['value??'], findSheetNumber, { structural: true }),
  define('information', 'SHEETS', ['value??'], countSheets, { structural: true }),
  define('information', 'CELL', ['text', 'reference??'], readCellInfo, {
    volatile: true,
    indirect: true,
    structural: true,
    manyCells: true,
  }),
  define('information', 'INFO', ['text'], readEnvironmentInfo, { structural: true }),
];
