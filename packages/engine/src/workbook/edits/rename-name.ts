import { nameKey } from '../../formula/index.ts';
import { findTableByName } from '../../sheet/tables.ts';
import type { Batch } from '../batch.ts';
import { NameRenaming } from '../name-renaming.ts';
import { nameProblem } from '../names.ts';
import { createScopedKey, indexNamesByScope } from '../scoped-names.ts';
import { DOCUMENT_OUTCOME, type EditOfKind, type EditResult } from './edit-result.ts';

export function renameName(batch: Batch, edit: EditOfKind<'renameName'>): EditResult {
  const { name, scope, newName } = edit;
  const { draft, formulas, definedNames } = batch;
  batch.flushFormulas();
  const key = createScopedKey(name, scope);
  if (!indexNamesByScope(draft.names).has(key)) return { kind: 'refusal', reason: 'nameNotFound' };
  const message = nameProblem(newName) ?? findNameConflict(batch, nameKey(name), newName);
  if (message !== null) return { kind: 'refusal', reason: 'invalidName', message };
  batch.meter.reportWork(formulas.followingNames.size);
  const renaming = new NameRenaming(draft, edit);
  batch.structure.changeNames((node, sheet) => renaming.rewriteTree(node, sheet));
  draft.names = draft.names.map((one) =>
    createScopedKey(one.name, one.sheet) === key ? { ...one, name: newName } : one,
  );
  batch.reader.reset();
  if (definedNames.delete(key) || renaming.isNewNameUsed) definedNames.add(createScopedKey(newName, scope));
  return DOCUMENT_OUTCOME;
}

/** The problem with a new name as a sentence; null if the name is free. */
function findNameConflict({ draft }: Batch, key: string, newName: string): string | null {
  if (findTableByName(newName, draft.tables)) return 'a table has that name';
  const newKey = nameKey(newName);
  const isTaken = newKey !== key && draft.names.some((one) => nameKey(one.name) === newKey);
  return isTaken ? 'another name is called that' : null;
}
