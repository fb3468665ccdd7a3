import type { Database } from '@cellwire/store';
import { deliveryQueueState } from '@cellwire/store/webhooks';
import { Counter, Histogram, type Registry } from 'prom-client';
import type { Clock } from './clock.ts';
import type { DeliveryOutcome } from './outcome.ts';

/** Upper bounds of the buckets, in seconds. */
const ATTEMPT_BUCKETS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 30];
const MS_PER_SECOND = 1_000;

const CHANNELS = ['http', 'messenger'] as const;
const OUTCOMES = ['delivered', 'retry', 'refused', 'unknown'] as const satisfies readonly DeliveryOutcome['kind'][];

/** Final states after an attempt. Deliveries of an ended subscription are cancelled instead. */
const FINAL_STATES = ['delivered', 'refused', 'exhausted'] as const;

/** Counts attempts and ended deliveries. */
interface NotifyMetrics {
  readonly onAttempt: (channel: DeliveryChannel, outcome: DeliveryOutcome['kind'], ms: number) => void;
  readonly onFinal: (ended: EndedDelivery) => void;
}

type DeliveryChannel = (typeof CHANNELS)[number];

/** A delivery that is not attempted again automatically. */
export interface EndedDelivery {
  readonly channel: DeliveryChannel;
  readonly state: (typeof FINAL_STATES)[number];
  readonly document: string;
  readonly webhook: number;
  readonly delivery: string;
  readonly attempts: number;
  /** Result of the last attempt: an HTTP status, or the reason why there was no response. */
  readonly reason: string;
}

/** Receives log lines about deliveries. */
export interface DeliveryLog {
  warn(fields: object, message: string): void;
}

export function createNotifyMetrics(registry: Registry, logger: DeliveryLog): NotifyMetrics {
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
    buckets: ATTEMPT_BUCKETS,
    registers,
  });
  const deliveries = new Counter({
    name: 'cellwire_deliveries_total',
    help: 'Deliveries that ended, by channel and outcome: refused and exhausted ones are given up.',
    labelNames: ['channel', 'outcome'],
    registers,
  });
  for (const channel of CHANNELS) for (const outcome of FINAL_STATES) deliveries.inc({ channel, outcome }, 0);
  // Counters exist from the start, so that the first failure shows as an increase.
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

/** The current state of the delivery queue. */
export interface DeliveryQueueMetrics {
  /** Deliveries that are due, being sent, or waiting for their next attempt. */
  readonly depth: number;
  /** How long the oldest due delivery has been due, in milliseconds; 0: none is due. */
  readonly lateMs: number;
  /** Number of running attempts. */
  readonly running: number;
}

export async function readQueueMetrics(
  database: Database,
  clock: Clock,
  running: number,
): Promise<DeliveryQueueMetrics> {
  const queue = await database.readOne(deliveryQueueState({}));
  const oldest = queue?.oldest ?? null;
  return {
    depth: queue?.depth ?? 0,
    lateMs: oldest === null ? 0 : Math.max(0, clock.now() - oldest),
    running,
  };
}
