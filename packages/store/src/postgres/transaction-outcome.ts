import type { StatementResult, StoreError } from '../database/database.ts';

/** Outcome of units that were written in one transaction. */
export type TransactionOutcome =
  | { readonly kind: 'committed'; readonly results: readonly (readonly StatementResult[])[] }
  | { readonly kind: 'conflict'; readonly conflict: string }
  | { readonly kind: 'failed'; readonly error: StoreError };

/** `isUndone`: true if the transaction was rolled back and a retry may succeed. */
export type TransactionAttempt =
  | Exclude<TransactionOutcome, { kind: 'failed' }>
  | (Extract<TransactionOutcome, { kind: 'failed' }> & { readonly isUndone: boolean });

/** Code: it is unknown whether a unit was committed. Later reads show the actual state. */
export const UNKNOWN_OUTCOME = 'UNKNOWN_OUTCOME';

/** Codes of a rollback that other transactions caused (serialization failure, deadlock). A retry may succeed. */
const RETRIABLE_CODES: ReadonlySet<string> = new Set(['40001', '40P01']);

/** True if the error code shows that the server rolled the transaction back. */
export function isUndoneByServer({ code }: StoreError): boolean {
  return RETRIABLE_CODES.has(code);
}
