import { extname } from 'node:path';
import {
  areaText,
  countUncalculable,
  type KnownFormats,
  type LocaleId,
  quoteSheetName,
  type Snapshot,
  sheetNameProblem,
  type WorkbookData,
} from '@cellwire/engine';
import {
  type ChunkSink,
  COLUMN_TYPES,
  type CsvColumnType,
  type CsvConventions,
  type FileLimits,
  type ImportedColumn,
  isRefusal as isFileRefusal,
  isTextEncoding,
  type LeftOutItem,
  type PreservedPart,
  type ReadCsvOptions,
  readCsv,
  splitColumnList,
} from '@cellwire/files';
import { invalidRequest, isRefusal, type Refusal } from '../refusal.ts';

export { splitColumnList };

/** Options for reading a `.csv` file; missing ones are detected. */
export interface CsvInput {
  /** One character, or the word `tab`. */
  readonly delimiter?: string | undefined;
  /** Decimal mark: `.` or `,`. */
  readonly decimal?: string | undefined;
  /** A label of the Encoding Standard, or a code page such as `ibm850`. */
  readonly encoding?: string | undefined;
  /** Name of the new sheet. */
  readonly sheet?: string | undefined;
  /** `name:type`, with names from the first row or column letters. */
  readonly columns?: readonly string[] | undefined;
}

/** `excel`: an `.xlsx` or `.xlsm` file, or an older format that the reader refuses with advice. */
export type FileKind = 'csv' | 'excel';

const KINDS: ReadonlyMap<string, FileKind> = new Map([
  ...['.csv', '.tsv', '.tab', '.txt', '.psv', '.dat', '.asc'].map((extension) => [extension, 'csv'] as const),
  ...['.xlsx', '.xlsm', '.xls', '.xlsb', '.ods'].map((extension) => [extension, 'excel'] as const),
]);

/** True if a file's extension means tab-separated fields. */
export function isTabSeparated(name: string): boolean {
  return ['.tsv', '.tab'].includes(extname(name).toLowerCase());
}

/** Detects the kind of a file by its extension; null if files of this kind cannot be read. */
export function detectFileKind(name: string): FileKind | null {
  return KINDS.get(extname(name).toLowerCase()) ?? null;
}

export interface ReadFileOptions {
  readonly locale: LocaleId;
  /** IANA name of the time zone. */
  readonly timeZone: string;
  readonly csv?: CsvInput | undefined;
  /** Receives cells while the file is read; see `ReadCsvOptions` and `ReadXlsxOptions`. */
  readonly chunks?: ChunkSink;
  /** Limits of the file; by default the limits of whole documents. */
  readonly limits?: FileLimits;
  /** Receives the fraction of the file that is read, from 0 to 1. */
  readonly onProgress?: ((fraction: number) => void) | undefined;
}

/** Content of a file for a document, and the reports about it. */
interface ReadFile {
  readonly data: WorkbookData;
  /** Number formats that chunks in `ReadFileOptions.chunks` refer to. */
  readonly formats: KnownFormats;
  readonly parts: readonly PreservedPart[];
  /** Detected types of the columns of a `.csv` file. */
  readonly columns: readonly ImportedColumn[];
  /** Detected format of a `.csv` file; null for other files. */
  readonly csv: CsvConventions | null;
  /** Content of the file that the document does not hold. */
  readonly leftOut: readonly LeftOutItem[];
}

/** Reads a file's content. Refuses invalid options with their own field, and an unreadable file with `file`. */
export async function readFile(path: string, kind: FileKind, options: ReadFileOptions): Promise<ReadFile | Refusal> {
  const csv = parseCsvOptions(kind, options.csv ?? {});
  if (isRefusal(csv)) return csv;
  const { locale, timeZone, onProgress, chunks, limits } = options;
  const otherParts = {
    locale,
    timeZone,
    ...(onProgress && { onProgress }),
    ...(chunks && { chunks }),
    ...(limits && { limits }),
  };
  if (kind === 'excel') {
    // Many imports and most exports need no reader of workbooks, which takes 15 ms to load.
    const { readXlsx } = await import('@cellwire/files/xlsx-reader');
    const file = await readXlsx(path, otherParts);
    return isFileRefusal(file) ? invalidRequest('file', file.message) : { ...file, columns: [], csv: null };
  }
  const file = await readCsv(path, { ...csv, ...otherParts });
  if (isFileRefusal(file)) return invalidRequest(file.about, file.message);
  return { ...file, parts: [] };
}

/** The formulas of a new document that keep the file's values, because they cannot be calculated here. */
export function listCachedFormulas(snapshot: Snapshot): readonly CachedFormulas[] {
  const cells: Record<keyof typeof CACHED_KINDS, string[]> = {
    otherWorkbook: [],
    unknownFunction: [],
    unknownSyntax: [],
  };
  const counts = countUncalculable(snapshot, (reason, { sheet, area }) => {
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
/** Maximum number of ranges of formulas that keep the file's values in a response, for each kind. */
const MAX_NAMED_CACHED = 100;

/** Formulas of one kind that keep the file's values; `cells`: their first ranges. */
export interface CachedFormulas extends LeftOutItem {
  readonly cells: readonly string[];
}

type CsvOptions = Pick<ReadCsvOptions, 'delimiter' | 'decimal' | 'encoding' | 'sheetName' | 'columns'>;

/** Validates the options for a file of a kind. */
export function parseCsvOptions(
  kind: FileKind,
  { delimiter: named, decimal, encoding, sheet, columns = [] }: CsvInput,
): CsvOptions | Refusal {
  if (kind === 'excel' && (named ?? decimal ?? encoding ?? sheet ?? columns[0]) !== undefined) {
    return invalidRequest('file', 'columns, delimiter, decimal, encoding and sheet apply to .csv files only');
  }
  const delimiter = named === 'tab' || named === '\\t' ? '\t' : named;
  if (delimiter !== undefined && !/^[^"\r\n]$/.test(delimiter)) {
    return invalidRequest('delimiter', 'The delimiter is one character such as , ; or |, or the word tab');
  }
  if (decimal !== undefined && decimal !== '.' && decimal !== ',') {
    return invalidRequest('decimal', 'The decimal mark is . or ,');
  }
  if (encoding !== undefined && !isTextEncoding(encoding)) {
    return invalidRequest('encoding', `${encoding} is not a known encoding; use utf-8 or windows-1252, for example`);
  }
  const problem = sheet === undefined ? null : sheetNameProblem(sheet);
  if (problem !== null) return invalidRequest('sheet', problem);
  const types = parseColumnTypes(columns);
  if (isRefusal(types)) return types;
  return {
    ...(delimiter === undefined ? {} : { delimiter }),
    ...(decimal === undefined ? {} : { decimal }),
    ...(encoding === undefined ? {} : { encoding }),
    ...(sheet === undefined ? {} : { sheetName: sheet }),
    ...(types.size === 0 ? {} : { columns: types }),
  };
}

/** A column name may contain colons; the type follows the last colon. */
function parseColumnTypes(columns: readonly string[]): ReadonlyMap<string, CsvColumnType> | Refusal {
  const types = new Map<string, CsvColumnType>();
  for (const column of columns) {
    const at = column.lastIndexOf(':');
    const type = COLUMN_TYPES.find((known) => known === column.slice(at + 1));
    if (at < 1 || type === undefined) {
      return invalidRequest(
        'columns',
        `${column} is not of the form name:type; a type is one of ${COLUMN_TYPES.join(', ')}`,
      );
    }
    types.set(column.slice(0, at), type);
  }
  return types;
}
