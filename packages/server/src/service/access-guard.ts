import type { Statement } from '@cellwire/store';
import { accessUnchanged } from '@cellwire/store/accounts';
import type { DocumentAccess } from '../access/access.ts';

/**
 * Builds the first statement of a unit: the commit fails if the access rights of `access` have changed. Null: the
 * operator, who needs no rights.
 */
export function buildAccessGuard(access: DocumentAccess | null): readonly Statement[] {
  return access === null ? [] : [accessUnchanged({ version: access.epoch })];
}
