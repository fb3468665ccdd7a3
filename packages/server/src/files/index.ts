export { DEFAULT_FILE_LIMITS, type FileLimits } from './limits.ts';
export { type FileRefusal, isRefusal } from './refusal.ts';
export { type ReadXlsxOptions, readXlsx } from './xlsx/read.ts';
export { xlsxSheetNames } from './xlsx/sheet-names.ts';
export { type WriteXlsxOptions, writeXlsx, type XlsxWritten } from './xlsx/write.ts';
