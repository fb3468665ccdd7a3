type CommitListener = (documentId: string) => void;

/**
 * Notifies listeners in this process that a document has a new durable commit, of this process or announced by another
 * node. It is only a hint that saves waiting, because not every write of other processes is announced. A listener that
 * must not miss a commit also polls the log.
 */
export class CommitSignal {
  private readonly listeners = new Set<CommitListener>();
  private readonly ownListeners = new Set<CommitListener>();

  /** Tells all listeners that this process committed a revision of the document. */
  emitOwnCommit(documentId: string): void {
    for (const listener of this.ownListeners) listener(documentId);
    this.relayForeignCommit(documentId);
  }

  /** Tells listeners that another node committed a revision of the document. */
  relayForeignCommit(documentId: string): void {
    for (const listener of this.listeners) listener(documentId);
  }

  /**
   * Listens to all commits. Listeners must be quick and must not throw. Returns a function that ends the subscription.
   */
  listen(listener: CommitListener): () => void {
    return addListener(this.listeners, listener);
  }

  /** Listens to commits of this process only. */
  listenToOwnCommits(listener: CommitListener): () => void {
    return addListener(this.ownListeners, listener);
  }
}

function addListener(listeners: Set<CommitListener>, listener: CommitListener): () => void {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
}
