import { TurnScheduler } from './turn-scheduler.ts';

/**
 * Runs many short steps of one kind of work, in the order in which they were added, for a limited time in each turn of
 * the event loop. Requests are served between the turns.
 */
export class PacedSteps extends TurnScheduler {
  /**
   * Runs waiting steps until the slice ends. Each step runs as a microtask. It has ended or waits for a promise before
   * the clock is read again.
   */
  protected override resumeSteps(): void {
    if (!this.hasTime() || this.waiting.length === 0) return;
    super.resumeSteps();
    queueMicrotask(() => this.resumeSteps());
  }
}
