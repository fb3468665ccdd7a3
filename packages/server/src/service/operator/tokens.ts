import type { Scope } from '../../access/scopes.ts';
import { isScope, SCOPES } from '../../access/scopes.ts';
import { newToken, secretHash, tokenPrefix } from '../../access/secrets.ts';
import { MAX_NAME_LENGTH, MAX_TOKEN_DOCUMENTS } from '../../limits/http.ts';
import { bumpAccessEpoch } from '../../store/epoch.ts';
import { accessDocument } from '../../store/shares.ts';
import { deactivateOfToken, documentsOfToken } from '../../store/subscriptions.ts';
import { insertToken, liveTokenCount, revokeToken as revokeRow, tokenById, tokensOfUser } from '../../store/tokens.ts';
import { isoTime } from '../iso-time.ts';
import type { Refusal } from '../refusal.ts';
import { invalidRequest, isRefusal } from '../refusal.ts';
import { typedId } from './ids.ts';
import type { AccountContext } from './users.ts';
import { findUser } from './users.ts';

interface NewToken {
  /** Id or e-mail address. */
  readonly user: string;
  readonly name: string;
  readonly scopes: readonly string[];
  /** Ids of the documents that it is limited to; absent: not limited. */
  readonly documents?: readonly string[] | undefined;
  /** ISO 8601; absent: never. */
  readonly expiresAt?: string | undefined;
}

interface CreatedToken {
  readonly id: number;
  readonly name: string;
  /** Shown this once; only its hash is kept. */
  readonly token: string;
  readonly scopes: readonly Scope[];
  readonly documents: readonly string[] | null;
  readonly expiresAt: string | null;
}

interface TokenRow {
  readonly id: number;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly documents: readonly string[] | null;
  readonly expiresAt: string | null;
  readonly revokedAt: string | null;
  readonly createdAt: string;
}

export async function createToken(context: AccountContext, given: NewToken): Promise<CreatedToken | Refusal> {
  const name = given.name.trim();
  if (name === '' || name.length > MAX_NAME_LENGTH) {
    return invalidRequest('name', `A token's name must have 1 to ${MAX_NAME_LENGTH} characters`);
  }
  const scopes = scopesOf(given.scopes);
  if (isRefusal(scopes)) return scopes;
  const now = context.clock();
  const expiresAt = given.expiresAt === undefined ? null : expiry(given.expiresAt, now);
  if (isRefusal(expiresAt)) return expiresAt;
  const documents = given.documents === undefined ? null : await limitedTo(context, given.documents);
  if (isRefusal(documents)) return documents;
  const user = await findUser(context, given.user);
  if (isRefusal(user)) return user;
  const limit = context.config.plans[user.plan].tokensPerUser;
  const held = await context.database.readOne(liveTokenCount({ user_id: user.id, now }));
  if (limit !== null && (held?.count ?? 0) >= limit) {
    return invalidRequest('user', `The plan ${user.plan} allows ${limit} tokens; revoke one first`);
  }
  const token = newToken();
  const row = {
    user_id: user.id,
    name,
    hash: secretHash(token),
    scopes: JSON.stringify(scopes),
    documents: documents === null ? null : JSON.stringify(documents),
    expires_at: expiresAt,
    created_at: now,
    prefix: tokenPrefix(token),
  };
  const outcome = await context.database.write({ document: null, statements: [insertToken(row), bumpAccessEpoch({})] });
  if (outcome.kind === 'conflict') throw new Error(`a token was not stored: ${outcome.conflict}`);
  const id = Number(outcome.results[0]?.rows[0]?.['id']);
  return { id, name, token, scopes, documents, expiresAt: timeText(expiresAt) };
}

function scopesOf(given: readonly string[]): readonly Scope[] | Refusal {
  const unknown = given.find((scope) => !isScope(scope));
  if (unknown !== undefined) {
    return invalidRequest('scopes', `There is no scope ${unknown}; scopes are ${SCOPES.join(', ')}`);
  }
  const scopes = SCOPES.filter((scope) => given.includes(scope));
  return scopes.length === 0 ? invalidRequest('scopes', 'A token needs at least one scope') : scopes;
}

function expiry(text: string, now: number): number | Refusal {
  const time = isoTime(text);
  if (time === null) return invalidRequest('expiresAt', `${text} is not an ISO 8601 date and time`);
  return time > now ? time : invalidRequest('expiresAt', `${text} is in the past`);
}

async function limitedTo({ database }: AccountContext, given: readonly string[]): Promise<readonly string[] | Refusal> {
  const ids = [...new Set(given.map(typedId))];
  if (ids.length === 0 || ids.length > MAX_TOKEN_DOCUMENTS) {
    return invalidRequest('documents', `A token can be limited to 1 to ${MAX_TOKEN_DOCUMENTS} documents`);
  }
  for (const id of ids) {
    if ((await database.readOne(accessDocument({ id }))) === null) {
      return invalidRequest('documents', `There is no document ${id}`);
    }
  }
  return ids;
}

export async function listTokens(context: AccountContext, userText: string): Promise<readonly TokenRow[] | Refusal> {
  const user = await findUser(context, userText);
  if (isRefusal(user)) return user;
  const rows = await context.database.read(tokensOfUser({ user_id: user.id }));
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    scopes: JSON.parse(row.scopes) as string[],
    documents: row.documents === null ? null : (JSON.parse(row.documents) as string[]),
    expiresAt: timeText(row.expires_at),
    revokedAt: timeText(row.revoked_at),
    createdAt: new Date(row.created_at).toISOString(),
  }));
}

/** Holds from the next request on. A token that is revoked already keeps its time. */
export async function revokeToken(
  context: AccountContext,
  id: number,
): Promise<{ readonly id: number; readonly revokedAt: string } | Refusal> {
  await context.database.write({
    document: null,
    statements: [revokeRow({ id, now: context.clock() }), bumpAccessEpoch({})],
  });
  // Document by document, after what counts. Where one is missed, its next notification catches up.
  for (const { document_id } of await context.database.read(documentsOfToken({ token_id: id }))) {
    const statements = [deactivateOfToken({ document_id, token_id: id })];
    await context.database.write({ document: document_id, statements });
  }
  const row = await context.database.readOne(tokenById({ id }));
  if (row?.revoked_at == null) return invalidRequest('id', `There is no token ${id}`);
  return { id, revokedAt: new Date(row.revoked_at).toISOString() };
}

function timeText(time: number | null): string | null {
  return time === null ? null : new Date(time).toISOString();
}
