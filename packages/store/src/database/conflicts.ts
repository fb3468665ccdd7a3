/** Conflict: another writer has written this revision, or the document was deleted. */
export const REVISION_CONFLICT = 'revision';

/**
 * Returns a text that a statement casts to a number if its guard fails. PostgreSQL then raises an error, rolls the
 * transaction back, and writes this text to its log.
 */
export function encodeConflict(conflict: string): string {
  return `cellwire: not on top of the latest commit (${conflict})`;
}
