import { isIPv6 } from 'node:net';
import type { Statement } from '@cellwire/store';
import { attemptsOf, countAttempt, forgetAttempts, TOO_MANY_ATTEMPTS, uncountAttempt } from '@cellwire/store/accounts';
import { secretHash } from '../../access/secrets.ts';
import {
  ATTEMPT_WINDOW_MS,
  MAX_ATTEMPTS_PER_ACCOUNT,
  MAX_ATTEMPTS_PER_NETWORK,
  MAX_KNOWN_DEVICE_ATTEMPTS,
  MAX_NETWORK_ATTEMPTS_PER_ACCOUNT,
} from '../../limits/console.ts';
import type { ServiceContext } from '../context.ts';
import type { Refusal } from '../refusal.ts';

/** What an attempt counts under, and how many there may be in a window. */
interface AttemptCounter {
  readonly key: string;
  readonly limit: number;
  /** Whether a good attempt shows that those before it were the same person's: they are forgotten. */
  readonly resetsOnSuccess: boolean;
  /** Whether it counts attempts at one account. */
  readonly isAccount: boolean;
}

/** An attempt that may not be made now. */
interface LimitedAttempt {
  readonly refusal: Refusal;
  /** Whether the account had too many attempts; else the network had. */
  readonly isLocked: boolean;
}

/** An attempt to show that one knows a password. Always in the same order, so that two never wait for each other. */
export type PasswordAttempt = readonly [AttemptCounter, ...AttemptCounter[]];

/**
 * By somebody who has shown before who they are: in a session, or on a device that they have signed in from. `who` names
 * that. What strangers try counts elsewhere: they cannot keep anybody out of it.
 */
export function knownAttempt(who: string): PasswordAttempt {
  return [
    { key: `known ${secretHash(who)}`, limit: MAX_KNOWN_DEVICE_ATTEMPTS, resetsOnSuccess: true, isAccount: true },
  ];
}

/**
 * By a stranger at an account: counted for all of them together, for those of one network, and for that network whatever
 * the account. `account`: whatever names it, whether there is one or not. It is stored as a hash, of one length.
 */
export function strangersAttempt(account: string, address: string): PasswordAttempt {
  const key = accountKey(account);
  const network = networkOf(address);
  return [
    { key, limit: MAX_ATTEMPTS_PER_ACCOUNT, resetsOnSuccess: false, isAccount: true },
    { key: `${key} ${network}`, limit: MAX_NETWORK_ATTEMPTS_PER_ACCOUNT, resetsOnSuccess: true, isAccount: true },
    { key: `address ${network}`, limit: MAX_ATTEMPTS_PER_NETWORK, resetsOnSuccess: false, isAccount: false },
  ];
}

/** What counts the strangers at an account; those of one network count under the same with the network behind it. */
export function accountKey(account: string): string {
  return `account ${secretHash(account)}`;
}

/**
 * Counts an attempt before it is judged, so that many at once are not more than the limit allows. Counted in the
 * database: a restart, or another node, does not begin anew. Null: it may go on.
 */
export async function countedAttempt(
  { database, clock }: Pick<ServiceContext, 'database' | 'clock'>,
  attempt: PasswordAttempt,
): Promise<LimitedAttempt | null> {
  const now = clock();
  const over = now - ATTEMPT_WINDOW_MS;
  const outcome = await database.write({
    document: null,
    statements: attempt.map(({ key, limit }) => countAttempt({ key, limit, now, over })),
  });
  if (outcome.kind === 'committed') return null;
  if (outcome.conflict !== TOO_MANY_ATTEMPTS) throw new Error(`an attempt was not counted: ${outcome.conflict}`);
  const waits = await Promise.all(attempt.map((counted) => waitOf(database, counted, now)));
  const wait = Math.min(Math.max(1_000, ...waits), ATTEMPT_WINDOW_MS);
  const isLocked = attempt.some(({ isAccount }, i) => isAccount && (waits[i] ?? 0) > 0);
  return { refusal: { kind: 'refusal', reason: 'rateLimited', retryAfter: Math.ceil(wait / 1_000) }, isLocked };
}

/** Milliseconds until a window that is used up is over; 0: it is not. */
async function waitOf(
  database: ServiceContext['database'],
  { key, limit }: AttemptCounter,
  now: number,
): Promise<number> {
  const row = await database.readOne(attemptsOf({ key }));
  return row !== null && row.count >= limit ? row.started_at + ATTEMPT_WINDOW_MS - now : 0;
}

/** The attempt was a good one. */
export function attemptSucceeded(attempt: PasswordAttempt): readonly Statement[] {
  return attempt.map(({ key, resetsOnSuccess }) =>
    resetsOnSuccess ? forgetAttempts({ key }) : uncountAttempt({ key }),
  );
}

/** Nothing was tried in the end. */
export function attemptWithdrawn(attempt: PasswordAttempt): readonly Statement[] {
  return attempt.map(({ key }) => uncountAttempt({ key }));
}

const IPV6_GROUPS = 8;
/** Whoever has an IPv6 address has at least a /64 of them. */
const NETWORK_GROUPS = 4;
const MAPPED_IPV4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/** The addresses that count as one: an IPv4 address, or the /64 of an IPv6 one. */
function networkOf(address: string): string {
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
