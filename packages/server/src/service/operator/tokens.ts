import { tokenById, tokensOfUser, userById } from '@cellwire/store/accounts';
import { accessDocument } from '@cellwire/store/documents';
import type { InputLocale } from '../../access/input-locale.ts';
import { OPERATOR } from '../accounts/actor.ts';
import {
  createUserToken,
  type OwnTokenContext,
  revokeToken as revoke,
  type TokenProperties,
  toTokenView,
} from '../accounts/tokens.ts';
import { invalidRequest, isRefusal, type Refusal } from '../refusal.ts';
import { findUser } from './find-user.ts';
import { decodeCursor, encodeCursor, type ListPage, type ListPageRequest } from './paging.ts';

interface NewTokenInput extends TokenProperties {
  /** Id or e-mail address. */
  readonly user: string;
}

interface CreatedToken {
  readonly id: number;
  readonly name: string;
  /** The secret of the token. It is returned only this once; only its hash is stored. */
  readonly token: string;
  readonly scopes: readonly string[];
  readonly documents: readonly string[] | null;
  readonly expiresAt: string | null;
  readonly inputLocale?: InputLocale;
  readonly propose?: true;
}

interface OperatorTokenRow {
  readonly id: number;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly documents: readonly string[] | null;
  readonly expiresAt: string | null;
  readonly revokedAt: string | null;
  readonly createdAt: string;
  readonly inputLocale?: string;
  readonly propose?: true;
  readonly damaged?: true;
}

export async function createToken(
  context: OwnTokenContext,
  { user: text, ...wish }: NewTokenInput,
): Promise<CreatedToken | Refusal> {
  const user = await findUser(context, text);
  if (isRefusal(user)) return user;
  const findUnknownDocument = async (ids: readonly string[]): Promise<string | null> => {
    for (const id of ids) if ((await context.database.readOne(accessDocument({ id }))) === null) return id;
    return null;
  };
  const newToken = await createUserToken(context, user, wish, { by: OPERATOR, limitedTo: findUnknownDocument });
  if (isRefusal(newToken)) return newToken;
  const { id, name, secret: token, scopes, documents, expiresAt, inputLocale, propose } = newToken;
  return {
    ...{ id, name, token, scopes, documents, expiresAt },
    ...(inputLocale && { inputLocale }),
    ...(propose && { propose }),
  };
}

/** A page of a user's tokens, in the same order as in the console. */
export async function readTokenPage(
  context: OwnTokenContext,
  { user, limit, cursor }: ListPageRequest & { readonly user: string },
): Promise<ListPage<'tokens', OperatorTokenRow> | Refusal> {
  const position = decodeCursor(cursor, [0]);
  if (isRefusal(position)) return position;
  const all = await listTokens(context, user);
  if (isRefusal(all)) return all;
  const rows = position === null ? all : all.slice(all.findIndex(({ id }) => id === position[0]) + 1);
  const tokens = rows.slice(0, limit);
  const last = tokens.at(-1);
  return { tokens, nextCursor: last !== undefined && tokens.length < rows.length ? encodeCursor([last.id]) : null };
}

export async function listTokens(
  context: OwnTokenContext,
  userText: string,
): Promise<readonly OperatorTokenRow[] | Refusal> {
  const user = await findUser(context, userText);
  if (isRefusal(user)) return user;
  const rows = await context.database.read(tokensOfUser({ user_id: user.id }));
  return rows
    .map(toTokenView)
    .map(({ id, name, scopes, documents, expiresAt, revokedAt, createdAt, inputLocale, propose, damaged }) => ({
      id,
      name,
      scopes,
      documents,
      expiresAt,
      revokedAt,
      createdAt,
      ...(inputLocale && { inputLocale }),
      ...(propose && { propose }),
      ...(damaged && { damaged }),
    }));
}

/** Revokes a token from the next request on. A token that was revoked before keeps its time. */
export async function revokeToken(
  context: OwnTokenContext,
  id: number,
): Promise<{ readonly id: number; readonly revokedAt: string } | Refusal> {
  const token = await context.database.readOne(tokenById({ id }));
  const user = token === null ? null : await context.database.readOne(userById({ id: token.user_id }));
  const revoked = user === null ? null : await revoke(context, id, user, OPERATOR);
  if (revoked?.revokedAt == null) return invalidRequest('id', `There is no token ${id}`);
  return { id, revokedAt: revoked.revokedAt };
}
