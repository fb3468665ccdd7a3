import type { Batch } from '../batch.ts';
import { namesByScope, replaceNames, scopedKey } from '../scoped-names.ts';
import { DOCUMENT_OUTCOME, type EditOf, type EditResult } from './edit-result.ts';

export function deleteName(batch: Batch, { name, scope }: EditOf<'deleteName'>): EditResult {
  const { draft } = batch;
  batch.settleFormulas();
  const key = scopedKey(name, scope);
  if (!namesByScope(draft.names).has(key)) return { kind: 'refusal', reason: 'nameNotFound' };
  replaceNames(draft, key, []);
  batch.reader.reset();
  return DOCUMENT_OUTCOME;
}
