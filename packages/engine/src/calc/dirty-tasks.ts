import { type DependencyGraph, type Edge, type RunEntry, readingRows } from '../graph/dependency-graph.ts';
import { type Area, contains } from '../grid/area.ts';
import type { Draft } from '../sheet/draft.ts';
import { anchorKey, type Spill } from '../sheet/snapshot.ts';
import type { Run } from '../sheet/template.ts';
import type { Meter } from './budget.ts';
import { CellTasks, Task } from './task.ts';

/**
 * A run that was marked this many times counts as dirty from its first marked row on. Circles of runs (B reads C above,
 * C reads B beside) would otherwise be walked row by row.
 */
const MAX_STEPS = 64;

/** Edges followed per cell of the budget, as a power of two. */
const EDGES_PER_CELL_LOG2 = 2;

/** Cells that changed or will change; with their task if a formula computes them. */
interface ChangedArea {
  readonly sheet: number;
  readonly area: Area;
  readonly source: Task | null;
}

/** Finds the formulas that depend on a change, along the graph, and their order of calculation. */
export class DirtyTasks {
  private readonly draft: Draft;
  private readonly graph: DependencyGraph;
  private readonly meter: Meter;
  private tasks: Task[] = [];
  /**
   * Changed areas whose readers are not found yet. A task of one cell stands for that cell, because there may be very
   * many.
   */
  private readonly queue: (ChangedArea | Task)[] = [];
  /** The edges of the area that is followed; reused because there are many areas. */
  private readonly edges: Edge[] = [];

  constructor(draft: Draft, graph: DependencyGraph, meter: Meter) {
    this.meter = meter;
    this.draft = draft;
    this.graph = graph;
  }

  /** Records changed cells. Their readers become dirty. */
  touch(sheet: number, changed: Area): void {
    this.queue.push({ sheet, area: changed, source: null });
  }

  /** Replaces the changed areas. Call it if cells moved before the calculation. */
  replace(places: (sheet: number, area: Area) => readonly { readonly sheet: number; readonly area: Area }[]): void {
    for (const changed of this.queue.splice(0)) {
      if (changed instanceof Task) continue;
      for (const { sheet, area } of places(changed.sheet, changed.area)) this.touch(sheet, area);
    }
  }

  /** Marks formula cells. New ones may take a number format. */
  mark(run: Run, first: number, last: number, isNew = false): void {
    const entry = this.graph.entry(run);
    if (!entry) return;
    const task = this.taskOf(entry);
    if (isNew) task.isNew = true;
    this.markRows(task, first, last);
  }

  /** Marks array formulas that wait for room in an area. */
  markBlockedSpills(id: number, freed: Area): void {
    for (const spill of this.draft.spills.findBlocked(id, freed)) {
      const { top, left } = spill.area;
      const isAnchor = freed.top === freed.bottom && freed.left === freed.right && contains(freed, top, left);
      const run = isAnchor ? undefined : this.draft.sheet(id)?.run(top, left);
      const task = run && this.graph.entry(run)?.task;
      if (run && !(task instanceof Task && task.has(top))) this.mark(run, top, top);
    }
  }

  /** True if the readers of some changed cells are not found yet. */
  get hasChanges(): boolean {
    return this.queue.length > 0;
  }

  /** True if nothing is dirty. Finds readers of changed cells first. */
  isEmpty(): boolean {
    this.spread();
    return this.tasks.length === 0;
  }

  /** Removes and returns all dirty tasks. */
  take(): readonly Task[] {
    this.spread();
    const { tasks } = this;
    this.forget();
    return tasks;
  }

  forget(): void {
    for (const task of this.tasks) task.entry.task = null;
    this.tasks = [];
    this.queue.length = 0;
  }

  private spread(): void {
    for (let next = this.queue.pop(); next; next = this.queue.pop()) {
      if (next instanceof Task) {
        this.spreadFromCells(next);
      } else {
        const { top, left, bottom, right } = next.area;
        this.spreadFrom(next.sheet, top, left, bottom, right, next.source);
      }
    }
  }

  /** Spreads from a cell together with waiting cells directly above or below, in order of entry. */
  private spreadFromCells(task: Task): void {
    const { queue } = this;
    const { sheet, column, top } = task.run;
    const step = isCellAt(queue.at(-1), task.run, top + 1) ? 1 : -1;
    if (!isCellAt(queue.at(-1), task.run, top + step)) return this.spreadFrom(sheet, top, column, top, column, task);
    const tasks = [task];
    while (isCellAt(queue.at(-1), task.run, top + step * tasks.length)) tasks.push(queue.pop() as Task);
    const group = new CellTasks(step > 0 ? tasks : tasks.reverse());
    this.spreadFrom(sheet, group.top, column, group.bottom, column, group);
  }

  private spreadFrom(
    sheet: number,
    top: number,
    left: number,
    bottom: number,
    right: number,
    source: Task | CellTasks | null,
  ): void {
    const { edges } = this;
    edges.length = 0;
    this.graph.edgesInto(sheet, top, left, bottom, right, edges);
    this.meter.pass(1 + (edges.length >> EDGES_PER_CELL_LOG2));
    for (const edge of edges) {
      const { entry } = edge;
      if (entry.isCell) {
        const task = this.taskOf(entry);
        if (source) addPrecedent(task, source, edge);
        this.markRows(task, entry.run.top, entry.run.top);
        continue;
      }
      const rows = readingRows(edge, top, bottom);
      if (!rows) continue;
      const task = this.taskOf(entry);
      if (source) addPrecedent(task, source, edge);
      this.markRows(task, rows.first, rows.last);
    }
    if ((this.draft.sheet(sheet)?.spills.size ?? 0) > 0) this.markBlockedSpills(sheet, { top, left, bottom, right });
  }

  private taskOf(entry: RunEntry): Task {
    if (entry.task !== null) return entry.task as Task;
    const task = new Task(entry);
    entry.task = task;
    this.tasks.push(task);
    return task;
  }

  private markRows(task: Task, first: number, last: number): void {
    const { run } = task;
    if (task.isCell) {
      if (task.steps++ > 0) return;
      this.queue.push(task);
      return this.spreadSpills(task, first, last);
    }
    const before = task.rows.isEmpty ? first : task.rows.bounds().first;
    task.steps++;
    const down = task.steps > MAX_STEPS && first >= before;
    const up = task.steps > MAX_STEPS && first < before;
    task.rows.add(up ? run.top : first, down ? run.bottom : last, (a, b) => {
      this.queue.push({
        sheet: run.sheet,
        area: { top: a, left: run.column, bottom: b, right: run.column },
        source: task,
      });
      this.spreadSpills(task, a, b);
    });
  }

  /** Marks the areas that the rows spill into as changed. */
  private spreadSpills(task: Task, first: number, last: number): void {
    const { run } = task;
    const spills = this.draft.sheet(run.sheet)?.spills;
    if (!spills || spills.size === 0) return;
    const spread = (spill: Spill | undefined) => {
      if (spill && (!spill.blocked || spill.circular))
        this.queue.push({ sheet: run.sheet, area: spill.area, source: task });
    };
    if (last - first < spills.size) {
      for (let row = first; row <= last; row++) spread(spills.get(anchorKey(row, run.column)));
      return;
    }
    for (const spill of spills.values()) {
      const { top, left } = spill.area;
      if (left === run.column && top >= first && top <= last) spread(spill);
    }
  }
}

/** Records that the task reads what the source calculates, through the edge. */
function addPrecedent(task: Task, source: Task | CellTasks, edge: Edge): void {
  if (source instanceof Task) task.addPrecedent(source);
  else source.addReader(task, edge.first, edge.last);
}

/** True for the task of one cell in that row of the run's column. */
function isCellAt(queued: ChangedArea | Task | undefined, { sheet, column }: Run, row: number): boolean {
  if (!(queued instanceof Task)) return false;
  const { run } = queued;
  return run.top === row && run.column === column && run.sheet === sheet;
}
