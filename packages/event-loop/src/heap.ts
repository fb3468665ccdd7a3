import { setFlagsFromString } from 'node:v8';
import { HEAP_GROWTH_PERCENT } from './limits.ts';

// Settings of the whole process. Code that was compiled with others is compiled anew: those of the service are made
// before anything is loaded (bin/compiling.mjs).

/**
 * Collects garbage of this process and of threads that it starts from then on when a heap has grown by half. By itself V8
 * waits until it has grown to about four times what lives: a service that took records in held the more of it the more
 * records had come (docs/performance.md, Records).
 */
export function limitHeapGrowth(): void {
  setFlagsFromString(`--heap-growing-percent=${HEAP_GROWTH_PERCENT}`);
}

/** Has `gc` in contexts that are made from then on: the only way to V8's collector from within a running process. */
export function exposeCollector(): void {
  setFlagsFromString('--expose-gc');
}
