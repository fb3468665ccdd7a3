import { CONSUMPTION_HALF_LIFE_MS, MAX_METERED_USERS } from './limits.ts';

/** A user's id, the network address of an anonymous caller, or null for the service itself. */
export type Consumer = number | string | null;

interface ConsumptionReading {
  readonly ms: number;
  /** Time of the reading by the clock of `performance.now()`, in milliseconds. */
  readonly at: number;
}

/**
 * Measures the recent processor time of each user, in milliseconds. It decays exponentially: it halves every
 * `CONSUMPTION_HALF_LIFE_MS`.
 */
export class ConsumptionMeter {
  private readonly readings = new Map<Consumer, ConsumptionReading>();

  /** Adds used time, in milliseconds, to the user's consumption. */
  add(user: Consumer, ms: number): void {
    const now = performance.now();
    const total = this.readConsumption(user, now) + Math.max(0, ms);
    // Inserting the entry again keeps the map in order of last use. The first key is the user who has been idle the
    // longest.
    this.readings.delete(user);
    this.readings.set(user, { ms: total, at: now });
    if (this.readings.size <= MAX_METERED_USERS) return;
    for (const oldest of this.readings.keys()) {
      this.readings.delete(oldest);
      return;
    }
  }

  /** The recent processor time of a user in milliseconds; it halves after each half-life. */
  readConsumption(user: Consumer, now = performance.now()): number {
    const reading = this.readings.get(user);
    return reading === undefined ? 0 : reading.ms * 0.5 ** ((now - reading.at) / CONSUMPTION_HALF_LIFE_MS);
  }
}
