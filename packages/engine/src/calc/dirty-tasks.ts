import { type DependencyGraph, type Edge, findReadingRows, type RunEntry } from '../graph/dependency-graph.ts';
import type { DynamicRead, DynamicReads } from '../graph/dynamic-reads.ts';
import { type Area, contains } from '../grid/area.ts';
import type { IntervalVisitor } from '../grid/interval-index.ts';
import type { Draft } from '../sheet/draft.ts';
import { createAnchorKey, type Spill } from '../sheet/snapshot.ts';
import type { Run } from '../sheet/template.ts';
import type { Meter } from './budget.ts';
import { CellTasks, FormulaTask } from './task.ts';

/**
 * Maximum number of times that a run is marked. A run that was marked more often counts as dirty from its first marked
 * row to its end. Circles of runs (B reads the row above in C, C reads the same row in B) would otherwise be walked row
 * by row.
 */
const MAX_STEPS = 64;

/** Number of followed edges that count as one cell of the budget, as a power of two. */
const EDGES_PER_CELL_LOG2 = 2;

/** Cells that changed or will change, and their task if a formula computes them. */
interface ChangedArea {
  readonly sheet: number;
  readonly area: Area;
  readonly source: FormulaTask | null;
}

/** The formulas of a draft and the cells that they read; see `FormulaGraph`. */
export interface CalculatedFormulas {
  readonly graph: DependencyGraph;
  /** Runs that read cells which their trees do not name. */
  readonly indirect: ReadonlySet<Run>;
  /** The reads of runs in `indirect`, as far as they are recorded. The graph does not contain them. */
  readonly dynamic: DynamicReads;
}

/** Shared empty lists. A list with entries replaces them. */
const NO_TASKS: FormulaTask[] = [];
const NO_CHANGES: (ChangedArea | FormulaTask)[] = [];

/** Finds all formulas that depend on a change by following the dependency graph, and the order of their calculation. */
export class DirtyTasks implements IntervalVisitor<Edge> {
  private readonly draft: Draft;
  private readonly formulas: CalculatedFormulas;
  private readonly meter: Meter;
  private tasks: FormulaTask[] = NO_TASKS;
  /**
   * Changed areas whose readers have not been searched yet. A single formula cell is listed as its task, because there
   * may be very many such cells.
   */
  private queue: (ChangedArea | FormulaTask)[] = NO_CHANGES;
  // The running search for the readers of an area: the rows of the area, the readers found so far, and the tasks that
  // calculate the area.
  private searchedTop = 0;
  private searchedBottom = 0;
  private foundReaders = 0;
  private searchedSource: FormulaTask | CellTasks | null = null;

  constructor(draft: Draft, formulas: CalculatedFormulas, meter: Meter) {
    this.meter = meter;
    this.draft = draft;
    this.formulas = formulas;
  }

  /** Records changed cells. Their readers become dirty. */
  recordChangedArea(sheet: number, changed: Area): void {
    this.enqueue({ sheet, area: changed, source: null });
  }

  private enqueue(changed: ChangedArea | FormulaTask): void {
    if (this.queue === NO_CHANGES) this.queue = [changed];
    else this.queue.push(changed);
  }

  /** Replaces the changed areas. Call it if cells moved before the calculation. */
  replaceAreas(
    mapArea: (sheet: number, area: Area) => readonly { readonly sheet: number; readonly area: Area }[],
  ): void {
    for (const changed of this.queue.splice(0)) {
      if (changed instanceof FormulaTask) continue;
      for (const { sheet, area } of mapArea(changed.sheet, changed.area)) this.recordChangedArea(sheet, area);
    }
  }

  /** Marks formula cells as dirty. `isNew`: the formulas are new, so that their results may take a number format. */
  markFormulas(run: Run, first: number, last: number, isNew = false): void {
    const entry = this.formulas.graph.findEntry(run);
    if (!entry) return;
    const task = this.ensureTask(entry);
    if (isNew) task.isNew = true;
    this.markRows(task, first, last);
  }

  /** Marks the formulas of `indirect` that may have unrecorded reads as dirty, because every change can concern them. */
  markUnrecorded(): void {
    const { indirect, dynamic } = this.formulas;
    for (const run of indirect) if (!dynamic.isRecorded(run)) this.markFormulas(run, run.top, run.bottom);
  }

  /** Marks array formulas as dirty whose spill was blocked in an area that is now free. */
  markBlockedSpills(id: number, freed: Area): void {
    for (const spill of this.draft.spills.findBlocked(id, freed)) {
      const { top, left } = spill.area;
      const isAnchor = freed.top === freed.bottom && freed.left === freed.right && contains(freed, top, left);
      const run = isAnchor ? undefined : this.draft.sheet(id)?.run(top, left);
      const task = run && this.formulas.graph.findEntry(run)?.task;
      if (run && !(task instanceof FormulaTask && task.hasRow(top))) this.markFormulas(run, top, top);
    }
  }

  /** True if the readers of some changed cells have not been searched yet. */
  get hasChanges(): boolean {
    return this.queue.length > 0;
  }

  /** True if nothing is dirty. Finds readers of changed cells first. */
  isEmpty(): boolean {
    this.spreadChanges();
    return this.tasks.length === 0;
  }

  /** Removes and returns all dirty tasks. */
  takeTasks(): readonly FormulaTask[] {
    this.spreadChanges();
    const { tasks } = this;
    this.clearTasks();
    return tasks;
  }

  clearTasks(): void {
    for (const task of this.tasks) task.entry.task = null;
    this.tasks = NO_TASKS;
    this.queue = NO_CHANGES;
  }

  /** Follows the readers of all changed cells. Drops all tasks if the budget is exhausted. */
  private spreadChanges(): void {
    try {
      for (let next = this.queue.pop(); next; next = this.queue.pop()) this.spreadChange(next);
    } catch (error) {
      this.clearTasks();
      throw error;
    }
  }

  private spreadChange(changed: ChangedArea | FormulaTask): void {
    if (changed instanceof FormulaTask) return this.spreadFromCells(changed);
    const { top, left, bottom, right } = changed.area;
    this.spreadFromArea(changed.sheet, top, left, bottom, right, changed.source);
  }

  /**
   * Follows the readers of a cell, together with waiting cells directly above or below it, in the order in which they
   * were queued.
   */
  private spreadFromCells(task: FormulaTask): void {
    const { queue } = this;
    const { sheet, column, top } = task.run;
    const step = isCellAt(queue.at(-1), task.run, top + 1) ? 1 : -1;
    if (!isCellAt(queue.at(-1), task.run, top + step))
      return this.spreadFromArea(sheet, top, column, top, column, task);
    const tasks = [task];
    while (isCellAt(queue.at(-1), task.run, top + step * tasks.length)) tasks.push(queue.pop() as FormulaTask);
    const group = new CellTasks(step > 0 ? tasks : tasks.reverse());
    this.spreadFromArea(sheet, group.top, column, group.bottom, column, group);
  }

  /** Marks the formulas that read an area as dirty. */
  private spreadFromArea(
    sheet: number,
    top: number,
    left: number,
    bottom: number,
    right: number,
    source: FormulaTask | CellTasks | null,
  ): void {
    this.searchedTop = top;
    this.searchedBottom = bottom;
    this.searchedSource = source;
    this.foundReaders = 0;
    const { graph, dynamic } = this.formulas;
    graph.visitEdges(sheet, top, left, bottom, right, this);
    if (dynamic.runs.size > 0) this.spreadToDynamicReaders(sheet, { top, left, bottom, right });
    this.meter.reportWork(1 + (this.foundReaders >> EDGES_PER_CELL_LOG2));
    if ((this.draft.sheet(sheet)?.spills.size ?? 0) > 0) this.markBlockedSpills(sheet, { top, left, bottom, right });
  }

  /** Marks the formulas that read the searched area through an edge. */
  visitInterval(edge: Edge): void {
    const { entry } = edge;
    this.foundReaders++;
    // Only moves and deletions of cells concern an edge that is not read. Results are neither.
    if (this.searchedSource !== null && !edge.isRead) return;
    if (entry.isCell) {
      const task = this.ensureTask(entry);
      if (this.searchedSource) addPrecedent(task, this.searchedSource, edge);
      this.markRows(task, entry.run.top, entry.run.top);
      return;
    }
    const rows = findReadingRows(edge, this.searchedTop, this.searchedBottom);
    if (!rows) return;
    const task = this.ensureTask(entry);
    if (this.searchedSource) addPrecedent(task, this.searchedSource, edge);
    this.markRows(task, rows.first, rows.last);
  }

  /** Marks formulas that read cells of an area when they were calculated. They need no order: each is calculated on demand. */
  private spreadToDynamicReaders(sheet: number, { top, left, bottom, right }: Area): void {
    const visitInterval = ({ run, row }: DynamicRead) => {
      this.foundReaders++;
      this.markFormulas(run, row, row);
    };
    this.formulas.dynamic.visitReads(sheet, top, left, bottom, right, { visitInterval });
  }

  private ensureTask(entry: RunEntry): FormulaTask {
    if (entry.task !== null) return entry.task as FormulaTask;
    const task = new FormulaTask(entry);
    entry.task = task;
    if (this.tasks === NO_TASKS) this.tasks = [task];
    else this.tasks.push(task);
    return task;
  }

  /** Marks rows of a task as dirty, and queues them, so that their readers become dirty too. */
  private markRows(task: FormulaTask, first: number, last: number): void {
    const isFirst = task.timesMarked++ === 0;
    if (isFirst) {
      if (!task.isCell) task.rows.add(first, last);
      this.enqueueRows(task, first, last);
    } else if (!task.isCell) this.markMoreRows(task, first, last);
  }

  /** Marks further rows of a task that already has dirty rows. Queues the rows that were not dirty before. */
  private markMoreRows(task: FormulaTask, first: number, last: number): void {
    const { run, rows, timesMarked } = task;
    const before = rows.getBounds().first;
    const down = timesMarked > MAX_STEPS && first >= before;
    const up = timesMarked > MAX_STEPS && first < before;
    rows.add(up ? run.top : first, down ? run.bottom : last, (a, b) => this.enqueueRows(task, a, b));
  }

  /** Queues rows of a task, and the areas that they spill into. */
  private enqueueRows(task: FormulaTask, first: number, last: number): void {
    const { sheet, column } = task.run;
    if (task.isCell) this.enqueue(task);
    else this.enqueue({ sheet, area: { top: first, left: column, bottom: last, right: column }, source: task });
    const spills = this.draft.sheet(sheet)?.spills;
    if (spills && spills.size > 0) this.spreadSpills(spills, task, first, last);
  }

  /** Marks the areas that the rows spill into as changed. */
  private spreadSpills(spills: ReadonlyMap<number, Spill>, task: FormulaTask, first: number, last: number): void {
    const { run } = task;
    const spread = (spill: Spill | undefined) => {
      if (spill && (!spill.blocked || spill.circular))
        this.enqueue({ sheet: run.sheet, area: spill.area, source: task });
    };
    if (last - first < spills.size) {
      for (let row = first; row <= last; row++) spread(spills.get(createAnchorKey(row, run.column)));
      return;
    }
    for (const spill of spills.values()) {
      const { top, left } = spill.area;
      if (left === run.column && top >= first && top <= last) spread(spill);
    }
  }
}

/** Records that a task reads cells that `source` calculates. The edge tells which cells. */
function addPrecedent(task: FormulaTask, source: FormulaTask | CellTasks, edge: Edge): void {
  if (source instanceof FormulaTask) task.addPrecedent(source);
  else source.addReader(task, edge.first, edge.last);
}

/** True for the task of one cell in that row of the run's column. */
function isCellAt(queued: ChangedArea | FormulaTask | undefined, { sheet, column }: Run, row: number): boolean {
  if (!(queued instanceof FormulaTask)) return false;
  const { run } = queued;
  return run.top === row && run.column === column && run.sheet === sheet;
}
