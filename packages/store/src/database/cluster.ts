import type { SqlValue } from './database.ts';

/** What the nodes of one database share beside its tables. */
export interface NodeCluster {
  readonly relay: CommitRelay;
  readonly rates: RateTable;
}

/**
 * Hints between the nodes of one database: a document has a new commit. They save waiting and decide nothing: one may
 * be lost, as when a connection breaks, and whoever must miss nothing also looks at the log now and then.
 */
export interface CommitRelay {
  /** Tells the other nodes. */
  announceCommit(document: string): void;
  /** Says something to the other nodes that is kept nowhere; of what is said of one thing at once, only the last. */
  broadcast(thing: string, text: string): void;
  close(): Promise<void>;
}

/** Told what came from other nodes, and what failed in the background. */
export interface ClusterListener {
  readonly onCommit: (document: string) => void;
  readonly onMessage: (text: string) => void;
  readonly onError: (what: string, error: unknown) => void;
}

/** Where nodes count requests together. The statements are those of `rate-limiter-flexible`. */
export interface RateTable {
  readonly name: string;
  readonly client: {
    query(statement: { readonly text: string; readonly values: readonly SqlValue[] }): Promise<{
      readonly rows: readonly Readonly<Record<string, SqlValue>>[];
    }>;
  };
  close(): Promise<void>;
}
