import { userOfGoogleKey } from '@cellwire/store/accounts';
import type { ServiceContext } from '../context.ts';

/** The user behind the address of a service-account key; null: not such an address. */
export async function findKeyUser(
  { database }: Pick<ServiceContext, 'database'>,
  email: string,
): Promise<number | null> {
  const row = await database.readOne(userOfGoogleKey({ client_email: email }));
  return row === null || row.damage.length > 0 ? null : row.user_id;
}
