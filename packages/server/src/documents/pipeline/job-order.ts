import type { ConsumptionMeter } from '@cellwire/event-loop';
import { HEAVY_WRITER_MS, MAX_EXAMINED_WRITES } from '../../limits/calculation.ts';

interface OrderedJob {
  readonly user: number | null;
}

/**
 * Index of the next write: normally the first one. If the first write's user has recently taken long in this document,
 * it is the first write of the user whose writes have taken the least time. Writes of one user keep their order.
 */
export function chooseNextJob(queue: readonly OrderedJob[], meter: ConsumptionMeter): number {
  const getConsumedTime = ({ user }: OrderedJob): number => {
    const ms = meter.readConsumption(user);
    return ms < HEAVY_WRITER_MS ? 0 : ms;
  };
  const [head] = queue;
  if (head === undefined || queue.length === 1) return 0;
  let [best, least] = [0, getConsumedTime(head)];
  for (let i = 1; least > 0 && i < Math.min(queue.length, MAX_EXAMINED_WRITES); i++) {
    const job = queue[i] as OrderedJob;
    const ms = job.user === queue[best]?.user ? least : getConsumedTime(job);
    if (ms < least) [best, least] = [i, ms];
  }
  return best;
}
