import {
  bumpAccessEpoch,
  endSessionsOfUser,
  forgetAccountAttempts,
  passwordUnchanged,
  setPassword,
  signInById,
  toEmailKey,
} from '@cellwire/store/accounts';
import type { Caller } from '../../access/callers.ts';
import { isCommonPassword } from '../../access/common-passwords.ts';
import { generatePassword } from '../../access/secrets.ts';
import { MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from '../../limits/http.ts';
import type { ServiceContext } from '../context.ts';
import { invalidRequest, isRefusal, type Refusal } from '../refusal.ts';
import { type Actor, buildAccountEntry, commitWithSession } from './actor.ts';
import {
  buildSuccessStatements,
  countPasswordAttempt,
  createAccountKey,
  toKnownUserAttempt,
  withdrawPasswordAttempt,
} from './attempts.ts';
import { beginSession, type NewSession, type SessionOrigin, type SignInContext } from './sign-in.ts';

const WRONG_CURRENT = invalidRequest('current', 'This is not the present password');
const SAME = invalidRequest('password', 'The new password must be another one');

const EMAIL = invalidRequest('password', 'A password must not be the e-mail address that it is for');

const WRONG_LENGTH = invalidRequest(
  'password',
  `A password must have ${MIN_PASSWORD_LENGTH} to ${MAX_PASSWORD_LENGTH} characters`,
);
const COMMON = invalidRequest('password', 'This password is one of the most common: choose another one');

/** The reason why a text cannot be the password for an e-mail address; null: it can. */
export function checkNewPassword(password: string, email: string): Refusal | null {
  if (toEmailKey(password) === toEmailKey(email)) return EMAIL;
  if (password.length < MIN_PASSWORD_LENGTH || password.length > MAX_PASSWORD_LENGTH) return WRONG_LENGTH;
  return isCommonPassword(password) ? COMMON : null;
}

interface PasswordChange {
  readonly current: string;
  readonly password: string;
  readonly from: SessionOrigin;
}

/** Changes the caller's password. All sessions end and a new one starts. */
export async function changePassword(
  context: SignInContext,
  { userId, userName }: Caller,
  { current, password, from }: PasswordChange,
): Promise<NewSession | Refusal> {
  const user = await context.database.readOne(signInById({ id: userId }));
  const wrong = checkNewPassword(password, user?.email_key ?? '');
  if (wrong !== null) return wrong;
  const attempt = toKnownUserAttempt(`user ${userId}`);
  const refused = await countPasswordAttempt(context, attempt);
  if (refused !== null) return refused.refusal;
  const matches = await context.passwords.matches(current, user?.password_hash ?? null, userId);
  if (matches === false || user === null) return WRONG_CURRENT;
  const hash = isRefusal(matches) || password === current ? matches : await context.passwords.hash(password, userId);
  if (isRefusal(hash) || hash === true) {
    await context.database.write({ document: null, statements: withdrawPasswordAttempt(attempt) });
    return isRefusal(hash) ? hash : SAME;
  }
  const by: Actor = { origin: 'browser', userId, userName, address: from.address };
  return beginSession(context, userId, from, {
    before: [
      passwordUnchanged(user),
      setPassword({ id: userId, password_hash: hash, once: 0 }),
      endSessionsOfUser({ user_id: userId }),
    ],
    after: [
      ...buildSuccessStatements(attempt),
      buildAccountEntry(by, { action: 'password.change', workspaceId: user.workspace_id, at: context.clock() }),
      bumpAccessEpoch({}),
    ],
  });
}

interface PasswordReset {
  /** Absent: a password is generated. */
  readonly password?: string | undefined;
  /** True if the password must be changed at the next sign-in. */
  readonly isOnce: boolean;
  readonly by: Actor;
}

type ResetContext = Pick<ServiceContext, 'database' | 'clock' | 'passwords'>;

/** Replaces a lost password. The user's sessions end. */
export async function resetPassword(
  { database, clock, passwords }: ResetContext,
  user: { readonly id: number; readonly name: string; readonly workspace_id: number; readonly email: string },
  { password = generatePassword(), isOnce, by }: PasswordReset,
): Promise<{ readonly password: string } | Refusal> {
  const wrong = checkNewPassword(password, user.email);
  if (wrong !== null) return wrong;
  const hash = await passwords.hash(password, by.userId);
  if (isRefusal(hash)) return hash;
  const subject = { id: user.id, name: user.name };
  const refusal = await commitWithSession(database, by, [
    setPassword({ id: user.id, password_hash: hash, once: isOnce ? 1 : 0 }),
    endSessionsOfUser({ user_id: user.id }),
    forgetAccountAttempts({ key: createAccountKey(toEmailKey(user.email)) }),
    buildAccountEntry(by, { action: 'password.reset', workspaceId: user.workspace_id, at: clock(), subject }),
    bumpAccessEpoch({}),
  ]);
  return refusal ?? { password };
}
