import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { Database } from '../store/database.ts';
import { queueState } from '../store/deliveries.ts';
import type { Clock } from './clock.ts';
import type { Outcome } from './outcome.ts';

/** Upper bounds of the buckets, in seconds. */
const BUCKETS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 30];
const MS_PER_SECOND = 1_000;

/** Figures about notifications. */
export interface NotifyMetrics {
  readonly onAttempt: (channel: 'http' | 'messenger', outcome: Outcome['kind'], ms: number) => void;
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
    help: 'Attempts to deliver a notification.',
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
  const depth = new Gauge({ name: 'cellwire_delivery_queue_depth', help: 'Deliveries on their way.', registers });
  new Gauge({
    name: 'cellwire_delivery_oldest_waiting_seconds',
    help: 'How long the delivery that has been due for the longest time has been waiting.',
    registers,
    async collect() {
      const state = await database.readOne(queueState({}));
      const late = state?.oldest == null ? 0 : Math.max(0, clock.now() - state.oldest);
      this.set(late / MS_PER_SECOND);
      depth.set(state?.depth ?? 0);
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
