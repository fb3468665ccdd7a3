import { Type } from 'typebox';
import type { AccessRequirements } from '../../access/gate.ts';
import { MAX_MEMBERS } from '../../limits/requests.ts';
import { DELIVERY_STATES } from '../../notify/delivery-state.ts';
import { Count, Time } from '../schemas/answers.ts';
import { DocumentPath, defineChoice, definePathSegment } from '../schemas/requests.ts';

/** Requirements for operations on an existing subscription. */
export const WEBHOOK_REQUIREMENTS: AccessRequirements = { scope: 'sheets.webhooks' };

export const WebhookPath = Type.Object({
  ...DocumentPath.properties,
  webhook: definePathSegment('Number of a subscription.'),
});
export const DeliveryId = definePathSegment('The `deliveryId`.');

const EVENTS = ['document.updated', 'proposal.opened', 'proposal.decided'] as const;

/** A name may be repeated; the length of the list is bounded. */
export const Events = Type.Array(defineChoice(EVENTS, 'Changes, and proposals that are opened or decided.'), {
  minItems: 1,
  maxItems: MAX_MEMBERS,
});

export const Webhook = Type.Object(
  {
    id: Type.Integer(),
    channel: Type.Unsafe<string>({ type: 'string', enum: ['http', 'messenger'] }),
    events: Type.Array(Type.String()),
    active: Type.Boolean(),
    createdAt: Time,
    url: Type.Optional(Type.String()),
    token: Type.String(),
    chatId: Type.Optional(Type.String()),
    range: Type.Optional(Type.String({ description: 'Only changes of these cells are notified.' })),
    key: Type.Optional(Type.Array(Type.String(), { description: 'Columns that identify the records.' })),
  },
  { title: 'Webhook' },
);

export const State = Type.Unsafe<(typeof DELIVERY_STATES)[number]>({ type: 'string', enum: [...DELIVERY_STATES] });
export const TimeOrNull = Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'date-time' });

const Attempt = Type.Object(
  {
    attempt: Type.Integer(),
    startedAt: Time,
    durationMs: Count,
    outcome: Type.Unsafe<string>({ type: 'string', enum: ['delivered', 'retry', 'refused'] }),
    status: Type.Unsafe<number | null>({ type: ['integer', 'null'] }),
    error: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
    response: Type.String({ description: 'The beginning of the receiver’s response.' }),
  },
  { title: 'Attempt' },
);
export const Delivery = Type.Object(
  {
    deliveryId: Type.String({ format: 'uuid' }),
    webhook: Type.Integer(),
    test: Type.Boolean(),
    state: State,
    source: Type.String(),
    sourceToken: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
    requestId: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'Id of the last request that it covers; sent as `X-Request-Id`.',
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
export const DeliveryAnswer = Type.Object({ delivery: Delivery });
