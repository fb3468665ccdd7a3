import type { DocumentAccess } from '../../access/access.ts';

/** The result of a formula depends on the sheets that the caller may see. */
export function createRowsCacheKey({ hiddenSheets }: DocumentAccess, head: string, key: string): string {
  return `${head} ${key} ${[...hiddenSheets].sort((a, b) => a - b).join()}`;
}
