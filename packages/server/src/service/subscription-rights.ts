import type { Database } from '../store/database.ts';
import { protectionsOf } from '../store/protections.ts';
import { creatorOf } from '../store/subscriptions.ts';
import { tokenById } from '../store/tokens.ts';

/** What a subscription's creator may see of the document, or why it may not be told any more (decisions §10.6). */
type CreatorRights =
  | { readonly kind: 'allowed'; readonly hiddenSheets: ReadonlySet<number> }
  | { readonly kind: 'lost'; readonly reason: 'access' | 'token' };

interface Creator {
  readonly document_id: string;
  readonly user_id: number;
  /** Null: not made with an API token. */
  readonly token_id: number | null;
}

const NO_ACCESS: CreatorRights = { kind: 'lost', reason: 'access' };
const NO_TOKEN: CreatorRights = { kind: 'lost', reason: 'token' };
const NONE: ReadonlySet<number> = new Set();

/** The rights at the moment of the call. */
export async function creatorRights(database: Database, creator: Creator, now: number): Promise<CreatorRights> {
  const { document_id, user_id, token_id } = creator;
  const [documents, protections, tokens] = await database.readAll([
    creatorOf({ document_id, user_id }),
    protectionsOf({ document_id }),
    tokenById({ id: token_id ?? 0 }),
  ]);
  const document = documents[0];
  if (document === undefined || document.disabled_at !== null) return NO_ACCESS;
  if (token_id !== null && !isLive(tokens[0], document_id, now)) return NO_TOKEN;
  if (document.owner_id === user_id) return { kind: 'allowed', hiddenSheets: NONE };
  if (document.role === null) return NO_ACCESS;
  const hidden = protections.filter(({ hide_values, allowed }) => hide_values === 1 && !names(allowed, user_id));
  return { kind: 'allowed', hiddenSheets: new Set(hidden.map(({ sheet_id }) => sheet_id)) };
}

interface TokenRow {
  readonly revoked_at: number | null;
  readonly expires_at: number | null;
  readonly documents: string | null;
}

function isLive(token: TokenRow | undefined, document: string, now: number): boolean {
  if (token === undefined || token.revoked_at !== null) return false;
  if (token.expires_at !== null && token.expires_at <= now) return false;
  return token.documents === null || (JSON.parse(token.documents) as string[]).includes(document);
}

function names(allowed: string, user: number): boolean {
  return (JSON.parse(allowed) as number[]).includes(user);
}
