import type { Statement } from '@cellwire/store';
import { accessUnchanged } from '@cellwire/store/accounts';
import type { DocumentAccess } from '../access/access.ts';

/**
 * The first statement of a unit: the commit fails if the access rights of `by` have changed. Null: the operator, who
 * needs no rights.
 */
export function accessGuard(by: DocumentAccess | null): readonly Statement[] {
  return by === null ? [] : [accessUnchanged({ version: by.epoch })];
}
