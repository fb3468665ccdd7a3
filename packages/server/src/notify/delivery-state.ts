import { MAX_ATTEMPTS, MAX_RETRY_AFTER_MS } from '../limits/notify.ts';

/**
 * State of a delivery, stored in its database row. `attempts` counts all attempts with a known outcome, `round` the
 * attempts since the delivery was created or last redelivered. Times are milliseconds since 1970-01-01 UTC.
 */
export type Delivery =
  | {
      readonly state: 'waiting';
      readonly attempts: number;
      readonly round: number;
      /**
       * When the next attempt is due, and when this was decided. The difference is the wait, even if a clock was wrong.
       */
      readonly dueAt: number;
      readonly setAt: number;
    }
  | {
      readonly state: 'sending';
      readonly attempts: number;
      readonly round: number;
      /** Name of the sender's claim. Results of another claim are ignored. */
      readonly claim: string;
      readonly since: number;
    }
  | { readonly state: FinalState; readonly attempts: number; readonly round: number; readonly at: number };

type FinalState = 'delivered' | 'refused' | 'exhausted' | 'cancelled';
export type DeliveryStateName = Delivery['state'];
export const DELIVERY_STATES = ['waiting', 'sending', 'delivered', 'refused', 'exhausted', 'cancelled'] as const;

/** An event of a delivery. */
export type DeliveryEvent =
  /** A sender claims it. */
  | { readonly kind: 'claim'; readonly claim: string }
  | { readonly kind: 'succeed'; readonly claim: string }
  /** `retryAfterMs`: the receiver's `Retry-After`. `chance`: random number from 0 to 1 for the jitter. */
  | { readonly kind: 'fail'; readonly claim: string; readonly retryAfterMs: number; readonly chance: number }
  | { readonly kind: 'refuse'; readonly claim: string }
  /**
   * The claim was held longer than an attempt can take, or its sender released it. It is not known whether the receiver
   * got the delivery. The process that reports this has observed the claim for the whole time by its own monotonic
   * clock.
   */
  | { readonly kind: 'lapse'; readonly claim: string }
  /** The subscription is inactive or deleted. */
  | { readonly kind: 'cancel' }
  /** A user requests an immediate attempt. */
  | { readonly kind: 'redeliver' };
export type DeliveryEventName = DeliveryEvent['kind'];
export const DELIVERY_EVENTS = ['claim', 'succeed', 'fail', 'refuse', 'lapse', 'cancel', 'redeliver'] as const;

export interface RetrySettings {
  readonly retryDelaysMs: readonly number[];
  readonly retryJitter: number;
}

type DeliveryInState<S extends DeliveryStateName> = Extract<Delivery, { readonly state: S }>;
type DeliveryEventNamed<E extends DeliveryEventName> = Extract<DeliveryEvent, { readonly kind: E }>;
/** Computes the next state; null: the event is ignored in this state. */
type Transition<S extends DeliveryStateName, E extends DeliveryEventName> = (
  delivery: DeliveryInState<S>,
  event: DeliveryEventNamed<E>,
  now: number,
  settings: RetrySettings,
) => Delivery | null;
/** One entry for each state and event. A missing entry is a compile error. */
type TransitionTable = { readonly [S in DeliveryStateName]: { readonly [E in DeliveryEventName]: Transition<S, E> } };

/** For events that a state does not expect: null keeps the delivery as it is. */
const ignoreEvent = (): null => null;

const FINAL_TRANSITIONS = {
  claim: ignoreEvent,
  succeed: ignoreEvent,
  fail: ignoreEvent,
  refuse: ignoreEvent,
  lapse: ignoreEvent,
  cancel: ignoreEvent,
  redeliver: ({ attempts }: { readonly attempts: number }, _: unknown, now: number): Delivery => ({
    state: 'waiting',
    attempts,
    round: 0,
    dueAt: now,
    setAt: now,
  }),
} as const;

/** The table of `docs/deliveries.md`. */
const TRANSITIONS: TransitionTable = {
  waiting: {
    claim: ({ attempts, round, dueAt }, { claim }, now) =>
      now < dueAt ? null : { state: 'sending', attempts, round, claim, since: now },
    succeed: ignoreEvent,
    fail: ignoreEvent,
    refuse: ignoreEvent,
    lapse: ignoreEvent,
    cancel: ({ attempts, round }, _, now) => ({ state: 'cancelled', attempts, round, at: now }),
    redeliver: (delivery, _, now) => ({ ...delivery, dueAt: now, setAt: now }),
  },
  sending: {
    claim: ignoreEvent,
    succeed: (delivery, { claim }, now) => endDelivery(delivery, claim, 'delivered', now),
    fail: (delivery, { claim, retryAfterMs, chance }, now, settings) => {
      const { attempts, round } = delivery;
      if (round + 1 >= MAX_ATTEMPTS) return endDelivery(delivery, claim, 'exhausted', now);
      if (claim !== delivery.claim) return null;
      const dueAt = now + computeRetryDelay(round, retryAfterMs, chance, settings);
      return { state: 'waiting', attempts: attempts + 1, round: round + 1, dueAt, setAt: now };
    },
    refuse: (delivery, { claim }, now) => endDelivery(delivery, claim, 'refused', now),
    lapse: ({ attempts, round, claim }, event, now) =>
      event.claim === claim ? { state: 'waiting', attempts, round, dueAt: now, setAt: now } : null,
    cancel: ignoreEvent,
    redeliver: ignoreEvent,
  },
  delivered: FINAL_TRANSITIONS,
  refused: FINAL_TRANSITIONS,
  exhausted: FINAL_TRANSITIONS,
  cancelled: FINAL_TRANSITIONS,
};

/** The state of a delivery after an event; null: the event changes nothing. */
export function reduceDelivery(
  delivery: Delivery,
  event: DeliveryEvent,
  now: number,
  settings: RetrySettings,
): Delivery | null {
  const transition = TRANSITIONS[delivery.state][event.kind] as Transition<DeliveryStateName, DeliveryEventName>;
  return transition(delivery, event, now, settings);
}

/** The delivery in its final state; null if another claim holds it. */
function endDelivery(
  delivery: DeliveryInState<'sending'>,
  claim: string,
  state: FinalState,
  now: number,
): Delivery | null {
  if (claim !== delivery.claim) return null;
  return { state, attempts: delivery.attempts + 1, round: delivery.round + 1, at: now };
}

/** The wait after the attempt number `round` (0, 1, …) of a round, in milliseconds. */
function computeRetryDelay(round: number, retryAfterMs: number, chance: number, settings: RetrySettings): number {
  const { retryDelaysMs, retryJitter } = settings;
  const base = retryDelaysMs[round] ?? retryDelaysMs.at(-1) ?? 0;
  const jittered = Math.round(base * (1 + retryJitter * (2 * chance - 1)));
  return Math.max(jittered, Math.min(retryAfterMs, MAX_RETRY_AFTER_MS));
}
