import type { Batch } from '../batch.ts';
import { markAll, markReaders } from '../formulas/dirty-formulas.ts';
import { DOCUMENT_OUTCOME, type EditOfKind, type EditResult } from './edit-result.ts';

/** Marks formulas as dirty. At its end, the batch calculates them and all volatile formulas. */
export function recalculate(batch: Batch, { everything, readersOf }: EditOfKind<'recalculate'>): EditResult {
  if (everything) markAll(batch);
  if (readersOf) markReaders(batch, new Set(readersOf));
  return DOCUMENT_OUTCOME;
}
