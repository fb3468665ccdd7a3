import { exportData, type Sheet, type Snapshot } from '@cellwire/engine';
import {
  type CarriedPart,
  type CsvCell,
  externalBooks,
  LeftOut,
  type LeftOutItem,
  writeCsv,
  writeXlsx,
  xlsxSheetNames,
} from '../../files/index.ts';
import type { Database } from '../../store/database.ts';
import { filePartsOf } from '../../store/file-parts.ts';
import { type Refusal, SHEET_NOT_FOUND, VALUES_HIDDEN } from '../refusal.ts';

export const EXPORT_FORMATS = ['xlsx', 'csv'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** The file that is to be made of a document. */
export interface WantedFile {
  readonly path: string;
  readonly format: ExportFormat;
  /** Name of the one sheet of a `.csv` file: the first one unless given. */
  readonly sheet?: string | undefined;
  /** Ids of the sheets that whoever asks may not see: a document with one of them is not written. */
  readonly hidden: readonly number[];
}

/** What was written. */
export interface WrittenFile {
  readonly sheets: number;
  /** Cells that hold something. */
  readonly cells: number;
  /** Sheets whose names the file cannot hold. */
  readonly renamed: readonly { readonly from: string; readonly to: string }[];
  /** What of the document the file does not hold as it is. */
  readonly leftOut: readonly LeftOutItem[];
}

/** What was written of which state. */
export interface WrittenState extends WrittenFile {
  readonly kind: 'written';
  /** Names the commit. */
  readonly head: string;
  /** Ids of the state's sheets, whether they are in the file or not. */
  readonly sheetIds: readonly number[];
}

type Source = Pick<Database, 'readAll'>;

/** Writes a state of a document into a file: all of it as `.xlsx`, or the values of one sheet as `.csv`. */
export async function writeState(
  database: Source,
  { id, head, snapshot }: { readonly id: string; readonly head: string; readonly snapshot: Snapshot },
  { path, format, sheet: name, hidden }: WantedFile,
): Promise<WrittenState | Refusal> {
  const sheet = name === undefined ? snapshot.sheets[0] : snapshot.sheetByName(name);
  if (sheet === undefined) return SHEET_NOT_FOUND;
  const sheetIds = snapshot.sheets.map((one) => one.id);
  if (hidden.some((one) => sheetIds.includes(one))) return VALUES_HIDDEN;
  const written =
    format === 'xlsx'
      ? await writeXlsxFile(path, snapshot, await carriedParts(database, id))
      : await writeCsvFile(path, snapshot, sheet);
  return { kind: 'written', head, sheetIds, ...written };
}

/** The parts of the file that a document came from, which its exports write. */
async function carriedParts(database: Source, id: string): Promise<readonly CarriedPart[]> {
  const [rows] = await database.readAll([filePartsOf({ id })]);
  return rows.map(({ name, content_type: type, relationships, bytes }) => {
    return { name, type, relationships: JSON.parse(relationships), bytes };
  });
}

async function writeXlsxFile(to: string, snapshot: Snapshot, parts: readonly CarriedPart[]): Promise<WrittenFile> {
  const sheetNames = xlsxSheetNames(snapshot.sheets.map((sheet) => sheet.name));
  const data = exportData(snapshot, { sheetNames, externalBooks: externalBooks(snapshot.carried) });
  const written = await writeXlsx(to, data, { parts });
  const renamed = [...sheetNames].filter(([from, name]) => from !== name).map(([from, name]) => ({ from, to: name }));
  const { sheets, cells, leftOut } = written;
  return { sheets, cells, renamed, leftOut };
}

/** Raw numbers and ISO dates. */
async function writeCsvFile(to: string, snapshot: Snapshot, sheet: Sheet): Promise<WrittenFile> {
  const { dateSystem } = snapshot.settings;
  const { cells } = await writeCsv(to, csvRows(snapshot, sheet), { dateSystem });
  const leftOut = new LeftOut();
  leftOut.add('otherSheets', snapshot.sheets.length - 1);
  for (const column of sheet.columns) {
    for (const { top, bottom } of column?.runs ?? []) leftOut.add('formulas', bottom - top + 1);
  }
  return { sheets: 1, cells, renamed: [], leftOut: leftOut.items() };
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
