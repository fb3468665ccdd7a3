import { DAMAGED_DOCUMENT } from '../database/damage.ts';

const REMEDY =
  'cellwire doctor names the document. Restore it from a backup: cellwire restore --from FILE --document ID --replace';

/** An error with the code `DAMAGED_DOCUMENT`. `piece`: the damaged piece, as the plural subject of a sentence. */
export function createDamageError(piece: string, cause?: unknown): Error {
  return Object.assign(new Error(`${piece} are damaged. ${REMEDY}`, { cause }), { code: DAMAGED_DOCUMENT });
}

/**
 * Parses a column that contains JSON. Columns without checksums, and columns of older versions, reveal damage only if
 * the text is not JSON or has another shape. Throws `createDamageError`.
 */
export function parseStoredJson<T>(
  text: string,
  piece: string,
  hasShape: (json: unknown) => boolean = acceptAnyJson,
): T {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (cause) {
    throw createDamageError(piece, cause);
  }
  if (!hasShape(json)) throw createDamageError(piece);
  return json as T;
}

/** The check of a stored form that is not checked further. */
function acceptAnyJson(): boolean {
  return true;
}

/** Parses a column that contains a JSON array. Throws `createDamageError`. */
export function parseStoredList<T>(text: string, piece: string): readonly T[] {
  return parseStoredJson<readonly T[]>(text, piece, Array.isArray);
}
