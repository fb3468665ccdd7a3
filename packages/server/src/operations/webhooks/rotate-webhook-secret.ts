import { Type } from 'typebox';
import { DEFAULT_SECRET_OVERLAP_S, MAX_SECRET_OVERLAP_S } from '../../limits/notify.ts';
import { planRotation } from '../../service/webhooks/manage-webhook.ts';
import { defineChange } from '../operation.ts';
import { REFUSALS } from '../schemas/answers.ts';
import { defineOptionalBody } from '../schemas/requests.ts';
import { SECRET_EXAMPLE, WEBHOOK_USERS } from './examples.ts';
import { TimeOrNull, WEBHOOK_REQUIREMENTS, WebhookPath } from './schemas.ts';
import { changeSubscription, parseNumber } from './subscriptions.ts';

const Rotated = Type.Object({
  secret: Type.String({ description: 'Shown only once.' }),
  overlapEndsAt: TimeOrNull,
});

export const rotateWebhookSecret = defineChange({
  id: 'rotateWebhookSecret',
  isKeyed: true,
  http: { method: 'POST', path: '/documents/{document}/webhooks/{webhook}/secret' },
  requires: WEBHOOK_REQUIREMENTS,
  tag: 'Webhooks',
  summary: 'Replace the signing secret',
  description: `During the overlap the old secret also signs. ${WEBHOOK_USERS}`,
  params: WebhookPath,
  body: defineOptionalBody({
    overlapSeconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: MAX_SECRET_OVERLAP_S,
        description: `How long the old secret also signs: ${DEFAULT_SECRET_OVERLAP_S} by default; 0 if it leaked.`,
      }),
    ),
  }),
  answers: { 200: Rotated, ...REFUSALS },
  example: {
    request: { overlapSeconds: 86_400 },
    answer: { secret: SECRET_EXAMPLE, overlapEndsAt: '2026-11-21T23:11:24.382Z' },
  },

  run: (call, { webhook, overlapSeconds }) =>
    changeSubscription(
      call,
      parseNumber(webhook),
      (subscription, access) => planRotation(call.context, subscription, overlapSeconds, access),
      (rotated) => rotated,
    ),
});
