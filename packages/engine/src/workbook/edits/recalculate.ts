import type { Batch } from '../batch.ts';
import { markAll, markReadersOf } from '../dirty-formulas.ts';
import { DOCUMENT_OUTCOME, type EditOf, type EditResult } from './edit-result.ts';

/** Marks formulas; the end of the batch calculates them together with all volatile ones. */
export function recalculate(batch: Batch, { everything, readersOf }: EditOf<'recalculate'>): EditResult {
  if (everything) markAll(batch);
  if (readersOf) markReadersOf(batch, new Set(readersOf));
  return DOCUMENT_OUTCOME;
}
