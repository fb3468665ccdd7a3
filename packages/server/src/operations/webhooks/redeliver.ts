import { Type } from 'typebox';
import { planRedelivery } from '../../notify/deliveries.ts';
import { defineChange } from '../operation.ts';
import { REFUSALS } from '../schemas/answers.ts';
import { DELIVERY_EXAMPLE, WEBHOOK_USERS } from './examples.ts';
import { DeliveryAnswer, DeliveryId, WEBHOOK_REQUIREMENTS, WebhookPath } from './schemas.ts';
import { changeSubscription, parseNumber } from './subscriptions.ts';

export const redeliver = defineChange({
  id: 'redeliver',
  isKeyed: true,
  http: { method: 'POST', path: '/documents/{document}/webhooks/{webhook}/deliveries/{delivery}/redeliver' },
  requires: WEBHOOK_REQUIREMENTS,
  tag: 'Webhooks',
  summary: 'Send a delivery again, under its own id',
  description: `Sends the same cells and revisions with their present values. ${WEBHOOK_USERS}`,
  params: Type.Object({ ...WebhookPath.properties, delivery: DeliveryId }),
  answers: { 200: DeliveryAnswer, ...REFUSALS },
  example: { answer: { delivery: { ...DELIVERY_EXAMPLE, state: 'waiting', finishedAt: null } } },

  run: (call, { webhook, delivery: id }) =>
    changeSubscription(
      call,
      parseNumber(webhook),
      (subscription, access) => planRedelivery(call.context, subscription, id.toLowerCase(), access),
      (delivery) => ({ delivery }),
    ),
});
