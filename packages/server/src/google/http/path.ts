/** The parsed path below `/google`. */
export interface GooglePath {
  readonly segments: readonly string[];
  /** The verb after the last colon; null: none. */
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
 * Parses a path. A slash at the end or before a verb is ignored; a colon without a verb belongs to its segment. Null:
 * invalid percent-encoding.
 */
export function parsePath(path: string): GooglePath | null {
  const parts = path.split('/').filter((part) => part !== '');
  const segments: string[] = [];
  try {
    for (const part of parts) segments.push(part.includes('%') ? decodeURIComponent(part) : part);
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
