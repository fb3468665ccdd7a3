type Listener = (documentId: string) => void;

/**
 * Tells, in this process, that a document has a new commit on the disk. Only a hint that saves waiting: what other
 * processes write is not told, so whoever must miss nothing looks into the log now and then, too.
 */
export class CommitSignal {
  private readonly listeners = new Set<Listener>();

  emit(documentId: string): void {
    for (const listener of this.listeners) listener(documentId);
  }

  /** Listeners must be quick and must not throw. Returns how to end it. */
  listen(listener: Listener): () => void {
    this.listeners.add(listener);
    return () => {
      this.listeners.delete(listener);
    };
  }
}
