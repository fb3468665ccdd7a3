import { Type } from 'typebox';
import { listWebhooks as readWebhooks } from '../../service/webhooks/webhooks.ts';
import { toJsonContent } from '../answer.ts';
import { defineRead } from '../operation.ts';
import { REFUSALS } from '../schemas/answers.ts';
import { DocumentPath } from '../schemas/requests.ts';
import { WEBHOOK_EXAMPLE } from './examples.ts';
import { WEBHOOK_REQUIREMENTS, Webhook } from './schemas.ts';

export const listWebhooks = defineRead({
  id: 'listWebhooks',
  http: { method: 'GET', path: '/documents/{document}/webhooks' },
  requires: WEBHOOK_REQUIREMENTS,
  tag: 'Webhooks',
  summary: 'List the subscriptions of a document',
  description:
    'The caller’s own subscriptions. Editors also see subscriptions of other users, with only the host of the address.',
  params: DocumentPath,
  answers: { 200: Type.Object({ webhooks: Type.Array(Webhook) }), ...REFUSALS },
  example: { answer: { webhooks: [WEBHOOK_EXAMPLE] } },

  run: async ({ context, document }) => toJsonContent({ webhooks: await readWebhooks(context, document) }),
});
