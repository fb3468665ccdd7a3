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

/**
 * True if an error has a code, for example that of a later version's form, or if memory or the stack was exhausted.
 * Formulas that nest very deeply may read a stored chunk at the end of the stack.
 */
function hasOtherCause(error: unknown): boolean {
  return !(error instanceof Error) || 'code' in error || /allocat|call stack/i.test(error.message);
}
