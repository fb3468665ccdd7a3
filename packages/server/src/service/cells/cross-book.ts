import type { Snapshot } from '@cellwire/engine';
import type { Access, DocumentAccess } from '../../access/access.ts';
import type { Caller } from '../../access/callers.ts';
import type { ServiceContext } from '../context.ts';
import { openTable } from '../open-table.ts';
import { INVALID_RANGE, isRefusal, type Refusal } from '../refusal.ts';
import type { ReadForm, RunPageSteps } from './fill-page.ts';
import { type RangeEntry, readRangesInOrder, toFailedRange } from './read-values.ts';

/** One entry of a read across documents; `document` null: the range names no document. */
interface DocumentRangeEntry {
  readonly document: string | null;
  readonly entry: RangeEntry;
}

interface ReadableDocument {
  readonly snapshot: Snapshot;
  readonly access: DocumentAccess;
}

const BOOK_RANGE = /^([0-9A-Fa-f-]{36})!(.+)$/s;

/** Reads ranges of several documents, `{document}!{range}`; each document at one revision. */
export async function readAcrossDocuments(
  context: ServiceContext,
  access: Access,
  caller: Caller,
  ranges: readonly string[],
  form: ReadForm,
  make: RunPageSteps,
): Promise<readonly DocumentRangeEntry[] | Refusal> {
  const parts = ranges.map((text) => ({ text, match: BOOK_RANGE.exec(text) }));
  const books = new Map<string, ReadableDocument | Refusal>();
  for (const { match } of parts) {
    const id = match?.[1]?.toLowerCase();
    if (id !== undefined && !books.has(id)) books.set(id, await openReadDocument(context, access, caller, id));
  }
  const readable = parts.flatMap(({ text, match }) => {
    const book = books.get(match?.[1]?.toLowerCase() ?? '');
    return book === undefined || isRefusal(book) ? [] : [{ ...book, range: match?.[2] ?? '', echo: text }];
  });
  const entries = await readRangesInOrder(context, readable, form, make);
  if (isRefusal(entries)) return entries;
  const pages = entries.values();
  return parts.map(({ text, match }) => {
    const document = match?.[1]?.toLowerCase() ?? null;
    const book = document === null ? INVALID_RANGE : (books.get(document) ?? INVALID_RANGE);
    const entry = isRefusal(book)
      ? toFailedRange(text, book)
      : (pages.next().value ?? toFailedRange(text, INVALID_RANGE));
    return { document, entry };
  });
}

/** Another document that a formula reads, with the caller's access to it; refused if the caller may not open it. */
async function openReadDocument(
  context: ServiceContext,
  access: Access,
  caller: Caller,
  id: string,
): Promise<ReadableDocument | Refusal> {
  const opened = await access.open(caller, id);
  if ('kind' in opened) return opened;
  const snapshot = await openTable(context, opened);
  return isRefusal(snapshot) ? snapshot : { snapshot, access: opened };
}
