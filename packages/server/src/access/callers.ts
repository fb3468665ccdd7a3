import type { Database, Query } from '@cellwire/store';
import { callerByTokenId, sessionByHash, tokenByHash } from '@cellwire/store/accounts';
import type { Plan, PlanName } from '../config/types.ts';
import { SESSION_IDLE_MS } from '../limits/console.ts';
import { type InputLocale, storedInputLocale } from './input-locale.ts';
import { isAgent, isScope, SCOPES, type Scope } from './scopes.ts';
import { bearerToken, isSecret, secretHash } from './secrets.ts';

/** What a request shows of who makes it: each way in takes one kind, and never looks at the other. */
export type Credentials =
  /** The hash of what an `Authorization` header holds; null: no token. */
  | { readonly kind: 'token'; readonly hash: string | null }
  /** A service-account key has signed for a part of its scopes, until a time. */
  | {
      readonly kind: 'key';
      readonly tokenId: number;
      readonly scopes: readonly Scope[];
      /** Milliseconds since 1970-01-01 UTC. */
      readonly expiresAt: number;
    }
  /** What the cookie of the console holds. */
  | { readonly kind: 'session'; readonly secret: string | null };

/** In whose name a request is made: a program's token, or a person's session in the browser. */
export type Principal =
  | { readonly kind: 'token'; readonly id: number; readonly name: string }
  | { readonly kind: 'session'; readonly id: number };

/** Who asks: a principal and its user. */
export interface Caller {
  readonly principal: Principal;
  readonly userId: number;
  readonly userName: string;
  readonly scopes: ReadonlySet<Scope>;
  /** The tables that the token is limited to; null: not limited. */
  readonly documents: ReadonlySet<string> | null;
  readonly planName: PlanName;
  readonly plan: Plan;
  /** Whether the token writes for an AI agent only. */
  readonly agent: boolean;
  /** Whether every write of the token becomes a proposal. */
  readonly proposes: boolean;
  /** The adapter that records name as the origin; null: they name what the principal is. */
  readonly via: 'google' | 'mcp' | 'operator' | null;
  /** When it ends unless it is used, in milliseconds since 1970-01-01 UTC; null: never. */
  readonly expiresAt: number | null;
  /** Whether the user's password was made by somebody else: until it is changed, a session is good for nothing else. */
  readonly passwordIsOnce: boolean;
  /** By whose habits texts are typed unless a request says so; null: as the document has it. */
  readonly inputLocale: InputLocale | null;
  /** The access epoch at which all of this was so. */
  readonly epoch: number;
  /** Of the request in whose name the caller acts; null before the gate hands the caller to a request. */
  readonly requestId: string | null;
}

/** What a person may do in the browser: everything but what is an agent's. */
const SESSION_SCOPES: ReadonlySet<Scope> = new Set(SCOPES.filter((scope) => scope !== 'sheets.agent.write'));

/** The token that a caller shows, as records of what it does name it; nulls for a session. */
export function tokenOf({ principal }: Caller): { readonly id: number | null; readonly name: string | null } {
  return principal.kind === 'token' ? principal : { id: null, name: null };
}

/** Whether a caller's token or session has run out. */
export function hasEnded({ expiresAt }: Caller, now: number): boolean {
  return expiresAt !== null && expiresAt <= now;
}

/** Finds the caller of a hash as at an access epoch. */
export type LoadCaller = (epoch: number) => Promise<Caller | null>;

interface Dependencies {
  readonly database: Database;
  readonly plans: Readonly<Record<PlanName, Plan>>;
}

/** What an `Authorization` header shows. */
export function tokenCredentials(header: string | undefined): Credentials {
  const token = bearerToken(header);
  return { kind: 'token', hash: token === null ? null : secretHash(token) };
}

/** By which name a caller is remembered, and how it is found; null where nothing is shown. */
export function lookupOf(
  { database, plans }: Dependencies,
  credentials: Credentials,
): { readonly key: string; readonly load: LoadCaller } | null {
  if (credentials.kind === 'token') {
    const { hash } = credentials;
    return hash === null ? null : { key: hash, load: (epoch) => loadToken(database, plans, hash, epoch) };
  }
  if (credentials.kind === 'key') {
    const { tokenId, scopes, expiresAt } = credentials;
    const key = `key ${tokenId} ${expiresAt} ${scopes.join()}`;
    return { key, load: async (epoch) => limitedTo(await loadKey(database, plans, tokenId, epoch), scopes, expiresAt) };
  }
  const { secret } = credentials;
  if (secret === null || !isSecret(secret)) return null;
  const hash = secretHash(secret);
  return { key: `session ${hash}`, load: (epoch) => loadSession(database, plans, hash, epoch) };
}

async function loadToken(
  database: Database,
  plans: Dependencies['plans'],
  hash: string,
  epoch: number,
): Promise<Caller | null> {
  return callerOfToken(await database.readOne(tokenByHash({ hash })), plans, epoch);
}

async function loadKey(
  database: Database,
  plans: Dependencies['plans'],
  tokenId: number,
  epoch: number,
): Promise<Caller | null> {
  return callerOfToken(await database.readOne(callerByTokenId({ id: tokenId })), plans, epoch);
}

/** A caller with no more than some scopes, until a time at the latest. */
function limitedTo(caller: Caller | null, scopes: readonly Scope[], expiresAt: number): Caller | null {
  if (caller === null) return null;
  const allowed = new Set(scopes.filter((scope) => caller.scopes.has(scope)));
  return { ...caller, scopes: allowed, expiresAt: Math.min(caller.expiresAt ?? expiresAt, expiresAt) };
}

type TokenRow = ReturnType<typeof tokenByHash> extends Query<infer R> ? R : never;

function callerOfToken(row: TokenRow | null, plans: Dependencies['plans'], epoch: number): Caller | null {
  if (row === null || row.revoked_at !== null) return null;
  const scopes = new Set((JSON.parse(row.scopes) as string[]).filter(isScope));
  return {
    principal: { kind: 'token', id: row.id, name: row.name },
    userId: row.user_id,
    userName: row.user_name,
    scopes,
    documents: row.documents === null ? null : new Set(JSON.parse(row.documents) as string[]),
    planName: row.plan,
    plan: plans[row.plan],
    agent: isAgent(scopes),
    proposes: row.proposes === 1,
    via: null,
    expiresAt: row.expires_at,
    passwordIsOnce: false,
    inputLocale: storedInputLocale(row.input_locale),
    epoch,
    requestId: null,
  };
}

async function loadSession(
  database: Database,
  plans: Dependencies['plans'],
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
    passwordIsOnce: row.password_once === 1,
    inputLocale: null,
    epoch,
    requestId: null,
  };
}
