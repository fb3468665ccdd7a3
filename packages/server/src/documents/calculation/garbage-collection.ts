import { getHeapStatistics } from 'node:v8';
import { collectGarbage } from '@cellwire/event-loop';
import { COLLECTED_GARBAGE_BYTES, COLLECTION_DELAY_MS } from '../../limits/calculation.ts';

/**
 * Collects this thread's garbage while it is idle. V8 waits for the next allocation, so without this an idle thread
 * that has calculated would keep two to three times the memory of its documents.
 */
export class GarbageCollection {
  private timer: NodeJS.Timeout | null = null;
  /** Heap size after the last collection, in bytes. */
  private left = getHeapStatistics().used_heap_size;

  /** Work arrived: postpones the collection. */
  postponeCheck(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
  }

  /** The thread is idle: schedules a check. */
  scheduleCheck(): void {
    this.postponeCheck();
    if (getHeapStatistics().used_heap_size - this.left < COLLECTED_GARBAGE_BYTES) return;
    this.timer = setTimeout(() => {
      collectGarbage();
      this.left = getHeapStatistics().used_heap_size;
    }, COLLECTION_DELAY_MS);
  }

  /** Memory was released, so much of the remaining heap may be garbage. */
  onRelease(): void {
    this.left = 0;
    this.scheduleCheck();
  }
}
