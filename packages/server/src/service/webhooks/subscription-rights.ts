import type { Database, Query } from '@cellwire/store';
import { tokenById } from '@cellwire/store/accounts';
import { protectionsOf } from '@cellwire/store/documents';
import { parseStoredList } from '@cellwire/store/stored-forms';
import { creatorOf } from '@cellwire/store/webhooks';

/** The rows of a prepared query. */
type QueryRow<Q extends (parameters: never) => Query<unknown>> = ReturnType<Q> extends Query<infer Row> ? Row : never;

/**
 * The rights of a subscription's creator in the document, or the reason why it is not notified any more (decisions
 * §10.6).
 */
export type CreatorRights =
  | { readonly kind: 'allowed'; readonly hiddenSheets: ReadonlySet<number> }
  | { readonly kind: 'lost'; readonly reason: 'access' | 'token' }
  /** The stored row of the creator or of the token is damaged: nothing is delivered until that ends. */
  | { readonly kind: 'damaged' };

interface SubscriptionCreator {
  readonly document_id: string;
  readonly user_id: number;
  /** Null: not created with an API token. */
  readonly token_id: number | null;
}

const NO_ACCESS: CreatorRights = { kind: 'lost', reason: 'access' };
const DAMAGED: CreatorRights = { kind: 'damaged' };
const NO_TOKEN: CreatorRights = { kind: 'lost', reason: 'token' };
const NONE: ReadonlySet<number> = new Set();

/** The rights of a subscription's creator at the time `now`. */
export async function readCreatorRights(
  database: Database,
  creator: SubscriptionCreator,
  now: number,
): Promise<CreatorRights> {
  const [rights] = await readRightsOfCreators(database, creator.document_id, [creator], now);
  return rights as CreatorRights;
}

/** The rights of a document's subscribers, in their order; each user and token is read once. */
export async function readRightsOfCreators(
  database: Database,
  document_id: string,
  creators: readonly Omit<SubscriptionCreator, 'document_id'>[],
  now: number,
): Promise<readonly CreatorRights[]> {
  const users = [...new Set(creators.map(({ user_id }) => user_id))];
  const tokens = [...new Set(creators.flatMap(({ token_id }) => token_id ?? []))];
  // One transaction: a share added after a protection must not be read without that protection.
  const [protections, ...rows] = await database.readAll([
    protectionsOf({ document_id }),
    ...[
      ...users.map((user_id): Query<unknown> => creatorOf({ document_id, user_id })),
      ...tokens.map((id): Query<unknown> => tokenById({ id })),
    ],
  ]);
  const places = rows.slice(0, users.length) as readonly (readonly QueryRow<typeof creatorOf>[])[];
  const secrets = rows.slice(users.length) as readonly (readonly QueryRow<typeof tokenById>[])[];
  return creators.map(({ user_id, token_id }): CreatorRights => {
    const document = places[users.indexOf(user_id)]?.[0];
    const token = token_id === null ? null : secrets[tokens.indexOf(token_id)]?.[0];
    if (document === undefined) return NO_ACCESS;
    if (document.damage.length > 0 || (token?.damage.length ?? 0) > 0) return DAMAGED;
    if (document.disabled_at !== null) return NO_ACCESS;
    if (token !== null && !isTokenActive(token, document_id, now)) return NO_TOKEN;
    if (document.owner_id === user_id) return { kind: 'allowed', hiddenSheets: NONE };
    const { role, role_of_anyone } = document;
    if (role === null && role_of_anyone === null) return NO_ACCESS;
    // A protection applies to a named user only while the document is shared with that user, not with everyone.
    const isNamed = (allowed: string) => role !== null && includesUser(allowed, user_id);
    const hidden = protections.filter(({ hide_values, allowed }) => hide_values === 1 && !isNamed(allowed));
    return { kind: 'allowed', hiddenSheets: new Set(hidden.map(({ sheet_id }) => sheet_id)) };
  });
}

interface CreatorTokenRow {
  readonly revoked_at: number | null;
  readonly expires_at: number | null;
  readonly documents: string | null;
}

/** True if the token is not revoked or expired and covers the document. */
function isTokenActive(token: CreatorTokenRow | undefined, document: string, now: number): boolean {
  if (token === undefined || token.revoked_at !== null) return false;
  if (token.expires_at !== null && token.expires_at <= now) return false;
  return token.documents === null || parseStoredList(token.documents, 'The documents of a token').includes(document);
}

/** True if the stored JSON list of user ids includes the user. */
function includesUser(allowed: string, user: number): boolean {
  return parseStoredList(allowed, 'The users of a protected sheet').includes(user);
}
