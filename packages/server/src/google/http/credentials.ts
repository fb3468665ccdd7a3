import type { FastifyRequest } from 'fastify';
import { type Credentials, parseTokenCredentials } from '../../access/callers.ts';
import { hashSecret, isSecret, parseBearerToken } from '../../access/secrets.ts';
import type { ServiceContext } from '../../service/context.ts';
import { isGoogleToken, verifyGoogleToken } from '../../service/google/tokens.ts';

interface RequestCredentials {
  /** Null: the request has no credentials, or unusable ones. */
  readonly credentials: Credentials | null;
  /** The credentials were in the URL, so they allow only reads. */
  readonly isReadOnly: boolean;
  readonly isShown: boolean;
}

/** Reads a request's credentials: a bearer token of either kind, or a token in the URL. */
export async function readCredentials(
  context: ServiceContext,
  { headers }: FastifyRequest,
  query: URLSearchParams,
): Promise<RequestCredentials> {
  const header = headers.authorization;
  if (header !== undefined) {
    const token = /^Bearer +(\S+) *$/i.exec(header)?.[1] ?? '';
    if (isGoogleToken(token)) {
      return { credentials: await verifyGoogleToken(context, token), isReadOnly: false, isShown: true };
    }
    const credentials = parseBearerToken(header) === null ? null : parseTokenCredentials(header);
    return { credentials, isReadOnly: false, isShown: true };
  }
  const inAddress = query.get('access_token') ?? query.get('key');
  if (inAddress === null || !isSecret(inAddress))
    return { credentials: null, isReadOnly: true, isShown: inAddress !== null };
  return { credentials: { kind: 'token', hash: hashSecret(inAddress) }, isReadOnly: true, isShown: true };
}
