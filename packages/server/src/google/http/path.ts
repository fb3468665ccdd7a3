/** The parts of a path below `/google`. */
export interface GooglePath {
  readonly segments: readonly string[];
  /** Behind the last colon, where that is a verb; null: none. */
  readonly verb: string | null;
}

const VERBS: ReadonlySet<string> = new Set([
  'append',
  'clear',
  'batchGet',
  'batchUpdate',
  'batchClear',
  'batchGetByDataFilter',
  'batchUpdateByDataFilter',
  'batchClearByDataFilter',
  'getByDataFilter',
  'copyTo',
  'search',
]);

/**
 * Takes a path apart. A slash at its end and before a verb is ignored; a colon that no verb follows belongs to its
 * segment. Null: percent signs that stand for no text.
 */
export function parsePath(path: string): GooglePath | null {
  const parts = path.split('/').filter((part) => part !== '');
  const segments: string[] = [];
  try {
    for (const part of parts) segments.push(decodeURIComponent(part));
  } catch {
    return null;
  }
  const last = segments.at(-1) ?? '';
  const colon = last.lastIndexOf(':');
  const verb = colon < 0 ? '' : last.slice(colon + 1);
  if (!VERBS.has(verb)) return { segments, verb: null };
  const rest = last.slice(0, colon);
  return { segments: [...segments.slice(0, -1), ...(rest === '' ? [] : [rest])], verb };
}
