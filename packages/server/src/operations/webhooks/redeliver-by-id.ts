import { Type } from 'typebox';
import { findSubscription, planRedelivery } from '../../notify/deliveries.ts';
import { isRefusal } from '../../service/refusal.ts';
import { defineChange } from '../operation.ts';
import { REFUSALS } from '../schemas/answers.ts';
import { DocumentPath } from '../schemas/requests.ts';
import { DELIVERY_EXAMPLE, WEBHOOK_USERS } from './examples.ts';
import { DeliveryAnswer, DeliveryId, WEBHOOK_REQUIREMENTS } from './schemas.ts';
import { changeSubscription } from './subscriptions.ts';

export const redeliverById = defineChange({
  id: 'redeliverById',
  isKeyed: true,
  http: { method: 'POST', path: '/documents/{document}/deliveries/{delivery}/redeliver' },
  requires: WEBHOOK_REQUIREMENTS,
  tag: 'Webhooks',
  summary: 'Send a delivery again, by its id only',
  description: `Sends the delivery again; the subscription need not be known. ${WEBHOOK_USERS}`,
  params: Type.Object({ ...DocumentPath.properties, delivery: DeliveryId }),
  answers: { 200: DeliveryAnswer, ...REFUSALS },
  example: { answer: { delivery: { ...DELIVERY_EXAMPLE, state: 'waiting', finishedAt: null } } },

  async run(call, input) {
    const { context, document } = call;
    const id = input.delivery.toLowerCase();
    const number = await findSubscription(context, document.documentId, id);
    if (isRefusal(number)) return number;
    return changeSubscription(
      call,
      number,
      (subscription, access) => planRedelivery(context, subscription, id, access),
      (delivery) => ({ delivery }),
    );
  },
});
