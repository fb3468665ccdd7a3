import { getGrammar, wrapReferences } from '../../formula/index.ts';
import type { DefinedName } from '../../sheet/snapshot.ts';
import { findTableByName } from '../../sheet/tables.ts';
import type { Batch } from '../batch.ts';
import { nameProblem } from '../names.ts';
import { createScopedKey, replaceNames } from '../scoped-names.ts';
import { DOCUMENT_OUTCOME, type EditOfKind, type EditResult } from './edit-result.ts';

export function setName(batch: Batch, { name, scope, refersTo, locale = null }: EditOfKind<'setName'>): EditResult {
  const { draft } = batch;
  batch.flushFormulas();
  const message = nameProblem(name) ?? (findTableByName(name, draft.tables) ? 'a table has that name' : null);
  if (message !== null) return { kind: 'refusal', reason: 'invalidName', message };
  const { node } = batch.reader.parseFormula(refersTo, getGrammar(locale), 0, 0);
  if (node.k === 'invalid') return { kind: 'refusal', reason: 'invalidFormula', message: node.message };
  const named: DefinedName = { name, node: wrapReferences(node) };
  const key = createScopedKey(name, scope);
  batch.definedNames.add(key);
  replaceNames(draft, key, [scope === undefined ? named : { ...named, sheet: scope }]);
  batch.reader.reset();
  return DOCUMENT_OUTCOME;
}
