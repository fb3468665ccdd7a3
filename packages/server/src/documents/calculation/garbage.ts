import { getHeapStatistics } from 'node:v8';
import { collectGarbage } from '@cellwire/event-loop';
import { COLLECTED_GARBAGE_BYTES, COLLECTION_DELAY_MS } from '../../limits/calculation.ts';

/**
 * Collects this thread's garbage when it has nothing to do. By itself V8 waits until more is allocated: a thread that
 * has calculated would keep two to three times what its documents take for as long as it rests.
 */
export class GarbageCollection {
  private timer: NodeJS.Timeout | null = null;
  /** Bytes of the heap after the last collection. */
  private left = getHeapStatistics().used_heap_size;

  /** There is something to do. */
  putOff(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
  }

  /** There is nothing to do. */
  considerSoon(): void {
    this.putOff();
    if (getHeapStatistics().used_heap_size - this.left < COLLECTED_GARBAGE_BYTES) return;
    this.timer = setTimeout(() => {
      collectGarbage();
      this.left = getHeapStatistics().used_heap_size;
    }, COLLECTION_DELAY_MS);
  }

  /** Much of what was left may be garbage now. */
  released(): void {
    this.left = 0;
    this.considerSoon();
  }
}
