import type { ServiceContext } from '../context.ts';

/** The position of a query's next page: the commit of its first page, and the number of records before. */
export interface QueryCursor {
  readonly revision: number;
  /** The random id of the commit. */
  readonly head: string;
  readonly offset: number;
  /** Identifies the query that the cursor belongs to. */
  readonly query: string;
}

type CursorContext = Pick<ServiceContext, 'secrets'>;

/** Encrypted: the cursor grants access to a revision that its holder may not request otherwise. */
export function encodeCursor({ secrets }: CursorContext, { revision, head, offset, query }: QueryCursor): string {
  return Buffer.from(secrets.seal([revision, head, offset, query].join(' '))).toString('base64url');
}

/** Null if the text is not a cursor of this service. */
export function parseCursor({ secrets }: CursorContext, text: string): QueryCursor | null {
  const opened = /^[\w-]{1,400}$/.test(text) ? secrets.open(Buffer.from(text, 'base64url')) : null;
  const [revision, head, offset, query, ...more] = opened?.split(' ') ?? [];
  if (head === undefined || query === undefined || more.length > 0) return null;
  return { revision: Number(revision), head, offset: Number(offset), query };
}
