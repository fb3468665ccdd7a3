import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { DocumentAccess } from '../../access/access.ts';
import type { Needs } from '../../access/gate.ts';
import { MAX_WEBHOOK_URL_LENGTH } from '../../limits/limits.ts';
import {
  DEFAULT_DELIVERY_PAGE,
  DEFAULT_SECRET_OVERLAP_S,
  MAX_DELIVERY_PAGE,
  MAX_SECRET_OVERLAP_S,
} from '../../limits/notify.ts';
import { byRights } from '../../service/by-rights.ts';
import { listDeliveries, redeliver, sendTest, subscriptionOfDelivery } from '../../service/deliveries.ts';
import { STATES } from '../../service/delivery-state.ts';
import { changeWebhook, openSubscription, rotateSecret, type Subscription } from '../../service/manage-webhook.ts';
import type { Refusal } from '../../service/refusal.ts';
import { isRefusal, WEBHOOK_NOT_FOUND } from '../../service/refusal.ts';
import { ANSWERS, REFUSALS } from '../answers.ts';
import type { Api, App } from '../api.ts';
import { accessOf } from '../api.ts';
import { sendRefusal } from '../errors.ts';
import { answerOnce, idempotencyHook } from '../idempotency-hook.ts';
import { actingOf } from '../renew-access.ts';
import { body, count, DocumentPath, Events, Offset, optionalBody, query, segment, WebhookPath } from '../schemas.ts';

const MANAGES: Needs = { scope: 'sheets.webhooks' };
const DOCUMENT = '/documents/:document';
const WEBHOOK = `${DOCUMENT}/webhooks/:webhook`;
const TAGS = ['Webhooks'];
/** Characters of a time, with more places after the second than any clock gives. */
const MAX_TIME_LENGTH = 64;
const NUMBER = /^[0-9]{1,15}$/;

const State = Type.Unsafe<(typeof STATES)[number]>({ type: 'string', enum: [...STATES] });
const Time = Type.String({ format: 'date-time' });
const TimeOrNull = Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'date-time' });
const Count = Type.Integer({ minimum: 0 });

function time(meaning: string) {
  return Type.String({ maxLength: MAX_TIME_LENGTH, description: `A time, RFC 3339: ${meaning}` });
}

const DeliveriesQuery = query({
  state: Type.Optional(State),
  since: Type.Optional(time('made then or later.')),
  until: Type.Optional(time('made before it.')),
  revision: Type.Optional(count(0, 'Of notifications that cover this revision.')),
  offset: Type.Optional(Offset),
  limit: Type.Optional(count(1, `${DEFAULT_DELIVERY_PAGE} by default, capped at ${MAX_DELIVERY_PAGE}.`)),
});
const DeliveryPath = Type.Object({
  ...DocumentPath.properties,
  delivery: segment('The `deliveryId`.'),
});
const SecretBody = optionalBody({
  overlapSeconds: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: MAX_SECRET_OVERLAP_S,
      description: `How long the old secret signs, too: ${DEFAULT_SECRET_OVERLAP_S} by default; 0 for one that leaked.`,
    }),
  ),
});
const ChangeBody = body({
  active: Type.Optional(Type.Boolean()),
  url: Type.Optional(Type.String({ maxLength: MAX_WEBHOOK_URL_LENGTH })),
  events: Type.Optional(Events),
});

const Attempt = Type.Object(
  {
    attempt: Type.Integer(),
    startedAt: Time,
    durationMs: Count,
    outcome: Type.Unsafe<string>({ type: 'string', enum: ['delivered', 'retry', 'refused'] }),
    status: Type.Unsafe<number | null>({ type: ['integer', 'null'] }),
    error: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
    response: Type.String({ description: 'The beginning of the receiver’s answer.' }),
  },
  { title: 'Attempt' },
);
const Delivery = Type.Object(
  {
    deliveryId: Type.String({ format: 'uuid' }),
    webhook: Type.Integer(),
    test: Type.Boolean(),
    state: State,
    source: Type.String(),
    sourceToken: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
    requestId: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'Of the last request that it covers; sent as `X-Request-Id`.',
    }),
    revision: Type.Object({ from: Type.Integer(), to: Type.Integer() }),
    cellCount: Count,
    createdAt: Time,
    finishedAt: TimeOrNull,
    nextAttemptAt: TimeOrNull,
    attempts: Type.Array(Attempt),
  },
  { title: 'Delivery' },
);
const OneDelivery = Type.Object({ delivery: Delivery });
const OneWebhook = Type.Object({ webhook: ANSWERS.createdWebhook.properties.webhook });

/** What can be seen and done about a subscription and its deliveries, beyond the contract. */
export function deliveryRoutes(app: App, api: Api): void {
  changeWebhookRoute(app, api);
  rotateSecretRoute(app, api);
  testWebhookRoute(app, api);
  listDeliveriesRoute(app, api);
  redeliverRoute(app, api);
  redeliverByIdRoute(app, api);
}

function changeWebhookRoute(app: App, api: Api): void {
  app.patch(
    WEBHOOK,
    {
      ...keyedRoute(api),
      schema: {
        operationId: 'changeWebhook',
        summary: 'Change a subscription, or switch it off and on',
        tags: TAGS,
        params: WebhookPath,
        body: ChangeBody,
        response: { 200: OneWebhook, ...REFUSALS },
      },
    },
    async (request, reply) => {
      return answerOnce(api, request, reply, async () => {
        const webhook = await steer(api, request, request.params.webhook, (found, access) =>
          changeWebhook(api.context, found, request.body, access),
        );
        return isRefusal(webhook) ? webhook : { webhook };
      });
    },
  );
}

function rotateSecretRoute(app: App, api: Api): void {
  app.post(
    `${WEBHOOK}/secret`,
    {
      ...keyedRoute(api),
      schema: {
        operationId: 'rotateWebhookSecret',
        summary: 'Replace the signing secret',
        tags: TAGS,
        params: WebhookPath,
        body: SecretBody,
        response: {
          200: Type.Object({ secret: Type.String({ description: 'Shown this once.' }), overlapEndsAt: TimeOrNull }),
          ...REFUSALS,
        },
      },
    },
    async (request, reply) => {
      return answerOnce(api, request, reply, () =>
        steer(api, request, request.params.webhook, (found, access) =>
          rotateSecret(api.context, found, request.body?.overlapSeconds, access),
        ),
      );
    },
  );
}

function testWebhookRoute(app: App, api: Api): void {
  app.post(
    `${WEBHOOK}/test`,
    {
      ...keyedRoute(api),
      schema: {
        operationId: 'testWebhook',
        summary: 'Send a notification without cells, marked `test`',
        tags: TAGS,
        params: WebhookPath,
        response: { 200: OneDelivery, ...REFUSALS },
      },
    },
    async (request, reply) => {
      return answerDelivery(api, request, reply, request.params.webhook, (found, access) =>
        sendTest(api.context, found, access),
      );
    },
  );
}

function listDeliveriesRoute(app: App, api: Api): void {
  app.get(
    `${WEBHOOK}/deliveries`,
    {
      config: { needs: MANAGES },
      schema: {
        operationId: 'listDeliveries',
        summary: 'List the deliveries of a subscription, the newest first',
        tags: TAGS,
        params: WebhookPath,
        querystring: DeliveriesQuery,
        response: {
          200: Type.Object({
            deliveries: Type.Object({ entries: Type.Array(Delivery), total: Count, offset: Count, limit: Count }),
          }),
          ...REFUSALS,
        },
      },
    },
    async (request, reply) => {
      const found = await subscription(api, accessOf(request), request.params.webhook);
      if (isRefusal(found)) return sendRefusal(reply, found);
      const deliveries = await listDeliveries(api.context, found, request.query);
      return isRefusal(deliveries) ? sendRefusal(reply, deliveries) : reply.send({ deliveries });
    },
  );
}

function redeliverRoute(app: App, api: Api): void {
  app.post(
    `${WEBHOOK}/deliveries/:delivery/redeliver`,
    {
      ...keyedRoute(api),
      schema: {
        operationId: 'redeliver',
        summary: 'Send a delivery again, under its own id',
        tags: TAGS,
        params: Type.Object({ ...WebhookPath.properties, ...DeliveryPath.properties }),
        response: { 200: OneDelivery, ...REFUSALS },
      },
    },
    async (request, reply) => {
      const { webhook, delivery: id } = request.params;
      return answerDelivery(api, request, reply, webhook, (found, access) =>
        redeliver(api.context, found, id.toLowerCase(), access),
      );
    },
  );
}

function redeliverByIdRoute(app: App, api: Api): void {
  app.post(
    `${DOCUMENT}/deliveries/:delivery/redeliver`,
    {
      ...keyedRoute(api),
      schema: {
        operationId: 'redeliverById',
        summary: 'Send a delivery again, whichever subscription it is of',
        tags: TAGS,
        params: DeliveryPath,
        response: { 200: OneDelivery, ...REFUSALS },
      },
    },
    async (request, reply) => {
      const id = request.params.delivery.toLowerCase();
      const number = await subscriptionOfDelivery(api.context, accessOf(request).documentId, id);
      if (isRefusal(number)) return sendRefusal(reply, number);
      return answerDelivery(api, request, reply, String(number), (found, access) =>
        redeliver(api.context, found, id, access),
      );
    },
  );
}

/** Answers with the delivery that something done with a subscription made or sent again. */
function answerDelivery(
  api: Api,
  request: FastifyRequest,
  reply: FastifyReply,
  number: string,
  act: (found: Subscription, access: DocumentAccess) => Promise<object | Refusal>,
): Promise<FastifyReply> {
  return answerOnce(api, request, reply, async () => {
    const delivery = await steer(api, request, number, act);
    return isRefusal(delivery) ? delivery : { delivery };
  });
}

function keyedRoute(api: Api) {
  return { config: { needs: MANAGES, keyed: true }, preValidation: idempotencyHook(api) };
}

/** Does something with a subscription that the caller may steer, by the rights of the moment of the commit. */
function steer<T>(
  api: Api,
  request: FastifyRequest,
  number: string,
  act: (found: Subscription, access: DocumentAccess) => Promise<T | Refusal>,
): Promise<T | Refusal> {
  return byRights(actingOf(api, request), async (access) => {
    const found = await subscription(api, access, number);
    return isRefusal(found) ? found : act(found, access);
  });
}

async function subscription({ context }: Api, access: DocumentAccess, number: string): Promise<Subscription | Refusal> {
  return NUMBER.test(number) ? openSubscription(context, access, Number(number)) : WEBHOOK_NOT_FOUND;
}
