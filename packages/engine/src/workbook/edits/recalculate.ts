import type { Batch } from '../batch.ts';
import { markAllFormulas, markFormulasReading } from '../formulas/dirty-formulas.ts';
import { DOCUMENT_OUTCOME, type EditOfKind, type EditResult } from './edit-result.ts';

/** Marks formulas as dirty. At its end, the batch calculates them and all volatile formulas. */
export function recalculate(batch: Batch, { everything, readersOf }: EditOfKind<'recalculate'>): EditResult {
  // Formulas that earlier edits of the batch removed must not be calculated.
  batch.flushFormulas();
  if (everything) markAllFormulas(batch);
  if (readersOf) markFormulasReading(batch, new Set(readersOf));
  return DOCUMENT_OUTCOME;
}
