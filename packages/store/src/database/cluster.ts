import type { SqlValue } from './database.ts';

/** Services that nodes of one database share in addition to its tables. */
export interface NodeCluster {
  readonly relay: CommitRelay;
  readonly rates: RateTable;
}

/**
 * Notifies other nodes that a document has a new commit. A notification may be lost, for example when a connection
 * breaks. Nodes that must not miss a commit therefore also poll the log.
 */
export interface CommitRelay {
  /** Notifies the other nodes of a new commit of a document. */
  announceCommit(document: string): void;
  /**
   * Sends a message to the other nodes. It is not stored. If several messages with the same `key` are pending, only the
   * last one is sent.
   */
  broadcast(key: string, text: string): void;
  close(): Promise<void>;
}

/** Receives notifications of other nodes, and background errors. */
export interface ClusterListener {
  readonly onCommit: (document: string) => void;
  readonly onMessage: (text: string) => void;
  readonly onError: (what: string, error: unknown) => void;
}

/** The table in which all nodes count requests. `rate-limiter-flexible` sends its statements. */
export interface RateTable {
  readonly name: string;
  readonly client: {
    query(statement: { readonly text: string; readonly values: readonly SqlValue[] }): Promise<{
      readonly rows: readonly Readonly<Record<string, SqlValue>>[];
    }>;
  };
  close(): Promise<void>;
}
