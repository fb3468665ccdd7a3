import { grammarOf, wrapReferences } from '../../formula/index.ts';
import type { DefinedName } from '../../sheet/snapshot.ts';
import { tableNamed } from '../../sheet/tables.ts';
import type { Batch } from '../batch.ts';
import { nameProblem } from '../names.ts';
import { replaceNames, scopedKey } from '../scoped-names.ts';
import { DOCUMENT_OUTCOME, type EditOf, type EditResult } from './edit-result.ts';

export function setName(batch: Batch, { name, scope, refersTo, locale = null }: EditOf<'setName'>): EditResult {
  const { draft } = batch;
  batch.settleFormulas();
  const message = nameProblem(name) ?? (tableNamed(name, draft.tables) ? 'a table has that name' : null);
  if (message !== null) return { kind: 'refusal', reason: 'invalidName', message };
  const { node } = batch.reader.read(refersTo, grammarOf(locale), 0, 0);
  if (node.k === 'invalid') return { kind: 'refusal', reason: 'invalidFormula', message: node.message };
  const named: DefinedName = { name, node: wrapReferences(node) };
  const key = scopedKey(name, scope);
  batch.definedNames.add(key);
  replaceNames(draft, key, [scope === undefined ? named : { ...named, sheet: scope }]);
  batch.reader.reset();
  return DOCUMENT_OUTCOME;
}
