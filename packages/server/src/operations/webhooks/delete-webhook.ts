import { Type } from 'typebox';
import { commitPlanned } from '../../service/planned-change.ts';
import { WEBHOOK_NOT_FOUND } from '../../service/refusal.ts';
import { planWebhookDeletion } from '../../service/webhooks/webhooks.ts';
import { toDocumentAction } from '../call.ts';
import { defineChange } from '../operation.ts';
import { REFUSALS } from '../schemas/answers.ts';
import { WEBHOOK_REQUIREMENTS, WebhookPath } from './schemas.ts';
import { parseNumber } from './subscriptions.ts';

export const deleteWebhook = defineChange({
  id: 'deleteWebhook',
  isKeyed: true,
  http: { method: 'DELETE', path: '/documents/{document}/webhooks/{webhook}' },
  requires: WEBHOOK_REQUIREMENTS,
  tag: 'Webhooks',
  summary: 'Delete a subscription',
  description: 'No more deliveries are sent. Waiting deliveries are cancelled.',
  params: WebhookPath,
  answers: { 200: Type.Object({ success: Type.Boolean() }), ...REFUSALS },
  example: { answer: { success: true } },

  async run(call, { webhook }) {
    const number = parseNumber(webhook);
    if (number === null) return WEBHOOK_NOT_FOUND;
    return commitPlanned(
      call.context,
      toDocumentAction(call),
      (access) => planWebhookDeletion(call.context, access, number),
      () => ({ success: true }),
    );
  },
});
