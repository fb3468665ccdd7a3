import { rm, stat } from 'node:fs/promises';
import { formatLeftOutLabel, type LeftOutItem } from '@cellwire/files';
import { type AccessAction, type AttemptResult, withAccessRetry } from '../access-retry.ts';
import type { ServiceContext } from '../context.ts';
import { buildImportAudit } from '../operator/new-document.ts';
import { isRefusal, type Refusal } from '../refusal.ts';
import type { WriteReply } from '../reply.ts';
import { createDocumentFor, type DocumentCreator, type ShowDocument, UNTITLED } from './create.ts';
import type { JobTasks } from './job-tasks.ts';
import { type CsvInput, type FileKind, parseCsvOptions } from './read-file.ts';
import { chooseNewLocale, parseDocumentSettings } from './store-document.ts';

interface UploadInput {
  readonly file: { readonly path: string; readonly format: FileKind };
  readonly title?: string | undefined;
  readonly locale?: string | undefined;
  readonly csv: CsvInput;
  /** Aborts when the caller disconnects. */
  readonly signal: AbortSignal;
}

/** Creates a document of the caller from a file, and reports the file's content that it does not hold. */
export async function importFile(
  context: ServiceContext,
  action: AccessAction<DocumentCreator>,
  { file, title = UNTITLED, locale, csv, signal }: UploadInput,
  show: ShowDocument,
): Promise<WriteReply | Refusal> {
  const chosenLocale = await chooseNewLocale(context, action.by.caller.userId, locale);
  const settings = parseDocumentSettings({ title, locale: chosenLocale }, context.config);
  if (isRefusal(settings)) return settings;
  const wrong = parseCsvOptions(file.format, csv);
  if (isRefusal(wrong)) return wrong;
  const options = { locale: settings.locale, timeZone: context.config.timeZone, csv };
  const chunkFile = `${file.path}-chunks`;
  const input = { ...file, options, chunkFile, now: context.clock() };
  const { size: bytes } = await stat(file.path);
  let imported: JobTasks['file']['result'] | null = null;
  const attempt = async (by: DocumentCreator): Promise<AttemptResult> => {
    const { caller } = by;
    // The file is read only once, even if rights change in the meantime.
    imported ??= await context.documentJobs.runInThread('file', input, { user: caller.userId, signal, bytes });
    if (isRefusal(imported)) return imported;
    const { state, parts, columns, csv: reading, leftOut, cached } = imported;
    const owner = { id: caller.userId, name: caller.userName };
    const report = {
      columns,
      ...(reading !== null && { csv: reading }),
      leftOut: leftOut.map(addWarningText),
      cached: cached.map(addWarningText),
    };
    return createDocumentFor(
      context,
      { by, keyed: action.keyed },
      {
        settings,
        content: { kind: 'state', state, parts },
        show: (document) => ({ ...show(document), ...report }),
        extraStatements: (id, at) => buildImportAudit(id, owner, at),
      },
    );
  };
  try {
    return await withAccessRetry(context, action, attempt);
  } finally {
    await rm(chunkFile, { force: true });
  }
}

/** The item with its text for users. */
export function addWarningText<T extends LeftOutItem>(item: T): T & { readonly what: string } {
  return { ...item, what: formatLeftOutLabel(item) };
}
