import type { Database, Query } from '@cellwire/store';
import { callerByTokenId, sessionByHash, tokenByHash } from '@cellwire/store/accounts';
import { parseStoredList } from '@cellwire/store/stored-forms';
import type { Plan, PlanName } from '../config/types.ts';
import { SESSION_IDLE_MS } from '../limits/console.ts';
import { type InputLocale, parseStoredLocale } from './input-locale.ts';
import { isAgentToken, isScope, SCOPES, type TokenScope } from './scopes.ts';
import { hashSecret, isSecret, parseBearerToken } from './secrets.ts';

/** Credentials of a request. Each entry point accepts one kind and ignores the others. */
export type Credentials =
  /** The hash of the token in the `Authorization` header; null: the header has no token. */
  | { readonly kind: 'token'; readonly hash: string | null }
  /** A signature by a service-account key, valid for some of the key's scopes until a time. */
  | {
      readonly kind: 'key';
      readonly tokenId: number;
      readonly scopes: readonly TokenScope[];
      /** Milliseconds since 1970-01-01 UTC. */
      readonly expiresAt: number;
    }
  /** The secret in the console's cookie; null: there is no cookie. */
  | { readonly kind: 'session'; readonly secret: string | null };

/** A program's token, or a person's session in the browser. */
type Principal =
  | { readonly kind: 'token'; readonly id: number; readonly name: string }
  | { readonly kind: 'session'; readonly id: number };

/** The caller of a request: a principal and its user. */
export interface Caller {
  readonly principal: Principal;
  readonly userId: number;
  readonly userName: string;
  readonly scopes: ReadonlySet<TokenScope>;
  /** Ids of the documents that the token is limited to; null: not limited. */
  readonly documents: ReadonlySet<string> | null;
  readonly planName: PlanName;
  readonly plan: Plan;
  /** Whether the token writes for an AI agent only. */
  readonly agent: boolean;
  /** Whether every write of the token becomes a proposal. */
  readonly proposes: boolean;
  /** The adapter that log entries name as the origin; null: they name the kind of principal. */
  readonly via: 'google' | 'mcp' | 'operator' | null;
  /** When the token or idle session expires, in milliseconds since 1970-01-01 UTC; null: never. */
  readonly expiresAt: number | null;
  /** Whether the user has a one-time password. Until it is changed, a session may do nothing else. */
  readonly mustChangePassword: boolean;
  /** Locale for typed texts unless the request names one; null: the document's. */
  readonly inputLocale: InputLocale | null;
  /** The access epoch for which the caller was read. */
  readonly epoch: number;
  /** Id of the caller's request; null until the gate has admitted the request. */
  readonly requestId: string | null;
}

/** Scopes of a browser session: all except the agents' scope. */
const SESSION_SCOPES: ReadonlySet<TokenScope> = new Set(SCOPES.filter((scope) => scope !== 'sheets.agent.write'));

/** The caller's token, for log entries and stored records; nulls for a session. */
export function describeToken({ principal }: Caller): { readonly id: number | null; readonly name: string | null } {
  return principal.kind === 'token' ? principal : { id: null, name: null };
}

/** Whether a caller's token or session has expired. */
export function hasExpired({ expiresAt }: Caller, now: number): boolean {
  return expiresAt !== null && expiresAt <= now;
}

/** Reads a caller from the database. `epoch` must have been read before. */
export type LoadCaller = (epoch: number) => Promise<Caller | null>;

interface CallerDependencies {
  readonly database: Database;
  readonly plans: Readonly<Record<PlanName, Plan>>;
}

/** The credentials in an `Authorization` header. */
export function parseTokenCredentials(header: string | undefined): Credentials {
  const token = parseBearerToken(header);
  return { kind: 'token', hash: token === null ? null : hashSecret(token) };
}

/** Creates the cache key of a caller, and a function that reads the caller; null: the request has no credentials. */
export function createCallerLookup(
  { database, plans }: CallerDependencies,
  credentials: Credentials,
): { readonly key: string; readonly load: LoadCaller } | null {
  if (credentials.kind === 'token') {
    const { hash } = credentials;
    return hash === null ? null : { key: hash, load: (epoch) => loadTokenCaller(database, plans, hash, epoch) };
  }
  if (credentials.kind === 'key') {
    const { tokenId, scopes, expiresAt } = credentials;
    const key = `key ${tokenId} ${expiresAt} ${scopes.join()}`;
    return {
      key,
      load: async (epoch) => restrictCaller(await loadKeyCaller(database, plans, tokenId, epoch), scopes, expiresAt),
    };
  }
  const { secret } = credentials;
  if (secret === null || !isSecret(secret)) return null;
  const hash = hashSecret(secret);
  return { key: `session ${hash}`, load: (epoch) => loadSessionCaller(database, plans, hash, epoch) };
}

async function loadTokenCaller(
  database: Database,
  plans: CallerDependencies['plans'],
  hash: string,
  epoch: number,
): Promise<Caller | null> {
  return toTokenCaller(await database.readOne(tokenByHash({ hash })), plans, epoch);
}

async function loadKeyCaller(
  database: Database,
  plans: CallerDependencies['plans'],
  tokenId: number,
  epoch: number,
): Promise<Caller | null> {
  return toTokenCaller(await database.readOne(callerByTokenId({ id: tokenId })), plans, epoch);
}

/** Limits a caller to some scopes and to a time. */
function restrictCaller(caller: Caller | null, scopes: readonly TokenScope[], expiresAt: number): Caller | null {
  if (caller === null) return null;
  const allowed = new Set(scopes.filter((scope) => caller.scopes.has(scope)));
  return { ...caller, scopes: allowed, expiresAt: Math.min(caller.expiresAt ?? expiresAt, expiresAt) };
}

type CallerTokenRow = ReturnType<typeof tokenByHash> extends Query<infer R> ? R : never;

function toTokenCaller(row: CallerTokenRow | null, plans: CallerDependencies['plans'], epoch: number): Caller | null {
  if (row === null || row.revoked_at !== null) return null;
  const scopes = new Set(parseStoredList<string>(row.scopes, 'The scopes of a token').filter(isScope));
  return {
    principal: { kind: 'token', id: row.id, name: row.name },
    userId: row.user_id,
    userName: row.user_name,
    scopes,
    documents:
      row.documents === null ? null : new Set(parseStoredList<string>(row.documents, 'The documents of a token')),
    planName: row.plan,
    plan: plans[row.plan],
    agent: isAgentToken(scopes),
    proposes: row.proposes === 1,
    via: null,
    expiresAt: row.expires_at,
    mustChangePassword: false,
    inputLocale: parseStoredLocale(row.input_locale),
    epoch,
    requestId: null,
  };
}

async function loadSessionCaller(
  database: Database,
  plans: CallerDependencies['plans'],
  hash: string,
  epoch: number,
): Promise<Caller | null> {
  const row = await database.readOne(sessionByHash({ hash }));
  if (row === null) return null;
  return {
    principal: { kind: 'session', id: row.id },
    userId: row.user_id,
    userName: row.user_name,
    scopes: SESSION_SCOPES,
    documents: null,
    planName: row.plan,
    plan: plans[row.plan],
    agent: false,
    proposes: false,
    via: null,
    expiresAt: Math.min(row.expires_at, row.seen_at + SESSION_IDLE_MS),
    mustChangePassword: row.password_once === 1,
    inputLocale: null,
    epoch,
    requestId: null,
  };
}
