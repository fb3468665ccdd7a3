import { createReadingRights, type ReadingRights, type Rights } from '../calc/rights.ts';
import { readFormula } from '../graph/precedents.ts';
import { type Column, Snapshot } from '../sheet/snapshot.ts';
import type { ApplyContext } from './types.ts';
import { Workbook } from './workbook.ts';

/**
 * Decides whether earlier states may reveal values that are hidden now: a formula may refer to a sheet that its writer
 * may not see, or may read it through INDIRECT or a similar function. A column that is the same in several states is
 * checked once.
 */
export class PastStateCheck {
  private readonly rights: ReadingRights | null;
  private readsHiddenSheet = new WeakMap<Column, boolean>();
  /** The names, tables and sheets: in addition to a column, they determine which cells its formulas read. */
  private around: Pick<Snapshot, 'names' | 'tables'> & { readonly sheets: string } = {
    names: [],
    tables: [],
    sheets: '',
  };

  constructor(rights: Rights) {
    this.rights = createReadingRights(rights);
  }

  /** True if a state may reveal values that are hidden now. Pauses after each formula that had to be checked. */
  *mayShowHidden(snapshot: Snapshot): Generator<void, boolean> {
    if (this.rights === null) return false;
    this.dropOtherResults(snapshot);
    for (const { columns } of snapshot.sheets) {
      for (const column of columns) {
        if (column === undefined || column.runList.length === 0) continue;
        const isFound = this.readsHiddenSheet.get(column) ?? (yield* readsClosedSheet(column, snapshot, this.rights));
        this.readsHiddenSheet.set(column, isFound);
        if (isFound) return true;
      }
    }
    return false;
  }

  /** Drops the results for states with other sheets, names or tables. */
  private dropOtherResults({ names, tables, sheets: all }: Snapshot): void {
    const sheets = JSON.stringify(all.map(({ id, name }) => [id, name]));
    const { around } = this;
    if (around.names === names && around.tables === tables && around.sheets === sheets) return;
    this.around = { names, tables, sheets };
    this.readsHiddenSheet = new WeakMap();
  }
}

/**
 * True if a formula of a column refers to a sheet that its writer may not see, or may read cells that it does not name.
 * Pauses after each formula.
 */
function* readsClosedSheet(column: Column, snapshot: Snapshot, rights: ReadingRights): Generator<void, boolean> {
  for (const run of column.runs) {
    const closed = rights.getClosedSheets(run.writer);
    const { precedents, behaviour } = readFormula(run.template.node, run, snapshot);
    // A sheet that is named in a text is hidden even from the owner, but the formula may have read it before it was
    // hidden.
    if (behaviour.indirect || (closed !== null && precedents.some(({ sheet }) => closed.has(sheet)))) return true;
    yield;
  }
  return false;
}

/**
 * Returns an earlier state with its formulas calculated by the current rights in `context`; null if the budget is
 * exhausted. Formulas that depend on the clock or on random numbers get new results.
 */
export function recalculatePastState(
  past: Snapshot,
  context: ApplyContext & { readonly rights: Rights },
): Snapshot | null {
  const workbook = Workbook.open(past);
  const readersOf = context.rights.hidden.map(({ sheet }) => sheet);
  const applied = workbook.apply([{ kind: 'recalculate', readersOf }], context);
  return applied.kind === 'refusal' ? null : new Snapshot({ ...workbook.head, revision: past.revision });
}
