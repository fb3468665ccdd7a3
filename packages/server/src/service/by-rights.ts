import type { Statement } from '@cellwire/store';
import { accessUnchanged } from '@cellwire/store/accounts';
import type { DocumentAccess } from '../access/access.ts';

/** Stands first in a unit that the rights of `by` allow. Null: an operator's, who needs none. */
export function rightsHold(by: DocumentAccess | null): readonly Statement[] {
  return by === null ? [] : [accessUnchanged({ version: by.epoch })];
}
