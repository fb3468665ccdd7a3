import type { DocumentAccess } from '../access/access.ts';
import type { Statement } from '../store/database.ts';
import { accessUnchanged } from '../store/epoch.ts';

/** Stands first in a unit that the rights of `by` allow. Null: an operator's, who needs none. */
export function rightsHold(by: DocumentAccess | null): readonly Statement[] {
  return by === null ? [] : [accessUnchanged({ version: by.epoch })];
}
