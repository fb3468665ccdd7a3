import { createHmac } from 'node:crypto';

/** Secrets that sign a delivery, each in the form `whsec_…`. */
export interface SigningSecrets {
  readonly current: string;
  /** Earlier secrets whose rotation overlap has not ended, the newest first. */
  readonly previous: readonly string[];
}

const SECRET_PREFIX = 'whsec_';

/** Builds the signed headers of one attempt (docs/receive-notifications.md). */
export function buildSignedHeaders(
  body: Uint8Array,
  secrets: SigningSecrets,
  { deliveryId, at, event }: { readonly deliveryId: string; readonly at: number; readonly event: string },
): Readonly<Record<string, string>> {
  const { current, previous } = secrets;
  const seconds = Math.floor(at / 1000);
  const formatVersionedSignature = (secret: string) => `v1,${computeSignature(body, secret, deliveryId, seconds)}`;
  return {
    'X-Service-Event': event,
    // This header has one signature. Receivers that check it may still use the oldest valid secret.
    'X-Service-Signature': `sha256=${createHmac('sha256', previous.at(-1) ?? current)
      .update(body)
      .digest('hex')}`,
    'X-Service-Timestamp': new Date(at).toISOString(),
    'webhook-id': deliveryId,
    'webhook-timestamp': String(seconds),
    'webhook-signature': [current, ...previous].map(formatVersionedSignature).join(' '),
  };
}

/**
 * Signature of Standard Webhooks: HMAC-SHA256 of `id.timestamp.body`. The key is the decoded base64 part of the secret.
 */
function computeSignature(body: Uint8Array, secret: string, id: string, seconds: number): string {
  const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
  return createHmac('sha256', key).update(`${id}.${seconds}.`).update(body).digest('base64');
}
