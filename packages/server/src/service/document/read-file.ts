import { extname } from 'node:path';
import {
  countCached,
  type KnownFormats,
  type LocaleId,
  type Snapshot,
  sheetNameProblem,
  type WorkbookData,
} from '@cellwire/engine';
import {
  type CarriedPart,
  type ChunkSink,
  COLUMN_TYPES,
  type ColumnType,
  type ImportedColumn,
  isRefusal as isFileRefusal,
  LeftOut,
  type LeftOutItem,
  listedColumns,
  type ReadCsvOptions,
  readCsv,
  readXlsx,
} from '../../files/index.ts';
import { invalidRequest, isRefusal, type Refusal } from '../refusal.ts';

export { listedColumns };

/** How a `.csv` file is to be read; what is not said is found out. */
export interface CsvInput {
  /** One character. */
  readonly delimiter?: string | undefined;
  /** A label of the Encoding Standard. */
  readonly encoding?: string | undefined;
  /** Name of the sheet to make. */
  readonly sheet?: string | undefined;
  /** `name:type`, by the names of the first row or by letters. */
  readonly columns?: readonly string[] | undefined;
}

/** `excel`: an `.xlsx` or `.xlsm` file, or one of those that its reader says what to do about. */
export type FileKind = 'csv' | 'excel';

const KINDS: ReadonlyMap<string, FileKind> = new Map([
  ...['.csv', '.tsv', '.txt'].map((extension) => [extension, 'csv'] as const),
  ...['.xlsx', '.xlsm', '.xls', '.xlsb', '.ods'].map((extension) => [extension, 'excel'] as const),
]);

/** The kind of a file by its name; null for one that cannot be read. */
export function fileKind(name: string): FileKind | null {
  return KINDS.get(extname(name).toLowerCase()) ?? null;
}

export interface ReadFileOptions {
  readonly locale: LocaleId;
  /** IANA name. */
  readonly timeZone: string;
  readonly csv?: CsvInput | undefined;
  /** Takes cells as they are read; see `ReadCsvOptions` and `ReadXlsxOptions`. */
  readonly chunks?: ChunkSink;
  /** Told the part of the file that is read, from 0 to 1. */
  readonly onProgress?: ((fraction: number) => void) | undefined;
}

/** What a document is made of, and what is told of it. */
export interface ReadFile {
  readonly data: WorkbookData;
  /** Those that chunks which went elsewhere have numbers for. */
  readonly formats: KnownFormats;
  readonly parts: readonly CarriedPart[];
  /** What the columns of a `.csv` file were taken for. */
  readonly columns: readonly ImportedColumn[];
  /** What of the file the document does not hold. */
  readonly leftOut: readonly LeftOutItem[];
}

/** Reads a file's contents. Refused: options that are none, on their own field, and what is no such file, on `file`. */
export async function readFile(path: string, kind: FileKind, options: ReadFileOptions): Promise<ReadFile | Refusal> {
  const told = csvOptions(kind, options.csv ?? {});
  if (isRefusal(told)) return told;
  const { locale, timeZone, onProgress, chunks } = options;
  const around = { locale, timeZone, ...(onProgress && { onProgress }), ...(chunks && { chunks }) };
  if (kind === 'excel') {
    const file = await readXlsx(path, around);
    return isFileRefusal(file) ? invalidRequest('file', file.message) : { ...file, columns: [] };
  }
  const file = await readCsv(path, { ...told, ...around });
  if (isFileRefusal(file)) return invalidRequest(file.about, file.message);
  // Nothing of a CSV file is left out.
  return { ...file, leftOut: [], parts: [] };
}

/** The formulas of a new document that keep the file's values, since nothing else is known of them here. */
export function cachedFormulas(snapshot: Snapshot): readonly LeftOutItem[] {
  const counts = countCached(snapshot);
  const items = new LeftOut();
  items.add('linkedFormulas', counts.otherWorkbook);
  items.add('unknownFormulas', counts.unknownFunction);
  return items.items();
}

type CsvOptions = Pick<ReadCsvOptions, 'delimiter' | 'encoding' | 'sheetName' | 'columns'>;

/** The options for a file of a kind, ready to be used, or what is wrong with them. */
export function csvOptions(
  kind: FileKind,
  { delimiter, encoding, sheet, columns = [] }: CsvInput,
): CsvOptions | Refusal {
  if (kind === 'excel' && (delimiter ?? encoding ?? sheet ?? columns[0]) !== undefined) {
    return invalidRequest('file', 'columns, delimiter, encoding and sheet are for .csv files alone');
  }
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
