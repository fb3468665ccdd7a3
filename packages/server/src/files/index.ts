export { COLUMN_TYPES, type ColumnType, type ImportedColumn } from './csv/column-type.ts';
export { type CsvRead, type ReadCsvOptions, readCsv } from './csv/read.ts';
export { type CsvCell, type CsvWritten, type WriteCsvOptions, writeCsv } from './csv/write.ts';
export { LeftOut, type LeftOutItem, leftOutText, leftOutWords } from './left-out.ts';
export { DEFAULT_FILE_LIMITS, type FileLimits } from './limits.ts';
export { type FileRefusal, isRefusal } from './refusal.ts';
export { type ReadXlsxOptions, readXlsx, type XlsxRead } from './xlsx/read.ts';
export { xlsxSheetNames } from './xlsx/sheet-names.ts';
export { type WriteXlsxOptions, writeXlsx, type XlsxWritten } from './xlsx/write.ts';
