import { DamagedDocumentError } from '@cellwire/store/stored-forms';

/**
 * Decodes stored bytes of a document. Data of versions without checksums may be damaged, and the engine then throws
 * arbitrary errors. Throws `DamagedDocumentError` in their place.
 */
export function decodeStoredPiece<T>(document: string, piece: string, decode: () => T): T {
  try {
    return decode();
  } catch (error) {
    if (hasOtherCause(error)) throw error;
    throw new DamagedDocumentError(document, `${piece} cannot be read`, error);
  }
}

/** True if an error has a code, for example that of a later version's form, or if memory was exhausted. */
function hasOtherCause(error: unknown): boolean {
  return !(error instanceof Error) || 'code' in error || /allocat/i.test(error.message);
}
