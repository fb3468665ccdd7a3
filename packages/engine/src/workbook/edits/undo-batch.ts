import { decodeInverse } from '../../codec/inverse.ts';
import type { Batch } from '../batch.ts';
import { Reversal } from '../reversal.ts';
import type { EditOfKind, EditResult } from './edit-result.ts';

/** Undoes an earlier batch by its inverse. Skips cells and entries that were deleted or changed later. */
export function undoBatch(batch: Batch, edit: EditOfKind<'takeBack'>): EditResult {
  const { inverse, locked, orders = [], isReorder, restored } = edit;
  return new Reversal(batch, decodeInverse(inverse)).applyInverse(locked, {
    ...(orders.length === 0 ? {} : { orders }),
    ...(isReorder === undefined ? {} : { isReorder }),
    ...(restored === undefined ? {} : { restored }),
  });
}
