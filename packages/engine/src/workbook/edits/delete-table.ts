import { nameKey } from '../../formula/index.ts';
import type { Batch } from '../batch.ts';
import { DOCUMENT_OUTCOME, type EditOfKind, type EditResult } from './edit-result.ts';

export function deleteTable(batch: Batch, { name }: EditOfKind<'deleteTable'>): EditResult {
  batch.flushFormulas();
  const key = nameKey(name);
  const table = batch.draft.tables.find((existingTable) => nameKey(existingTable.name) === key);
  if (!table) return { kind: 'refusal', reason: 'tableNotFound' };
  batch.structure.dissolveTable(table);
  batch.reader.reset();
  return DOCUMENT_OUTCOME;
}
