import { MAX_COMMAND_PAGE } from '../../limits/commands.ts';
import { invalidRequest, isRefusal, type Refusal } from '../refusal.ts';

/** The requested part of a list. */
export interface ListPageRequest {
  /** Maximum number of rows; absent: all. */
  readonly limit?: number | undefined;
  /** `nextCursor` of the previous page; absent: the first page. */
  readonly cursor?: string | undefined;
}

/** A page of rows, under a member named after the rows. */
export type ListPage<Name extends string, Row> = { readonly [K in Name]: readonly Row[] } & {
  /** Null: this is the last page. */
  readonly nextCursor: string | null;
};

/** Encodes a position in a list as a cursor. */
export function encodeCursor(position: readonly (string | number)[]): string {
  return Buffer.from(JSON.stringify(position)).toString('base64url');
}

/** Decodes a cursor whose parts have the types of `template`; null if there is no cursor. */
export function decodeCursor<const Like extends readonly (string | number)[]>(
  cursor: string | undefined,
  template: Like,
): { readonly [I in keyof Like]: Like[I] extends number ? number : string } | null | Refusal {
  if (cursor === undefined) return null;
  const position = parseCursorJson(cursor);
  const fits =
    Array.isArray(position) &&
    position.length === template.length &&
    position.every((part: unknown, i) => typeof part === typeof template[i]);
  if (!fits) return invalidRequest('cursor', 'cursor must be the nextCursor of a page of the same list');
  return position as unknown as { readonly [I in keyof Like]: Like[I] extends number ? number : string };
}

/** The JSON in a base64url cursor; null if it is malformed. */
function parseCursorJson(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString());
  } catch {
    return null;
  }
}

/** Reads a page of a list that is sorted by id. */
export async function readPage<Row extends { readonly id: number }>(
  { limit, cursor }: ListPageRequest,
  readRows: (after: number, limit: number) => Promise<readonly Row[]>,
): Promise<{ readonly rows: readonly Row[]; readonly nextCursor: string | null } | Refusal> {
  const position = decodeCursor(cursor, [0]);
  if (isRefusal(position)) return position;
  const maximum = limit ?? Number.POSITIVE_INFINITY;
  const rows: Row[] = [];
  let after = position?.[0] ?? 0;
  for (;;) {
    // Reads one row more than a page, to detect whether there is a next page.
    const size = Math.min(MAX_COMMAND_PAGE, maximum - rows.length + 1);
    const next = await readRows(after, size);
    rows.push(...next);
    if (next.length < size || rows.length > maximum) break;
    after = next.at(-1)?.id ?? after;
  }
  const shown = rows.slice(0, maximum);
  return { rows: shown, nextCursor: rows.length > maximum ? encodeCursor([shown.at(-1)?.id ?? after]) : null };
}
