import { setFlagsFromString } from 'node:v8';
import { HEAP_GROWTH_PERCENT } from '../limits/limits.ts';

/**
 * Collects garbage of this process and of threads that it starts from then on when a heap has grown by half. By itself V8
 * waits until it has grown to about four times what lives: a service that took records in held the more of it the more
 * records had come (docs/performance.md, Records).
 */
export function collectEarly(): void {
  setFlagsFromString(`--heap-growing-percent=${HEAP_GROWTH_PERCENT}`);
}
