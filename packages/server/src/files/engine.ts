export { areaText, cellText, columnIndex, columnName, parseArea } from '../../../engine/src/grid/a1.ts';
export type { Area } from '../../../engine/src/grid/area.ts';
export { MAX_COLUMNS, MAX_ROWS } from '../../../engine/src/grid/limits.ts';
export {
  type DateSystem,
  formatClass,
  isDateFormat,
  LOCALES,
  type LocaleId,
  partsOf,
  serialOf,
} from '../../../engine/src/locale/index.ts';
export { CellError, errorByCode, errorByIndex, NA, VALUE } from '../../../engine/src/value/errors.ts';
export type { Scalar } from '../../../engine/src/value/scalar.ts';
export type { CellData, NameData, SheetData, TableData, WorkbookData } from '../../../engine/src/workbook/data.ts';
