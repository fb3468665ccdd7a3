type Listener = (documentId: string) => void;

/**
 * Tells, in this process, that a document has a new commit on the disk: one of its own, or one that another node told
 * of. Only a hint that saves waiting: not everything that other processes write is told, so whoever must miss nothing
 * looks into the log now and then, too.
 */
export class CommitSignal {
  private readonly listeners = new Set<Listener>();
  private readonly ownListeners = new Set<Listener>();

  /** A commit of this process. */
  emit(documentId: string): void {
    for (const listener of this.ownListeners) listener(documentId);
    this.relay(documentId);
  }

  /** A commit of another node. */
  relay(documentId: string): void {
    for (const listener of this.listeners) listener(documentId);
  }

  /** Of all commits. Listeners must be quick and must not throw. Returns how to end it. */
  listen(listener: Listener): () => void {
    return listen(this.listeners, listener);
  }

  /** Of this process's commits alone. */
  listenToOwn(listener: Listener): () => void {
    return listen(this.ownListeners, listener);
  }
}

function listen(listeners: Set<Listener>, listener: Listener): () => void {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
}
