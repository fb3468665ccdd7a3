import { isIPv6 } from 'node:net';
import { secretHash } from '../../access/secrets.ts';
import { ATTEMPT_WINDOW_MS, MAX_ACCOUNT_ATTEMPTS, MAX_ADDRESS_ATTEMPTS } from '../../limits/console.ts';
import { attemptsOf, countAttempt, forgetAttempts, TOO_MANY_ATTEMPTS, uncountAttempt } from '../../store/attempts.ts';
import type { Statement } from '../../store/database.ts';
import type { ServiceContext } from '../context.ts';
import type { Refusal } from '../refusal.ts';

/** What an attempt counts under, and how many there may be in a window. */
interface Counted {
  readonly key: string;
  readonly limit: number;
}

/** An attempt to show that one knows a password: counted by account and, where one is given, by address. */
export interface Attempt {
  readonly account: Counted;
  readonly address: Counted | null;
}

/** `account`: whatever names the account, whether there is one or not. It is stored as a hash, of one length. */
export function attemptAt(account: string, address: string | null): Attempt {
  return {
    account: { key: `account ${secretHash(account)}`, limit: MAX_ACCOUNT_ATTEMPTS },
    address: address === null ? null : { key: `address ${networkOf(address)}`, limit: MAX_ADDRESS_ATTEMPTS },
  };
}

/**
 * Counts an attempt before it is judged, so that many at once are not more than the limit allows. Counted in the
 * database: a restart, or another node, does not begin anew. Null: it may go on.
 */
export async function countedAttempt(
  { database, clock }: Pick<ServiceContext, 'database' | 'clock'>,
  attempt: Attempt,
): Promise<Refusal | null> {
  const now = clock();
  const counted = countsOf(attempt);
  const over = now - ATTEMPT_WINDOW_MS;
  const outcome = await database.write({
    document: null,
    statements: counted.map(({ key, limit }) => countAttempt({ key, limit, now, over })),
  });
  if (outcome.kind === 'committed') return null;
  if (outcome.conflict !== TOO_MANY_ATTEMPTS) throw new Error(`an attempt was not counted: ${outcome.conflict}`);
  const rows = await database.read(attemptsOf({ account: attempt.account.key, address: attempt.address?.key ?? '' }));
  const used = rows.filter(({ key, count }) => count >= (counted.find((one) => one.key === key)?.limit ?? 0));
  const waits = used.map(({ started_at }) => started_at + ATTEMPT_WINDOW_MS - now);
  const wait = Math.min(Math.max(1_000, ...waits), ATTEMPT_WINDOW_MS);
  return { kind: 'refusal', reason: 'rateLimited', retryAfter: Math.ceil(wait / 1_000) };
}

/** The attempt was a good one: the account's failures are forgotten, the address has one less. */
export function attemptSucceeded({ account, address }: Attempt): readonly Statement[] {
  return [forgetAttempts({ key: account.key }), ...(address === null ? [] : [uncountAttempt({ key: address.key })])];
}

/** Nothing was tried in the end. */
export function attemptWithdrawn(attempt: Attempt): readonly Statement[] {
  return countsOf(attempt).map(({ key }) => uncountAttempt({ key }));
}

/** Always in the same order, so that two attempts never wait for each other. */
function countsOf({ account, address }: Attempt): readonly Counted[] {
  return address === null ? [account] : [account, address];
}

const IPV6_GROUPS = 8;
/** Whoever has an IPv6 address has at least a /64 of them. */
const NETWORK_GROUPS = 4;
const MAPPED_IPV4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/** The addresses that count as one: an IPv4 address, or the /64 of an IPv6 one. */
export function networkOf(address: string): string {
  const mapped = MAPPED_IPV4.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  if (!isIPv6(address)) return address;
  const [head = '', tail] = (address.split('%')[0] ?? '').toLowerCase().split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? 0 : IPV6_GROUPS - left.length - right.length;
  const groups = [...left, ...Array.from({ length: Math.max(0, zeros) }, () => '0'), ...right];
  const network = groups.slice(0, NETWORK_GROUPS).map((group) => group.replace(/^0+(?=.)/, ''));
  return `${network.join(':')}::/64`;
}
