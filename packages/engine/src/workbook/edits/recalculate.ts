import type { Batch } from '../batch.ts';
import { markAll, markReaders } from '../formulas/dirty-formulas.ts';
import { DOCUMENT_OUTCOME, type EditOfKind, type EditResult } from './edit-result.ts';

/** Marks formulas; the end of the batch calculates them together with all volatile ones. */
export function recalculate(batch: Batch, { everything, readersOf }: EditOfKind<'recalculate'>): EditResult {
  if (everything) markAll(batch);
  if (readersOf) markReaders(batch, new Set(readersOf));
  return DOCUMENT_OUTCOME;
}
