import { Type } from 'typebox';
import { DEFAULT_DELIVERY_PAGE, MAX_DELIVERY_PAGE } from '../../limits/notify.ts';
import { listDeliveries as readDeliveries } from '../../notify/deliveries.ts';
import { isRefusal } from '../../service/refusal.ts';
import { toJsonContent } from '../answer.ts';
import { defineRead } from '../operation.ts';
import { Count, REFUSALS } from '../schemas/answers.ts';
import { defineCount, defineQuery, Offset } from '../schemas/requests.ts';
import { DELIVERY_EXAMPLE, WEBHOOK_USERS } from './examples.ts';
import { Delivery, State, WEBHOOK_REQUIREMENTS, WebhookPath } from './schemas.ts';
import { findSubscription, parseNumber } from './subscriptions.ts';

/** Maximum characters of a time; more than needed for any precision. */
const MAX_TIME_LENGTH = 64;

function defineTimeParameter(meaning: string) {
  return Type.String({ maxLength: MAX_TIME_LENGTH, description: `A time, RFC 3339: ${meaning}` });
}

const Deliveries = Type.Object({
  deliveries: Type.Object({ entries: Type.Array(Delivery), total: Count, offset: Count, limit: Count }),
});

export const listDeliveries = defineRead({
  id: 'listDeliveries',
  http: { method: 'GET', path: '/documents/{document}/webhooks/{webhook}/deliveries' },
  requires: WEBHOOK_REQUIREMENTS,
  tag: 'Webhooks',
  summary: 'List the deliveries of a subscription, newest first',
  description: `Deliveries with the responses of the receiver. Finished deliveries are kept for 7 days. ${WEBHOOK_USERS}`,
  params: WebhookPath,
  query: defineQuery({
    state: Type.Optional(State),
    since: Type.Optional(defineTimeParameter('deliveries created at this time or later.')),
    until: Type.Optional(defineTimeParameter('deliveries created before this time.')),
    revision: Type.Optional(defineCount(0, 'Deliveries of notifications that cover this revision.')),
    offset: Type.Optional(Offset),
    limit: Type.Optional(defineCount(1, `${DEFAULT_DELIVERY_PAGE} by default, capped at ${MAX_DELIVERY_PAGE}.`)),
  }),
  answers: { 200: Deliveries, ...REFUSALS },
  example: { answer: { deliveries: { entries: [DELIVERY_EXAMPLE], total: 1, offset: 0, limit: 50 } } },

  async run({ context, document }, { webhook, ...wanted }) {
    const subscription = await findSubscription(context, document, parseNumber(webhook));
    if (isRefusal(subscription)) return subscription;
    const deliveries = await readDeliveries(context, subscription, wanted);
    return isRefusal(deliveries) ? deliveries : toJsonContent({ deliveries });
  },
});
