import type { Reading } from '../../documents/types.ts';
import { MAX_PUBLISHED_STATES } from '../../limits/notify.ts';

/** The newest published state of each document, where the next publication starts. In least-recently-used order. */
export class PublishedStates {
  private readonly held = new Map<string, Reading>();

  get(id: string): Reading | null {
    return this.held.get(id) ?? null;
  }

  keep(id: string, reading: Reading): void {
    this.held.delete(id);
    this.held.set(id, reading);
    for (const [oldest] of this.held) {
      if (this.held.size <= MAX_PUBLISHED_STATES) return;
      this.held.delete(oldest);
    }
  }
}
