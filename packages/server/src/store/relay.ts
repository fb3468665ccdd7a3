/**
 * Hints between the nodes of one database: a document has a new commit. They save waiting and decide nothing: one may
 * be lost, as when a connection breaks, and whoever must miss nothing also looks at the log now and then.
 */
export interface CommitRelay {
  /** Tells the other nodes. */
  tell(document: string): void;
  close(): Promise<void>;
}

/** What a relay is told by other nodes, and what failed in it. */
export interface RelayListener {
  readonly onCommit: (document: string) => void;
  readonly onError: (what: string, error: unknown) => void;
}
