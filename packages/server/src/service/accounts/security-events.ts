import type { Database, Query, RowDamage } from '@cellwire/store';
import { refusedToken } from '@cellwire/store/accounts';
import { findDamagedRights } from '../../access/callers.ts';

/** Origin of a refused attempt. */
interface AttemptOrigin {
  readonly address: string;
  readonly requestId: string | null;
}

/** A sign-in that failed. It never names the typed address or password. */
export interface SignInFailure extends AttemptOrigin {
  /** `locked`: too many attempts at the account; `limit`: too many from the network. */
  readonly reason: 'password' | 'unknown' | 'locked' | 'disabled' | 'damaged' | 'limit';
  /** Id of the account's user; null: no such user. */
  readonly user: number | null;
}

/** A request whose token was refused. */
interface TokenRefusal extends AttemptOrigin {
  readonly reason: 'malformed' | 'unknown' | 'revoked' | 'disabled' | 'damaged' | 'expired';
  /** The token's user and name; null: no such token. */
  readonly user: number | null;
  readonly tokenName: string | null;
}

/** Receives refused attempts to get access, and damage of the rows that decide about access. */
export interface SecurityEvents {
  onSignInFailed(failure: SignInFailure): void;
  onTokenRefused(refusal: TokenRefusal): void;
  onRowsDamaged(damage: readonly RowDamage[]): void;
}

export const NO_SECURITY_LISTENER: SecurityEvents = {
  onSignInFailed: () => {},
  onTokenRefused: () => {},
  onRowsDamaged: () => {},
};

/** Reports why a token was refused. `hash`: of the sent token; null: it does not have the form of a token. */
export async function reportRefusedToken(
  { database, security }: { readonly database: Database; readonly security: SecurityEvents },
  hash: string | null,
  from: AttemptOrigin,
): Promise<void> {
  if (hash === null) return security.onTokenRefused({ ...from, reason: 'malformed', user: null, tokenName: null });
  const row = await database.readOne(refusedToken({ hash }));
  if (row === null) return security.onTokenRefused({ ...from, reason: 'unknown', user: null, tokenName: null });
  security.onTokenRefused({ ...from, reason: findRefusalReason(row), user: row.user_id, tokenName: row.name });
}

type RefusedTokenRow = ReturnType<typeof refusedToken> extends Query<infer R> ? R : never;

function findRefusalReason({ damage, revoked_at, disabled_at }: RefusedTokenRow): TokenRefusal['reason'] {
  if (findDamagedRights(damage).length > 0) return 'damaged';
  if (revoked_at !== null) return 'revoked';
  return disabled_at === null ? 'expired' : 'disabled';
}
