import { toEmailKey, userByEmail, userById } from '@cellwire/store/accounts';
import type { ServiceContext } from '../context.ts';
import { invalidRequest } from '../refusal.ts';

const DIGITS = /^[0-9]{1,15}$/;
const CONTROL = /\p{Cc}/u;

/** A user by id or e-mail address. */
export async function findUser({ database }: Pick<ServiceContext, 'database'>, text: string) {
  const byId = DIGITS.test(text.trim());
  // PostgreSQL refuses a query with control characters.
  if (CONTROL.test(text)) return invalidRequest('user', 'There is no such user');
  const row = await database.readOne(byId ? userById({ id: Number(text) }) : userByEmail({ key: toEmailKey(text) }));
  return row ?? invalidRequest('user', `There is no user ${text}`);
}
