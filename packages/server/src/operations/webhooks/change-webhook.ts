import { Type } from 'typebox';
import { MAX_WEBHOOK_URL_LENGTH } from '../../limits/requests.ts';
import { planWebhookChange } from '../../service/webhooks/manage-webhook.ts';
import { defineChange } from '../operation.ts';
import { REFUSALS } from '../schemas/answers.ts';
import { defineBody } from '../schemas/requests.ts';
import { WEBHOOK_EXAMPLE, WEBHOOK_USERS } from './examples.ts';
import { Events, WEBHOOK_REQUIREMENTS, Webhook, WebhookPath } from './schemas.ts';
import { changeSubscription, parseNumber } from './subscriptions.ts';

export const changeWebhook = defineChange({
  id: 'changeWebhook',
  isKeyed: true,
  http: { method: 'PATCH', path: '/documents/{document}/webhooks/{webhook}' },
  requires: WEBHOOK_REQUIREMENTS,
  tag: 'Webhooks',
  summary: 'Change a subscription, or switch it off and on',
  description: `A subscription that is switched on again gets only later changes. ${WEBHOOK_USERS}`,
  params: WebhookPath,
  body: defineBody({
    active: Type.Optional(Type.Boolean()),
    url: Type.Optional(Type.String({ maxLength: MAX_WEBHOOK_URL_LENGTH })),
    events: Type.Optional(Events),
  }),
  answers: { 200: Type.Object({ webhook: Webhook }), ...REFUSALS },
  example: { request: { active: false }, answer: { webhook: { ...WEBHOOK_EXAMPLE, active: false } } },

  run: (call, { webhook: number, active, url, events }) =>
    changeSubscription(
      call,
      parseNumber(number),
      (subscription, access) => planWebhookChange(call.context, subscription, { active, url, events }, access),
      (webhook) => ({ webhook }),
    ),
});
