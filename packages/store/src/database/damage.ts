/** The `code` of `DamagedDocumentError`. */
export const DAMAGED_DOCUMENT = 'DAMAGED_DOCUMENT';

/** Ids of the damaged documents that this process has detected, and that have not been opened since. */
const damagedIds = new Set<string>();

/** Records the document of an error about damage, which may come from another thread. Returns the error. */
export function recordDamage<E>(error: E): E {
  const { code, document } = (error ?? {}) as { readonly code?: unknown; readonly document?: unknown };
  if (code === DAMAGED_DOCUMENT && typeof document === 'string') damagedIds.add(document);
  return error;
}

/** Records that a document was read without damage, for example because it was restored. */
export function forgetDamage(document: string): void {
  damagedIds.delete(document);
}

export function countDamagedDocuments(): number {
  return damagedIds.size;
}
