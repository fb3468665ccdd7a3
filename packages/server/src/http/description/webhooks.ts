import type { Words } from './words.ts';

const AT = '2026-11-20T23:11:24.382Z';
const WEBHOOK = {
  id: 1,
  channel: 'http',
  events: ['document.updated'],
  active: true,
  createdAt: AT,
  url: 'https://example.com/hooks/orders',
  token: 'import',
};
const DELIVERY = {
  deliveryId: '0a9f6e1c-5b0e-4f0a-8a53-6f1b7e0a2c11',
  webhook: 1,
  test: false,
  state: 'delivered',
  source: 'api',
  sourceToken: 'import',
  requestId: '7e0b1f9c-2f4e-4f0e-9d2a-0d4f6f0c5b11',
  revision: { from: 41, to: 42 },
  cellCount: 3,
  createdAt: AT,
  finishedAt: AT,
  nextAttemptAt: null,
  attempts: [
    { attempt: 1, startedAt: AT, durationMs: 31, outcome: 'delivered', status: 200, error: null, response: 'ok' },
  ],
};
const FOR_WHOM = 'For the subscription’s creator and the document’s owner.';

/** Subscriptions and their deliveries. */
export const WEBHOOK_WORDS: Words = {
  listWebhooks: {
    description: 'One’s own; editors see others’, too, with the host of the address alone.',
    answer: { webhooks: [WEBHOOK] },
  },
  createWebhook: {
    description:
      'Edits close in time come as one notification, signed with the secret that is shown this once. See docs/receive-notifications.md.',
    request: { url: 'https://example.com/hooks/orders' },
    answer: { webhook: WEBHOOK, secret: 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=' },
  },
  deleteWebhook: { description: 'Nothing more is sent, not even what waits.', answer: { success: true } },
  changeWebhook: {
    description: `Switched on again it hears of what comes from then on. ${FOR_WHOM}`,
    request: { active: false },
    answer: { webhook: { ...WEBHOOK, active: false } },
  },
  rotateWebhookSecret: {
    description: `For the overlap the old secret signs, too. ${FOR_WHOM}`,
    request: { overlapSeconds: 86_400 },
    answer: { secret: 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=', overlapEndsAt: '2026-11-21T23:11:24.382Z' },
  },
  testWebhook: {
    description: `Sends a notification that is marked as a test. ${FOR_WHOM}`,
    answer: { delivery: { ...DELIVERY, test: true, state: 'waiting', finishedAt: null, attempts: [] } },
  },
  listDeliveries: {
    description: `The newest first, with what the receiver answered; finished ones are kept for 7 days. ${FOR_WHOM}`,
    answer: { deliveries: { entries: [DELIVERY], total: 1, offset: 0, limit: 50 } },
  },
  redeliver: {
    description: `The same cells and revisions, with the values of now. ${FOR_WHOM}`,
    answer: { delivery: { ...DELIVERY, state: 'waiting', finishedAt: null } },
  },
  redeliverById: {
    description: `As above, by the delivery’s id alone. ${FOR_WHOM}`,
    answer: { delivery: { ...DELIVERY, state: 'waiting', finishedAt: null } },
  },
};
