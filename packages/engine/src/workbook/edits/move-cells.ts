import type { Batch } from '../batch.ts';
import { type EditOf, type EditResult, sheetOutcome } from './edit-result.ts';

export function moveCells(batch: Batch, { move }: EditOf<'moveCells'>): EditResult {
  batch.cells.putHeaders(batch.moveCells(move));
  return sheetOutcome(move.sheet);
}
