import { createPublicKey, verify } from 'node:crypto';
import { googleKeyByEmail } from '@cellwire/store/accounts';
import { parseStoredList } from '@cellwire/store/stored-forms';
import { BoundedMap } from '../../access/bounded-map.ts';
import type { Credentials } from '../../access/callers.ts';
import { isScope, type TokenScope } from '../../access/scopes.ts';
import { hashSecret } from '../../access/secrets.ts';
import { ACCESS_TOKEN_SECONDS, JWT_SKEW_SECONDS, MAX_CACHED_JWTS, MAX_JWT_LENGTH } from '../../limits/google.ts';
import type { ServiceContext } from '../context.ts';

type GoogleTokenContext = Pick<ServiceContext, 'database' | 'secrets' | 'clock'>;

/** The service's scopes for each Google scope. */
const SCOPES_BY_GRANT: Readonly<Record<string, readonly TokenScope[]>> = {
  spreadsheets: ['sheets.read', 'sheets.write'],
  'spreadsheets.readonly': ['sheets.read'],
  'drive.readonly': ['sheets.read'],
  'drive.metadata.readonly': ['sheets.read'],
  drive: ['sheets.read', 'sheets.write', 'documents.write'],
  'drive.file': ['sheets.read', 'sheets.write', 'documents.write'],
};
const SCOPE_PREFIX = 'https://www.googleapis.com/auth/';
/** The scope of the API before v4, which programs still ask for. Google treats it as `spreadsheets`. */
const FEEDS_SCOPE = 'https://spreadsheets.google.com/feeds';

/** The scope without Google's prefix, `spreadsheets` for `FEEDS_SCOPE`; empty if it is not one of Google's. */
function parseScopeName(scope: string): string {
  if (scope.replace(/\/$/, '') === FEEDS_SCOPE) return 'spreadsheets';
  return scope.startsWith(SCOPE_PREFIX) ? scope.slice(SCOPE_PREFIX.length) : '';
}

/** The service's scopes for a space-separated list of Google scopes; unknown ones grant nothing. */
function parseGrantedScopes(scope: string): readonly TokenScope[] {
  const names = scope.split(/\s+/).map(parseScopeName);
  return [
    ...new Set(names.flatMap((name) => (Object.hasOwn(SCOPES_BY_GRANT, name) ? (SCOPES_BY_GRANT[name] ?? []) : []))),
  ];
}

/** Prefix of access tokens of keys. */
const ACCESS_PREFIX = 'ya29.cw.';
/** Older clients, such as google-auth 1.5, pad each part. Google accepts that, although RFC 7515 §2 does not allow it. */
const JWT = /^[\w-]+={0,2}\.[\w-]+={0,2}\.[\w-]+={0,2}$/;

/** True if a bearer token belongs to a service-account key: an access token or a JWT. */
export function isGoogleToken(token: string): boolean {
  return token.startsWith(ACCESS_PREFIX) || (token.length <= MAX_JWT_LENGTH && JWT.test(token));
}

export type KeyCredentials = Extract<Credentials, { readonly kind: 'key' }>;

/** Verified tokens by hash. Each request still checks if the key is revoked. */
const verifiedTokens = new BoundedMap<KeyCredentials>(MAX_CACHED_JWTS);

/** Verifies the bearer token of a service-account key; null: invalid. */
export async function verifyGoogleToken(context: GoogleTokenContext, token: string): Promise<KeyCredentials | null> {
  const hash = hashSecret(token);
  const credentials = verifiedTokens.get(hash) ?? (await verifyCredentialJwt(context, token));
  if (credentials === null || credentials.expiresAt <= context.clock()) return null;
  verifiedTokens.set(hash, credentials);
  return credentials;
}

/** The credentials in an access token or a signed assertion; null if it is not valid. */
async function verifyCredentialJwt(context: GoogleTokenContext, token: string): Promise<KeyCredentials | null> {
  if (token.startsWith(ACCESS_PREFIX)) return openAccessToken(context, token);
  const signed = await verifyJwt(context, token, { isAudience: isServiceAddress });
  return 'problem' in signed ? null : signed.credentials;
}

interface AccessTokenContent {
  readonly t: number;
  readonly s: readonly string[];
  readonly e: number;
}

/** The credentials in an access token that this service sealed; null if it did not. */
function openAccessToken({ secrets }: GoogleTokenContext, token: string): KeyCredentials | null {
  const text = secrets.open(Buffer.from(token.slice(ACCESS_PREFIX.length), 'base64url'));
  if (text === null) return null;
  const { t: tokenId, s, e: expiresAt } = JSON.parse(text) as AccessTokenContent;
  return { kind: 'key', tokenId, scopes: s.filter(isScope), expiresAt };
}

interface IssuedToken {
  readonly access_token: string;
  readonly expires_in: number;
  readonly token_type: 'Bearer';
}

/** An error of OAuth 2.0, RFC 6749 §5.2. */
interface GrantProblem {
  readonly problem: 'invalid_grant' | 'invalid_scope';
  readonly description: string;
}

/** Issues an access token for a signed assertion. `isAudience`: true if an audience names this service. */
export async function grantAccess(
  context: GoogleTokenContext,
  assertion: string,
  isAudience: (audience: string) => boolean,
): Promise<IssuedToken | GrantProblem> {
  const signed = await verifyJwt(context, assertion, { isAudience, needsAudience: true });
  if ('problem' in signed) return signed;
  const { tokenId, scopes } = signed.credentials;
  const e = context.clock() + ACCESS_TOKEN_SECONDS * 1_000;
  const content: AccessTokenContent = { t: tokenId, s: scopes, e };
  const sealed = Buffer.from(context.secrets.seal(JSON.stringify(content))).toString('base64url');
  return { access_token: ACCESS_PREFIX + sealed, expires_in: ACCESS_TOKEN_SECONDS - 1, token_type: 'Bearer' };
}

interface JwtRules {
  readonly isAudience: (audience: string) => boolean;
  /** False for a JWT in place of an access token: it may have scopes and no audience. */
  readonly needsAudience?: boolean;
}

interface JwtClaims {
  readonly iss?: unknown;
  readonly sub?: unknown;
  readonly aud?: unknown;
  readonly exp?: unknown;
  readonly iat?: unknown;
  readonly scope?: unknown;
}

/** The OAuth error `invalid_grant` with a description. */
function createGrantProblem(description: string): GrantProblem {
  return { problem: 'invalid_grant', description };
}

/** Verifies a JWT by RFC 7523 with the only algorithm of keys. It can be reused until it expires, as with Google. */
async function verifyJwt(
  { database, clock }: GoogleTokenContext,
  jwt: string,
  { isAudience, needsAudience = false }: JwtRules,
): Promise<{ readonly credentials: KeyCredentials } | GrantProblem> {
  if (jwt.length > MAX_JWT_LENGTH || !JWT.test(jwt)) return createGrantProblem('Bad Request: the assertion is no JWT.');
  const [head = '', body = '', signature = ''] = jwt.split('.');
  const header = decodeSegment(head);
  const claims = decodeSegment(body) as JwtClaims | null;
  if (header === null || claims === null) return createGrantProblem('Bad Request: the assertion is no JWT.');
  const { alg, kid } = header as { readonly alg?: unknown; readonly kid?: unknown };
  if (alg !== 'RS256') return createGrantProblem('Invalid JWT Signature: the algorithm must be RS256.');
  const { iss, sub, aud, exp, iat, scope } = claims;
  if (typeof iss !== 'string') return createGrantProblem('Invalid JWT: iss is missing.');
  const key = await database.readOne(googleKeyByEmail({ client_email: iss }));
  if (key === null) return createGrantProblem('Invalid grant: account not found');
  if (key.revoked_at !== null) return createGrantProblem('Invalid JWT Signature.');
  if (key.damage.length > 0) return createGrantProblem('Invalid grant: the account is damaged in the database');
  if (kid !== undefined && kid !== key.key_id) return createGrantProblem('Invalid JWT Signature.');
  const isSigned = verify(
    'RSA-SHA256',
    Buffer.from(`${head}.${body}`),
    createPublicKey(key.public_key),
    Buffer.from(signature, 'base64url'),
  );
  if (!isSigned) return createGrantProblem('Invalid JWT Signature.');
  if (sub !== undefined && sub !== iss) return createGrantProblem('Invalid JWT: sub must be the account itself.');
  const now = clock() / 1_000;
  if (typeof exp !== 'number' || typeof iat !== 'number')
    return createGrantProblem('Invalid JWT: iat and exp are required.');
  const isInTime = iat <= now + JWT_SKEW_SECONDS && exp > now - JWT_SKEW_SECONDS && exp > iat;
  if (!isInTime || exp - iat > ACCESS_TOKEN_SECONDS) {
    return createGrantProblem(
      'Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe. Check your iat and exp values in the JWT claim.',
    );
  }
  const isMeant = typeof aud === 'string' && isAudience(aud);
  if (aud === undefined ? needsAudience : !isMeant) return createGrantProblem('Invalid JWT: Failed audience check.');
  const stored = parseStoredList<string>(key.scopes, 'The scopes of a token').filter(isScope);
  const requestedScopes = typeof scope === 'string' ? parseGrantedScopes(scope) : needsAudience ? [] : stored;
  if (aud === undefined && typeof scope !== 'string')
    return createGrantProblem('Invalid JWT: aud or scope is required.');
  if (requestedScopes.length === 0)
    return { problem: 'invalid_scope', description: 'Invalid OAuth scope or ID token audience provided.' };
  const scopes = requestedScopes.filter((one) => stored.includes(one));
  const expiresAt = Math.min(exp, now + ACCESS_TOKEN_SECONDS) * 1_000;
  return { credentials: { kind: 'key', tokenId: key.token_id, scopes, expiresAt } };
}

function decodeSegment(part: string): object | null {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
    return typeof value === 'object' && value !== null ? value : null;
  } catch {
    return null;
  }
}

/** Google service addresses that are accepted as the audience of a JWT in place of an access token. */
const SERVICE = /^https:\/\/(?:sheets|www|drive)\.[a-z0-9.-]+\/?(?:$|[\w/.-]+$)/i;

/** True if the audience of an assertion is an address of a Google API. */
function isServiceAddress(audience: string): boolean {
  return SERVICE.test(audience);
}
