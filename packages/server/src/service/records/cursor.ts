import type { ServiceContext } from '../context.ts';

/** Where a query goes on: the commit that its first page was read at, and the records before. */
export interface Cursor {
  readonly revision: number;
  /** The commit's random id. */
  readonly head: string;
  readonly offset: number;
  /** What `queryKey` says of the query that it belongs to. */
  readonly query: string;
}

type CursorContext = Pick<ServiceContext, 'secrets'>;

/** Sealed, as it opens a revision that its holder may not ask for otherwise. */
export function cursorText({ secrets }: CursorContext, { revision, head, offset, query }: Cursor): string {
  return Buffer.from(secrets.seal([revision, head, offset, query].join(' '))).toString('base64url');
}

/** Null for what is no cursor of this service. */
export function parseCursor({ secrets }: CursorContext, text: string): Cursor | null {
  const opened = /^[\w-]{1,400}$/.test(text) ? secrets.open(Buffer.from(text, 'base64url')) : null;
  const [revision, head, offset, query, ...more] = opened?.split(' ') ?? [];
  if (head === undefined || query === undefined || more.length > 0) return null;
  return { revision: Number(revision), head, offset: Number(offset), query };
}
