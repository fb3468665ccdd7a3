import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Credentials } from '../../access/callers.ts';
import { hashSecret, isSecret } from '../../access/secrets.ts';
import type { ServiceContext } from '../../service/context.ts';
import { isGoogleToken, type KeyCredentials, verifyGoogleToken } from '../../service/google/tokens.ts';

/** Where a request has its credentials: the header, or `access_token` or `key` in the URL. */
export type CredentialSource = 'header' | 'accessToken' | 'apiKey' | 'none';

interface RequestCredentials {
  /** Null: the request has no credentials, or unusable ones. */
  readonly credentials: Credentials | null;
  /** Credentials in the URL allow only reads. */
  readonly source: CredentialSource;
}

interface CredentialParts {
  readonly context: ServiceContext;
  /** The credentials of a request with a token of the API. */
  readonly readTokenCredentials: (request: IncomingMessage) => Credentials;
}

const BEARER = /^Bearer +(\S+) *$/i;

interface VerifiedHeader {
  readonly header: string;
  readonly credentials: KeyCredentials;
}

/** The verified `Authorization` header of the last request of each connection. Hashing takes longer than comparing. */
const LAST = new WeakMap<Socket, VerifiedHeader>();

/** Reads a request's credentials: a bearer token of either kind, or a token in the URL. */
export async function readCredentials(
  { context, readTokenCredentials }: CredentialParts,
  request: IncomingMessage,
  query: URLSearchParams,
): Promise<RequestCredentials> {
  const header = request.headers.authorization;
  if (header !== undefined) {
    const last = LAST.get(request.socket);
    if (last?.header === header && last.credentials.expiresAt > context.clock())
      return { credentials: last.credentials, source: 'header' };
    const token = BEARER.exec(header)?.[1] ?? '';
    if (isGoogleToken(token)) {
      const credentials = await verifyGoogleToken(context, token);
      if (credentials !== null) LAST.set(request.socket, { header, credentials });
      return { credentials, source: 'header' };
    }
    const credentials = readTokenCredentials(request);
    const isMissing = credentials.kind === 'token' && credentials.hash === null;
    return { credentials: isMissing ? null : credentials, source: 'header' };
  }
  const accessToken = query.get('access_token');
  if (accessToken !== null) return { credentials: toTokenCredentials(accessToken), source: 'accessToken' };
  const apiKey = query.get('key');
  if (apiKey !== null) return { credentials: toTokenCredentials(apiKey), source: 'apiKey' };
  return { credentials: null, source: 'none' };
}

/** The hash of an access token of this service; null if the text has not the form of one. */
function toTokenCredentials(text: string): Credentials | null {
  return isSecret(text) ? { kind: 'token', hash: hashSecret(text) } : null;
}
