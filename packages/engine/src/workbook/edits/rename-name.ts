import { nameKey } from '../../formula/index.ts';
import { tableNamed } from '../../sheet/tables.ts';
import type { Batch } from '../batch.ts';
import { NameRenaming } from '../name-renaming.ts';
import { nameProblem } from '../names.ts';
import { namesByScope, scopedKey } from '../scoped-names.ts';
import { DOCUMENT_OUTCOME, type EditOf, type EditResult } from './edit-result.ts';

export function renameName(batch: Batch, edit: EditOf<'renameName'>): EditResult {
  const { name, scope, newName } = edit;
  const { draft, formulas, definedNames } = batch;
  batch.settleFormulas();
  const key = scopedKey(name, scope);
  if (!namesByScope(draft.names).has(key)) return { kind: 'refusal', reason: 'nameNotFound' };
  const message = nameProblem(newName) ?? takenProblem(batch, nameKey(name), newName);
  if (message !== null) return { kind: 'refusal', reason: 'invalidName', message };
  batch.meter.pass(formulas.followingNames.size);
  const renaming = new NameRenaming(draft, edit);
  batch.structure.changeNames((node, sheet) => renaming.rewrite(node, sheet));
  draft.names = draft.names.map((one) => (scopedKey(one.name, one.sheet) === key ? { ...one, name: newName } : one));
  batch.reader.reset();
  if (definedNames.delete(key) || renaming.isNewNameUsed) definedNames.add(scopedKey(newName, scope));
  return DOCUMENT_OUTCOME;
}

function takenProblem({ draft }: Batch, key: string, newName: string): string | null {
  if (tableNamed(newName, draft.tables)) return 'a table has that name';
  const newKey = nameKey(newName);
  const isTaken = newKey !== key && draft.names.some((one) => nameKey(one.name) === newKey);
  return isTaken ? 'another name is called that' : null;
}
