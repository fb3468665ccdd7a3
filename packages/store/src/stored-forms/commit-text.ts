import { DAMAGED_DOCUMENT } from '../database/damage.ts';

const REMEDY =
  'cellwire doctor names the document. Restore it from a backup: cellwire restore --from FILE --document ID --replace';

/** An error with the code `DAMAGED_DOCUMENT`. `piece`: the damaged piece, as the subject of a sentence. */
export function createDamageError(piece: string, cause?: unknown): Error {
  return Object.assign(new Error(`${piece} are damaged. ${REMEDY}`, { cause }), { code: DAMAGED_DOCUMENT });
}

/**
 * Parses a text column of a commit. The checksum of these texts is in the delta, which many readers do not select. They
 * detect damage only if the text is not JSON or has another shape. Throws an error with the code `DAMAGED_DOCUMENT`.
 */
export function parseCommitText<T>(text: string, column: string, hasShape: (json: unknown) => json is T): T {
  const piece = `The ${column} of a commit`;
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (cause) {
    throw createDamageError(piece, cause);
  }
  if (!hasShape(json)) throw createDamageError(piece);
  return json;
}
