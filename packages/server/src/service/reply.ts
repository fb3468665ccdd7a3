/** The response to a write, as JSON text: a repeated request gets the same bytes. */
export interface WriteReply {
  readonly kind: 'reply';
  readonly body: string;
  /** The revision that the write created; null: none. */
  readonly revision: number | null;
  /** True for the kept reply of an earlier request with the same key. */
  readonly replayed: boolean;
  /** Nothing was written: the write waits for approval. */
  readonly isProposal?: boolean;
}
