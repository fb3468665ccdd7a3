import { createHmac } from 'node:crypto';

/** What signs a delivery. Each is a whole secret, `whsec_…`. */
export interface SigningSecrets {
  readonly current: string;
  /** Those before, while the overlap of a rotation lasts; the newest first. */
  readonly previous: readonly string[];
}

const SECRET_PREFIX = 'whsec_';

/** The signed headers of one attempt (contract, Headers of the outgoing request; decisions §10.7). */
export function signedHeaders(
  body: Uint8Array,
  secrets: SigningSecrets,
  { deliveryId, at, event }: { readonly deliveryId: string; readonly at: number; readonly event: string },
): Readonly<Record<string, string>> {
  const { current, previous } = secrets;
  const seconds = Math.floor(at / 1000);
  const standard = (secret: string) => `v1,${standardSignature(body, secret, deliveryId, seconds)}`;
  return {
    'X-Service-Event': event,
    // Whoever checks this one takes the new secret last: the oldest that still counts.
    'X-Service-Signature': `sha256=${createHmac('sha256', previous.at(-1) ?? current)
      .update(body)
      .digest('hex')}`,
    'X-Service-Timestamp': new Date(at).toISOString(),
    'webhook-id': deliveryId,
    'webhook-timestamp': String(seconds),
    'webhook-signature': [current, ...previous].map(standard).join(' '),
  };
}

/** Standard Webhooks: over `id.timestamp.body`, keyed with the bytes that the secret's base64 part stands for. */
function standardSignature(body: Uint8Array, secret: string, id: string, seconds: number): string {
  const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
  return createHmac('sha256', key).update(`${id}.${seconds}.`).update(body).digest('base64');
}
