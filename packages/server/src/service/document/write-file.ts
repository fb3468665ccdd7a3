import {
  type BlockColumn,
  countCellCapacity,
  countForeignFunctions,
  countLostLinks,
  exportData,
  iterateFilledBlocks,
  readBlockColumns,
  type Sheet,
  type Snapshot,
} from '@cellwire/engine';
import {
  type CsvBlock,
  type CsvColumn,
  type CsvFormat,
  canFilesStoreCondition,
  countExternalWorkbooks,
  createXlsxSheetNames,
  LeftOut,
  type LeftOutItem,
  type PreservedPart,
  writeCsv,
} from '@cellwire/files';
import type { Database } from '@cellwire/store';
import { filePartsOf, protectionsOf } from '@cellwire/store/documents';
import { parseStoredJson } from '@cellwire/store/stored-forms';
import { type Refusal, SHEET_NOT_FOUND, VALUES_HIDDEN } from '../refusal.ts';
import type { ExportFormat } from './csv-output.ts';

/** The requested file of a document. */
export interface FileRequest {
  readonly path: string;
  readonly format: ExportFormat;
  /** Sheet of a `.csv` file; absent: the first one. */
  readonly sheet?: string | undefined;
  /** Form of a `.csv` file. */
  readonly csv?: CsvFormat | undefined;
  /** Ids of sheets that the caller may not see. A document with one of these sheets is not written. */
  readonly hidden: readonly number[];
}

/** The report of a written file. */
export interface WrittenFile {
  readonly sheets: number;
  /** Number of filled cells. */
  readonly cells: number;
  /** Sheets whose names the file cannot hold. */
  readonly renamed: readonly { readonly from: string; readonly to: string }[];
  /** Cells whose texts were truncated; `length` is the length of the whole text in characters. */
  readonly shortened: readonly { readonly cell: string; readonly length: number }[];
  /** Content of the document that the file does not hold unchanged. */
  readonly leftOut: readonly LeftOutItem[];
}

/** The report of a written file, and the state that it contains. */
export interface WrittenState extends WrittenFile {
  readonly kind: 'written';
  /** The id of the commit. */
  readonly head: string;
  /** Ids of the state's sheets, including sheets that are not in the file. */
  readonly sheetIds: readonly number[];
}

type PartsSource = Pick<Database, 'readAll'>;

/** Writes a state of a document into a file: all of it as `.xlsx`, or the values of one sheet as `.csv`. */
export async function writeState(
  database: PartsSource,
  { id, head, snapshot }: { readonly id: string; readonly head: string; readonly snapshot: Snapshot },
  { path, format, sheet: name, csv = {}, hidden }: FileRequest,
): Promise<WrittenState | Refusal> {
  const sheet = name === undefined ? snapshot.sheets[0] : snapshot.sheetByName(name);
  if (sheet === undefined) return SHEET_NOT_FOUND;
  const sheetIds = snapshot.sheets.map((one) => one.id);
  if (hidden.some((one) => sheetIds.includes(one))) return VALUES_HIDDEN;
  const written =
    format === 'xlsx'
      ? await writeXlsxFile(path, snapshot, await readKeptFileParts(database, id))
      : await writeCsvFile(path, snapshot, sheet, csv);
  const [protections] = await database.readAll([protectionsOf({ document_id: id })]);
  const leftOut = new LeftOut();
  leftOut.addItem('protections', protections.length);
  return { kind: 'written', head, sheetIds, ...written, leftOut: [...leftOut.listItems(), ...written.leftOut] };
}

/** The parts of the imported file that exports write back. */
async function readKeptFileParts(database: PartsSource, id: string): Promise<readonly PreservedPart[]> {
  const [rows] = await database.readAll([filePartsOf({ id })]);
  return rows.map(({ name, content_type: type, relationships, bytes }) => {
    return { name, type, relationships: parseStoredJson(relationships, 'The relationships of a file part'), bytes };
  });
}

async function writeXlsxFile(path: string, snapshot: Snapshot, parts: readonly PreservedPart[]): Promise<WrittenFile> {
  const sheetNames = createXlsxSheetNames(snapshot.sheets.map((sheet) => sheet.name));
  const { dateSystem } = snapshot.settings;
  const externalBooks = countExternalWorkbooks(snapshot.carried);
  const data = exportData(snapshot, {
    sheetNames,
    externalBooks,
    holdsCondition: (condition) => canFilesStoreCondition(condition, dateSystem),
  });
  const { writeXlsx } = await import('@cellwire/files/xlsx-writer');
  const result = await writeXlsx(path, data, { parts });
  const renamed = [...sheetNames].filter(([from, name]) => from !== name).map(([from, name]) => ({ from, to: name }));
  const { sheets, cells, shortened } = result;
  const leftOut = new LeftOut();
  leftOut.addItem('foreignFunctions', countForeignFunctions(snapshot));
  leftOut.addItem('lostLinks', countLostLinks(snapshot, externalBooks));
  return { sheets, cells, renamed, shortened, leftOut: [...result.leftOut, ...leftOut.listItems()] };
}

/** A sheet with more fields than this is written as a rectangle only if it is not mostly empty. */
const MAX_EMPTY_FIELDS = 4_194_304;
/** Maximum number of fields in a rectangle for each cell that the sheet's chunks can hold. */
const MAX_FIELDS_PER_CELL = 16;

/** Writes unformatted numbers and ISO dates. */
async function writeCsvFile(path: string, snapshot: Snapshot, sheet: Sheet, options: CsvFormat): Promise<WrittenFile> {
  const { dateSystem } = snapshot.settings;
  const { rows, columns } = sheet.extent();
  const isRectangle = rows * columns <= Math.max(MAX_EMPTY_FIELDS, countCellCapacity(sheet) * MAX_FIELDS_PER_CELL);
  const width = isRectangle ? { columns } : {};
  const { cells, datesAsNumbers } = await writeCsv(path, listCsvBlocks(snapshot, sheet), {
    dateSystem,
    ...options,
    ...width,
  });
  const leftOut = new LeftOut();
  if (!isRectangle) leftOut.addItem('emptyFields');
  leftOut.addItem('otherSheets', snapshot.sheets.length - 1);
  leftOut.addItem('datesAsNumbers', datesAsNumbers);
  for (const column of sheet.columns) {
    for (const { top, bottom } of column?.runs ?? []) leftOut.addItem('formulas', bottom - top + 1);
  }
  return { sheets: 1, cells, renamed: [], shortened: [], leftOut: leftOut.listItems() };
}

/** The blocks of a sheet from the first row to the last row with a value. */
function* listCsvBlocks(snapshot: Snapshot, sheet: Sheet): Generator<CsvBlock> {
  const { rows } = sheet.extent();
  let next = 0;
  for (const block of iterateFilledBlocks(sheet)) {
    const { top, bottom } = block;
    if (top >= rows) break;
    if (next < top) yield { rows: top - next, columns: [] };
    next = Math.min(bottom + 1, rows);
    const columns = readBlockColumns(sheet, block).map((cells) => cells && toCsvColumn(snapshot, cells));
    yield { rows: next - top, columns };
  }
  if (next < rows) yield { rows: rows - next, columns: [] };
}

/** The cells of a block of a column, as the CSV writer reads them. */
function toCsvColumn({ formats }: Snapshot, cells: BlockColumn): CsvColumn {
  return {
    numbers: cells.numbers,
    value: (row) => cells.value(row),
    format: (row) => formats.code(cells.format(row)),
  };
}
