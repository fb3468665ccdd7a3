import { CONSUMPTION_HALF_LIFE_MS, MAX_METERED_USERS } from './limits.ts';

/** Who consumes: a user, the network address of somebody who is not signed in; null: the service itself. */
export type Consumer = number | string | null;

interface ConsumptionReading {
  readonly ms: number;
  /** Of the steady clock, in milliseconds. */
  readonly at: number;
}

/**
 * Processor time that each user has consumed lately, in milliseconds. What was consumed counts for half after every
 * `CONSUMPTION_HALF_LIFE_MS`.
 */
export class ConsumptionMeter {
  private readonly readings = new Map<Consumer, ConsumptionReading>();

  add(user: Consumer, ms: number): void {
    const now = performance.now();
    const total = this.of(user, now) + Math.max(0, ms);
    // The map is in the order of the last entry, so the users who were idle the longest come first.
    this.readings.delete(user);
    this.readings.set(user, { ms: total, at: now });
    if (this.readings.size <= MAX_METERED_USERS) return;
    for (const oldest of this.readings.keys()) {
      this.readings.delete(oldest);
      return;
    }
  }

  of(user: Consumer, now = performance.now()): number {
    const reading = this.readings.get(user);
    return reading === undefined ? 0 : reading.ms * 0.5 ** ((now - reading.at) / CONSUMPTION_HALF_LIFE_MS);
  }
}
