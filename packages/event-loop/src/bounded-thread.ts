import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type Worker, workerData } from 'node:worker_threads';
import { HEAP_CHECK_INTERVAL_MS, HEAP_RESERVE_BYTES, SERVING_HEAP_SHARE } from './limits.ts';
import { startThread } from './sources.ts';

/*
 * When a thread's heap is full, Node grants 16 MiB more and terminates the thread. V8 aborts the whole process if an
 * allocation does not fit into these 16 MiB. Three measures prevent this:
 * - the thread's code checks the heap before it allocates large arrays (`createHeapCheck`);
 * - the serving thread polls the heap of working threads (`watchHeap`);
 * - V8's own limit is `HEAP_RESERVE_BYTES` above our bound, which leaves space for one large allocation.
 */

const MIB = 1024 * 1024;
/**
 * Minimum share of the heap bound that must be free after a garbage collection. With less, the thread would mostly
 * collect garbage.
 */
const MIN_FREE_SHARE = 1 / 5;

interface HeapBounds {
  /** Maximum size of the thread's heap, in bytes. */
  readonly heap: number;
  /** Size of V8's young generation, in MiB; the default is V8's own. */
  readonly youngMib?: number;
}

interface BoundedThreadData {
  readonly heapBound: number;
}

/** Starts a thread with a bounded heap. The caller must call `watchHeap` while the thread works. */
export function startBoundedThread(file: URL, { heap, youngMib }: HeapBounds): Worker {
  const limits = { maxOldGenerationSizeMb: Math.ceil((heap + HEAP_RESERVE_BYTES) / MIB) };
  return startThread(file, {
    resourceLimits: youngMib === undefined ? limits : { ...limits, maxYoungGenerationSizeMb: youngMib },
    workerData: { heapBound: heap } satisfies BoundedThreadData,
  });
}

/**
 * Polls the heap of a working thread and calls `onExceeded` once if the heap is too large. V8 collects garbage at the
 * latest half-way between the live size and its limit. If a heap exceeds the bound by half of the reserve, its live
 * data therefore exceeds the bound. Returns a function that ends the polling.
 */
export function watchHeap(thread: Worker, heap: number, onExceeded: () => void): () => void {
  const largest = heap + HEAP_RESERVE_BYTES / 2;
  let isAsking = false;
  let isOver = false;
  const look = async () => {
    if (isAsking) return;
    isAsking = true;
    const used = await readThreadHeapBytes(thread);
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

/** Heap size of a thread, in bytes; 0 if the thread has ended. */
async function readThreadHeapBytes(thread: Worker): Promise<number> {
  try {
    return (await thread.getHeapStatistics()).used_heap_size;
  } catch {
    return 0;
  }
}

/** Returns true if the heap of this thread has space for `bytes` more bytes. */
export type HeapCheck = (bytes: number) => boolean;

/**
 * Creates a heap check for threads of `startBoundedThread`, and for processes that serve no requests. It collects
 * garbage before it returns false.
 */
export function createHeapCheck(): HeapCheck {
  const bound = getThreadHeapBound();
  return (bytes) => {
    if (readHeapBytes() + bytes <= bound) return true;
    collectGarbage();
    return readHeapBytes() + Math.max(bytes, bound * MIN_FREE_SHARE) <= bound;
  };
}

/** Collects garbage, then returns true if more than half of this thread's heap bound is in use. */
export function isHeapHalfFull(): boolean {
  collectGarbage();
  return readHeapBytes() > getThreadHeapBound() / 2;
}

/**
 * Creates a heap check for the serving thread. It never collects garbage: work that does not fit runs in another
 * thread.
 */
export function createServingHeapCheck(): HeapCheck {
  const bound = computeServingHeapBound();
  return (bytes) => readHeapBytes() + bytes <= bound;
}

/** The heap bound of this thread in bytes. */
function getThreadHeapBound(): number {
  return (workerData as BoundedThreadData | null)?.heapBound ?? computeServingHeapBound();
}

/** The heap bound of the serving thread in bytes: a share of the heap limit. */
function computeServingHeapBound(): number {
  return getHeapStatistics().heap_size_limit * SERVING_HEAP_SHARE;
}

function readHeapBytes(): number {
  return getHeapStatistics().used_heap_size;
}

let collector: (() => void) | null = null;

/** Collects this thread's garbage synchronously. */
export function collectGarbage(): void {
  if (collector === null) {
    // A running process has no other access to V8's collector.
    setFlagsFromString('--expose-gc');
    collector = runInNewContext('gc') as () => void;
  }
  collector();
}
