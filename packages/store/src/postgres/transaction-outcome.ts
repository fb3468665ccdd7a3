import type { StatementResult, StoreError } from '../database/database.ts';

/** What became of units that were written in one transaction. */
export type TransactionOutcome =
  | { readonly kind: 'committed'; readonly results: readonly (readonly StatementResult[])[] }
  | { readonly kind: 'conflict'; readonly conflict: string }
  | { readonly kind: 'failed'; readonly error: StoreError };

/** `isUndone`: nothing of it stands, and the same may well be committed when it is tried again. */
export type TransactionAttempt =
  | Exclude<TransactionOutcome, { kind: 'failed' }>
  | (Extract<TransactionOutcome, { kind: 'failed' }> & { readonly isUndone: boolean });

/** Nobody knows whether a unit was written; whoever reads from then on sees what is. */
export const UNKNOWN_OUTCOME = 'UNKNOWN_OUTCOME';

/** The transaction was undone by the database for no fault of its own: the same again may well be committed. */
const RETRIABLE_CODES: ReadonlySet<string> = new Set(['40001', '40P01']);

export function isUndoneByServer({ code }: StoreError): boolean {
  return RETRIABLE_CODES.has(code);
}
