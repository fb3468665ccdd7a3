import { DAMAGED_DOCUMENT } from '../database/damage.ts';

const REMEDY =
  'cellwire doctor names the document. Restore it from a backup: cellwire restore --from FILE --document ID --replace';

/**
 * Parses a text column of a commit. The checksum of these texts is in the delta, which many readers do not select. They
 * detect damage only if the text is not JSON. Throws an error with the code `DAMAGED_DOCUMENT`.
 */
export function parseCommitText(text: string, column: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const error = new Error(`The ${column} of a commit are damaged. ${REMEDY}`, { cause });
    throw Object.assign(error, { code: DAMAGED_DOCUMENT });
  }
}
