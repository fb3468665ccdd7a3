import type { Query, Statement } from '@cellwire/store';
import {
  deleteOldSessions,
  insertSession,
  passwordUnchanged,
  recordSignIn,
  setPasswordHash,
  signInByEmail,
  toEmailKey,
  touchAttempt,
} from '@cellwire/store/accounts';
import { generateSecret, hashSecret } from '../../access/secrets.ts';
import {
  MAX_ADDRESS_LENGTH,
  MAX_AGENT_LENGTH,
  MAX_SESSIONS_PER_USER,
  SESSION_IDLE_MS,
  SESSION_LIFE_MS,
} from '../../limits/console.ts';
import { MAX_PASSWORD_LENGTH } from '../../limits/http.ts';
import type { ServiceContext } from '../context.ts';
import { isRefusal, type Refusal, WRONG_PASSWORD } from '../refusal.ts';
import { type Actor, buildAccountEntry } from './actor.ts';
import {
  buildSuccessStatements,
  countPasswordAttempt,
  type PasswordAttempt,
  toKnownUserAttempt,
  toStrangerAttempt,
  withdrawPasswordAttempt,
} from './attempts.ts';
import { createDevicePass, findKnownDevice } from './known-device.ts';
import type { SignInFailure } from './security-events.ts';

export type SignInContext = Pick<ServiceContext, 'database' | 'clock' | 'passwords'>;

/** Origin of a new session. */
export interface SessionOrigin {
  readonly address: string;
  /** The browser's `User-Agent`. */
  readonly agent: string;
  /** Id of the request; absent: none. */
  readonly requestId?: string;
}

/** A new session. */
export interface NewSession {
  readonly userId: number;
  readonly sessionId: number;
  /** Content of the session's cookie; only its hash is stored. */
  readonly secret: string;
  /** Content of a cookie that marks the browser as a known device; absent if the browser was one already. */
  readonly devicePass?: string;
}

/** Further statements in the unit of a new session. */
interface SessionUnit {
  readonly before: readonly Statement[];
  readonly after: readonly Statement[];
}

interface SignIn {
  readonly email: string;
  readonly password: string;
  readonly from: SessionOrigin;
  /** The browser's device pass, not verified. */
  readonly devicePass: string | null;
}

type SignInUser = ReturnType<typeof signInByEmail> extends Query<infer R> ? R : never;

/**
 * Starts a session. An unknown user, a wrong password, a disabled user and a user with a damaged row get the same
 * response after the same work. A new session always has its own secret, which prevents session fixation.
 */
export async function signIn(
  context: SignInContext & Pick<ServiceContext, 'secrets' | 'security'>,
  { email, password, from, devicePass }: SignIn,
): Promise<NewSession | Refusal> {
  const { database, security } = context;
  const key = toEmailKey(email);
  const device = findKnownDevice(context, devicePass, key);
  const attempt = device === null ? toStrangerAttempt(key, from.address) : toKnownUserAttempt(device);
  const refused = await countPasswordAttempt(context, attempt);
  const user = await database.readOne(signInByEmail({ key }));
  const fail = (reason: SignInFailure['reason']): void =>
    security.onSignInFailed({
      reason,
      address: from.address,
      requestId: from.requestId ?? null,
      user: user?.id ?? null,
    });
  if (refused !== null) {
    fail(refused.isLocked ? 'locked' : 'limit');
    return refused.refusal;
  }
  const isDamaged = user !== null && user.damage.length > 0;
  if (isDamaged) security.onRowsDamaged(user.damage);
  const usable = password.length <= MAX_PASSWORD_LENGTH && user !== null && user.disabled_at === null && !isDamaged;
  const matches = await context.passwords.matches(password, usable ? user.password_hash : null, from.address);
  if (isRefusal(matches)) {
    await database.write({ document: null, statements: withdrawPasswordAttempt(attempt) });
    return matches;
  }
  if (!matches || user === null) {
    await recordFailedSignIn(context, user, attempt, from);
    fail(findFailureReason(user));
    return WRONG_PASSWORD;
  }
  const session = await beginVerifiedSession(context, user, from, {
    before: await rehashPassword(context, user, password, from.address),
    after: buildSuccessStatements(attempt),
  });
  if (isRefusal(session)) fail('password');
  return isRefusal(session) || device !== null ? session : { ...session, devicePass: createDevicePass(context, key) };
}

function findFailureReason(user: SignInUser | null): SignInFailure['reason'] {
  if (user === null) return 'unknown';
  if (user.damage.length > 0) return 'damaged';
  return user.disabled_at === null ? 'password' : 'disabled';
}

/** Starts a session of a user who has proved to be `user`, if the password has not changed since. */
export function beginVerifiedSession(
  context: SignInContext,
  user: Pick<SignInUser, 'id' | 'name' | 'workspace_id' | 'password_hash'>,
  from: SessionOrigin,
  { before, after }: SessionUnit = { before: [], after: [] },
): Promise<NewSession | Refusal> {
  const by: Actor = { origin: 'browser', userId: user.id, userName: user.name, address: from.address };
  const note = {
    action: 'signIn',
    workspaceId: user.workspace_id,
    at: context.clock(),
    detail: truncateAgent(from),
  } as const;
  return beginSession(context, user.id, from, {
    before: [passwordUnchanged(user), ...before],
    after: [...after, recordSignIn({ id: user.id, at: note.at }), buildAccountEntry(by, note)],
  });
}

/**
 * Records a failed sign-in. Writes for unknown users too, so that the response time does not reveal if the user exists.
 */
async function recordFailedSignIn(
  { database, clock }: SignInContext,
  user: SignInUser | null,
  [first]: PasswordAttempt,
  from: SessionOrigin,
): Promise<void> {
  const nobody: Actor = { origin: 'browser', userId: null, userName: '', address: from.address };
  const deviceStatement =
    user === null
      ? touchAttempt({ key: first.key })
      : buildAccountEntry(nobody, {
          action: 'signIn.failed',
          workspaceId: user.workspace_id,
          at: clock(),
          subject: { id: user.id, name: user.name },
          detail: truncateAgent(from),
        });
  await database.write({ document: null, statements: [deviceStatement] });
}

/** Replaces a hash of another cost when the password is known. */
async function rehashPassword(
  { passwords }: SignInContext,
  { id, password_hash: stored }: SignInUser,
  password: string,
  address: string | null,
): Promise<readonly Statement[]> {
  if (!passwords.isOutdated(stored)) return [];
  const hash = await passwords.hash(password, address);
  return isRefusal(hash) ? [] : [setPasswordHash({ id, password_hash: hash })];
}

/** Creates a session in one unit with further statements. The first of `before` is the guard. */
export async function beginSession(
  { database, clock }: Pick<ServiceContext, 'database' | 'clock'>,
  userId: number,
  from: SessionOrigin,
  { before, after }: SessionUnit,
): Promise<NewSession | Refusal> {
  const session = createSession(userId, from, clock());
  const outcome = await database.write({
    document: null,
    statements: [...before, ...session.statements, ...after],
  });
  if (outcome.kind === 'conflict') return WRONG_PASSWORD;
  return { userId, secret: session.secret, sessionId: session.idIn(outcome.results.slice(before.length)) };
}

/** Creates a session that is not stored yet. `idIn` reads its id from the results of its statements. */
function createSession(userId: number, from: SessionOrigin, now: number) {
  const secret = generateSecret();
  const trim = deleteOldSessions({
    user_id: userId,
    now,
    idle: now - SESSION_IDLE_MS,
    keep: MAX_SESSIONS_PER_USER - 1,
  });
  const insert = insertSession({
    user_id: userId,
    hash: hashSecret(secret),
    created_at: now,
    expires_at: now + SESSION_LIFE_MS,
    address: from.address.slice(0, MAX_ADDRESS_LENGTH),
    agent: truncateAgent(from),
  });
  return {
    secret,
    statements: [trim, insert],
    idIn: (results: readonly { readonly rows: readonly Readonly<Record<string, unknown>>[] }[]) =>
      Number(results[1]?.rows[0]?.['id']),
  };
}

/** The browser's name, cut to the length that a session stores. */
function truncateAgent({ agent }: SessionOrigin): string {
  return agent.slice(0, MAX_AGENT_LENGTH);
}
