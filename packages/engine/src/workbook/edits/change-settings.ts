import type { Batch } from '../batch.ts';
import { markAllFormulas } from '../formulas/dirty-formulas.ts';
import { DOCUMENT_OUTCOME, type EditOfKind, type EditResult } from './edit-result.ts';

export function changeSettings(batch: Batch, edit: EditOfKind<'changeSettings'>): EditResult {
  replaceSettings(batch, edit);
  return DOCUMENT_OUTCOME;
}

/**
 * Replaces the settings and calculates all formulas again, because TODAY and texts that formulas create from numbers
 * depend on the settings.
 */
export function replaceSettings(
  batch: Batch,
  { locale, timeZone }: Pick<EditOfKind<'changeSettings'>, 'locale' | 'timeZone'>,
): void {
  const { draft } = batch;
  draft.settings = { ...draft.settings, ...(locale && { locale }), ...(timeZone && { timeZone }) };
  batch.pending.flush();
  markAllFormulas(batch);
}
