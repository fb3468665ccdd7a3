import { isIPv6 } from 'node:net';
import type { Statement } from '@cellwire/store';
import { attemptsOf, countAttempt, forgetAttempts, TOO_MANY_ATTEMPTS, withdrawAttempt } from '@cellwire/store/accounts';
import { hashSecret } from '../../access/secrets.ts';
import {
  ATTEMPT_WINDOW_MS,
  MAX_ATTEMPTS_PER_ACCOUNT,
  MAX_ATTEMPTS_PER_NETWORK,
  MAX_KNOWN_DEVICE_ATTEMPTS,
  MAX_NETWORK_ATTEMPTS_PER_ACCOUNT,
} from '../../limits/console.ts';
import type { ServiceContext } from '../context.ts';
import type { Refusal } from '../refusal.ts';

/** A counter of attempts, with its limit in a window. */
interface AttemptCounter {
  readonly key: string;
  readonly limit: number;
  /**
   * True if the counter is cleared after a success, because a success proves that the same person made the earlier
   * attempts.
   */
  readonly resetsOnSuccess: boolean;
  /** True if the counter counts attempts at one account. */
  readonly isAccount: boolean;
}

/** An attempt that exceeds a limit. */
interface LimitedAttempt {
  readonly refusal: Refusal;
  /** True if the account had too many attempts; false: the network. */
  readonly isLocked: boolean;
}

/** An attempt to prove a password. The counters are always in the same order, so that two attempts never deadlock. */
export type PasswordAttempt = readonly [AttemptCounter, ...AttemptCounter[]];

/**
 * An attempt of a known user: in a session, or on a device with an earlier sign-in. `account` identifies the user.
 * Attempts of strangers have other counters and cannot lock this user out.
 */
export function toKnownUserAttempt(account: string): PasswordAttempt {
  return [
    { key: `known ${hashSecret(account)}`, limit: MAX_KNOWN_DEVICE_ATTEMPTS, resetsOnSuccess: true, isAccount: true },
  ];
}

/**
 * An attempt of a stranger at an account. It counts for the account, for the account from this network, and for the
 * network. `account`: the typed account name, which need not exist; it is stored as a hash of fixed length.
 */
export function toStrangerAttempt(account: string, address: string): PasswordAttempt {
  const key = createAccountKey(account);
  const network = toNetwork(address);
  return [
    { key, limit: MAX_ATTEMPTS_PER_ACCOUNT, resetsOnSuccess: false, isAccount: true },
    { key: `${key} ${network}`, limit: MAX_NETWORK_ATTEMPTS_PER_ACCOUNT, resetsOnSuccess: true, isAccount: true },
    { key: `address ${network}`, limit: MAX_ATTEMPTS_PER_NETWORK, resetsOnSuccess: false, isAccount: false },
  ];
}

/** Creates the counter key of all strangers at an account; the key for one network adds the network. */
export function createAccountKey(account: string): string {
  return `account ${hashSecret(account)}`;
}

/**
 * Counts an attempt before the password is checked, so that concurrent attempts cannot exceed the limit. The counters
 * are in the database, so that a restart or another node does not reset them. Null: the attempt is allowed.
 */
export async function countPasswordAttempt(
  { database, clock }: Pick<ServiceContext, 'database' | 'clock'>,
  attempt: PasswordAttempt,
): Promise<LimitedAttempt | null> {
  const now = clock();
  const oldest = now - ATTEMPT_WINDOW_MS;
  const outcome = await database.write({
    document: null,
    statements: attempt.map(({ key, limit }) => countAttempt({ key, limit, now, over: oldest })),
  });
  if (outcome.kind === 'committed') return null;
  if (outcome.conflict !== TOO_MANY_ATTEMPTS) throw new Error(`an attempt was not counted: ${outcome.conflict}`);
  const waits = await Promise.all(attempt.map((counted) => readRemainingWait(database, counted, now)));
  const wait = Math.min(Math.max(1_000, ...waits), ATTEMPT_WINDOW_MS);
  const isLocked = attempt.some(({ isAccount }, i) => isAccount && (waits[i] ?? 0) > 0);
  return { refusal: { kind: 'refusal', reason: 'rateLimited', retryAfter: Math.ceil(wait / 1_000) }, isLocked };
}

/** Milliseconds until an exhausted window ends; 0: not exhausted. */
async function readRemainingWait(
  database: ServiceContext['database'],
  { key, limit }: AttemptCounter,
  now: number,
): Promise<number> {
  const row = await database.readOne(attemptsOf({ key }));
  return row !== null && row.count >= limit ? row.started_at + ATTEMPT_WINDOW_MS - now : 0;
}

/** Builds the statements after a successful attempt. */
export function buildSuccessStatements(attempt: PasswordAttempt): readonly Statement[] {
  return attempt.map(({ key, resetsOnSuccess }) =>
    resetsOnSuccess ? forgetAttempts({ key }) : withdrawAttempt({ key }),
  );
}

/** The statements after an attempt that was not completed. */
export function withdrawPasswordAttempt(attempt: PasswordAttempt): readonly Statement[] {
  return attempt.map(({ key }) => withdrawAttempt({ key }));
}

const IPV6_GROUPS = 8;
/** The owner of an IPv6 address usually has its whole /64. */
const NETWORK_GROUPS = 4;
const MAPPED_IPV4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/** The network of an address: an IPv4 address, or the /64 of an IPv6 address. */
function toNetwork(address: string): string {
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
