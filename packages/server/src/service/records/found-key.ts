import type { DocumentAccess } from '../../access/access.ts';

/** What a formula finds depends on the sheets that the caller sees. */
export function foundKey({ hiddenSheets }: DocumentAccess, head: string, key: string): string {
  return `${head} ${key} ${[...hiddenSheets].sort((a, b) => a - b).join()}`;
}
