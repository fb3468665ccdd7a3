import { MAX_TOOL_ROWS } from '../../limits/mcp.ts';
import { listNames } from '../../operations/structure/list-names.ts';
import { listTables } from '../../operations/structure/list-tables.ts';
import { fitPage, shortenLists, shortenText } from '../bounds.ts';
import type { StructuredContent } from '../results.ts';
import type { McpSession } from '../session.ts';
import { dropUndefined } from '../tool.ts';

/** A list of a document that `describe_document` can page through, besides its sheets. */
export type DescribedList = 'tables' | 'names';

/** Maximum characters of a list beside the descriptions of sheets, and of a page with nothing but the list. */
const MAX_LIST_CHARACTERS = 3_500;
const MAX_PAGE_CHARACTERS = 20_000;

interface TableEntry {
  readonly name: string;
  readonly range: string;
  readonly columns: readonly string[];
}

interface NameEntry {
  readonly name: string;
  readonly refersTo: string;
}

/** The first tables and names; `tablesNextOffset` and `namesNextOffset` say where the lists continue. */
export async function describeLists(session: McpSession, document: string): Promise<StructuredContent> {
  const page = { offset: 0, maxCharacters: MAX_LIST_CHARACTERS };
  const tables = await readList(session, document, 'tables', page);
  const names = await readList(session, document, 'names', page);
  return {
    tables: tables.items,
    names: names.items,
    ...(tables.total + names.total > 0 ? { tablesTotal: tables.total, namesTotal: names.total } : {}),
    ...dropUndefined({
      tablesNextOffset: tables.nextOffset ?? undefined,
      namesNextOffset: names.nextOffset ?? undefined,
    }),
  };
}

/** A page of one list. */
export async function describeListPage(
  session: McpSession,
  document: string,
  list: DescribedList,
  offset: number,
): Promise<StructuredContent> {
  const { items, total, truncated, nextOffset } = await readList(session, document, list, {
    offset,
    maxCharacters: MAX_PAGE_CHARACTERS,
  });
  return { [list]: items, total, truncated, nextOffset };
}

/** A page of a document's tables or names, shortened to the number of characters. */
async function readList(
  session: McpSession,
  document: string,
  list: DescribedList,
  { offset, maxCharacters }: { readonly offset: number; readonly maxCharacters: number },
) {
  const body = await session.readJson(list === 'tables' ? listTables : listNames, { document });
  const all = body[list] as readonly (TableEntry | NameEntry)[];
  // A page contains at least one entry, so that each entry must fit alone.
  const entries = all.slice(offset, offset + MAX_TOOL_ROWS).map((entry) => shortenEntry(entry, maxCharacters));
  return { ...fitPage(entries, { offset, total: all.length, maxCharacters }), total: all.length };
}

/** An entry that fits into `maxCharacters`; `truncated` if columns or a part of the formula are left out. */
function shortenEntry(entry: TableEntry | NameEntry, maxCharacters: number): object {
  if (JSON.stringify(entry).length <= maxCharacters) return entry;
  if ('refersTo' in entry) {
    // Escapes can double the length of a text.
    return { ...entry, refersTo: shortenText(entry.refersTo, Math.floor(maxCharacters / 3)), truncated: true };
  }
  return { ...shortenLists(entry, maxCharacters).value, truncated: true };
}
