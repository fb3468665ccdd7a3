/** The answer of a write: JSON text, because the same bytes are kept for a repetition of the request. */
export interface Reply {
  readonly kind: 'reply';
  readonly body: string;
  /** That it made; null: none, or it is a kept answer. */
  readonly revision: number | null;
  /** It is the kept answer of an earlier request with the same key. */
  readonly replayed: boolean;
  /** Nothing was written: the write waits for consent. */
  readonly isProposal?: boolean;
}
