import type { Query } from '@cellwire/store';
import {
  bumpAccessEpoch,
  insertToken,
  NO_SESSION,
  replaceTokenSecret,
  revokeToken as revokeRow,
  TOO_MANY_TOKENS,
  tokenById,
  tokenCountWithinLimit,
  tokensOfUser,
} from '@cellwire/store/accounts';
import { isAccessibleTo } from '@cellwire/store/documents';
import { parseStoredList } from '@cellwire/store/stored-forms';
import { deactivateSubscriptionsOfToken, documentsOfToken } from '@cellwire/store/webhooks';
import type { Caller } from '../../access/callers.ts';
import { type InputLocale, parseStoredLocale } from '../../access/input-locale.ts';
import { isScope, SCOPES, type TokenScope } from '../../access/scopes.ts';
import { generateToken, getTokenPrefix, hashSecret } from '../../access/secrets.ts';
import { MAX_LISTED_TOKENS } from '../../limits/console.ts';
import { MAX_NAME_LENGTH, MAX_TOKEN_DOCUMENTS } from '../../limits/http.ts';
import { parseInputLocale } from '../cells/input-locale.ts';
import type { ServiceContext } from '../context.ts';
import { formatOptionalTime, formatStoredTime, parseIsoTime } from '../iso-time.ts';
import { invalidRequest, isRefusal, type Refusal, TOKEN_NOT_FOUND, UNAUTHENTICATED } from '../refusal.ts';
import { type Actor, buildAccountEntry, buildSessionGuard } from './actor.ts';
import { type AccountUserRow, findCallerUser } from './members.ts';

export type OwnTokenContext = Pick<ServiceContext, 'database' | 'config' | 'clock'>;

/** The requested properties of a token. */
export interface TokenProperties {
  readonly name: string;
  readonly scopes: readonly string[];
  /** Ids of the documents that the token is limited to; absent: not limited. */
  readonly documents?: readonly string[] | undefined;
  /** Expiry time, ISO 8601; absent: never. */
  readonly expiresAt?: string | undefined;
  /** Locale of texts typed with the token; absent: each document's own. */
  readonly inputLocale?: string | undefined;
  /** Every write with the token becomes a proposal. */
  readonly propose?: boolean | undefined;
}

/** A token, as its user sees it. Times are ISO 8601. */
export interface TokenView {
  readonly id: number;
  readonly name: string;
  /** The first characters, to recognize the token; null: an earlier version did not store them. */
  readonly prefix: string | null;
  readonly scopes: readonly string[];
  readonly documents: readonly string[] | null;
  readonly createdAt: string;
  readonly expiresAt: string | null;
  readonly revokedAt: string | null;
  /** Approximate time of the last use; null: never used. */
  readonly lastUsedAt: string | null;
  /** Locale of texts typed with the token; absent: each document's own. */
  readonly inputLocale?: InputLocale;
  /** Every write with the token becomes a proposal; absent: only writes that request it. */
  readonly propose?: true;
  /** True: the stored row is damaged, and the token is refused; otherwise absent. */
  readonly damaged?: true;
}

/** A token with its secret. The secret is returned only this once; only its hash is stored. */
export type NewTokenView = TokenView & { readonly secret: string };

/** Creates a token of a user. `limitedTo` returns the requested documents that exist and may be named. */
export async function createUserToken(
  context: OwnTokenContext,
  user: Pick<AccountUserRow, 'id' | 'name' | 'plan' | 'workspace_id'>,
  properties: TokenProperties,
  { by, limitedTo }: { readonly by: Actor; readonly limitedTo: (ids: readonly string[]) => Promise<string | null> },
): Promise<NewTokenView | Refusal> {
  const now = context.clock();
  const checked = checkTokenRequest(properties, now);
  if (isRefusal(checked)) return checked;
  const { name, scopes, documents, expiresAt, inputLocale } = checked;
  const unknown = documents === null ? null : await limitedTo(documents);
  if (unknown !== null) return invalidRequest('documents', `There is no document ${unknown}`);
  const limit = context.config.plans[user.plan].tokensPerUser;
  const secret = generateToken();
  const row = {
    user_id: user.id,
    name,
    hash: hashSecret(secret),
    scopes: JSON.stringify(scopes),
    documents: documents === null ? null : JSON.stringify(documents),
    expires_at: expiresAt,
    created_at: now,
    prefix: getTokenPrefix(secret),
    input_locale: inputLocale,
    proposes: properties.propose ? 1 : 0,
  };
  const outcome = await context.database.write({
    document: null,
    statements: [
      insertToken(row),
      ...(limit === null ? [] : [tokenCountWithinLimit({ user_id: user.id, now, limit })]),
      ...buildSessionGuard(by),
      buildAccountEntry(by, {
        action: 'token.create',
        workspaceId: user.workspace_id,
        at: now,
        subject: user,
        detail: name,
      }),
      bumpAccessEpoch({}),
    ],
  });
  if (outcome.kind === 'conflict') {
    if (outcome.conflict === NO_SESSION) return UNAUTHENTICATED;
    if (outcome.conflict !== TOO_MANY_TOKENS) throw new Error(`a token was not stored: ${outcome.conflict}`);
    return invalidRequest('user', `The plan ${user.plan} allows ${limit} tokens; revoke one first`);
  }
  const id = Number(outcome.results[0]?.rows[0]?.['id']);
  return { ...toTokenView({ ...row, id, revoked_at: null, used_at: null, damage: [] }), secret };
}

interface CheckedTokenRequest {
  readonly name: string;
  readonly scopes: readonly TokenScope[];
  readonly documents: readonly string[] | null;
  readonly expiresAt: number | null;
  readonly inputLocale: InputLocale | null;
}

/** Checks name, scopes, documents, expiry and input locale of a new token, and returns them in stored form. */
function checkTokenRequest(properties: TokenProperties, now: number): CheckedTokenRequest | Refusal {
  const { name: sentName, scopes, documents, expiresAt } = properties;
  const name = sentName.trim();
  if (name === '' || name.length > MAX_NAME_LENGTH) {
    return invalidRequest('name', `A token's name must have 1 to ${MAX_NAME_LENGTH} characters`);
  }
  const unknown = scopes.find((scope) => !isScope(scope));
  if (unknown !== undefined) {
    return invalidRequest('scopes', `There is no scope ${unknown}; scopes are ${SCOPES.join(', ')}`);
  }
  const known = SCOPES.filter((scope) => scopes.includes(scope));
  if (known.length === 0) return invalidRequest('scopes', 'A token needs at least one scope');
  const end = expiresAt === undefined ? null : parseExpiry(expiresAt, now);
  if (isRefusal(end)) return end;
  const ids = documents === undefined ? null : [...new Set(documents.map((id) => id.trim().toLowerCase()))];
  if (ids !== null && (ids.length === 0 || ids.length > MAX_TOKEN_DOCUMENTS)) {
    return invalidRequest('documents', `A token can be limited to 1 to ${MAX_TOKEN_DOCUMENTS} documents`);
  }
  const inputLocale = parseInputLocale(properties.inputLocale);
  if (isRefusal(inputLocale)) return inputLocale;
  return { name, scopes: known, documents: ids, expiresAt: end, inputLocale };
}

/** The time in milliseconds since 1970. Refused if it is no ISO 8601 time or in the past. */
function parseExpiry(text: string, now: number): number | Refusal {
  const time = parseIsoTime(text);
  if (time === null) return invalidRequest('expiresAt', `${text} is not an ISO 8601 date and time`);
  return time > now ? time : invalidRequest('expiresAt', `${text} is in the past`);
}

/** Creates a token of the caller; it can be limited to documents that the caller may open. */
export async function createOwnToken(
  context: OwnTokenContext,
  caller: Caller,
  properties: TokenProperties,
  actor: Actor,
): Promise<NewTokenView | Refusal> {
  const findInaccessible = async (ids: readonly string[]): Promise<string | null> => {
    for (const id of ids) {
      const isOpen = await context.database.readOne(isAccessibleTo({ document_id: id, user_id: caller.userId }));
      if (isOpen === null) return id;
    }
    return null;
  };
  return createUserToken(context, await findCallerUser(context, caller), properties, {
    by: actor,
    limitedTo: findInaccessible,
  });
}

interface OwnTokens {
  readonly tokens: readonly TokenView[];
  /** Maximum number of active tokens in the plan; null: no limit. */
  readonly limit: number | null;
}

/** Newest first. */
export async function listOwnTokens({ database }: OwnTokenContext, { userId, plan }: Caller): Promise<OwnTokens> {
  const rows = await database.read(tokensOfUser({ user_id: userId }));
  return { tokens: rows.toReversed().slice(0, MAX_LISTED_TOKENS).map(toTokenView), limit: plan.tokensPerUser };
}

/** Revokes a token: its next request fails, and its subscriptions send nothing more. */
export async function revokeOwnToken(
  context: OwnTokenContext,
  caller: Caller,
  id: number,
  actor: Actor,
): Promise<TokenView | Refusal> {
  const token = await findOwnToken(context, caller, id);
  if (isRefusal(token)) return token;
  const revoked = await revokeToken(context, id, await findCallerUser(context, caller), actor);
  return revoked ?? TOKEN_NOT_FOUND;
}

/** Null if the token does not exist. A token that was revoked before keeps its time. */
export async function revokeToken(
  { database, clock }: OwnTokenContext,
  id: number,
  user: Pick<AccountUserRow, 'id' | 'name' | 'workspace_id'>,
  actor: Actor,
): Promise<TokenView | null> {
  const before = await database.readOne(tokenById({ id }));
  if (before === null) return null;
  const at = clock();
  const note = {
    action: 'token.revoke',
    workspaceId: user.workspace_id,
    at,
    subject: user,
    detail: before.name,
  } as const;
  if (before.revoked_at === null) {
    const statements = [revokeRow({ id, now: at }), buildAccountEntry(actor, note), bumpAccessEpoch({})];
    await database.write({ document: null, statements });
  }
  // The token is already revoked at this point. A document that this loop misses is corrected at its next notification.
  for (const { document_id } of await database.read(documentsOfToken({ token_id: id }))) {
    const statements = [deactivateSubscriptionsOfToken({ document_id, token_id: id })];
    await database.write({ document: document_id, statements });
  }
  const row = await database.readOne(tokenById({ id }));
  return row === null ? null : toTokenView(row);
}

/**
 * Replaces a token's secret; the old one fails from the next request on. The token keeps its name, its rights and its
 * subscriptions.
 */
export async function rotateOwnToken(
  context: OwnTokenContext,
  caller: Caller,
  id: number,
  actor: Actor,
): Promise<NewTokenView | Refusal> {
  const token = await findOwnToken(context, caller, id);
  if (isRefusal(token)) return token;
  if (token.damage.length > 0) return invalidRequest('id', 'The token is damaged; revoke it and create another one');
  const user = await findCallerUser(context, caller);
  const secret = generateToken();
  const at = context.clock();
  const note = {
    action: 'token.rotate',
    workspaceId: user.workspace_id,
    at,
    subject: user,
    detail: token.name,
  } as const;
  const outcome = await context.database.write({
    document: null,
    statements: [
      replaceTokenSecret({ id, hash: hashSecret(secret), prefix: getTokenPrefix(secret) }),
      ...buildSessionGuard(actor),
      buildAccountEntry(actor, note),
      bumpAccessEpoch({}),
    ],
  });
  if (outcome.kind === 'conflict') {
    return outcome.conflict === NO_SESSION ? UNAUTHENTICATED : invalidRequest('id', 'The token is revoked');
  }
  return { ...toTokenView({ ...token, prefix: getTokenPrefix(secret), used_at: null }), secret };
}

/** Finds a token of the caller. Tokens of other users are not found. */
async function findOwnToken(
  { database }: OwnTokenContext,
  { userId }: Caller,
  id: number,
): Promise<OwnTokenRow | Refusal> {
  const row = await database.readOne(tokenById({ id }));
  return row === null || row.user_id !== userId ? TOKEN_NOT_FOUND : row;
}

type OwnTokenRow = ReturnType<typeof tokenById> extends Query<infer R> ? R : never;

export function toTokenView(row: Omit<OwnTokenRow, 'user_id'>): TokenView {
  const isDamaged = row.damage.length > 0;
  const inputLocale = isDamaged ? null : parseStoredLocale(row.input_locale);
  return {
    id: row.id,
    name: row.name,
    prefix: row.prefix,
    ...(isDamaged ? NO_RIGHTS : parseTokenRights(row)),
    createdAt: formatStoredTime(row.created_at),
    expiresAt: formatOptionalTime(row.expires_at),
    revokedAt: formatOptionalTime(row.revoked_at),
    lastUsedAt: formatOptionalTime(row.used_at),
    ...(inputLocale && { inputLocale }),
    ...(row.proposes === 1 ? { propose: true } : {}),
    ...(isDamaged ? { damaged: true } : {}),
  };
}

/** The rights of a damaged token, which is refused. */
const NO_RIGHTS = { scopes: [], documents: null };

function parseTokenRights({ scopes, documents }: Pick<OwnTokenRow, 'scopes' | 'documents'>) {
  return {
    scopes: parseStoredList<string>(scopes, 'The scopes of a token'),
    documents: documents === null ? null : parseStoredList<string>(documents, 'The documents of a token'),
  };
}
