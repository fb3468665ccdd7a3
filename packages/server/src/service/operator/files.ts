import { lstat, stat } from 'node:fs/promises';
import { extname } from 'node:path';
import { exportData, type Sheet, type Snapshot, sheetNameProblem, type WorkbookData } from '@cellwire/engine';
import {
  type CarriedPart,
  COLUMN_TYPES,
  type ColumnType,
  type CsvCell,
  type FileRefusal,
  type ImportedColumn,
  isRefusal as isFileRefusal,
  LeftOut,
  type LeftOutItem,
  type ReadCsvOptions,
  readCsv,
  readXlsx,
  writeCsv,
  writeXlsx,
  xlsxSheetNames,
} from '../../files/index.ts';
import { filePartsOf } from '../../store/file-parts.ts';
import { protectionsOf } from '../../store/protections.ts';
import { localeId, type MadeDocument } from '../document/make.ts';
import type { Refusal } from '../refusal.ts';
import { invalidRequest, isRefusal } from '../refusal.ts';
import type { DocumentContext, NewDocumentInput } from './documents.ts';
import { createDocument, findDocument } from './documents.ts';
import { findUser } from './users.ts';

interface ImportInput extends Omit<NewDocumentInput, 'data' | 'parts'> {
  /** Path of a `.csv` or `.xlsx` file. */
  readonly from: string;
  /** How a `.csv` file is to be read; what is not said is found out. */
  readonly csv?: CsvInput | undefined;
  /** Told the part of the file that is read, from 0 to 1; calculating and storing come after 1. */
  readonly onProgress?: ((fraction: number) => void) | undefined;
}

interface CsvInput {
  /** One character. */
  readonly delimiter?: string | undefined;
  /** A label of the Encoding Standard. */
  readonly encoding?: string | undefined;
  /** Name of the sheet to make. */
  readonly sheet?: string | undefined;
  /** `name:type`, by the names of the first row or by letters. */
  readonly columns?: readonly string[] | undefined;
}

interface ImportedDocument {
  readonly document: MadeDocument;
  /** What the columns of a `.csv` file were taken for. */
  readonly columns: readonly ImportedColumn[];
  /** What of the file the document does not hold. */
  readonly leftOut: readonly LeftOutItem[];
}

/** Makes a document of a file's contents. */
export async function importDocument(
  context: DocumentContext,
  { from, csv = {}, onProgress, ...input }: ImportInput,
): Promise<ImportedDocument | Refusal> {
  const locale = localeId(input.locale);
  if (isRefusal(locale)) return locale;
  const read = reader(from);
  if (read === null) {
    return invalidRequest('from', `${from} is neither a .csv, an .xlsx nor a .cellwire file, which its name must say`);
  }
  const told = csvOptions(csv);
  if (isRefusal(told)) return told;
  if (read !== readWholeCsv && Object.keys(told).length > 0) {
    return invalidRequest(
      'from',
      `${from} is no .csv file: columns, delimiter, encoding and sheet are for those alone`,
    );
  }
  // Reading a large file takes a while: better not for an owner that does not exist.
  const owner = await findUser(context, input.owner);
  if (isRefusal(owner)) return owner;
  const unreadable = await whyUnreadable(from);
  if (unreadable !== null) return invalidRequest('from', unreadable);
  const options = { ...told, locale, timeZone: context.config.timeZone, ...(onProgress ? { onProgress } : {}) };
  const file = await read(from, options);
  if (isFileRefusal(file)) return invalidRequest('from', `${from}: ${file.message}`);
  const parts = file.parts.map((part) => ({ ...part, relationships: JSON.stringify(part.relationships) }));
  const document = await createDocument(context, { ...input, locale, data: file.data, parts });
  return isRefusal(document) ? document : { document, columns: file.columns, leftOut: file.leftOut };
}

type CsvOptions = Pick<ReadCsvOptions, 'delimiter' | 'encoding' | 'sheetName' | 'columns'>;

function csvOptions({ delimiter, encoding, sheet, columns = [] }: CsvInput): CsvOptions | Refusal {
  if (delimiter !== undefined && !/^[^"\r\n]$/.test(delimiter)) {
    return invalidRequest('delimiter', 'The delimiter is one character: , ; | or a tab, written as \\t');
  }
  if (encoding !== undefined && !isEncoding(encoding)) {
    return invalidRequest('encoding', `${encoding} is no encoding that is known; utf-8 or windows-1252, for example`);
  }
  const problem = sheet === undefined ? null : sheetNameProblem(sheet);
  if (problem !== null) return invalidRequest('sheet', problem);
  const types = columnTypes(columns);
  if (isRefusal(types)) return types;
  return {
    ...(delimiter === undefined ? {} : { delimiter }),
    ...(encoding === undefined ? {} : { encoding }),
    ...(sheet === undefined ? {} : { sheetName: sheet }),
    ...(types.size === 0 ? {} : { columns: types }),
  };
}

function isEncoding(label: string): boolean {
  try {
    new TextDecoder(label);
    return true;
  } catch {
    return false;
  }
}

/** A name may hold colons; its type follows the last one. */
function columnTypes(columns: readonly string[]): ReadonlyMap<string, ColumnType> | Refusal {
  const types = new Map<string, ColumnType>();
  for (const column of columns) {
    const at = column.lastIndexOf(':');
    const type = COLUMN_TYPES.find((known) => known === column.slice(at + 1));
    if (at < 1 || type === undefined) {
      return invalidRequest('columns', `${column} is not name:type; a type is one of ${COLUMN_TYPES.join(', ')}`);
    }
    types.set(column.slice(0, at), type);
  }
  return types;
}

type Reader = (
  path: string,
  options: ReadCsvOptions & { readonly timeZone: string },
) => Promise<ReadFile | FileRefusal>;

interface ReadFile {
  readonly data: WorkbookData;
  readonly columns: readonly ImportedColumn[];
  readonly leftOut: readonly LeftOutItem[];
  readonly parts: readonly CarriedPart[];
}

const CSV_NAMES = ['.csv', '.tsv', '.txt'];
/** The reader tells those that it does not read what to do. */
const EXCEL_NAMES = ['.xlsx', '.xlsm', '.xls', '.xlsb', '.ods'];

function reader(path: string): Reader | null {
  const extension = extname(path).toLowerCase();
  if (CSV_NAMES.includes(extension)) return readWholeCsv;
  return EXCEL_NAMES.includes(extension) ? readWholeXlsx : null;
}

const readWholeXlsx: Reader = async (path, options) => {
  const file = await readXlsx(path, options);
  return isFileRefusal(file) ? file : { ...file, columns: [] };
};

/** Nothing of a CSV file is left out. */
const readWholeCsv: Reader = async (path, options) => {
  const file = await readCsv(path, options);
  return isFileRefusal(file) ? file : { ...file, leftOut: [], parts: [] };
};

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
  /** What of the document the file does not hold as it is. */
  readonly leftOut: readonly LeftOutItem[];
}

interface ExportInput {
  readonly document: string;
  /** Path of the `.xlsx` or `.csv` file to write. */
  readonly to: string;
  /** Whether a file that exists is replaced. */
  readonly force?: boolean | undefined;
  /** The sheet of a `.csv` file: the first one unless told otherwise. */
  readonly sheet?: string | undefined;
}

/** Writes a document, whole and with values that are hidden from others, as its operator wants it. */
export async function exportDocument(
  context: DocumentContext,
  { document, to, sheet: name, force = false }: ExportInput,
): Promise<Exported | Refusal> {
  const extension = extname(to).toLowerCase();
  if (extension !== '.xlsx' && extension !== '.csv') {
    return invalidRequest('to', `${to} must end in .xlsx, .csv or .cellwire, which says the format`);
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
  if (!force && (await exists(to))) {
    return invalidRequest('to', `${to} exists already. Choose another name, or replace it with --force`);
  }
  const leftOut = new LeftOut();
  leftOut.add('protections', (await context.database.readAll([protectionsOf({ document_id: row.id })]))[0].length);
  try {
    return extension === '.xlsx'
      ? await exportXlsx(to, snapshot, await partsOf(context, row.id), leftOut)
      : await exportCsv(to, snapshot, sheet, leftOut);
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return invalidRequest('to', `${to} cannot be written: ${systemReason(error)}`);
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    // What else is wrong with the path is said when it is written.
    if (isSystemError(error)) return false;
    throw error;
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

async function partsOf(context: DocumentContext, id: string): Promise<readonly CarriedPart[]> {
  const rows = await context.database.read(filePartsOf({ id }));
  return rows.map(({ name, content_type: type, relationships, bytes }) => {
    return { name, type, relationships: JSON.parse(relationships), bytes };
  });
}

async function exportXlsx(
  to: string,
  snapshot: Snapshot,
  parts: readonly CarriedPart[],
  leftOut: LeftOut,
): Promise<Exported> {
  const sheetNames = xlsxSheetNames(snapshot.sheets.map((sheet) => sheet.name));
  const written = await writeXlsx(to, exportData(snapshot, { sheetNames }), { parts });
  const renamed = [...sheetNames].filter(([from, name]) => from !== name).map(([from, name]) => ({ from, to: name }));
  const { sheets, cells } = written;
  return { file: to, sheets, cells, renamed, leftOut: [...leftOut.items(), ...written.leftOut] };
}

/** Values only: raw numbers and ISO dates. */
async function exportCsv(to: string, snapshot: Snapshot, sheet: Sheet, leftOut: LeftOut): Promise<Exported> {
  const { dateSystem } = snapshot.settings;
  const { cells } = await writeCsv(to, csvRows(snapshot, sheet), { dateSystem });
  leftOut.add('otherSheets', snapshot.sheets.length - 1);
  for (const column of sheet.columns) {
    for (const { top, bottom } of column?.runs ?? []) leftOut.add('formulas', bottom - top + 1);
  }
  return { file: to, sheets: 1, cells, renamed: [], leftOut: leftOut.items() };
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
