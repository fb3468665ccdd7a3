export { AdmissionQueue, type AdmissionRequest } from './admission-queue.ts';
export {
  collect,
  type HeapCheck,
  heapCheck,
  isHalfFull,
  servingHeapCheck,
  startBoundedThread,
  watchHeap,
} from './bounded-thread.ts';
export { type Consumer, ConsumptionMeter } from './consumption.ts';
export { FairQueue } from './fair-queue.ts';
export { PacedSteps } from './paced-steps.ts';
export { atOnce, inSlices, pause } from './slices.ts';
export { type Soon, soon } from './soon.ts';
export {
  checkSources,
  haveSourcesChanged,
  lookAtSources,
  rememberSources,
  SOURCES_CHANGED,
  SourcesChanged,
  startThread,
} from './sources.ts';
export { lowerPriority, yieldToServing } from './thread-priority.ts';
export { errorOf, type Thrown, thrown } from './thrown.ts';
export { Turns } from './turns.ts';
export { workClock, worked } from './work-clock.ts';
