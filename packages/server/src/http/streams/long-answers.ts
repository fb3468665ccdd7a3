import type { ServerResponse } from 'node:http';
import { FairQueue } from '@cellwire/event-loop';
import { ANSWER_SLICE_MS } from '../../limits/http.ts';
import { BUSY, type Refusal } from '../../service/refusal.ts';
import type { ByteRoom } from '../bodies/byte-room.ts';

/** Whose answer is made, and the most bytes that it may have. */
interface Asked {
  readonly user: number;
  readonly maxBytes: number;
  readonly response: ServerResponse;
}

/**
 * Makes long answers beside everything else: one large page at a time, a slice of one answer in each turn of the event
 * loop, users by turns. Room for a page is taken before it is made.
 */
export class LongAnswers {
  private readonly room: ByteRoom;
  private readonly pages = new FairQueue();
  private readonly slices = new FairQueue();

  constructor(room: ByteRoom) {
    this.room = room;
  }

  /**
   * What `begin` gives in the end: at once where its first step is its last, or else as there is room and time for it.
   * Who has a long one under way waits with the short ones, too, as there may be any number of them in a turn.
   */
  make<T>(asked: Asked, begin: () => Generator<void, T>): T | Refusal | Promise<T | Refusal> {
    if (this.pages.has(asked.user)) return this.wait(asked, begin);
    const first = begin().next();
    // What has been made of a longer one is not kept while it waits.
    return first.done ? first.value : this.wait(asked, begin);
  }

  private async wait<T>({ user, maxBytes, response }: Asked, begin: () => Generator<void, T>): Promise<T | Refusal> {
    await this.pages.enter(user);
    try {
      const steps = begin();
      for (;;) {
        await this.slice(user);
        if (response.destroyed) return BUSY;
        const end = performance.now() + ANSWER_SLICE_MS;
        do {
          const step = steps.next();
          if (step.done) return step.value;
          if (!this.room.reserve(user, maxBytes, response)) return BUSY;
        } while (performance.now() < end);
      }
    } finally {
      this.pages.leave(user);
    }
  }

  /** Resolves in a turn of the event loop that no other long answer has. */
  async slice(user: number): Promise<void> {
    await this.slices.enter(user);
    setImmediate(() => this.slices.leave(user));
  }
}
