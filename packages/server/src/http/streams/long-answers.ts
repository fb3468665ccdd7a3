import { FairQueue } from '@cellwire/event-loop';
import { ANSWER_SLICE_MS } from '../../limits/http.ts';
import { BUSY, type Refusal } from '../../service/refusal.ts';
import type { MemoryBudget } from '../bodies/memory-budget.ts';
import type { HttpResponse } from '../http-exchange.ts';

/** The user of an answer, and the answer's maximum size in bytes. */
interface AnswerRequest {
  readonly user: number;
  readonly maxBytes: number;
  readonly response: HttpResponse;
}

/**
 * Produces long answers without blocking: one large page at a time, one slice of one answer in each turn of the event
 * loop, users in rotation. Memory for a page is reserved before the page is produced.
 */
export class LongAnswers {
  private readonly room: MemoryBudget;
  private readonly pages = new FairQueue();
  private readonly slices = new FairQueue();

  constructor(budget: MemoryBudget) {
    this.room = budget;
  }

  /**
   * Returns the result of `begin`: synchronously if its first step is its last, or else when memory and time are
   * available. If the user has a long answer in progress, short ones wait, too, because there may be any number of them
   * in a turn.
   */
  produceAnswer<T>(requested: AnswerRequest, begin: () => Generator<void, T>): T | Refusal | Promise<T | Refusal> {
    if (this.pages.has(requested.user)) return this.produceAnswerInTurns(requested, begin());
    const steps = begin();
    const first = steps.next();
    if (first.done) return first.value;
    // If the answer must wait for another one, its partial result is discarded: it would occupy memory.
    return this.produceAnswerInTurns(requested, this.pages.hasFreePlace ? steps : begin());
  }

  /**
   * Runs the work in slices between the answers of other users. Returns `BUSY` if the client left or the memory for
   * answers is used up.
   */
  private async produceAnswerInTurns<T>(
    { user, maxBytes, response }: AnswerRequest,
    steps: Generator<void, T>,
  ): Promise<T | Refusal> {
    await this.pages.enter(user);
    try {
      for (;;) {
        await this.waitForSlice(user);
        if (response.destroyed) return BUSY;
        const end = performance.now() + ANSWER_SLICE_MS;
        do {
          const step = steps.next();
          if (step.done) return step.value;
          if (!this.room.reserveBytes(user, maxBytes, response)) return BUSY;
        } while (performance.now() < end);
      }
    } finally {
      this.pages.leave(user);
    }
  }

  /** Resolves in a turn of the event loop that no other long answer uses. */
  async waitForSlice(user: number): Promise<void> {
    await this.slices.enter(user);
    setImmediate(() => this.slices.leave(user));
  }
}
