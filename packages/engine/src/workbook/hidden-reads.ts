import type { Moment } from '../calc/evaluation.ts';
import { planOf } from '../calc/plan.ts';
import { readingOf } from '../graph/precedents.ts';
import { Draft } from '../sheet/draft.ts';
import type { Snapshot } from '../sheet/snapshot.ts';
import type { FormulaGraph } from './formula-graph.ts';
import type { Transaction } from './transaction.ts';
import type { ApplyContext } from './types.ts';

/** The sheets that formulas reach beyond what their trees name, by formula cell. */
type Reached = ReadonlyMap<string, ReadonlySet<number>>;

const NONE: Reached = new Map();

/** What INDIRECT and its kind reach in a state of the document; nothing when nobody's sheets are hidden. */
export function hiddenReadsOfFormulas(
  transaction: Transaction,
  formulas: FormulaGraph,
  state: Snapshot | Draft,
  context: ApplyContext,
  moment: Moment,
): Reached {
  if (!context.hiddenSheets || context.hiddenSheets.size === 0 || formulas.indirect.size === 0) return NONE;
  const reached = new Map<string, Set<number>>();
  // A draft is made here, since hardly any batch comes so far.
  const evaluation = transaction.evaluation(state instanceof Draft ? state : new Draft(state), moment);
  for (const run of formulas.indirect) {
    const plan = planOf(run.template);
    const precedents = formulas.graph.entry(run)?.edges ?? [];
    for (let row = run.top; row <= run.bottom; row++) {
      const sheets = new Set<number>();
      evaluation.sheetsRead = sheets;
      evaluation.moveTo(run.sheet, row, run.column, precedents);
      evaluation.spend(1);
      evaluation.dereference(plan.code(evaluation, null));
      reached.set(`${run.sheet}:${row}:${run.column}`, sheets);
    }
  }
  return reached;
}

/** Whether the batch made a formula read a hidden sheet that it did not read before. */
export function newHiddenRead(
  transaction: Transaction,
  formulas: FormulaGraph,
  before: Reached,
  context: ApplyContext,
  moment: Moment,
): boolean {
  const hidden = context.hiddenSheets;
  if (!hidden || hidden.size === 0) return false;
  for (const [template, at] of transaction.newTemplates ?? []) {
    const { sheet, row, column } = at;
    const { precedents } = readingOf(template.node, { sheet, column, top: row, bottom: row }, transaction.draft);
    if (precedents.some((precedent) => hidden.has(precedent.sheet))) return true;
  }
  const after = hiddenReadsOfFormulas(transaction, formulas, transaction.draft, context, moment);
  for (const [cell, sheets] of after) {
    const known = before.get(cell);
    for (const sheet of sheets) if (hidden.has(sheet) && !known?.has(sheet)) return true;
  }
  return false;
}
