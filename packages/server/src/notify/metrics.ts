import type { Database } from '@cellwire/store';
import { deliveryQueueState } from '@cellwire/store/webhooks';
import { Counter, Histogram, type Registry } from 'prom-client';
import type { Clock } from './clock.ts';
import type { Outcome } from './outcome.ts';

/** Upper bounds of the buckets, in seconds. */
const BUCKETS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 30];
const MS_PER_SECOND = 1_000;

const CHANNELS = ['http', 'messenger'] as const;
const OUTCOMES = ['delivered', 'retry', 'refused', 'unknown'] as const satisfies readonly Outcome['kind'][];

/** States in which an attempt ends a delivery. Deliveries of an ended subscription are cancelled instead. */
const ENDS = ['delivered', 'refused', 'exhausted'] as const;

/** Figures about what was done. */
interface NotifyMetrics {
  readonly onAttempt: (channel: Channel, outcome: Outcome['kind'], ms: number) => void;
  readonly onFinal: (ended: EndedDelivery) => void;
}

type Channel = (typeof CHANNELS)[number];

/** A delivery that will not be tried again by itself. */
export interface EndedDelivery {
  readonly channel: Channel;
  readonly state: (typeof ENDS)[number];
  readonly document: string;
  readonly webhook: number;
  readonly delivery: string;
  readonly attempts: number;
  /** Outcome of the last attempt: a status, or why there was no answer. */
  readonly reason: string;
}

/** Takes a line of the log. */
export interface DeliveryLog {
  warn(fields: object, message: string): void;
}

export function notifyMetrics(registry: Registry, logger: DeliveryLog): NotifyMetrics {
  const registers = [registry];
  const attempts = new Counter({
    name: 'cellwire_delivery_attempts_total',
    help: 'Attempts to deliver a notification, by channel and outcome.',
    labelNames: ['channel', 'outcome'],
    registers,
  });
  const durations = new Histogram({
    name: 'cellwire_delivery_attempt_duration_seconds',
    help: 'Time from the beginning of an attempt to its outcome.',
    labelNames: ['channel'],
    buckets: BUCKETS,
    registers,
  });
  const deliveries = new Counter({
    name: 'cellwire_deliveries_total',
    help: 'Deliveries that ended, by channel and outcome: refused and exhausted ones are given up.',
    labelNames: ['channel', 'outcome'],
    registers,
  });
  for (const channel of CHANNELS) for (const outcome of ENDS) deliveries.inc({ channel, outcome }, 0);
  // A count that is there from the start, so that the first failure is a rise and not a new line.
  for (const channel of CHANNELS) for (const outcome of OUTCOMES) attempts.inc({ channel, outcome }, 0);
  return {
    onAttempt: (channel, outcome, ms) => {
      attempts.inc({ channel, outcome });
      durations.observe({ channel }, ms / MS_PER_SECOND);
    },
    onFinal: ({ channel, state: outcome, ...fields }) => {
      deliveries.inc({ channel, outcome });
      if (outcome !== 'delivered') logger.warn({ channel, outcome, ...fields }, 'delivery given up');
    },
  };
}

/** What is on its way at this moment. */
export interface NotifierFigures {
  /** Deliveries that are due, under way, or wait for their next attempt. */
  readonly depth: number;
  /** For how long the delivery has been due that has been for the longest, in milliseconds; 0 while none is. */
  readonly lateMs: number;
  /** Attempts under way. */
  readonly running: number;
}

export async function notifierFigures(database: Database, clock: Clock, running: number): Promise<NotifierFigures> {
  const queue = await database.readOne(deliveryQueueState({}));
  const oldest = queue?.oldest ?? null;
  return {
    depth: queue?.depth ?? 0,
    lateMs: oldest === null ? 0 : Math.max(0, clock.now() - oldest),
    running,
  };
}
