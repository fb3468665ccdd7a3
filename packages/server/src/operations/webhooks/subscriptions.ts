import type { DocumentAccess } from '../../access/access.ts';
import { byRights } from '../../service/by-rights.ts';
import type { ServiceContext } from '../../service/context.ts';
import { openSubscription, type Subscription } from '../../service/manage-webhook.ts';
import { isRefusal, type Refusal, WEBHOOK_NOT_FOUND } from '../../service/refusal.ts';
import { actingOf, type Call } from '../call.ts';

const NUMBER = /^[0-9]{1,15}$/;

/** The number of a subscription from its text in a path; null: no subscription has such a number. */
export function parseNumber(text: string): number | null {
  return NUMBER.test(text) ? Number(text) : null;
}

/** A subscription that the caller may change, and whose deliveries the caller may see. */
export async function findSubscription(
  context: ServiceContext,
  access: DocumentAccess,
  number: number | null,
): Promise<Subscription | Refusal> {
  return number === null ? WEBHOOK_NOT_FOUND : openSubscription(context, access, number);
}

/**
 * Changes a subscription that the caller may change. `change` puts `rightsHold` into its unit: the rights at the moment
 * of the commit decide.
 */
export function changeSubscription<T>(
  call: Call,
  number: number | null,
  change: (subscription: Subscription, access: DocumentAccess) => Promise<T | Refusal>,
): Promise<T | Refusal> {
  return byRights(actingOf(call), async (access) => {
    const found = await findSubscription(call.context, access, number);
    return isRefusal(found) ? found : change(found, access);
  });
}
