const AT = '2026-11-20T23:11:24.382Z';

export const WEBHOOK_EXAMPLE = {
  id: 1,
  channel: 'http',
  events: ['document.updated'],
  active: true,
  createdAt: AT,
  url: 'https://example.com/hooks/orders',
  token: 'import',
};

/** A delivery that reached its receiver. */
export const DELIVERY_EXAMPLE = {
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

export const SECRET_EXAMPLE = 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=';

/** Last sentence of the descriptions of operations that only the creator and the owner may use. */
export const WEBHOOK_USERS = 'Only for the creator of the subscription and the owner of the document.';
