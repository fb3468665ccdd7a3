import { rm } from 'node:fs/promises';
import type { LeftOutItem } from '@cellwire/files';
import { documentHead, listedDocument } from '@cellwire/store/documents';
import type { DocumentAccess } from '../../access/access.ts';
import type { AccessAction } from '../access-retry.ts';
import type { ServiceContext } from '../context.ts';
import { openReading } from '../open-table.ts';
import { invalidRequest, isRefusal, NOT_TABLE, type Refusal, VALUES_HIDDEN } from '../refusal.ts';
import { formatDocumentTag } from '../tags.ts';
import { type CsvOutput, type ExportFormat, toCsvFormat } from './csv-output.ts';
import { addWarningText } from './import.ts';
import { writeDocument } from './write-document.ts';
import type { WrittenFile } from './write-file.ts';

interface ExportRequest {
  readonly format: ExportFormat;
  /** Sheet of a `.csv` file; absent: the first one. */
  readonly sheet?: string | undefined;
  /** Form of a `.csv` file. */
  readonly csv: CsvOutput;
  /** True if the caller wants the file's report instead of the file. */
  readonly isReport: boolean;
  /** True if the caller already has the content that a tag names. */
  readonly holds: (tag: string) => boolean;
  /** Path of the file. */
  readonly path: string;
  /** Aborts when the caller disconnects. */
  readonly signal: AbortSignal;
}

/**
 * The exported file. `unchanged`: the caller already has it, and nothing was written. `name`: the suggested file name
 * with extension.
 */
type ExportOutcome =
  | { readonly kind: 'unchanged'; readonly name: string; readonly tag: string }
  | { readonly kind: 'written'; readonly name: string; readonly tag: string; readonly report: ExportReport };

/** The differences between the file and the document. */
interface ExportReport extends Pick<WrittenFile, 'renamed' | 'shortened'> {
  readonly leftOut: readonly (LeftOutItem & { readonly what: string })[];
}

/**
 * Exports a document for a caller who may see all of its sheets; this is checked before the export
 * and after it.
 */
export async function exportFile(
  context: ServiceContext,
  { by: access, reauthorize }: Pick<AccessAction<DocumentAccess>, 'by' | 'reauthorize'>,
  { format, sheet, csv, isReport, holds, path, signal }: ExportRequest,
): Promise<ExportOutcome | Refusal> {
  if (format === 'xlsx' && sheet !== undefined) {
    return invalidRequest('sheet', 'An .xlsx file holds all sheets; one sheet alone goes into a .csv file');
  }
  const output = toCsvFormat(format, csv);
  if (isRefusal(output)) return output;
  if (access.type !== 'table') return NOT_TABLE;
  const { documentId: id } = access;
  const formatTag = (head: string) =>
    formatDocumentTag(head, `export ${JSON.stringify([format, sheet, output, isReport])}`);
  const row = await context.database.readOne(listedDocument({ id, now: context.clock() }));
  const name = toFileName(row?.title ?? id, format);
  const unchangedHead = await findUnchangedHead(context, access, (head) => holds(formatTag(head)));
  if (isRefusal(unchangedHead)) return unchangedHead;
  if (unchangedHead !== null) return { kind: 'unchanged', name, tag: formatTag(unchangedHead) };
  const chunkFile = `${path}-chunks`;
  try {
    const file = { path, format, sheet, csv: output, hidden: [...access.hiddenSheets] };
    const waiter = { user: access.caller.userId, signal };
    const result = await writeDocument(context, id, { file, chunkFile, waiter });
    if (isRefusal(result)) return result;
    // The export may have taken long, so the access is checked again.
    const now = await reauthorize();
    if (isRefusal(now)) return now;
    if (result.sheetIds.some((one) => now.hiddenSheets.has(one))) return VALUES_HIDDEN;
    return { kind: 'written', name, tag: formatTag(result.head), report: toExportReport(result) };
  } finally {
    await rm(chunkFile, { force: true });
  }
}

function toExportReport({ renamed, shortened, leftOut }: WrittenFile): ExportReport {
  // Truncated texts are listed individually, unless there are too many.
  const counted = leftOut.filter(({ kind, count }) => kind !== 'shortenedTexts' || count > shortened.length);
  return { leftOut: counted.map(addWarningText), renamed, shortened };
}

/** Number of entries in a report. */
export function countReportEntries({ leftOut, renamed, shortened }: ExportReport): number {
  return leftOut.length + renamed.length + shortened.length;
}

/**
 * The newest commit, if the caller already has it. The document is opened to detect if a new day has recalculated it.
 */
async function findUnchangedHead(
  context: ServiceContext,
  access: DocumentAccess,
  holds: (head: string) => boolean,
): Promise<string | Refusal | null> {
  const stored = await context.database.readOne(documentHead({ id: access.documentId }));
  if (stored === null || !holds(stored.head)) return null;
  const reading = await openReading(context, access);
  if (isRefusal(reading)) return reading;
  if (reading.snapshot.sheets.some(({ id }) => access.hiddenSheets.has(id))) return VALUES_HIDDEN;
  return holds(reading.head) ? reading.head : null;
}

/** A title that is a file name, for example from an import, keeps its extension. */
function toFileName(title: string, format: ExportFormat): string {
  return title.toLowerCase().endsWith(`.${format}`) ? title : `${title}.${format}`;
}
