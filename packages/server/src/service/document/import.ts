import { rm, stat } from 'node:fs/promises';
import { type LeftOutItem, leftOutLabel } from '@cellwire/files';
import { type Action, type Attempted, act } from '../act.ts';
import type { ServiceContext } from '../context.ts';
import { importAudit } from '../operator/documents.ts';
import { isRefusal, type Refusal } from '../refusal.ts';
import type { Reply } from '../reply.ts';
import { type Maker, makeFor, type ShowMade, UNTITLED } from './create.ts';
import { localeOfNew, ordered } from './make.ts';
import type { MakingTasks } from './making-tasks.ts';
import { type CsvInput, csvOptions, type FileKind } from './read-file.ts';

interface UploadInput {
  readonly file: { readonly path: string; readonly format: FileKind };
  readonly title?: string | undefined;
  readonly locale?: string | undefined;
  readonly csv: CsvInput;
  /** Nobody waits for the document any more. */
  readonly signal: AbortSignal;
}

/** Makes a document of the caller's of a file, and says what of it the document does not hold. */
export async function importFile(
  context: ServiceContext,
  action: Action<Maker>,
  { file, title = UNTITLED, locale, csv, signal }: UploadInput,
  show: ShowMade,
): Promise<Reply | Refusal> {
  const ofNew = await localeOfNew(context, action.by.caller.userId, locale);
  const wanted = ordered({ title, locale: ofNew }, context.config);
  if (isRefusal(wanted)) return wanted;
  const wrong = csvOptions(file.format, csv);
  if (isRefusal(wrong)) return wrong;
  const options = { locale: wanted.locale, timeZone: context.config.timeZone, csv };
  const chunkFile = `${file.path}-chunks`;
  const input = { ...file, options, chunkFile, now: context.clock() };
  const { size: bytes } = await stat(file.path);
  let made: MakingTasks['file']['result'] | null = null;
  const attempt = async (by: Maker): Promise<Attempted> => {
    const { caller } = by;
    // What has been read once is not read again where rights have changed meanwhile.
    made ??= await context.makings.beside('file', input, { user: caller.userId, signal, bytes });
    if (isRefusal(made)) return made;
    const { state, parts, columns, csv: reading, leftOut, cached } = made;
    const owner = { id: caller.userId, name: caller.userName };
    return makeFor(
      context,
      { by, keyed: action.keyed },
      wanted,
      { kind: 'state', state, parts },
      (document) => ({
        ...show(document),
        columns,
        ...(reading !== null && { csv: reading }),
        leftOut: leftOut.map(inWords),
        cached: cached.map(inWords),
      }),
      (id, at) => importAudit(id, owner, at),
    );
  };
  try {
    return await act(context, action, attempt);
  } finally {
    await rm(chunkFile, { force: true });
  }
}

/** An item with the words for people. */
export function inWords<T extends LeftOutItem>(item: T): T & { readonly what: string } {
  return { ...item, what: leftOutLabel(item) };
}
