import type { DocumentAccess } from '../../access/access.ts';

/** The cache key of a query's rows. The result of a formula depends on the sheets that the caller may see. */
export function createRowsCacheKey({ hiddenSheets }: DocumentAccess, head: string, key: string): string {
  return `${head} ${key} ${[...hiddenSheets].sort((a, b) => a - b).join()}`;
}
