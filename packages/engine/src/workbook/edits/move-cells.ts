import type { Batch } from '../batch.ts';
import { createSheetOutcome, type EditOfKind, type EditResult } from './edit-result.ts';

export function moveCells(batch: Batch, { move }: EditOfKind<'moveCells'>): EditResult {
  batch.cells.putHeaders(batch.moveCells(move));
  return createSheetOutcome(move.sheet);
}
