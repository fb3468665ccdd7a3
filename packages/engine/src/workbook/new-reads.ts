import { type CellKey, createCellKey, parseCellKey } from '../calc/hidden-reads.ts';
import { type ClosedSheets, createReadingRights } from '../calc/rights.ts';
import type { CallNode, NameNode, Node } from '../formula/ast.ts';
import { hasMatchingNode, nameKey, walkTree } from '../formula/index.ts';
import { readFormula } from '../graph/precedents.ts';
import type { Draft } from '../sheet/draft.ts';
import type { Run } from '../sheet/template.ts';
import type { Batch } from './batch.ts';
import { moveHiddenReads } from './cell-moves.ts';
import type { FormulaGraph } from './formulas/formula-graph.ts';
import { createScopedKey } from './scoped-names.ts';
import type { ApplyContext, Edit } from './types.ts';

/**
 * Tells whether a batch makes a formula read a sheet that is hidden from its sender and that the formula did not read
 * before. `doubtful`: a formula with INDIRECT or a similar function read such a sheet for the first time, but the
 * reason may also be the clock or random numbers.
 */
type NewReadsFinding = 'none' | 'some' | 'doubtful';

/** Checks the formulas that a batch entered, the names that it defined, and the sheets that its recalculation read. */
export function findNewReads(
  batch: Batch,
  formulas: FormulaGraph,
  edits: readonly Edit[],
  context: ApplyContext,
): NewReadsFinding {
  const closed = createReadingRights(context.rights)?.getClosedSheets(context.writer ?? null) ?? null;
  return closed === null ? 'none' : findNewReadsOfSheets(closed, batch, formulas, edits);
}

/** Finds new reads of sheets that are hidden from the sender. */
function findNewReadsOfSheets(
  closed: ClosedSheets,
  batch: Batch,
  formulas: FormulaGraph,
  edits: readonly Edit[],
): NewReadsFinding {
  const { draft, hiddenReadLog } = batch;
  const reach = draft.moves.length > 0 ? moveHiddenReads(formulas.hiddenReads, draft.moves) : formulas.hiddenReads;
  const entered: ReadonlySet<CellKey> = batch.cells.entered ?? new Set();
  const fixed = formulas.collectFixedFormulas(closed);
  if (formulas.hasNewReads(closed, fixed)) return 'some';
  if (edits.some(reordersSheets) && formulas.hasLostReads(closed, (id) => draft.hasSheet(id))) return 'some';
  const changedNames = findNamesReading(closed, batch);
  if (readsThroughNames(changedNames, draft, formulas)) return 'some';
  if (hasNewReadInCells(batch, entered, (run) => formulas.isNewReader(run, closed, fixed))) return 'some';
  let isDoubtful = false;
  for (const cell of hiddenReadLog?.cells.values() ?? []) {
    if (cell === null) continue;
    const { sheet, row, column } = cell;
    const run = draft.sheet(sheet)?.run(row, column);
    const isEntered = entered.has(createCellKey(sheet, row, column));
    for (const id of cell.hidden) {
      if (!closed.has(id)) continue;
      if (!isEntered && !reach.hasTriedTexts(cell, id)) isDoubtful = true;
      if (run && namesSheet(formulas, run, id) && !cell.texts.has(id)) continue;
      // INDIRECT finds names by their text, so it may now read other cells through them.
      if (isEntered || changedNames.size > 0) return 'some';
      if (!reach.hasRead(sheet, row, column, id)) isDoubtful = true;
    }
  }
  return isDoubtful ? 'doubtful' : 'none';
}

/** True if an edit changes which sheets a 3-D reference includes. */
function reordersSheets({ kind }: Edit): boolean {
  return kind === 'moveSheet' || kind === 'deleteSheet';
}

/** Returns the keys of the names whose new formulas read one of the sheets. */
function findNamesReading(closed: ClosedSheets, { draft, definedNames }: Batch): ReadonlySet<string> {
  if (definedNames.size === 0) return definedNames;
  const place = { sheet: draft.sheets[0]?.id ?? -1, column: 0, top: 0, bottom: 0 };
  const changedNames = draft.names
    .filter(({ name, sheet }) => definedNames.has(createScopedKey(name, sheet)))
    .filter(({ node }) => readFormula(node, place, draft).precedents.some(({ sheet }) => closed.has(sheet)));
  return new Set(changedNames.map(({ name }) => nameKey(name)));
}

/**
 * True if a formula uses one of these names, directly or through other names. This counts even if the formula already
 * read the sheet, because the sender would now determine what it reads. Visits each name and each tree once.
 */
function readsThroughNames(names: ReadonlySet<string>, draft: Draft, formulas: FormulaGraph): boolean {
  if (names.size === 0) return false;
  const usedBy = indexNameUsers(draft.names);
  const keys = new Set(names);
  // The loop also visits keys that are added to the set during the iteration.
  for (const key of keys) for (const user of usedBy.get(key) ?? []) keys.add(user);
  const templates = new Set([...formulas.followingNames].map(({ template }) => template));
  return [...templates].some(({ node }) =>
    hasMatchingNode(node, (one) => canBeName(one) && keys.has(nameKey(one.name))),
  );
}

/** For each name, the keys of the names whose formulas use it. */
function indexNameUsers(names: Draft['names']): ReadonlyMap<string, ReadonlySet<string>> {
  const usedBy = new Map<string, Set<string>>();
  for (const { name, node } of names) {
    walkTree(node, (one) => {
      if (!canBeName(one)) return true;
      const key = nameKey(one.name);
      const users = usedBy.get(key) ?? new Set();
      usedBy.set(key, users.add(nameKey(name)));
      return true;
    });
  }
  return usedBy;
}

/** A name, or a call of a name whose value is a function. */
function canBeName(node: Node): node is NameNode | CallNode {
  return node.k === 'name' || node.k === 'call';
}

/**
 * True if a formula cell that the batch entered has a new read in its sheet and position. Formulas whose result does
 * not depend on their cell may move.
 */
function hasNewReadInCells(
  { draft }: Batch,
  enteredCells: ReadonlySet<CellKey>,
  hasNewRead: (run: Run) => boolean,
): boolean {
  let last: Run | undefined;
  for (const key of enteredCells) {
    const { sheet, row, column } = parseCellKey(key);
    const run = draft.sheet(sheet)?.run(row, column);
    // Most cells are consecutive in a column. A later edit of the batch may have cleared a cell.
    if (run === undefined || run === last) continue;
    last = run;
    if (hasNewRead(run)) return true;
  }
  return false;
}

/** True if a run refers to a sheet by its tree. */
function namesSheet(formulas: FormulaGraph, run: Run, sheet: number): boolean {
  return formulas.graph.findEntry(run)?.edges.some((edge) => edge.sheet === sheet) ?? false;
}
