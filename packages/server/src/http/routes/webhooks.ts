import type { Needs } from '../../access/gate.ts';
import { byRights } from '../../service/by-rights.ts';
import type { Refusal } from '../../service/refusal.ts';
import { invalidRequest, isRefusal, WEBHOOK_NOT_FOUND } from '../../service/refusal.ts';
import type { NewWebhook } from '../../service/webhooks.ts';
import { createWebhook, deleteWebhook, listWebhooks } from '../../service/webhooks.ts';
import { ANSWERS, REFUSALS } from '../answers.ts';
import type { Api, App } from '../api.ts';
import { accessOf } from '../api.ts';
import { sendRefusal } from '../errors.ts';
import { answerOnce, idempotencyHook } from '../idempotency-hook.ts';
import { actingOf } from '../renew-access.ts';
import { DocumentPath, WebhookBody, WebhookPath } from '../schemas.ts';

const MANAGES: Needs = { scope: 'sheets.webhooks' };
const CREATES: Needs = { scope: 'sheets.webhooks', feature: 'webhooks' };
const WEBHOOKS = '/documents/:document/webhooks';
const TAGS = ['Webhooks'];
const NUMBER = /^[0-9]{1,15}$/;

export function webhookRoutes(app: App, api: Api): void {
  listWebhooksRoute(app, api);
  createWebhookRoute(app, api);
  deleteWebhookRoute(app, api);
}

function listWebhooksRoute(app: App, api: Api): void {
  app.get(
    WEBHOOKS,
    {
      config: { needs: MANAGES },
      schema: {
        operationId: 'listWebhooks',
        summary: 'List the subscriptions of a document',
        tags: TAGS,
        params: DocumentPath,
        response: { 200: ANSWERS.webhooks, ...REFUSALS },
      },
    },
    async (request, reply) => reply.send({ webhooks: await listWebhooks(api.context, accessOf(request)) }),
  );
}

function createWebhookRoute(app: App, api: Api): void {
  app.post(
    WEBHOOKS,
    {
      ...keyedRoute(api, CREATES),
      schema: {
        operationId: 'createWebhook',
        summary: 'Subscribe to the changes of a document',
        tags: TAGS,
        params: DocumentPath,
        body: WebhookBody,
        response: { 200: ANSWERS.createdWebhook, ...REFUSALS },
      },
    },
    async (request, reply) => {
      const wanted = newWebhook(request.body);
      if (isRefusal(wanted)) return sendRefusal(reply, wanted);
      const acting = actingOf(api, request);
      return answerOnce(api, request, reply, () =>
        byRights(acting, (access) => createWebhook(api.context, access, wanted)),
      );
    },
  );
}

function deleteWebhookRoute(app: App, api: Api): void {
  app.delete(
    `${WEBHOOKS}/:webhook`,
    {
      ...keyedRoute(api, MANAGES),
      schema: {
        operationId: 'deleteWebhook',
        summary: 'End a subscription',
        tags: TAGS,
        params: WebhookPath,
        response: { 200: ANSWERS.success, ...REFUSALS },
      },
    },
    async (request, reply) => {
      const { webhook } = request.params;
      if (!NUMBER.test(webhook)) return sendRefusal(reply, WEBHOOK_NOT_FOUND);
      const acting = actingOf(api, request);
      return answerOnce(api, request, reply, async () => {
        const refusal = await byRights(acting, (access) => deleteWebhook(api.context, access, Number(webhook)));
        return refusal ?? { success: true };
      });
    },
  );
}

function keyedRoute(api: Api, needs: Needs) {
  return { config: { needs, keyed: true }, preValidation: idempotencyHook(api) };
}

/** What each channel needs; the schema alone can not say it. */
function newWebhook(body: WebhookBody): NewWebhook | Refusal {
  const { channel = 'http', events = ['document.updated'], range, key = [], url, botToken, chatId } = body;
  if (range === undefined && key.length > 0) return required('range');
  const told = { events: [...new Set(events)], watch: range === undefined ? null : { range, key } };
  if (channel === 'http') return url === undefined ? required('url') : { ...told, channel, url };
  if (botToken === undefined) return required('botToken');
  if (chatId === undefined) return required('chatId');
  return { ...told, channel, botToken, chatId };
}

function required(field: string): Refusal {
  return invalidRequest(field, `${field} is required`);
}
