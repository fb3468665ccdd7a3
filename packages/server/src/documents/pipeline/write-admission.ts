import {
  MAX_WAITING_BYTES,
  MAX_WAITING_BYTES_PER_DOCUMENT,
  MAX_WAITING_BYTES_PER_USER,
  WAITING_WRITE_BYTES,
} from '../../limits/documents.ts';

/** The user whose write waits, and the memory that the write holds while it waits. */
export interface WriteWeight {
  /** Null: the service itself or the command line. */
  readonly user: number | null;
  /** Size of the request's body. */
  readonly bytes: number;
}

/**
 * Counts the waiting writes of all documents and the memory they hold. Limits per document and per user leave capacity
 * for others. If the queue is empty, a write is admitted regardless of its size.
 */
export class WriteAdmission {
  private readonly documents = new Map<string, number>();
  private readonly users = new Map<number, number>();
  private bytes = 0;

  /** Admits a write and returns a function to call when the write has its outcome. Null if there is no capacity. */
  admitWrite(document: string, { user, bytes: body }: WriteWeight): (() => void) | null {
    const bytes = body + WAITING_WRITE_BYTES;
    const isFull =
      exceedsLimit(this.bytes, bytes, MAX_WAITING_BYTES) ||
      exceedsLimit(this.documents.get(document) ?? 0, bytes, MAX_WAITING_BYTES_PER_DOCUMENT) ||
      (user !== null && exceedsLimit(this.users.get(user) ?? 0, bytes, MAX_WAITING_BYTES_PER_USER));
    if (isFull) return null;
    this.bytes += bytes;
    addToCount(this.documents, document, bytes);
    if (user !== null) addToCount(this.users, user, bytes);
    return () => {
      this.bytes -= bytes;
      addToCount(this.documents, document, -bytes);
      if (user !== null) addToCount(this.users, user, -bytes);
    };
  }
}

function exceedsLimit(used: number, added: number, limit: number): boolean {
  return used > 0 && used + added > limit;
}

function addToCount<K>(counts: Map<K, number>, key: K, bytes: number): void {
  const sum = (counts.get(key) ?? 0) + bytes;
  if (sum === 0) counts.delete(key);
  else counts.set(key, sum);
}
