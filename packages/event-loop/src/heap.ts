import { setFlagsFromString } from 'node:v8';
import { HEAP_GROWTH_PERCENT } from './limits.ts';

// V8 flags of the whole process. V8 recompiles cached code if the flags differ, so the service sets them before it loads
// any other module (bin/compile-cache.mjs).

/**
 * Makes V8 collect garbage when a heap has grown by half, in this process and in threads started later. By default V8
 * lets a heap grow to about four times its live size: a service that imports records then holds more garbage the more
 * records it has received (docs/performance.md, Records).
 */
export function limitHeapGrowth(): void {
  setFlagsFromString(`--heap-growing-percent=${HEAP_GROWTH_PERCENT}`);
}

/** Defines `gc` in contexts created later. A running process has no other access to V8's collector. */
export function exposeCollector(): void {
  setFlagsFromString('--expose-gc');
}
