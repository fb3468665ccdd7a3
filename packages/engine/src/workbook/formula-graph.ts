import { ColumnIndexes } from '../calc/column-index.ts';
import { type Traits, traitsOf } from '../calc/plan.ts';
import { DependencyGraph } from '../graph/dependency-graph.ts';
import { type Reading, readingOf, type Scope } from '../graph/precedents.ts';
import type { Run } from '../sheet/template.ts';

type Step = { readonly kind: 'add' | 'remove'; readonly run: Run; readonly reading: Reading };

/**
 * The dependency graph of the writer's head with the runs that need special care. Changes since `begin` can be taken
 * back, for a batch that is refused after its formulas were entered.
 */
export class FormulaGraph {
  readonly graph = new DependencyGraph();
  /** Where values stand in columns that formulas search. */
  readonly indexes = new ColumnIndexes();
  /** Runs calculated at every change. */
  readonly always = new Set<Run>();
  /** Runs that read cells which their trees do not name. */
  readonly dynamic = new Set<Run>();
  /** Runs that use TODAY or NOW. */
  readonly clock = new Set<Run>();
  /** Runs that name sheets which are not there. */
  readonly missing = new Set<Run>();
  private journal: Step[] = [];

  begin(): void {
    this.journal = [];
  }

  add(run: Run, scope: Scope): Reading {
    const reading = readingOf(run.template.node, { sheet: run.sheet, row: run.top, column: run.column }, scope);
    this.enter(run, reading);
    this.journal.push({ kind: 'add', run, reading });
    return reading;
  }

  remove(run: Run): void {
    const entry = this.graph.entry(run);
    if (!entry) return;
    this.leave(run);
    this.journal.push({ kind: 'remove', run, reading: entry.reading });
  }

  rollBack(): void {
    for (const step of this.journal.reverse()) {
      if (step.kind === 'add') this.leave(step.run);
      else this.enter(step.run, step.reading);
    }
    this.journal = [];
  }

  private enter(run: Run, reading: Reading): void {
    this.graph.add(run, reading);
    const traits: Traits = traitsOf(reading);
    if (traits.always) this.always.add(run);
    if (traits.dynamic) this.dynamic.add(run);
    if (traits.clock) this.clock.add(run);
    if (reading.missingSheets.size > 0) this.missing.add(run);
  }

  private leave(run: Run): void {
    this.graph.remove(run);
    this.always.delete(run);
    this.dynamic.delete(run);
    this.clock.delete(run);
    this.missing.delete(run);
  }
}
