import type { DocumentAccess } from '../../access/access.ts';
import type { ServiceContext } from '../../service/context.ts';
import { type ChangePlan, commitPlanned } from '../../service/planned-change.ts';
import { isRefusal, type Refusal, WEBHOOK_NOT_FOUND } from '../../service/refusal.ts';
import type { WriteReply } from '../../service/reply.ts';
import { openSubscription, type Subscription } from '../../service/webhooks/manage-webhook.ts';
import { type Call, toDocumentAction } from '../call.ts';

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

/** Changes a subscription that the caller may change. */
export function changeSubscription<Result>(
  call: Call,
  number: number | null,
  plan: (subscription: Subscription, access: DocumentAccess) => ChangePlan<Result>,
  show: (result: Result) => object,
): Promise<WriteReply | Refusal> {
  const planChange = async (access: DocumentAccess) => {
    const found = await findSubscription(call.context, access, number);
    return isRefusal(found) ? found : plan(found, access);
  };
  return commitPlanned(call.context, toDocumentAction(call), planChange, show);
}
