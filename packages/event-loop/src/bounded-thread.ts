import { getHeapStatistics } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type Worker, workerData } from 'node:worker_threads';
import { exposeCollector } from './heap.ts';
import { HEAP_CHECK_INTERVAL_MS, HEAP_RESERVE_BYTES, SERVING_HEAP_SHARE } from './limits.ts';
import { startThread } from './sources.ts';

/*
 * V8 ends the whole process when a thread's heap is full and one more allocation does not fit into the 16 MiB that Node
 * grants a thread while it ends it. Three things keep threads away from that: their code asks before it makes large
 * arrays (`heapCheck`), the serving thread looks at their heaps while they work (`watchHeap`), and V8's own limit lies
 * further up, with room for a single large allocation in between (`HEAP_RESERVE_BYTES`).
 */

const MIB = 1024 * 1024;
/** After a collection so much of the bound must be free for the work to go on: otherwise it would do little but collect. */
const MIN_FREE_SHARE = 1 / 5;

export interface HeapBounds {
  /** What the thread's heap may hold, in bytes. */
  readonly heap: number;
  /** What it makes before it looks what of that is still needed, in MiB; V8's own default unless given. */
  readonly youngMib?: number;
}

interface BoundedThreadData {
  readonly heapBound: number;
}

/** Starts a thread whose heap is bounded. The caller watches it while it works (`watchHeap`). */
export function startBoundedThread(file: URL, { heap, youngMib }: HeapBounds): Worker {
  const limits = { maxOldGenerationSizeMb: Math.ceil((heap + HEAP_RESERVE_BYTES) / MIB) };
  return startThread(file, {
    resourceLimits: youngMib === undefined ? limits : { ...limits, maxYoungGenerationSizeMb: youngMib },
    workerData: { heapBound: heap } satisfies BoundedThreadData,
  });
}

/**
 * Looks at a thread's heap while it works, and calls `onExceeded` once when the heap is too large. V8 collects garbage
 * at the latest half way between what lives and its limit: beyond half of the reserve, more than the bound lives.
 * Returns what ends the watch.
 */
export function watchHeap(thread: Worker, heap: number, onExceeded: () => void): () => void {
  const largest = heap + HEAP_RESERVE_BYTES / 2;
  let isAsking = false;
  let isOver = false;
  const look = async () => {
    if (isAsking) return;
    isAsking = true;
    const used = await usedHeapBytesOf(thread);
    isAsking = false;
    if (used <= largest || isOver) return;
    clearInterval(timer);
    onExceeded();
  };
  const timer = setInterval(() => void look(), HEAP_CHECK_INTERVAL_MS).unref();
  return () => {
    isOver = true;
    clearInterval(timer);
  };
}

/** Bytes of a thread's heap; 0 for a thread that has just ended. */
async function usedHeapBytesOf(thread: Worker): Promise<number> {
  try {
    return (await thread.getHeapStatistics()).used_heap_size;
  } catch {
    return 0;
  }
}

/** Whether so many more bytes of this thread's heap may be taken. */
export type HeapCheck = (bytes: number) => boolean;

/**
 * The check of a thread that `startBoundedThread` has started, or of a process that serves nobody. Collects garbage
 * before it says no.
 */
export function createHeapCheck(): HeapCheck {
  const bound = threadHeapBound();
  return (bytes) => {
    if (usedHeapBytes() + bytes <= bound) return true;
    collectGarbage();
    return usedHeapBytes() + Math.max(bytes, bound * MIN_FREE_SHARE) <= bound;
  };
}

/** Whether half of the heap that this thread may take is in use, after a collection. */
export function isHeapHalfFull(): boolean {
  collectGarbage();
  return usedHeapBytes() > threadHeapBound() / 2;
}

/** The check of the thread that serves. It never collects: what does not fit goes to another thread. */
export function createServingHeapCheck(): HeapCheck {
  const bound = servingHeapBound();
  return (bytes) => usedHeapBytes() + bytes <= bound;
}

function threadHeapBound(): number {
  return (workerData as BoundedThreadData | null)?.heapBound ?? servingHeapBound();
}

function servingHeapBound(): number {
  return getHeapStatistics().heap_size_limit * SERVING_HEAP_SHARE;
}

function usedHeapBytes(): number {
  return getHeapStatistics().used_heap_size;
}

let collector: (() => void) | null = null;

/** Collects this thread's garbage at once. */
export function collectGarbage(): void {
  if (collector === null) {
    exposeCollector();
    collector = runInNewContext('gc') as () => void;
  }
  collector();
}
