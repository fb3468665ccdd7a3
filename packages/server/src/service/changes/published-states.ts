import type { DocumentReading } from '../../documents/types.ts';
import { MAX_PUBLISHED_STATES } from '../../limits/notify.ts';

/** The newest published state of each document, where the next publication starts. In least-recently-used order. */
export class PublishedStates {
  private readonly held = new Map<string, DocumentReading>();

  findState(id: string): DocumentReading | null {
    return this.held.get(id) ?? null;
  }

  cacheState(id: string, reading: DocumentReading): void {
    this.held.delete(id);
    this.held.set(id, reading);
    for (const [oldest] of this.held) {
      if (this.held.size <= MAX_PUBLISHED_STATES) return;
      this.held.delete(oldest);
    }
  }
}
