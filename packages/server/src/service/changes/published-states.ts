import type { Reading } from '../../documents/types.ts';
import { MAX_PUBLISHED_STATES } from '../../limits/notify.ts';

/** The newest states that followers were told of, by document: where the next telling begins. Used last at the end. */
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
