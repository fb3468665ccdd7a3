import { type CellKey, cellKey, cellOfKey } from '../calc/hidden-reads.ts';
import { type ClosedSheets, readingRights } from '../calc/rights.ts';
import type { CallNode, NameNode, Node } from '../formula/ast.ts';
import { nameKey, someNode, walk } from '../formula/index.ts';
import { readFormula } from '../graph/precedents.ts';
import type { Draft } from '../sheet/draft.ts';
import type { Run } from '../sheet/template.ts';
import type { Batch } from './batch.ts';
import { moveHiddenReads } from './cell-moves.ts';
import type { FormulaGraph } from './formula-graph.ts';
import type { ApplyContext, Edit } from './types.ts';

/**
 * Whether a batch lets a formula read a sheet that its sender may not see, and that the formula did not read before.
 * Doubtful: a formula with INDIRECT and its kind reached one for the first time, which can be the clock's and the lots'
 * doing as well.
 */
type NewReadsFinding = 'none' | 'some' | 'doubtful';

/** Looks at what a batch entered, at what it gave another meaning, and at what its recalculation reached. */
export function findNewReads(
  batch: Batch,
  formulas: FormulaGraph,
  edits: readonly Edit[],
  context: ApplyContext,
): NewReadsFinding {
  const closed = readingRights(context.rights)?.closedTo(context.writer ?? null) ?? null;
  if (closed === null) return 'none';
  const { draft, reached } = batch;
  const reach = draft.moves.length > 0 ? moveHiddenReads(formulas.reach, draft.moves) : formulas.reach;
  const entered: ReadonlySet<CellKey> = batch.cells.entered ?? new Set();
  const fixed = formulas.fixedFormulas(closed);
  if (formulas.givesNewReads(closed, fixed)) return 'some';
  if (edits.some(reordersSheets) && formulas.losesReads(closed, (id) => draft.hasSheet(id))) return 'some';
  const led = namesLeadingTo(closed, edits, draft);
  if (readsThroughNames(led, draft, formulas)) return 'some';
  if (readsInEntered(batch, entered, (run) => formulas.readsAnew(run, closed, fixed))) return 'some';
  let isDoubtful = false;
  for (const cell of reached?.cells.values() ?? []) {
    if (cell === null) continue;
    const { sheet, row, column } = cell;
    const run = draft.sheet(sheet)?.run(row, column);
    const isEntered = entered.has(cellKey(sheet, row, column));
    for (const id of cell.hidden) {
      if (!closed.has(id)) continue;
      if (!isEntered && !reach.tried(cell, id)) isDoubtful = true;
      if (run && namesSheet(formulas, run, id) && !cell.texts.has(id)) continue;
      // INDIRECT finds names by their text: what it read there before need not be what it reads now.
      if (isEntered || led.size > 0) return 'some';
      if (!reach.reads(sheet, row, column, id)) isDoubtful = true;
    }
  }
  return isDoubtful ? 'doubtful' : 'none';
}

function reordersSheets({ kind }: Edit): boolean {
  return kind === 'moveSheet' || kind === 'deleteSheet';
}

/** Keys of the names that the batch has led to one of the sheets. */
function namesLeadingTo(closed: ClosedSheets, edits: readonly Edit[], draft: Draft): ReadonlySet<string> {
  const scopedKey = (name: string, scope: number | undefined) => `${scope ?? ''}!${nameKey(name)}`;
  const given = new Set(edits.flatMap((edit) => (edit.kind === 'setName' ? [scopedKey(edit.name, edit.scope)] : [])));
  if (given.size === 0) return given;
  const own = { sheet: draft.sheets[0]?.id ?? -1, column: 0, top: 0, bottom: 0 };
  const led = draft.names
    .filter(({ name, sheet }) => given.has(scopedKey(name, sheet)))
    .filter(({ node }) => readFormula(node, own, draft).precedents.some(({ sheet }) => closed.has(sheet)));
  return new Set(led.map(({ name }) => nameKey(name)));
}

/**
 * Whether a formula uses one of these names, be it through other names: where the formula read the sheet before, it would
 * read whatever of it the sender likes. Each name and each formula's tree is gone through once.
 */
function readsThroughNames(led: ReadonlySet<string>, draft: Draft, formulas: FormulaGraph): boolean {
  if (led.size === 0) return false;
  const usedBy = namesByUsed(draft.names);
  const keys = new Set(led);
  // What is added on the way is gone through, too.
  for (const key of keys) for (const user of usedBy.get(key) ?? []) keys.add(user);
  const templates = new Set([...formulas.followingNames].map(({ template }) => template));
  return [...templates].some(({ node }) => someNode(node, (one) => mayBeName(one) && keys.has(nameKey(one.name))));
}

/** Keys of the names whose formulas use a name, by that one's key. */
function namesByUsed(names: Draft['names']): ReadonlyMap<string, ReadonlySet<string>> {
  const usedBy = new Map<string, Set<string>>();
  for (const { name, node } of names) {
    walk(node, (one) => {
      if (!mayBeName(one)) return true;
      const key = nameKey(one.name);
      const users = usedBy.get(key) ?? new Set();
      usedBy.set(key, users.add(nameKey(name)));
      return true;
    });
  }
  return usedBy;
}

/** A name, or a call of one that holds a function. */
function mayBeName(node: Node): node is NameNode | CallNode {
  return node.k === 'name' || node.k === 'call';
}

/** Every formula cell that the batch entered, each with its own sheet and place; what says the same anywhere may move. */
function readsInEntered({ draft }: Batch, entered: ReadonlySet<CellKey>, readsAnew: (run: Run) => boolean): boolean {
  let last: Run | undefined;
  for (const key of entered) {
    const { sheet, row, column } = cellOfKey(key);
    const run = draft.sheet(sheet)?.run(row, column);
    // Most follow one another down a column. A cell may have been cleared again by a later edit of the batch.
    if (run === undefined || run === last) continue;
    last = run;
    if (readsAnew(run)) return true;
  }
  return false;
}

function namesSheet(formulas: FormulaGraph, run: Run, sheet: number): boolean {
  return formulas.graph.entry(run)?.edges.some((edge) => edge.sheet === sheet) ?? false;
}
