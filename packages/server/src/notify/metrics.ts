import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { Database } from '../store/database.ts';
import { queueState } from '../store/deliveries.ts';
import type { Clock } from './clock.ts';
import type { Outcome } from './outcome.ts';

/** Upper bounds of the buckets, in seconds. */
const BUCKETS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 30];
const MS_PER_SECOND = 1_000;

const CHANNELS = ['http', 'messenger'] as const;
const OUTCOMES = ['delivered', 'retry', 'refused', 'unknown'] as const satisfies readonly Outcome['kind'][];

/** Figures about notifications. */
export interface NotifyMetrics {
  readonly onAttempt: (channel: (typeof CHANNELS)[number], outcome: Outcome['kind'], ms: number) => void;
}

export function notifyMetrics(
  registry: Registry,
  database: Database,
  clock: Clock,
  inUse: () => number,
): NotifyMetrics {
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
  // A count that is there from the start, so that the first failure is a rise and not a new line.
  for (const channel of CHANNELS) for (const outcome of OUTCOMES) attempts.inc({ channel, outcome }, 0);
  const queue = sharedReading(() => database.readOne(queueState({})));
  new Gauge({
    name: 'cellwire_delivery_queue_depth',
    help: 'Deliveries on their way: due, under way, or waiting for their next attempt.',
    registers,
    async collect() {
      this.set((await queue())?.depth ?? 0);
    },
  });
  new Gauge({
    name: 'cellwire_delivery_oldest_waiting_seconds',
    help: 'How long the delivery that has been due for the longest time has been waiting; 0 while none is late.',
    registers,
    async collect() {
      const oldest = (await queue())?.oldest ?? null;
      this.set(oldest === null ? 0 : Math.max(0, clock.now() - oldest) / MS_PER_SECOND);
    },
  });
  new Gauge({
    name: 'cellwire_delivery_attempts_running',
    help: 'Attempts under way.',
    registers,
    collect() {
      this.set(inUse());
    },
  });
  return {
    onAttempt: (channel, outcome, ms) => {
      attempts.inc({ channel, outcome });
      durations.observe({ channel }, ms / MS_PER_SECOND);
    },
  };
}

/** Gauges are collected at the same time: those that ask together share one look into the store. */
function sharedReading<T>(read: () => Promise<T>): () => Promise<T> {
  let reading: Promise<T> | null = null;
  return () => {
    reading ??= read().finally(() => {
      reading = null;
    });
    return reading;
  };
}
