/** Conflict: someone else has written this revision, or the document is gone. */
export const REVISION_CONFLICT = 'revision';

/**
 * What a statement reads as a number if its guard does not hold: PostgreSQL then fails, undoes the transaction, and
 * writes this text to its log.
 */
export function conflictText(conflict: string): string {
  return `cellwire: not on top of the latest commit (${conflict})`;
}
