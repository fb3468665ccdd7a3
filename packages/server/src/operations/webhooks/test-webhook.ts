import { planTestDelivery } from '../../notify/deliveries.ts';
import { defineChange } from '../operation.ts';
import { REFUSALS } from '../schemas/answers.ts';
import { DELIVERY_EXAMPLE, WEBHOOK_USERS } from './examples.ts';
import { DeliveryAnswer, WEBHOOK_REQUIREMENTS, WebhookPath } from './schemas.ts';
import { changeSubscription, parseNumber } from './subscriptions.ts';

export const testWebhook = defineChange({
  id: 'testWebhook',
  isKeyed: true,
  http: { method: 'POST', path: '/documents/{document}/webhooks/{webhook}/test' },
  requires: WEBHOOK_REQUIREMENTS,
  tag: 'Webhooks',
  summary: 'Send a test notification',
  description: `Sends a notification without cells that is marked as a test. ${WEBHOOK_USERS}`,
  params: WebhookPath,
  answers: { 200: DeliveryAnswer, ...REFUSALS },
  example: {
    answer: { delivery: { ...DELIVERY_EXAMPLE, test: true, state: 'waiting', finishedAt: null, attempts: [] } },
  },

  run: (call, { webhook }) =>
    changeSubscription(
      call,
      parseNumber(webhook),
      (subscription, access) => planTestDelivery(call.context, subscription, access),
      (delivery) => ({ delivery }),
    ),
});
