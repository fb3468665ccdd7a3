import type { Database, Query, RowDamage } from '@cellwire/store';
import { callerByTokenId, sessionByHash, tokenByHash } from '@cellwire/store/accounts';
import { parseStoredList } from '@cellwire/store/stored-forms';
import type { Plan, PlanName } from '../config/types.ts';
import { SESSION_IDLE_MS } from '../limits/console.ts';
import { type InputLocale, parseStoredLocale } from './input-locale.ts';
import { ACCOUNT_DAMAGED, type AccessRefusal } from './refusal.ts';
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

/** Reads a caller from the database; null: unknown or revoked. `epoch` must have been read before. */
export type LoadCaller = (epoch: number) => Promise<LoadedCaller>;
type LoadedCaller = Caller | AccessRefusal | null;

interface CallerDependencies {
  readonly database: Database;
  readonly plans: Readonly<Record<PlanName, Plan>>;
  /** Called with the damage of the rows that identify a caller, who is refused. */
  readonly onDamage: (damage: readonly RowDamage[]) => void;
}

/** Damaged rows that decide who a caller is and what the caller may do. A workspace's name decides nothing. */
export function findDamagedRights(damage: readonly RowDamage[]): readonly RowDamage[] {
  return damage.filter(({ table, sums }) => table !== 'workspaces' || sums.includes('plan_sum'));
}

/** The credentials in an `Authorization` header. */
export function parseTokenCredentials(header: string | undefined): Credentials {
  const token = parseBearerToken(header);
  return { kind: 'token', hash: token === null ? null : hashSecret(token) };
}

/** Creates the cache key of a caller, and a function that reads the caller; null: the request has no credentials. */
export function createCallerLookup(
  dependencies: CallerDependencies,
  credentials: Credentials,
): { readonly key: string; readonly load: LoadCaller } | null {
  if (credentials.kind === 'token') {
    const { hash } = credentials;
    return hash === null ? null : { key: hash, load: (epoch) => loadTokenCaller(dependencies, hash, epoch) };
  }
  if (credentials.kind === 'key') {
    const { tokenId, scopes, expiresAt } = credentials;
    const key = `key ${tokenId} ${expiresAt} ${scopes.join()}`;
    return {
      key,
      load: async (epoch) => restrictCaller(await loadKeyCaller(dependencies, tokenId, epoch), scopes, expiresAt),
    };
  }
  const { secret } = credentials;
  if (secret === null || !isSecret(secret)) return null;
  const hash = hashSecret(secret);
  return { key: `session ${hash}`, load: (epoch) => loadSessionCaller(dependencies, hash, epoch) };
}

async function loadTokenCaller(dependencies: CallerDependencies, hash: string, epoch: number): Promise<LoadedCaller> {
  return toTokenCaller(dependencies, await dependencies.database.readOne(tokenByHash({ hash })), epoch);
}

async function loadKeyCaller(dependencies: CallerDependencies, tokenId: number, epoch: number): Promise<LoadedCaller> {
  return toTokenCaller(dependencies, await dependencies.database.readOne(callerByTokenId({ id: tokenId })), epoch);
}

/** Limits a caller to some scopes and to a time. */
function restrictCaller(caller: LoadedCaller, scopes: readonly TokenScope[], expiresAt: number): LoadedCaller {
  if (caller === null || 'kind' in caller) return caller;
  const allowed = new Set(scopes.filter((scope) => caller.scopes.has(scope)));
  return { ...caller, scopes: allowed, expiresAt: Math.min(caller.expiresAt ?? expiresAt, expiresAt) };
}

type CallerTokenRow = ReturnType<typeof tokenByHash> extends Query<infer R> ? R : never;

/** True if a row that identifies a caller is damaged. Reports the damage. */
function hasDamagedRights({ onDamage }: CallerDependencies, { damage }: { readonly damage: readonly RowDamage[] }) {
  const damaged = findDamagedRights(damage);
  if (damaged.length > 0) onDamage(damaged);
  return damaged.length > 0;
}

function toTokenCaller(dependencies: CallerDependencies, row: CallerTokenRow | null, epoch: number): LoadedCaller {
  if (row === null) return null;
  if (hasDamagedRights(dependencies, row)) return ACCOUNT_DAMAGED;
  if (row.revoked_at !== null || row.disabled_at !== null) return null;
  const { plans } = dependencies;
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

async function loadSessionCaller(dependencies: CallerDependencies, hash: string, epoch: number): Promise<LoadedCaller> {
  const { database, plans } = dependencies;
  const row = await database.readOne(sessionByHash({ hash }));
  if (row === null) return null;
  if (hasDamagedRights(dependencies, row)) return ACCOUNT_DAMAGED;
  if (row.disabled_at !== null) return null;
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
