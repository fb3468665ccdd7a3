import { type Static, Type } from 'typebox';
import { MAX_BOT_TOKEN_LENGTH, MAX_CHAT_ID_LENGTH, MAX_WEBHOOK_URL_LENGTH } from '../../limits/requests.ts';
import { invalidRequest, isRefusal, type Refusal } from '../../service/refusal.ts';
import { type NewWebhook, createWebhook as subscribe } from '../../service/webhooks/webhooks.ts';
import { toDocumentAction } from '../call.ts';
import { defineChange } from '../operation.ts';
import { REFUSALS } from '../schemas/answers.ts';
import { DocumentPath, defineBody, defineChoice, WATCH } from '../schemas/requests.ts';
import { SECRET_EXAMPLE, WEBHOOK_EXAMPLE } from './examples.ts';
import { Events, Webhook } from './schemas.ts';

const WebhookBody = defineBody({
  channel: Type.Optional(defineChoice(['http', 'messenger'], '`http` by default.')),
  url: Type.Optional(Type.String({ maxLength: MAX_WEBHOOK_URL_LENGTH, description: 'For channel `http`.' })),
  botToken: Type.Optional(
    Type.String({ minLength: 1, maxLength: MAX_BOT_TOKEN_LENGTH, description: 'For channel `messenger`.' }),
  ),
  chatId: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: MAX_CHAT_ID_LENGTH,
      description: 'For channel `messenger`; the id of a group begins with `-`.',
    }),
  ),
  events: Type.Optional(Events),
  ...WATCH,
});

const SECRET_DESCRIPTION =
  'For channel `http`. Shown only once; a repetition with the same `Idempotency-Key` gets it again.';

export const createWebhook = defineChange({
  id: 'createWebhook',
  isKeyed: true,
  http: { method: 'POST', path: '/documents/{document}/webhooks' },
  requires: { scope: 'sheets.webhooks', feature: 'webhooks' },
  tag: 'Webhooks',
  summary: 'Subscribe to the changes of a document',
  description:
    'Edits close in time are combined into one notification. It is signed with the secret; a messenger has none. See docs/receive-notifications.md.',
  params: DocumentPath,
  body: WebhookBody,
  answers: {
    200: Type.Object({ webhook: Webhook, secret: Type.Optional(Type.String({ description: SECRET_DESCRIPTION })) }),
    ...REFUSALS,
  },
  example: {
    request: { url: 'https://example.com/hooks/orders' },
    answer: { webhook: WEBHOOK_EXAMPLE, secret: SECRET_EXAMPLE },
  },

  async run(call, input) {
    const parsed = parseWebhook(input);
    if (isRefusal(parsed)) return parsed;
    return subscribe(call.context, toDocumentAction(call), parsed);
  },
});

/** Members that only one channel has. */
const CHANNEL_MEMBERS = { http: ['url'], messenger: ['botToken', 'chatId'] } as const;

/** Checks the members that each channel requires, which the schema cannot express. */
function parseWebhook(body: Static<typeof WebhookBody>): NewWebhook | Refusal {
  const { channel = 'http', events = ['document.updated'], range, key = [], url, botToken, chatId } = body;
  if (range === undefined && key.length > 0) return createRequiredRefusal('range');
  const content = { events: [...new Set(events)], watch: range === undefined ? null : { range, key } };
  const other = channel === 'http' ? 'messenger' : 'http';
  const unused = CHANNEL_MEMBERS[other].find((name) => body[name] !== undefined);
  if (unused !== undefined) return invalidRequest(unused, `${unused} is for channel ${other}`);
  if (channel === 'http') return url === undefined ? createRequiredRefusal('url') : { ...content, channel, url };
  if (botToken === undefined) return createRequiredRefusal('botToken');
  if (chatId === undefined) return createRequiredRefusal('chatId');
  return { ...content, channel, botToken, chatId };
}

function createRequiredRefusal(field: string): Refusal {
  return invalidRequest(field, `${field} is required`);
}
