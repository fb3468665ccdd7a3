import { stat } from 'node:fs/promises';
import { extname } from 'node:path';
import { exportData, type LocaleId, type Sheet, type Snapshot, type WorkbookData } from '@cellwire/engine';
import {
  type CsvCell,
  type FileRefusal,
  isRefusal as isFileRefusal,
  readCsv,
  readXlsx,
  writeCsv,
  writeXlsx,
  xlsxSheetNames,
} from '../../files/index.ts';
import type { Refusal } from '../refusal.ts';
import { invalidRequest, isRefusal } from '../refusal.ts';
import type { CreatedDocument, DocumentContext, NewDocumentInput } from './documents.ts';
import { createDocument, findDocument, localeId } from './documents.ts';
import { findUser } from './users.ts';

interface ImportInput extends Omit<NewDocumentInput, 'data'> {
  /** Path of a `.csv` or `.xlsx` file. */
  readonly from: string;
  /** Told the part of the file that is read, from 0 to 1; calculating and storing come after 1. */
  readonly onProgress?: ((fraction: number) => void) | undefined;
}

/** Makes a document of a file's contents. */
export async function importDocument(
  context: DocumentContext,
  { from, onProgress, ...input }: ImportInput,
): Promise<CreatedDocument | Refusal> {
  const locale = localeId(input.locale);
  if (isRefusal(locale)) return locale;
  const read = reader(from);
  if (read === null) {
    return invalidRequest('from', `${from} is neither a .csv nor an .xlsx file, which its name must say`);
  }
  // Reading a large file takes a while: better not for an owner that does not exist.
  const owner = await findUser(context, input.owner);
  if (isRefusal(owner)) return owner;
  const unreadable = await whyUnreadable(from);
  if (unreadable !== null) return invalidRequest('from', unreadable);
  const options = { locale, timeZone: context.config.timeZone, ...(onProgress ? { onProgress } : {}) };
  const data = await read(from, options);
  if (isFileRefusal(data)) return invalidRequest('from', `${from}: ${data.message}`);
  return createDocument(context, { ...input, locale, data });
}

type Reader = (
  path: string,
  options: { readonly locale: LocaleId; readonly timeZone: string; readonly onProgress?: (fraction: number) => void },
) => Promise<WorkbookData | FileRefusal>;

const CSV_NAMES = ['.csv', '.tsv', '.txt'];
/** The reader tells those that it does not read what to do. */
const EXCEL_NAMES = ['.xlsx', '.xlsm', '.xls', '.xlsb', '.ods'];

function reader(path: string): Reader | null {
  const extension = extname(path).toLowerCase();
  if (CSV_NAMES.includes(extension)) return readCsv;
  return EXCEL_NAMES.includes(extension) ? readXlsx : null;
}

async function whyUnreadable(path: string): Promise<string | null> {
  try {
    return (await stat(path)).isFile() ? null : `${path} is no file`;
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return `${path} cannot be read: ${systemReason(error)}`;
  }
}

interface Exported {
  readonly file: string;
  readonly sheets: number;
  /** Cells that hold something. */
  readonly cells: number;
  /** Sheets whose names the file cannot hold. */
  readonly renamed: readonly { readonly from: string; readonly to: string }[];
}

interface ExportedWithLosses extends Exported {
  /** What the file could not hold as it is; sentences for people. */
  readonly losses: readonly string[];
}

interface ExportInput {
  readonly document: string;
  /** Path of the `.xlsx` or `.csv` file to write; one that exists is replaced. */
  readonly to: string;
  /** The sheet of a `.csv` file: the first one unless told otherwise. */
  readonly sheet?: string | undefined;
}

/** Writes a document, whole and with values that are hidden from others, as its operator wants it. */
export async function exportDocument(
  context: DocumentContext,
  { document, to, sheet: name }: ExportInput,
): Promise<ExportedWithLosses | Refusal> {
  const extension = extname(to).toLowerCase();
  if (extension !== '.xlsx' && extension !== '.csv') {
    return invalidRequest('to', `${to} must end in .xlsx or .csv, which says the format`);
  }
  if (extension === '.xlsx' && name !== undefined) {
    return invalidRequest('sheet', 'An .xlsx file holds all sheets; one sheet alone goes into a .csv file');
  }
  const row = await findDocument(context, document);
  if (isRefusal(row)) return row;
  const snapshot = await (await context.documents.open(row.id))?.snapshot();
  if (!snapshot) return invalidRequest('document', `There is no document ${document}`);
  const sheet = name === undefined ? snapshot.sheets[0] : snapshot.sheetByName(name);
  if (!sheet) return invalidRequest('sheet', `There is no sheet ${name}`);
  try {
    return extension === '.xlsx' ? await exportXlsx(to, snapshot) : await exportCsv(to, snapshot, sheet);
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return invalidRequest('to', `${to} cannot be written: ${systemReason(error)}`);
  }
}

interface SystemError extends Error {
  readonly code: string;
}

/** The path or the disk is at fault, not the program. */
function isSystemError(error: unknown): error is SystemError {
  return error instanceof Error && 'syscall' in error && 'code' in error;
}

const SYSTEM_REASONS: ReadonlyMap<string, string> = new Map([
  ['ENOENT', 'there is no such file or folder'],
  ['EACCES', 'permission denied'],
  ['EPERM', 'permission denied'],
  ['EISDIR', 'it is a folder'],
  ['ENOTDIR', 'a part of the path is no folder'],
  ['ENOSPC', 'the disk is full'],
  ['EROFS', 'the disk is read-only'],
]);

function systemReason(error: SystemError): string {
  return SYSTEM_REASONS.get(error.code) ?? error.message;
}

async function exportXlsx(to: string, snapshot: Snapshot): Promise<ExportedWithLosses> {
  const sheetNames = xlsxSheetNames(snapshot.sheets.map((sheet) => sheet.name));
  const written = await writeXlsx(to, exportData(snapshot, { sheetNames }));
  const renamed = [...sheetNames].filter(([from, name]) => from !== name).map(([from, name]) => ({ from, to: name }));
  const { sheets, cells, shortenedTexts, formulasAsTexts } = written;
  const losses = [
    ...(shortenedTexts > 0 ? [`${shortenedTexts} texts were cut: .xlsx holds 32,767 characters in a cell`] : []),
    ...(formulasAsTexts > 0 ? [`${formulasAsTexts} formulas that .xlsx cannot hold were written as texts`] : []),
  ];
  return { file: to, sheets, cells, renamed, losses };
}

async function exportCsv(to: string, snapshot: Snapshot, sheet: Sheet): Promise<ExportedWithLosses> {
  const { dateSystem } = snapshot.settings;
  const { cells } = await writeCsv(to, csvRows(snapshot, sheet), { dateSystem });
  return { file: to, sheets: 1, cells, renamed: [], losses: [] };
}

function* csvRows(snapshot: Snapshot, sheet: Sheet): Generator<readonly CsvCell[]> {
  const { rows, columns } = sheet.extent();
  for (let row = 0; row < rows; row++) {
    yield Array.from({ length: columns }, (_, column) => ({
      value: sheet.value(row, column),
      format: snapshot.formats.code(sheet.format(row, column)),
    }));
  }
}
