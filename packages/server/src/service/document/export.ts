import { rm } from 'node:fs/promises';
import { documentHead } from '../../store/documents.ts';
import { listedDocument } from '../../store/shares.ts';
import type { Acting } from '../by-rights.ts';
import type { ServiceContext } from '../context.ts';
import { openReading } from '../open-table.ts';
import { invalidRequest, isRefusal, NOT_TABLE, type Refusal, VALUES_HIDDEN } from '../refusal.ts';
import { documentTag } from '../tags.ts';
import { writeDocument } from './write-document.ts';
import type { ExportFormat } from './write-file.ts';

interface ExportRequest {
  readonly format: ExportFormat;
  /** Of a `.csv` file: the first one unless given. */
  readonly sheet?: string | undefined;
  /** Whether the caller has what a tag names. */
  readonly holds: (tag: string) => boolean;
  /** Where the file is written. */
  readonly path: string;
  /** Nobody waits for it any more. */
  readonly signal: AbortSignal;
}

/** A document as a file; `unchanged`: the caller has it already, and nothing was written. */
interface Export {
  readonly kind: 'written' | 'unchanged';
  /** What the file may be called, with its extension. */
  readonly name: string;
  readonly tag: string;
}

/** A document as a file, for who may see all of its sheets (decisions §13.3) before it is written and after. */
export async function exportFile(
  context: ServiceContext,
  acting: Acting,
  { format, sheet, holds, path, signal }: ExportRequest,
): Promise<Export | Refusal> {
  if (format === 'xlsx' && sheet !== undefined) {
    return invalidRequest('sheet', 'An .xlsx file holds all sheets; one sheet alone goes into a .csv file');
  }
  const { access, renew } = acting;
  if (access.type !== 'table') return NOT_TABLE;
  const { documentId: id } = access;
  const tagOf = (head: string) => documentTag(head, `export ${format} ${sheet ?? ''}`);
  const row = await context.database.readOne(listedDocument({ id }));
  const name = fileName(row?.title ?? id, format);
  const known = await unchanged(context, acting, (head) => holds(tagOf(head)));
  if (isRefusal(known)) return known;
  if (known !== null) return { kind: 'unchanged', name, tag: tagOf(known) };
  const chunkFile = `${path}-chunks`;
  try {
    const wanted = { path, format, sheet, hidden: [...access.hiddenSheets] };
    const waiter = { user: access.caller.userId, signal };
    const written = await writeDocument(context, id, { wanted, chunkFile, waiter });
    if (isRefusal(written)) return written;
    // It may have been read long after the gate looked.
    const now = await renew();
    if (isRefusal(now)) return now;
    if (written.sheetIds.some((one) => now.hiddenSheets.has(one))) return VALUES_HIDDEN;
    return { kind: 'written', name, tag: tagOf(written.head) };
  } finally {
    await rm(chunkFile, { force: true });
  }
}

/** The newest commit, where the caller has that already. Only then the document is opened, which tells whether a new day has come. */
async function unchanged(
  context: ServiceContext,
  { access }: Acting,
  holds: (head: string) => boolean,
): Promise<string | Refusal | null> {
  const stored = await context.database.readOne(documentHead({ id: access.documentId }));
  if (stored === null || !holds(stored.head)) return null;
  const reading = await openReading(context, access);
  if (isRefusal(reading)) return reading;
  if (reading.snapshot.sheets.some(({ id }) => access.hiddenSheets.has(id))) return VALUES_HIDDEN;
  return holds(reading.head) ? reading.head : null;
}

/** A title that is a file's name, as an import may give it, keeps its extension. */
function fileName(title: string, format: ExportFormat): string {
  return title.toLowerCase().endsWith(`.${format}`) ? title : `${title}.${format}`;
}
