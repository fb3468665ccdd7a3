import { lstat, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { type CsvConventions, describeForeignFile, type ImportedColumn, type LeftOutItem } from '@cellwire/files';
import type { ServiceContext } from '../context.ts';
import { type CsvOutput, toCsvFormat } from '../document/csv-output.ts';
import { type PreparedDocument, prepareDocument } from '../document/job-tasks.ts';
import {
  type CachedFormulas,
  type CsvInput,
  detectFileKind,
  isTabSeparated,
  parseCsvOptions,
} from '../document/read-file.ts';
import { type CreatedDocument, parseLocale } from '../document/store-document.ts';
import { writeDocument } from '../document/write-document.ts';
import type { WrittenFile } from '../document/write-file.ts';
import { invalidRequest, isRefusal, type Refusal } from '../refusal.ts';
import { findUser } from './find-user.ts';
import { createDocument, type DocumentContext, findDocument, type NewDocumentInput } from './new-document.ts';
import { describeError, describeSystemError, isSystemError } from './system-error.ts';

interface FileImportInput extends Omit<NewDocumentInput, 'content'> {
  /** Path of a `.csv` or `.xlsx` file. */
  readonly from: string;
  /** Options for reading a `.csv` file; missing ones are detected. */
  readonly csv?: CsvInput | undefined;
  /** Receives the fraction of the file that is read, from 0 to 1; calculation and storage follow after 1. */
  readonly onProgress?: ((fraction: number) => void) | undefined;
}

interface ImportedDocument {
  readonly document: CreatedDocument;
  /** Detected types of the columns of a `.csv` file. */
  readonly columns: readonly ImportedColumn[];
  /** Detected format of a `.csv` file; null for other files. */
  readonly csv: CsvConventions | null;
  /** Content of the file that the document does not hold. */
  readonly leftOut: readonly LeftOutItem[];
  /** Formulas that cannot be calculated: they keep the file's values until a cell that they depend on changes. */
  readonly cached: readonly CachedFormulas[];
}

/** Creates a document from a file. */
export async function importDocument(
  context: DocumentContext & Pick<ServiceContext, 'documentJobs'>,
  { from, csv = {}, onProgress, ...input }: FileImportInput,
): Promise<ImportedDocument | Refusal> {
  const locale = parseLocale(input.locale, context.config);
  if (isRefusal(locale)) return locale;
  const kind = detectFileKind(from);
  if (kind === null) {
    const foreign = (await findUnreadableReason(from)) === null ? await describeForeignFile(from, false) : null;
    const advice = `${from} must end in .csv, .xlsx or .cellwire; the ending gives the format`;
    return invalidRequest('from', foreign === null ? advice : `${from}: ${foreign}`);
  }
  const csvInput = kind === 'csv' && isTabSeparated(from) ? { ...csv, delimiter: csv.delimiter ?? 'tab' } : csv;
  const wrong = parseCsvOptions(kind, csvInput);
  if (isRefusal(wrong)) return nameFileInRefusal(from, wrong);
  // Check the owner first, because reading a large file takes long.
  const owner = await findUser(context, input.owner);
  if (isRefusal(owner)) return owner;
  const unreadable = await findUnreadableReason(from);
  if (unreadable !== null) return invalidRequest('from', unreadable);
  const options = { locale, timeZone: context.config.timeZone, csv: csvInput };
  const file = { path: from, format: kind, options, now: context.clock() };
  const store = async (imported: PreparedDocument | Refusal): Promise<ImportedDocument | Refusal> => {
    if (isRefusal(imported)) return nameFileInRefusal(from, imported);
    const { columns, csv: reading, leftOut, cached, state, parts } = imported;
    const document = await createDocument(context, { ...input, locale, content: { kind: 'state', state, parts } });
    return isRefusal(document) ? document : { document, columns, csv: reading, leftOut, cached };
  };
  if (kind === 'csv') {
    const upload = context.documents.startUpload();
    let isStored = false;
    try {
      const outcome = await store(await prepareDocument(file, upload, onProgress));
      isStored = !isRefusal(outcome);
      return outcome;
    } catch (error) {
      if (!isSystemError(error)) throw error;
      return invalidRequest('from', `${from} cannot be read: ${describeSystemError(error)}`);
    } finally {
      if (!isStored) await upload.remove();
    }
  }
  const folder = await createTemporaryFolder();
  if (isRefusal(folder)) return folder;
  try {
    return await store(
      await context.documentJobs.runInline('file', { ...file, chunkFile: join(folder, 'chunks') }, onProgress),
    );
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return invalidRequest(
      'from',
      `${from} cannot be imported through the temporary folder ${folder}: ${describeSystemError(error)}`,
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function createTemporaryFolder(): Promise<string | Refusal> {
  try {
    return await mkdtemp(join(tmpdir(), 'cellwire-import-'));
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return invalidRequest('from', `The folder for temporary files (TMPDIR) cannot be used: ${describeError(error)}`);
  }
}

/** Reports a problem of the file with its path. */
function nameFileInRefusal(path: string, refusal: Refusal): Refusal {
  if (refusal.reason !== 'invalidRequest' || refusal.field !== 'file') return refusal;
  return invalidRequest('from', `${path}: ${refusal.message}`);
}

/** Why the path is not a readable file; null if it is one. */
async function findUnreadableReason(path: string): Promise<string | null> {
  try {
    return (await stat(path)).isFile() ? null : `${path} is not a file`;
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return `${path} cannot be read: ${describeSystemError(error)}`;
  }
}

interface FileExportResult extends WrittenFile {
  readonly file: string;
}

interface FileExportInput {
  readonly document: string;
  /** Path of the `.xlsx`, `.csv` or `.tsv` file to write. */
  readonly to: string;
  /** True: an existing file is replaced. */
  readonly force?: boolean | undefined;
  /** Sheet of a `.csv` file; absent: the first one. */
  readonly sheet?: string | undefined;
  /** Form of a `.csv` file. */
  readonly csv?: CsvOutput | undefined;
}

/** Exports a whole document for the operator, including hidden values. */
export async function exportDocument(
  context: DocumentContext & Pick<ServiceContext, 'documentJobs' | 'store'>,
  { document, to, sheet, csv = {}, force = false }: FileExportInput,
): Promise<FileExportResult | Refusal> {
  const hasTabs = isTabSeparated(to);
  const extension = extname(to).toLowerCase();
  if (extension !== '.xlsx' && extension !== '.csv' && !hasTabs) {
    return invalidRequest('to', `${to} must end in .xlsx, .csv, .tsv or .cellwire; the ending gives the format`);
  }
  if (extension === '.xlsx' && sheet !== undefined) {
    return invalidRequest('sheet', 'An .xlsx file holds all sheets; one sheet alone goes into a .csv file');
  }
  // The import always reads a file with this ending with tabs.
  if (hasTabs && (csv.delimiter ?? 'tab') !== 'tab') {
    return invalidRequest('delimiter', `Fields of a ${extension} file are separated by tabs; name the file .csv`);
  }
  const format = extension === '.xlsx' ? 'xlsx' : 'csv';
  const output = toCsvFormat(format, hasTabs ? { ...csv, delimiter: 'tab' } : csv);
  if (isRefusal(output)) return output;
  const row = await findDocument(context, document);
  if (isRefusal(row)) return row;
  if (!force && (await fileExists(to))) {
    return invalidRequest('to', `${to} exists already; choose another name or pass --force to replace it`);
  }
  const folder = await mkdtemp(join(tmpdir(), 'cellwire-export-'));
  try {
    const file = { path: to, format, sheet, csv: output, hidden: [] } as const;
    const result = await writeDocument(context, row.id, { file, chunkFile: join(folder, 'chunks'), waiter: null });
    if (isRefusal(result)) return toCommandRefusal(result, { document, sheet });
    const { sheets, cells, renamed, shortened, leftOut } = result;
    return { file: to, sheets, cells, renamed, shortened, leftOut };
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return invalidRequest('to', `${to} cannot be written: ${describeSystemError(error)}`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Names the missing document or sheet as the command did. */
function toCommandRefusal(refusal: Refusal, { document, sheet }: Pick<FileExportInput, 'document' | 'sheet'>): Refusal {
  if (refusal.reason === 'sheetNotFound') return invalidRequest('sheet', `There is no sheet ${sheet}`);
  if (refusal.reason === 'documentNotFound') return invalidRequest('document', `There is no document ${document}`);
  return refusal;
}

async function fileExists(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    // The write of the file reports other problems of the path.
    if (isSystemError(error)) return false;
    throw error;
  }
}
