import type { Batch } from '../batch.ts';
import { createScopedKey, indexNamesByScope, replaceNames } from '../scoped-names.ts';
import { DOCUMENT_OUTCOME, type EditOfKind, type EditResult } from './edit-result.ts';

export function deleteName(batch: Batch, { name, scope }: EditOfKind<'deleteName'>): EditResult {
  const { draft } = batch;
  batch.flushFormulas();
  const key = createScopedKey(name, scope);
  if (!indexNamesByScope(draft.names).has(key)) return { kind: 'refusal', reason: 'nameNotFound' };
  replaceNames(draft, key, []);
  batch.reader.reset();
  return DOCUMENT_OUTCOME;
}
