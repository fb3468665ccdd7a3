/** The code of `DamagedDocument`. */
export const DAMAGED_DOCUMENT = 'DAMAGED_DOCUMENT';

/** Documents that this process has met damaged, by their ids. */
const damagedIds = new Set<string>();

/** Notes an error if it is about a damaged document; it may come from another thread. Returns it. */
export function recordDamage<E>(error: E): E {
  const { code, document } = (error ?? {}) as { readonly code?: unknown; readonly document?: unknown };
  if (code === DAMAGED_DOCUMENT && typeof document === 'string') damagedIds.add(document);
  return error;
}

export function countDamagedDocuments(): number {
  return damagedIds.size;
}
