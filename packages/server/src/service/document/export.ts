import { ChangeSender, memoryOf, runsOf, type Snapshot } from '@cellwire/engine';
import type { DocumentAccess } from '../../access/access.ts';
import { inSlices } from '../../event-loop/slices.ts';
import { INLINE_LOAD_BYTES, INLINE_RUNS } from '../../limits/limits.ts';
import { listedDocument } from '../../store/shares.ts';
import type { ServiceContext } from '../context.ts';
import { openReading } from '../open-table.ts';
import { invalidRequest, isRefusal, type Refusal, SHEET_NOT_FOUND, VALUES_HIDDEN } from '../refusal.ts';
import { documentTag } from '../tags.ts';
import { type ExportInput, writeFile } from './making-tasks.ts';
import type { Waiter } from './makings.ts';
import { carriedParts, type WrittenFile } from './write-file.ts';

export const EXPORT_FORMATS = ['xlsx', 'csv'] as const;
type ExportFormat = (typeof EXPORT_FORMATS)[number];

interface ExportRequest {
  readonly format: ExportFormat;
  /** Of a `.csv` file: the first one unless given. */
  readonly sheet?: string | undefined;
}

/** A document as a file that is still to be written. */
export interface Export {
  /** What the file may be called, with its extension. */
  readonly name: string;
  readonly tag: string;
  readonly write: (path: string, signal: AbortSignal) => Promise<WrittenFile | Refusal>;
}

/** A document as a file, for who may see all of its sheets (decisions §13.3). */
export async function exportFile(
  context: ServiceContext,
  access: DocumentAccess,
  { format, sheet: sheetName }: ExportRequest,
): Promise<Export | Refusal> {
  if (format === 'xlsx' && sheetName !== undefined) {
    return invalidRequest('sheet', 'An .xlsx file holds all sheets; one sheet alone goes into a .csv file');
  }
  const reading = await openReading(context, access);
  if (isRefusal(reading)) return reading;
  const { snapshot, head } = reading;
  const sheet = sheetName === undefined ? snapshot.sheets[0] : snapshot.sheetByName(sheetName);
  if (sheet === undefined) return SHEET_NOT_FOUND;
  if (snapshot.sheets.some(({ id }) => access.hiddenSheets.has(id))) return VALUES_HIDDEN;
  const row = await context.database.readOne(listedDocument({ id: access.documentId }));
  const { userId: user } = access.caller;
  return {
    name: fileName(row?.title ?? access.documentId, format),
    tag: documentTag(head, `export ${format} ${format === 'csv' ? sheet.id : ''}`),
    write: async (path, signal) => {
      const parts = format === 'xlsx' ? await carriedParts(context.database, access.documentId) : [];
      const content = format === 'xlsx' ? { parts } : { sheet: sheet.id };
      return write(context, snapshot, { path, content }, { user, signal });
    },
  };
}

/** A title that is a file's name, as an import may give it, keeps its extension. */
function fileName(title: string, format: ExportFormat): string {
  return title.toLowerCase().endsWith(`.${format}`) ? title : `${title}.${format}`;
}

/** A small one here: starting a thread takes longer. */
async function write(
  { makings }: ServiceContext,
  snapshot: Snapshot,
  { path, content }: Omit<ExportInput, 'whole'>,
  waiter: Waiter,
): Promise<WrittenFile | Refusal> {
  const isSmall = memoryOf(snapshot) <= INLINE_LOAD_BYTES && runsOf(snapshot) <= INLINE_RUNS;
  if (isSmall) return writeFile(snapshot, path, content);
  const whole = await inSlices(new ChangeSender(null).send(snapshot));
  return makings.beside('export', { whole, path, content }, waiter, [whole.places.buffer as ArrayBuffer]);
}
