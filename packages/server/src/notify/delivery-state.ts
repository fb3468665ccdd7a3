import { MAX_ATTEMPTS, MAX_RETRY_AFTER_MS } from '../limits/notify.ts';

/**
 * The states of a delivery; the database row is the state. `attempts` counts attempts with a known outcome, `round`
 * those since the delivery was made or asked for again. Times are milliseconds since 1970-01-01 UTC.
 */
export type Delivery =
  | {
      readonly state: 'waiting';
      readonly attempts: number;
      readonly round: number;
      /** When it is due, and when that was decided: the wait is their difference, also where a clock was wrong. */
      readonly dueAt: number;
      readonly setAt: number;
    }
  | {
      readonly state: 'sending';
      readonly attempts: number;
      readonly round: number;
      /** Names who sends it; an answer under another name comes too late. */
      readonly claim: string;
      readonly since: number;
    }
  | { readonly state: FinalState; readonly attempts: number; readonly round: number; readonly at: number };

type FinalState = 'delivered' | 'refused' | 'exhausted' | 'cancelled';
export type DeliveryStateName = Delivery['state'];
export const DELIVERY_STATES = ['waiting', 'sending', 'delivered', 'refused', 'exhausted', 'cancelled'] as const;

/** What can happen to a delivery. */
export type DeliveryEvent =
  /** A sender takes it. */
  | { readonly kind: 'claim'; readonly claim: string }
  | { readonly kind: 'succeed'; readonly claim: string }
  /** `retryAfterMs`: what the receiver asked for; `chance`: 0 to 1, what the jitter makes of it. */
  | { readonly kind: 'fail'; readonly claim: string; readonly retryAfterMs: number; readonly chance: number }
  | { readonly kind: 'refuse'; readonly claim: string }
  /**
   * The claim has been held for longer than an attempt can take, or its sender gives it back: whether the receiver got
   * it is not known. No clock's opinion counts here: who says so has seen this very claim for the whole time.
   */
  | { readonly kind: 'lapse'; readonly claim: string }
  /** The subscription is not active, or gone. */
  | { readonly kind: 'cancel' }
  /** Somebody asks for it (again) now. */
  | { readonly kind: 'redeliver' };
export type DeliveryEventName = DeliveryEvent['kind'];
export const DELIVERY_EVENTS = ['claim', 'succeed', 'fail', 'refuse', 'lapse', 'cancel', 'redeliver'] as const;

export interface RetrySettings {
  readonly retryDelaysMs: readonly number[];
  readonly retryJitter: number;
}

type DeliveryIn<S extends DeliveryStateName> = Extract<Delivery, { readonly state: S }>;
type EventOf<E extends DeliveryEventName> = Extract<DeliveryEvent, { readonly kind: E }>;
/** The next state; null: the event means nothing in this state and nothing happens. */
type Transition<S extends DeliveryStateName, E extends DeliveryEventName> = (
  delivery: DeliveryIn<S>,
  event: EventOf<E>,
  now: number,
  settings: RetrySettings,
) => Delivery | null;
/** One entry for each state and event: one that is missing does not compile. */
type TransitionTable = { readonly [S in DeliveryStateName]: { readonly [E in DeliveryEventName]: Transition<S, E> } };

const ignore = (): null => null;

const FINAL_TRANSITIONS = {
  claim: ignore,
  succeed: ignore,
  fail: ignore,
  refuse: ignore,
  lapse: ignore,
  cancel: ignore,
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
    succeed: ignore,
    fail: ignore,
    refuse: ignore,
    lapse: ignore,
    cancel: ({ attempts, round }, _, now) => ({ state: 'cancelled', attempts, round, at: now }),
    redeliver: (delivery, _, now) => ({ ...delivery, dueAt: now, setAt: now }),
  },
  sending: {
    claim: ignore,
    succeed: (delivery, { claim }, now) => endDelivery(delivery, claim, 'delivered', now),
    fail: (delivery, { claim, retryAfterMs, chance }, now, settings) => {
      const { attempts, round } = delivery;
      if (round + 1 >= MAX_ATTEMPTS) return endDelivery(delivery, claim, 'exhausted', now);
      if (claim !== delivery.claim) return null;
      const dueAt = now + retryDelay(round, retryAfterMs, chance, settings);
      return { state: 'waiting', attempts: attempts + 1, round: round + 1, dueAt, setAt: now };
    },
    refuse: (delivery, { claim }, now) => endDelivery(delivery, claim, 'refused', now),
    lapse: ({ attempts, round, claim }, event, now) =>
      event.claim === claim ? { state: 'waiting', attempts, round, dueAt: now, setAt: now } : null,
    cancel: ignore,
    redeliver: ignore,
  },
  delivered: FINAL_TRANSITIONS,
  refused: FINAL_TRANSITIONS,
  exhausted: FINAL_TRANSITIONS,
  cancelled: FINAL_TRANSITIONS,
};

/** What an event makes of a delivery; null where it changes nothing. */
export function reduce(
  delivery: Delivery,
  event: DeliveryEvent,
  now: number,
  settings: RetrySettings,
): Delivery | null {
  const transition = TRANSITIONS[delivery.state][event.kind] as Transition<DeliveryStateName, DeliveryEventName>;
  return transition(delivery, event, now, settings);
}

function endDelivery(delivery: DeliveryIn<'sending'>, claim: string, state: FinalState, now: number): Delivery | null {
  if (claim !== delivery.claim) return null;
  return { state, attempts: delivery.attempts + 1, round: delivery.round + 1, at: now };
}

/** The wait after the attempt number `round` (0, 1, …) of a round, in milliseconds (decisions §10.2). */
function retryDelay(round: number, retryAfterMs: number, chance: number, settings: RetrySettings): number {
  const { retryDelaysMs, retryJitter } = settings;
  const base = retryDelaysMs[round] ?? retryDelaysMs.at(-1) ?? 0;
  const jittered = Math.round(base * (1 + retryJitter * (2 * chance - 1)));
  return Math.max(jittered, Math.min(retryAfterMs, MAX_RETRY_AFTER_MS));
}
