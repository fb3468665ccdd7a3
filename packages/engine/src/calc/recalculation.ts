import { Lambda, Matrix } from '../functions/value.ts';
import type { DependencyGraph } from '../graph/dependency-graph.ts';
import { IntervalSet } from '../graph/interval-set.ts';
import { type Precedent, place } from '../graph/precedents.ts';
import { type Area, area, contains, intersects } from '../grid/area.ts';
import { CHUNK_MASK, CHUNK_SHIFT } from '../sheet/chunk.ts';
import type { Draft } from '../sheet/draft.ts';
import { GENERAL } from '../sheet/formats.ts';
import { anchorKey, type Sheet, type Spill } from '../sheet/snapshot.ts';
import type { Run } from '../sheet/template.ts';
import { CALC, NUM, REF } from '../value/errors.ts';
import type { Scalar } from '../value/scalar.ts';
import type { Meter } from './budget.ts';
import type { ChangeLog } from './change-log.ts';
import type { Evaluation, Guard } from './evaluation.ts';
import { inferFormat } from './infer-format.ts';
import { BlockCalculator, type Kernel } from './kernel.ts';
import { type Plan, planOf } from './plan.ts';
import { Schedule, type Task } from './schedule.ts';
import { type Placement, SpillPlacer } from './spill.ts';

/**
 * A run dirtied in this many steps is taken as dirty from the first of them on: circles of runs (B reads C above, C
 * reads B beside) would otherwise be walked row by row.
 */
const MOST_STEPS = 64;

/** An array formula calculated more often than this in one recalculation feeds on its own size: `#REF!`. */
const MOST_ROUNDS = 16;

/** Thrown by a guarded read of cells that are still to be calculated; one instance, read at once by its catcher. */
class StillWaiting {
  sheet = 0;
  area: Area = area(0, 0, 0, 0);
}

interface DirtyRows {
  readonly rows: IntervalSet;
  steps: number;
}

/** A cell being calculated on demand, and the area it found waiting. */
interface Demand {
  readonly task: Task;
  readonly row: number;
  wait: { readonly sheet: number; readonly area: Area } | null;
}

/**
 * Calculates what a change made dirty. In waves: dirt spreads along the graph, the dirty runs are calculated with
 * their precedents first, and what arrays newly filled makes the next wave.
 */
export class Recalculation implements Guard {
  private readonly draft: Draft;
  private readonly graph: DependencyGraph;
  private readonly evaluation: Evaluation;
  private readonly meter: Meter;
  private readonly changes: ChangeLog;
  /** Runs that read cells which their trees do not name. */
  private readonly dynamic: ReadonlySet<Run>;
  private readonly placer: SpillPlacer;
  private readonly blocks: BlockCalculator;
  private readonly signal = new StillWaiting();
  private readonly rounds = new Map<number, number>();
  private dirty = new Map<Run, DirtyRows>();
  private queue: { sheet: number; area: Area }[] = [];
  private schedule: Schedule | null = null;

  constructor(
    draft: Draft,
    formulas: { readonly graph: DependencyGraph; readonly dynamic: ReadonlySet<Run> },
    evaluation: Evaluation,
    meter: Meter,
    changes: ChangeLog,
  ) {
    this.draft = draft;
    this.graph = formulas.graph;
    this.dynamic = formulas.dynamic;
    this.evaluation = evaluation;
    this.meter = meter;
    this.changes = changes;
    this.blocks = new BlockCalculator(draft, meter);
    this.placer = new SpillPlacer(draft, changes, (sheet, row, column, value, flags) =>
      this.write(sheet, row, column, value, flags),
    );
  }

  /** Cells have changed: whoever reads them is dirty. */
  touch(sheet: number, changed: Area): void {
    this.queue.push({ sheet, area: changed });
  }

  /** Formula cells are to be calculated themselves. */
  mark(run: Run, first: number, last: number): void {
    const held = this.dirty.get(run) ?? { rows: new IntervalSet(), steps: 0 };
    this.dirty.set(run, held);
    const before = held.rows.isEmpty ? first : held.rows.hull().first;
    held.steps++;
    const down = held.steps > MOST_STEPS && first >= before;
    const up = held.steps > MOST_STEPS && first < before;
    held.rows.add(up ? run.top : first, down ? run.bottom : last, (a, b) => this.spreadRows(run, a, b));
  }

  private spreadRows(run: Run, first: number, last: number): void {
    this.touch(run.sheet, area(first, run.column, last, run.column));
    const spills = this.draft.sheet(run.sheet)?.spills;
    if (!spills || spills.size === 0) return;
    if (first === last) {
      const spill = spills.get(anchorKey(first, run.column));
      if (spill && !spill.blocked) this.touch(run.sheet, spill.area);
      return;
    }
    for (const spill of spills.values()) {
      const { top, left } = spill.area;
      if (!spill.blocked && left === run.column && top >= first && top <= last) this.touch(run.sheet, spill.area);
    }
  }

  /** Takes back what an anchor spilled, because its formula is gone or stands alone now. */
  dissolve(sheet: Sheet, spill: Spill): void {
    this.placer.erase(sheet, spill);
    this.draft.deleteSpill(sheet.id, spill.area.top, spill.area.left);
    this.touch(sheet.id, spill.area);
  }

  /** Calculates until nothing is dirty. Throws what the meter throws. */
  run(): void {
    for (let wave = 1; ; wave++) {
      this.spread();
      if (this.dirty.size === 0) return;
      // What INDIRECT and its kind read is not in the graph: they may depend on anything that the last wave changed.
      if (wave > 1) for (const run of this.dynamic) this.mark(run, run.top, run.bottom);
      this.spread();
      const rows = new Map([...this.dirty].map(([run, held]) => [run, held.rows]));
      this.dirty = new Map();
      this.calculate(new Schedule(rows, this.graph, (id) => this.draft.sheet(id)));
    }
  }

  private spread(): void {
    for (let next = this.queue.pop(); next; next = this.queue.pop()) {
      this.graph.dependents(next.sheet, next.area, (run, first, last) => this.mark(run, first, last));
      this.wake(next.sheet, next.area);
    }
  }

  /** Array formulas that wait for room there try again. */
  private wake(id: number, freed: Area): void {
    const sheet = this.draft.sheet(id);
    if (!sheet) return;
    for (const spill of this.draft.blockedSpills(id).values()) {
      const { top, left } = spill.area;
      if (!intersects(spill.area, freed)) continue;
      const isAnchor = freed.top === freed.bottom && freed.left === freed.right && contains(freed, top, left);
      const run = isAnchor ? undefined : sheet.run(top, left);
      if (run && !this.dirty.get(run)?.rows.has(top)) this.mark(run, top, top);
    }
  }

  private calculate(schedule: Schedule): void {
    this.schedule = schedule;
    for (const task of schedule.tasks) this.draft.ownSheet(task.run.sheet);
    for (const task of schedule.tasks) if (task.state === 'waiting') this.visit(schedule, task);
    this.schedule = null;
  }

  /** Depth first along the precedents, without recursion: chains of formulas may be long. */
  private visit(schedule: Schedule, root: Task): void {
    const stack: { task: Task; precedents: Task[]; next: number }[] = [];
    const open = (task: Task) => {
      task.state = 'open';
      stack.push({ task, precedents: schedule.precedents(task), next: 0 });
    };
    open(root);
    for (let top = stack[stack.length - 1]; top; top = stack[stack.length - 1]) {
      const precedent = top.precedents[top.next++];
      if (!precedent) {
        this.calculateTask(top.task);
        schedule.close(top.task);
        stack.pop();
      } else if (precedent.state === 'waiting') open(precedent);
      else if (precedent.state === 'open' && precedent !== top.task) {
        const from = stack.findIndex((held) => held.task === precedent);
        for (let i = from; i < stack.length; i++) (stack[i] as { task: Task }).task.circular = true;
      }
    }
  }

  private calculateTask(task: Task): void {
    const order = task.circular || this.dynamic.has(task.run) ? 'demand' : selfOrder(task);
    const spills = this.draft.sheet(task.run.sheet)?.spills.size ?? 0;
    if (order === 'demand' || (spills > 0 && this.readsOwnSpill(task))) {
      task.rows.forEach((first, last) => {
        for (let row = first; row <= last; row++) if (!task.isFinished(row)) this.demand(task, row);
      });
      return;
    }
    const plan = planOf(task.run.template);
    if (order === 'up') return this.calculateUpwards(task, plan);
    const inBlocks = plan.kernel !== null && task.finished === null && (spills === 0 || !this.hasSpills(task.run));
    task.rows.forEach((first, last) => {
      if (inBlocks) this.calculateBlocks(task, plan, first, last);
      else for (let row = first; row <= last; row++) if (!task.isFinished(row)) this.calculateCell(task, plan, row);
    });
  }

  private hasSpills(run: Run): boolean {
    for (const spill of this.draft.sheet(run.sheet)?.spills.values() ?? []) {
      const { top, left } = spill.area;
      if (left === run.column && top >= run.top && top <= run.bottom) return true;
    }
    return false;
  }

  /** Plain arithmetic, chunk by chunk; a chunk with anything but numbers in it goes cell by cell. */
  private calculateBlocks(task: Task, plan: Plan, from: number, to: number): void {
    const { run } = task;
    for (let first = from; first <= to; ) {
      const last = Math.min(to, first | CHUNK_MASK);
      const count = last - first + 1;
      const results = this.blocks.calculate(plan.kernel as Kernel, run, first, count);
      if (results) {
        this.meter.spend(count);
        this.draft.setResults(run.sheet, run.column, first, results, count, (a, b) =>
          this.changes.addRows(run.sheet, run.column, a, b),
        );
        if (this.mayInfer(plan))
          for (let row = first; row <= last; row++) this.inferFormatAt(run, row, row, run.column);
      } else for (let row = first; row <= last; row++) this.calculateCell(task, plan, row);
      first = last + 1;
    }
  }

  /** Whether a formula's result could take a number format from anywhere. */
  private mayInfer(plan: Plan): boolean {
    return plan.givesFormat || this.draft.formats.size > 1;
  }

  private calculateUpwards(task: Task, plan: Plan): void {
    const { first, last } = task.rows.hull();
    for (let row = last; row >= first; row--) if (task.awaits(row)) this.calculateCell(task, plan, row);
  }

  private readsOwnSpill(task: Task): boolean {
    return (this.schedule as Schedule).precedents(task).includes(task);
  }

  /** Calculates a cell; cells it finds waiting come first. A cell found while it is itself under way is a circle. */
  private demand(task: Task, row: number): void {
    const stack: Demand[] = [{ task, row, wait: null }];
    this.evaluation.guard = this;
    for (let top = stack[stack.length - 1]; top; top = stack[stack.length - 1]) {
      if (top.wait && this.pushWaiting(stack, top.wait)) continue;
      top.wait = null;
      try {
        this.calculateCell(top.task, planOf(top.task.run.template), top.row);
        top.task.finish(top.row);
        stack.pop();
      } catch (thrown) {
        if (thrown !== this.signal) throw thrown;
        top.wait = { sheet: this.signal.sheet, area: this.signal.area };
      }
    }
    this.evaluation.guard = null;
  }

  /** Puts the next waiting cell of an area on the stack; false when none waits any more. */
  private pushWaiting(stack: Demand[], wait: { readonly sheet: number; readonly area: Area }): boolean {
    const next = (this.schedule as Schedule).firstWaiting(wait.sheet, wait.area);
    if (!next) return false;
    const at = stack.findIndex((held) => held.task === next.task && held.row === next.row);
    if (at < 0) {
      stack.push({ task: next.task, row: next.row, wait: null });
      return true;
    }
    for (const held of stack.splice(at)) {
      this.place(held.task.run, held.row, REF);
      held.task.finish(held.row);
    }
    return true;
  }

  check(sheet: number, read: Area): void {
    if ((this.schedule as Schedule).firstWaiting(sheet, read) === null) return;
    this.signal.sheet = sheet;
    this.signal.area = read;
    throw this.signal;
  }

  private calculateCell(task: Task, plan: Plan, row: number): void {
    const { run } = task;
    this.meter.spend(1);
    this.evaluation.moveTo(run.sheet, row, run.column, task.entry.reading.precedents);
    this.place(run, row, this.evaluate(plan));
  }

  private evaluate(plan: Plan): Scalar | Matrix | Lambda {
    try {
      return this.evaluation.dereference(plan.code(this.evaluation, null));
    } catch (thrown) {
      // A formula can nest deeper than the machine's stack: the same answer as for calls nested too deep.
      if (thrown instanceof RangeError) return NUM;
      throw thrown;
    }
  }

  /** Puts a result in its place on the sheet. */
  private place(run: Run, row: number, result: Scalar | Matrix | Lambda): void {
    const sheet = this.draft.ownSheet(run.sheet);
    const value = result instanceof Lambda ? CALC : result;
    if (!(value instanceof Matrix)) return this.placeScalar(sheet, run, row, value);
    const key = anchorKey(row, run.column);
    if (value.data.length === 1 && !sheet.spills.get(key)?.fixed) {
      return this.placeScalar(sheet, run, row, value.data[0] as Scalar);
    }
    const round = (this.rounds.get(key) ?? 0) + 1;
    this.rounds.set(key, round);
    if (round > MOST_ROUNDS) return this.placeScalar(sheet, run, row, REF);
    this.meter.spend(value.data.length);
    this.after(run.sheet, this.placer.spread(sheet, row, run.column, value));
    this.inferFormats(sheet, run, row, value);
  }

  private placeScalar(sheet: Sheet, run: Run, row: number, value: Scalar): void {
    this.after(run.sheet, this.placer.single(sheet, row, run.column, value));
    if (typeof value === 'number' && this.mayInfer(planOf(run.template))) this.inferFormatAt(run, row, row, run.column);
  }

  private after(sheet: number, placement: Placement): void {
    for (const grown of placement.grown) this.touch(sheet, grown);
    if (placement.freed) this.wake(sheet, placement.freed);
  }

  private inferFormats(sheet: Sheet, run: Run, row: number, matrix: Matrix): void {
    const spill = sheet.spills.get(anchorKey(row, run.column));
    if (!spill || spill.blocked || !this.mayInfer(planOf(run.template))) return;
    for (let c = 0; c < matrix.columns; c++) {
      for (let r = 0; r < matrix.rows; r++) {
        if (typeof matrix.get(r, c) === 'number') this.inferFormatAt(run, row, row + r, run.column + c);
      }
    }
  }

  /** Gives a cell the format of its formula's operands, unless somebody gave it one. */
  private inferFormatAt(run: Run, anchorRow: number, row: number, column: number): void {
    const sheet = this.draft.sheet(run.sheet) as Sheet;
    const held = sheet.format(row, column);
    if (held !== GENERAL && !this.draft.formats.get(held).inferred) return;
    const at = { sheet: run.sheet, row: anchorRow, column: run.column, across: column - run.column };
    const code = inferFormat(run.template.node, at, this.draft);
    this.draft.setFormat(run.sheet, row, column, this.draft.formats.idOf(code, true));
  }

  private write(sheetId: number, row: number, column: number, value: Scalar, flags: number): void {
    const sheet = this.draft.ownSheet(sheetId);
    const chunk = sheet.columns[column]?.chunks[row >> CHUNK_SHIFT];
    const at = row & CHUNK_MASK;
    if (chunk) {
      const same = chunk.value(at) === value;
      if (same && (value === null || (chunk.kind(at) & ~7) === flags)) return;
      this.draft.set(sheetId, row, column, value, flags);
      if (!same) this.changes.add(sheetId, row, column);
      return;
    }
    if (value === null) return;
    this.draft.set(sheetId, row, column, value, flags);
    this.changes.add(sheetId, row, column);
  }
}

/** In which direction a run that reads itself can be calculated cell by cell. */
function selfOrder(task: Task): 'down' | 'up' | 'demand' {
  let down = true;
  let up = true;
  const { run } = task;
  const { first, last } = task.rows.hull();
  for (const { precedent, left, right } of task.entry.edges) {
    if (precedent.sheet !== run.sheet || run.column < left || run.column > right) continue;
    if (!readsOnly('above', precedent, first, last)) down = false;
    if (!readsOnly('below', precedent, first, last)) up = false;
  }
  return down ? 'down' : up ? 'up' : 'demand';
}

/** Whether every cell from `first` to `last` reads, of those rows, only rows above (or below) itself. */
function readsOnly(side: 'above' | 'below', precedent: Precedent, first: number, last: number): boolean {
  return (
    [precedent.top, precedent.bottom].every((corner) => {
      if (corner.absolute) return side === 'above' ? corner.at < first : corner.at > last;
      return side === 'above' ? place(corner, 0) < 0 : place(corner, 0) > 0;
    }) || outside(precedent, first, last)
  );
}

/** Whether the rows read lie all outside the rows to calculate. */
function outside(precedent: Precedent, first: number, last: number): boolean {
  if (!precedent.top.absolute || !precedent.bottom.absolute) return false;
  const low = Math.min(precedent.top.at, precedent.bottom.at);
  const high = Math.max(precedent.top.at, precedent.bottom.at);
  return high < first || low > last;
}
