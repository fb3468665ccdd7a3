import { extname } from 'node:path';
import {
  areaText,
  countCached,
  type KnownFormats,
  type LocaleId,
  quoteSheetName,
  type Snapshot,
  sheetNameProblem,
  type WorkbookData,
} from '@cellwire/engine';
import {
  type CarriedPart,
  type ChunkSink,
  COLUMN_TYPES,
  type ColumnType,
  type CsvReading,
  type FileLimits,
  type ImportedColumn,
  isRefusal as isFileRefusal,
  type LeftOutItem,
  listedColumns,
  type ReadCsvOptions,
  readCsv,
  readXlsx,
} from '@cellwire/files';
import { invalidRequest, isRefusal, type Refusal } from '../refusal.ts';

export { listedColumns };

/** How a `.csv` file is to be read; what is not said is found out. */
export interface CsvInput {
  /** One character, or `tab`. */
  readonly delimiter?: string | undefined;
  /** `.` or `,`. */
  readonly decimal?: string | undefined;
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
  ...['.csv', '.tsv', '.tab', '.txt'].map((extension) => [extension, 'csv'] as const),
  ...['.xlsx', '.xlsm', '.xls', '.xlsb', '.ods'].map((extension) => [extension, 'excel'] as const),
]);

/** True if a file's name says that its fields are divided by tabs. */
export function isTabSeparated(name: string): boolean {
  return ['.tsv', '.tab'].includes(extname(name).toLowerCase());
}

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
  /** Bounds of the file; those of whole documents by default. */
  readonly limits?: FileLimits;
  /** Told the part of the file that is read, from 0 to 1. */
  readonly onProgress?: ((fraction: number) => void) | undefined;
}

/** What a document is made of, and what is told of it. */
interface ReadFile {
  readonly data: WorkbookData;
  /** Those that chunks which went elsewhere have numbers for. */
  readonly formats: KnownFormats;
  readonly parts: readonly CarriedPart[];
  /** What the columns of a `.csv` file were taken for. */
  readonly columns: readonly ImportedColumn[];
  /** How a `.csv` file was read; null for any other. */
  readonly csv: CsvReading | null;
  /** What of the file the document does not hold. */
  readonly leftOut: readonly LeftOutItem[];
}

/** Reads a file's contents. Refused: options that are none, on their own field, and what is no such file, on `file`. */
export async function readFile(path: string, kind: FileKind, options: ReadFileOptions): Promise<ReadFile | Refusal> {
  const told = csvOptions(kind, options.csv ?? {});
  if (isRefusal(told)) return told;
  const { locale, timeZone, onProgress, chunks, limits } = options;
  const around = {
    locale,
    timeZone,
    ...(onProgress && { onProgress }),
    ...(chunks && { chunks }),
    ...(limits && { limits }),
  };
  if (kind === 'excel') {
    const file = await readXlsx(path, around);
    return isFileRefusal(file) ? invalidRequest('file', file.message) : { ...file, columns: [], csv: null };
  }
  const file = await readCsv(path, { ...told, ...around });
  if (isFileRefusal(file)) return invalidRequest(file.about, file.message);
  return { ...file, parts: [] };
}

/** The formulas of a new document that keep the file's values, since nothing else is known of them here. */
export function cachedFormulas(snapshot: Snapshot): readonly CachedFormulas[] {
  const cells: Record<keyof typeof CACHED_KINDS, string[]> = {
    otherWorkbook: [],
    unknownFunction: [],
    unknownSyntax: [],
  };
  const counts = countCached(snapshot, (reason, { sheet, area }) => {
    const named = cells[reason];
    if (named.length < MAX_NAMED_CACHED) named.push(`${quoteSheetName(sheet)}!${areaText(area)}`);
  });
  return REASONS.filter((reason) => counts[reason] > 0).map((reason) => {
    return { kind: CACHED_KINDS[reason], count: counts[reason], cells: cells[reason] };
  });
}

const CACHED_KINDS = {
  otherWorkbook: 'linkedFormulas',
  unknownFunction: 'unknownFormulas',
  unknownSyntax: 'unreadFormulas',
} as const;
const REASONS = Object.keys(CACHED_KINDS) as (keyof typeof CACHED_KINDS)[];
/** Ranges of such formulas that an answer names, of each kind. */
const MAX_NAMED_CACHED = 100;

/** Formulas of one kind that keep their file's values; `cells`: the first of their ranges. */
export interface CachedFormulas extends LeftOutItem {
  readonly cells: readonly string[];
}

type CsvOptions = Pick<ReadCsvOptions, 'delimiter' | 'decimal' | 'encoding' | 'sheetName' | 'columns'>;

/** The options for a file of a kind, ready to be used, or what is wrong with them. */
export function csvOptions(
  kind: FileKind,
  { delimiter: named, decimal, encoding, sheet, columns = [] }: CsvInput,
): CsvOptions | Refusal {
  if (kind === 'excel' && (named ?? decimal ?? encoding ?? sheet ?? columns[0]) !== undefined) {
    return invalidRequest('file', 'columns, delimiter, decimal, encoding and sheet are for .csv files alone');
  }
  const delimiter = named === 'tab' || named === '\\t' ? '\t' : named;
  if (delimiter !== undefined && !/^[^"\r\n]$/.test(delimiter)) {
    return invalidRequest('delimiter', 'The delimiter is one character such as , ; or |, or the word tab');
  }
  if (decimal !== undefined && decimal !== '.' && decimal !== ',') {
    return invalidRequest('decimal', 'The decimal mark is . or ,');
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
    ...(decimal === undefined ? {} : { decimal }),
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
