import type { Meter } from '../../calc/budget.ts';
import { HiddenReads } from '../../calc/hidden-reads.ts';
import { ColumnIndexes } from '../../calc/indexes/column-index.ts';
import type { ClosedSheets } from '../../calc/rights.ts';
import { DependencyGraph } from '../../graph/dependency-graph.ts';
import { DynamicReads } from '../../graph/dynamic-reads.ts';
import { IntervalSet } from '../../graph/interval-set.ts';
import { type FormulaBehaviour, type NameScope, readFormula } from '../../graph/precedents.ts';
import type { Snapshot } from '../../sheet/snapshot.ts';
import type { Run } from '../../sheet/template.ts';
import { FixedFormulas, type FormulaRun } from './fixed-formulas.ts';
import { findRunsBetween } from './runs-between.ts';
import type { RowShift } from './shifted-runs.ts';

/** A run with its precedents and behaviour. */
type GraphEntry = FormulaRun;

interface GraphScope extends NameScope {
  /** Returns the sheet on which formulas of a sheet are calculated; another sheet only for a `standIn`. */
  formulaSheet(id: number): number;
}

type JournalStep =
  | { readonly kind: 'add'; readonly entry: GraphEntry }
  | { readonly kind: 'remove'; readonly entry: GraphEntry }
  /**
   * Cells were moved, once or several times. Formulas are at other positions, split or joined, and still read the same
   * cells.
   */
  | MoveStep;

interface MoveStep {
  readonly kind: 'move';
  /** Entries that the moves removed and added. Entries that were added and removed again are in neither list. */
  readonly from: GraphEntry[];
  readonly to: Set<Run>;
  /** Runs that a single move only shifted: before and after the move, and the number of rows. */
  readonly shifted: readonly {
    readonly rows: number;
    readonly from: readonly Run[];
    readonly to: readonly Run[];
  }[];
}

/** Changes of runs when cells move. */
export interface MovedRunChanges {
  readonly removed: readonly Run[];
  readonly shifts: readonly RowShift[];
  readonly added: readonly Run[];
}

/** The journal of a batch without changes of runs. It stays empty. */
const NO_STEPS: JournalStep[] = [];

/** The cost of each sheet of a 3-D reference, in cells of the budget, because each is a separate edge. */
const EDGE_CELLS = 8;

/**
 * The dependency graph of the workbook's head, and the sets of runs with special properties. Changes since `beginBatch`
 * can be rolled back if the batch is refused.
 */
export class FormulaGraph {
  readonly graph = new DependencyGraph();
  /** Indexes of columns that formulas search. */
  readonly indexes = new ColumnIndexes();
  /**
   * Hidden sheets that formulas read in addition to the sheets in their trees. Known only for formulas that were
   * calculated with this graph.
   */
  hiddenReads = new HiddenReads();
  /** Runs that are calculated after every change of the document. */
  readonly always = new Set<Run>();
  /** Runs that are calculated on every new day, because they use TODAY but not NOW. */
  readonly daily = new Set<Run>();
  /** Runs whose precedents are recorded while they are calculated. */
  readonly dynamic = new DynamicReads();
  /** The date, as a serial number, of the results of `daily`; null if it is not known. */
  private calculatedDay: number | null = null;
  private dayOfBatch: number | null = null;
  /** Runs that read cells which their trees do not name. */
  readonly indirect = new Set<Run>();
  /** Runs that use TODAY or NOW. */
  readonly clock = new Set<Run>();
  /** Runs whose references must be determined again when sheets are added, deleted or renamed. */
  readonly followingSheets = new Set<Run>();
  /** Runs whose references must be determined again when defined names or tables change. */
  readonly followingNames = new Set<Run>();
  /** Runs that depend on the positions of cells. */
  readonly followingMoves = new Set<Run>();
  /** Runs that depend on which rows are hidden. */
  readonly followingHiddenRows = new Set<Run>();
  /**
   * Changes since `beginBatch`, for a rollback. Null if no rollback is needed, because a new document would be dropped
   * as a whole.
   */
  private journal: JournalStep[] | null = null;
  private meter: Meter | null = null;

  /**
   * Begins a batch, whose changes can be rolled back. `meter`: the budget of the batch, from which entering formulas
   * also takes.
   */
  beginBatch(meter: Meter): void {
    this.journal = NO_STEPS;
    this.meter = meter;
    this.indexes.beginBatch();
  }

  /** True if the results of `daily` are of another day than `day`, a serial number. */
  isNewDay(day: number): boolean {
    return this.calculatedDay !== day;
  }

  /** Records that all runs of `daily` were calculated for a day. The next `commit` makes this valid. */
  onDayCalculated(day: number): void {
    this.dayOfBatch = day;
  }

  /** Adds a run to the graph and to the journal. */
  addRun(run: Run, scope: GraphScope): void {
    const entry = this.createEntry(run, scope);
    this.addStep({ kind: 'add', entry });
  }

  /** Reads the formula of a run and adds its entry to the indexes. */
  private createEntry(run: Run, scope: GraphScope): GraphEntry {
    const sheet = scope.formulaSheet(run.sheet);
    const place = sheet === run.sheet ? run : { ...run, sheet };
    const reading = readFormula(run.template.node, place, scope, (sheets) =>
      this.meter?.spendCells(sheets * EDGE_CELLS),
    );
    this.meter?.reportWork(1 + reading.precedents.length);
    const entry = { run, precedents: reading.precedents, behaviour: reading.behaviour };
    this.addToIndexes(entry);
    return entry;
  }

  /** Removes a run from the graph, and records it in the journal. */
  removeRun(run: Run): void {
    const entry = this.takeEntry(run);
    if (entry) this.addStep({ kind: 'remove', entry });
  }

  /** Removes a run from the indexes and returns its entry; null if the graph does not contain it. */
  private takeEntry(run: Run): GraphEntry | null {
    const runEntry = this.graph.findEntry(run);
    if (!runEntry) return null;
    const entry = { run, precedents: runEntry.edges, behaviour: this.readBehaviour(run) };
    this.removeFromIndexes(run);
    return entry;
  }

  /** Removes, shifts and adds runs. Call it after cells moved. */
  moveRuns({ removed, shifts, added }: MovedRunChanges, scope: GraphScope): void {
    const step = this.ensureMoveStep(shifts.filter(({ runs }) => runs.length > 0));
    for (const run of removed) {
      if (step.to.delete(run)) this.removeFromIndexes(run);
      else {
        const entry = this.takeEntry(run);
        if (entry) step.from.push(entry);
      }
    }
    for (const shift of shifts) this.shiftRuns(shift);
    for (const run of added) {
      this.createEntry(run, scope);
      step.to.add(run);
    }
  }

  /**
   * Returns the last step of the journal if it is also a move and neither of the two shifts runs. A thousand moves then
   * form one step.
   */
  private ensureMoveStep(shifts: readonly RowShift[]): MoveStep {
    const last = this.journal?.at(-1);
    if (last?.kind === 'move' && last.shifted.length + shifts.length === 0) return last;
    const shifted = shifts.map(({ rows, entries, runs }) => ({ rows, from: entries.map(({ run }) => run), to: runs }));
    const step: MoveStep = { kind: 'move', from: [], to: new Set(), shifted };
    this.addStep(step);
    return step;
  }

  private addStep(step: JournalStep): void {
    if (this.journal === NO_STEPS) this.journal = [step];
    else this.journal?.push(step);
  }

  /** Replaces shifted runs in the graph and in the sets of special runs. */
  private shiftRuns({ rows, entries, runs }: RowShift): void {
    const sets = [
      this.always,
      this.daily,
      this.indirect,
      this.clock,
      this.followingSheets,
      this.followingNames,
      this.followingMoves,
      this.followingHiddenRows,
    ];
    for (const set of sets) {
      if (set.size === 0) continue;
      for (const [i, { run }] of entries.entries()) if (set.delete(run)) set.add(runs[i]!);
    }
    if (this.dynamic.runs.size > 0) {
      for (const [i, { run }] of entries.entries()) if (this.dynamic.removeRun(run)) this.dynamic.addRun(runs[i]!);
    }
    this.graph.shiftRuns(rows, entries, runs);
  }

  /** Shifts runs back during a rollback. Runs that were removed and added again have new entries. */
  private shiftBack(rows: number, from: readonly Run[], to: readonly Run[]): void {
    const entries = to.map((run) => this.graph.findEntry(run)).filter((entry) => entry !== undefined);
    this.shiftRuns({ rows: -rows, entries, runs: from });
  }

  /** Keeps the changes since `beginBatch`. */
  commit(): void {
    this.dynamic.commit();
    this.calculatedDay = this.dayOfBatch;
    this.journal = null;
    this.meter = null;
  }

  /** Undoes the changes since `beginBatch`. */
  rollBack(): void {
    for (const step of (this.journal ?? []).reverse()) {
      if (step.kind === 'add') this.removeFromIndexes(step.entry.run);
      else if (step.kind === 'remove') this.addToIndexes(step.entry);
      else {
        for (const run of step.to) this.removeFromIndexes(run);
        for (const { rows, from, to } of step.shifted) this.shiftBack(rows, from, to);
        for (const entry of step.from) this.addToIndexes(entry);
      }
    }
    this.dynamic.rollBack();
    this.dayOfBatch = this.calculatedDay;
    this.journal = null;
    this.meter = null;
  }

  /**
   * Switches to another state of the document, for example after another process changed the current state or
   * an earlier state. The time depends on the number of columns and of changed runs. Drops all hidden reads.
   */
  switchToState(before: Snapshot, after: Snapshot): void {
    const { removed, added } = findRunsBetween(before, after);
    for (const run of removed) this.removeFromIndexes(run);
    const sheets = haveSameSheetNames(before, after) ? [] : this.followingSheets;
    const names = before.names === after.names && before.tables === after.tables ? [] : this.followingNames;
    const again = new Set([...sheets, ...names]);
    for (const run of again) this.removeFromIndexes(run);
    for (const run of [...again, ...added]) this.createEntry(run, after);
    this.hiddenReads = new HiddenReads();
    this.dynamic.forgetAll();
    this.calculatedDay = null;
  }

  /** True if formulas of a run refer to several sheets at once, or to a missing sheet. */
  followsSheets(run: Run): boolean {
    return this.followingSheets.has(run);
  }

  /** The behaviour of a run of the graph. */
  private readBehaviour(run: Run): FormulaBehaviour {
    return {
      always: this.always.has(run),
      daily: this.daily.has(run),
      dynamic: this.dynamic.runs.has(run),
      indirect: this.indirect.has(run),
      clock: this.clock.has(run),
      followsSheets: this.followingSheets.has(run),
      followsNames: this.followingNames.has(run),
      followsMoves: this.followingMoves.has(run),
      followsHiddenRows: this.followingHiddenRows.has(run),
      namesElsewhere: this.graph.findEntry(run)?.isNamedWhole === false,
    };
  }

  /**
   * True if, since `beginBatch`, formulas in some cells refer to one of the sheets and did not before. This includes
   * formulas that already contained the name of a sheet, name or table that the batch added. Formulas that only moved
   * do not count.
   */
  hasNewReads(sheets: ClosedSheets, fixed: FixedFormulas): boolean {
    const added = new Map<Run, GraphEntry>();
    const removed: GraphEntry[] = [];
    for (const step of this.journal ?? []) {
      if (step.kind === 'add') {
        if (!fixed.haveOnlyMoved(step.entry)) added.set(step.entry.run, step.entry);
      } else if (step.kind === 'remove') {
        if (!added.delete(step.entry.run)) removed.push(step.entry);
      } else {
        if (haveNewReads(added.values(), removed, sheets)) return true;
        added.clear();
        removed.length = 0;
      }
    }
    return haveNewReads(added.values(), removed, sheets);
  }

  /**
   * True if, since `beginBatch`, formulas no longer refer to one of the sheets because sheets were moved or deleted.
   * `First:Last!A1` then no longer includes the sheet, and the difference of the results reveals its value.
   */
  hasLostReads(sheets: ClosedSheets, hasSheet: (id: number) => boolean): boolean {
    const added = new Set<GraphEntry>();
    const removed: GraphEntry[] = [];
    for (const step of this.journal ?? []) {
      if (step.kind === 'add') added.add(step.entry);
      else if (step.kind === 'remove' && hasSheet(step.entry.run.sheet)) removed.push(step.entry);
    }
    return haveNewReads(removed, [...added], sheets);
  }

  /** True if a run that was added since `beginBatch` refers to one of the sheets, and is not only a moved formula. */
  isNewReader(run: Run, sheets: ClosedSheets, fixed: FixedFormulas): boolean {
    const entry = this.graph.findEntry(run);
    if (!entry?.edges.some(({ sheet }) => sheets.has(sheet))) return false;
    const formulas = { run, precedents: entry.edges, behaviour: this.readBehaviour(run) };
    return !fixed.haveOnlyMoved(formulas);
  }

  /** Collects the formulas that were added and removed since `beginBatch` and refer to one of the sheets. */
  collectFixedFormulas(sheets: ClosedSheets): FixedFormulas {
    const fixed = new FixedFormulas();
    for (const step of this.journal ?? []) {
      if (step.kind === 'move' || !step.entry.precedents.some(({ sheet }) => sheets.has(sheet))) continue;
      fixed.countFormulas(step.entry, step.kind === 'add' ? 1 : -1);
    }
    return fixed;
  }

  /** Adds an entry to the graph and to the sets of runs with special properties. */
  private addToIndexes({ run, precedents, behaviour }: GraphEntry): void {
    this.graph.add(run, precedents, behaviour.followsNames || behaviour.namesElsewhere);
    if (behaviour.always) this.always.add(run);
    if (behaviour.daily) this.daily.add(run);
    if (behaviour.dynamic) this.dynamic.addRun(run);
    if (behaviour.indirect) this.indirect.add(run);
    if (behaviour.clock) this.clock.add(run);
    if (behaviour.followsSheets) this.followingSheets.add(run);
    if (behaviour.followsNames) this.followingNames.add(run);
    if (behaviour.followsMoves) this.followingMoves.add(run);
    if (behaviour.followsHiddenRows) this.followingHiddenRows.add(run);
  }

  /** Removes a run from the graph and from the sets of runs with special properties. */
  private removeFromIndexes(run: Run): void {
    this.graph.remove(run);
    this.always.delete(run);
    this.daily.delete(run);
    this.dynamic.removeRun(run);
    this.indirect.delete(run);
    this.clock.delete(run);
    this.followingSheets.delete(run);
    this.followingNames.delete(run);
    this.followingMoves.delete(run);
    this.followingHiddenRows.delete(run);
  }
}

/** True if both states have the same sheets with the same names in the same order. */
export function haveSameSheetNames({ sheets }: Pick<Snapshot, 'sheets'>, after: Pick<Snapshot, 'sheets'>): boolean {
  return (
    sheets.length === after.sheets.length &&
    sheets.every(({ id, name }, i) => id === after.sheets[i]?.id && name === after.sheets[i]?.name)
  );
}

/** True if added runs read one of the sheets in cells in which no removed run read it. */
function haveNewReads(added: Iterable<GraphEntry>, removed: readonly GraphEntry[], sheets: ClosedSheets): boolean {
  const read = new ReadRows();
  for (const entry of removed) read.add(entry, sheets);
  let isNew = false;
  for (const entry of added) if (read.add(entry, sheets)) isNew = true;
  return isNew;
}

/** Rows of columns whose formulas refer to sheets. */
class ReadRows {
  private readonly rows = new Map<string, IntervalSet>();

  /**
   * Adds the rows of an entry that refers to one of the sheets. Returns true if the set did not contain all of them.
   */
  add({ run, precedents }: GraphEntry, sheets: ClosedSheets): boolean {
    let isNew = false;
    for (const id of new Set(precedents.map(({ sheet }) => sheet))) {
      if (!sheets.has(id)) continue;
      const key = `${id}:${run.sheet}:${run.column}`;
      const rows = this.rows.get(key) ?? new IntervalSet();
      this.rows.set(key, rows);
      rows.add(run.top, run.bottom, () => {
        isNew = true;
      });
    }
    return isNew;
  }
}
