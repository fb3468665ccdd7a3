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

/** The parts of the file that a document came from, which its exports write. */
export async function carriedParts(database: Pick<Database, 'read'>, id: string): Promise<readonly CarriedPart[]> {
  const rows = await database.read(filePartsOf({ id }));
  return rows.map(({ name, content_type: type, relationships, bytes }) => {
    return { name, type, relationships: JSON.parse(relationships), bytes };
  });
}

/** Writes all of a document into an `.xlsx` file. */
export async function writeXlsxFile(
  to: string,
  snapshot: Snapshot,
  parts: readonly CarriedPart[],
): Promise<WrittenFile> {
  const sheetNames = xlsxSheetNames(snapshot.sheets.map((sheet) => sheet.name));
  const data = exportData(snapshot, { sheetNames, externalBooks: externalBooks(snapshot.carried) });
  const written = await writeXlsx(to, data, { parts });
  const renamed = [...sheetNames].filter(([from, name]) => from !== name).map(([from, name]) => ({ from, to: name }));
  const { sheets, cells, leftOut } = written;
  return { sheets, cells, renamed, leftOut };
}

/** Writes a sheet's values into a `.csv` file: raw numbers and ISO dates. */
export async function writeCsvFile(to: string, snapshot: Snapshot, sheet: Sheet): Promise<WrittenFile> {
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
