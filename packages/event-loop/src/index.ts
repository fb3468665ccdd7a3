export { AdmissionQueue, type AdmissionRequest } from './admission-queue.ts';
export {
  collectGarbage,
  createHeapCheck,
  createServingHeapCheck,
  type HeapCheck,
  isHeapHalfFull,
  startBoundedThread,
  watchHeap,
} from './bounded-thread.ts';
export { type Consumer, ConsumptionMeter } from './consumption.ts';
export { FairQueue } from './fair-queue.ts';
export { loadGradually } from './gradual-loading.ts';
export { type MaybePromise, mapMaybe } from './maybe-promise.ts';
export { PacedSteps } from './paced-steps.ts';
export { type PackedError, packError, unpackError } from './packed-error.ts';
export { pause, runInSlices, runSynchronously } from './slices.ts';
export {
  assertSourcesUnchanged,
  haveSourcesChanged,
  loadAtFirstUse,
  rememberSources,
  SOURCES_CHANGED,
  scanSources,
  startThread,
} from './sources.ts';
export { lowerOwnPriority, lowerPriority } from './thread-priority.ts';
export { TurnScheduler } from './turn-scheduler.ts';
export { readThreadCpuMs, readWorkerCpuMs, startWorkClock } from './work-clock.ts';
