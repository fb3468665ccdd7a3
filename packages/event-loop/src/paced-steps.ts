import { TurnScheduler } from './turn-scheduler.ts';

/**
 * Runs many short steps of one kind of work, in order of arrival, for a bounded time in each turn of the event loop.
 * Requests are served between the turns.
 */
export class PacedSteps extends TurnScheduler {
  /** Each step runs as a microtask, and has finished or awaits something before the clock is read again. */
  protected override resumeSteps(): void {
    if (!this.hasTime() || this.waiting.length === 0) return;
    super.resumeSteps();
    queueMicrotask(() => this.resumeSteps());
  }
}
