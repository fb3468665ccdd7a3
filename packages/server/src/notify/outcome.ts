/** The result of sending to a receiver. */
export type ReceiverAnswer =
  | {
      readonly kind: 'status';
      readonly status: number;
      /** The text of the `Retry-After` header; null: there is none. */
      readonly retryAfter: string | null;
      /** The beginning of the response's body. */
      readonly text: string;
    }
  /** No complete response: a time-out, or an error of the network, DNS or TLS. */
  | { readonly kind: 'failed'; readonly error: string }
  /** The address is not allowed, so nothing was sent. */
  | { readonly kind: 'blocked'; readonly error: string }
  /** This process is shutting down. */
  | { readonly kind: 'aborted' };

/** The consequence for the delivery (docs/deliveries.md). */
export type DeliveryOutcome =
  | { readonly kind: 'delivered' }
  | { readonly kind: 'retry'; readonly afterMs: number }
  /** `gone`: the receiver wants no more deliveries. */
  | { readonly kind: 'refused'; readonly gone: boolean }
  | { readonly kind: 'unknown' };

const REQUEST_TIMEOUT = 408;
const TOO_MANY_REQUESTS = 429;
const GONE = 410;

/** Whether a delivery succeeded, must be repeated or has failed for good; `unknown` if the attempt was aborted. */
export function toDeliveryOutcome(answer: ReceiverAnswer, now: number): DeliveryOutcome {
  switch (answer.kind) {
    case 'failed':
      return { kind: 'retry', afterMs: 0 };
    case 'blocked':
      return { kind: 'refused', gone: false };
    case 'aborted':
      return { kind: 'unknown' };
    case 'status':
      return toStatusOutcome(answer.status, parseRetryAfterMs(answer.retryAfter, now));
  }
}

/** What an HTTP status of the receiver means. `afterMs` is the delay that the receiver asks for before a retry. */
function toStatusOutcome(status: number, afterMs: number): DeliveryOutcome {
  if (status >= 200 && status < 300) return { kind: 'delivered' };
  if (status >= 500 || status === REQUEST_TIMEOUT || status === TOO_MANY_REQUESTS) return { kind: 'retry', afterMs };
  return { kind: 'refused', gone: status === GONE };
}

const SECONDS = /^[0-9]+$/;
/** The three date formats of RFC 9110 §5.6.7. The oldest one has no time zone and means GMT. */
const HTTP_DATE = /^[A-Za-z]{3,9},? [A-Za-z0-9: -]{10,40}$/;
const WITH_ZONE = /(?:GMT|UTC)$/;

/** The delay of a `Retry-After` header (seconds or an HTTP date), in milliseconds; 0: it is absent or invalid. */
export function parseRetryAfterMs(header: string | null, now: number): number {
  const text = header?.trim() ?? '';
  if (SECONDS.test(text)) return Number(text) * 1000;
  if (!HTTP_DATE.test(text)) return 0;
  const date = Date.parse(WITH_ZONE.test(text) ? text : `${text} GMT`);
  return Number.isNaN(date) ? 0 : Math.max(0, date - now);
}
