import type { Access } from '../../access/access.ts';
import { hashSecret, parseBearerToken } from '../../access/secrets.ts';
import { ACCESS_TOKEN_SECONDS } from '../../limits/google.ts';
import type { ServiceContext } from '../../service/context.ts';
import { grantAccess } from '../../service/google/tokens.ts';
import { isRefusal } from '../../service/refusal.ts';
import { isRequestObject } from '../json.ts';
import type { SentRequest } from './sent-request.ts';

const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

/** Google's token endpoint URLs, which clients use as audience. */
const GOOGLE_AUDIENCES: ReadonlySet<string> = new Set([
  'https://oauth2.googleapis.com/token',
  'https://www.googleapis.com/oauth2/v4/token',
  'https://accounts.google.com/o/oauth2/token',
]);
const OWN_PATHS: ReadonlySet<string> = new Set(['/google/token', '/google/oauth2/v4/token']);

/** Answers the token endpoint, RFC 6749 §3.2 and RFC 7523. */
export async function answerTokenRequest(
  { context, access }: { readonly context: ServiceContext; readonly access: Access },
  sent: SentRequest,
): Promise<readonly [status: number, body: object]> {
  const parameters = parseParameters(sent);
  if (parameters === null) return toTokenProblem('invalid_request', 'Bad Request');
  const grant = parameters['grant_type'];
  if (grant === JWT_BEARER) {
    const assertion = parameters['assertion'];
    if (typeof assertion !== 'string')
      return toTokenProblem('invalid_request', 'Missing required parameter: assertion');
    const issued = await grantAccess(context, assertion, (audience) => isOwnAudience(context, sent.host, audience));
    return 'problem' in issued ? toTokenProblem(issued.problem, issued.description) : [200, issued];
  }
  if (grant === 'refresh_token') {
    // A Cellwire token serves as refresh token: it is long-lived, and also the access token.
    const token = parseBearerToken(`Bearer ${String(parameters['refresh_token'] ?? '')}`);
    const caller = token === null ? null : await access.identify({ kind: 'token', hash: hashSecret(token) });
    if (caller === null || isRefusal(caller)) return toTokenProblem('invalid_grant', 'Bad Request');
    return [200, { access_token: token, expires_in: ACCESS_TOKEN_SECONDS - 1, token_type: 'Bearer' }];
  }
  return toTokenProblem('unsupported_grant_type', `Invalid grant_type: ${String(grant ?? '').slice(0, 100)}`);
}

function toTokenProblem(error: string, description: string): readonly [400, object] {
  return [400, { error, error_description: description }];
}

/** The parameters of a form or JSON body; null: neither. */
function parseParameters({ body, raw }: SentRequest): Readonly<Record<string, unknown>> | null {
  const text = body.toString('utf8');
  if (!(raw.headers['content-type'] ?? '').includes('json')) return Object.fromEntries(new URLSearchParams(text));
  try {
    const value: unknown = JSON.parse(text);
    return isRequestObject(value) ? value : null;
  } catch {
    return null;
  }
}

/** True if the audience of a signed assertion names Google's token endpoint or the one of this service. */
function isOwnAudience({ config }: ServiceContext, host: string, audience: string): boolean {
  if (GOOGLE_AUDIENCES.has(audience)) return true;
  const url = URL.parse(audience);
  if (url === null || !OWN_PATHS.has(url.pathname)) return false;
  const own = config.publicUrl === null ? null : URL.parse(config.publicUrl)?.host;
  return url.host === host || url.host === own || url.host === `${config.host}:${config.port}`;
}
