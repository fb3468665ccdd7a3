import { DamagedDocumentError } from './checksum.ts';
import type { StoreError } from './database.ts';

/** Codes and message parts of an audit entry whose number is taken, of both databases. */
const TAKEN_NUMBERS: Readonly<Record<string, string>> = {
  SQLITE_CONSTRAINT_PRIMARYKEY: 'audit.id',
  '23505': 'audit_pkey',
};

/**
 * Returns the failure of a unit. The numbers of audit entries come from a counter in the document's row, so a number
 * that is taken means that the counter is damaged.
 */
export function toWriteFailure(document: string | null, failure: StoreError): StoreError {
  const part = TAKEN_NUMBERS[failure.code];
  if (document === null || part === undefined || !failure.message.includes(part)) return failure;
  return new DamagedDocumentError(document, 'its row counts fewer audit entries than it has', failure);
}
