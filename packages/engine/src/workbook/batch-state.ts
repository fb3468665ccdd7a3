import type { Meter } from '../calc/budget.ts';
import type { ChangeLog } from '../calc/change-log.ts';
import type { DirtyTasks } from '../calc/dirty-tasks.ts';
import type { Recalculation } from '../calc/recalculation.ts';
import type { Draft } from '../sheet/draft.ts';
import type { FormulaGraph } from './formulas/formula-graph.ts';
import type { Refusal } from './types.ts';
import type { WarningList } from './warning-list.ts';

/** The state that the parts of a batch share. */
export interface BatchState {
  readonly draft: Draft;
  readonly meter: Meter;
  /** The dependency graph. */
  readonly formulas: FormulaGraph;
  /** The formulas that must be calculated. */
  readonly dirtyTasks: DirtyTasks;
  readonly recalculation: Recalculation;
  /** Cells that the edits wrote or cleared. */
  readonly written: ChangeLog;
  /** Formula cells that must be calculated even if no cell that they read has changed. */
  readonly toCalculate: ChangeLog;
  /** The user who sends the batch and owns the formulas that it enters; null for the document's owner. */
  readonly writer: number | null;
  readonly warnings: WarningList;
  /** Set by the first edit that is refused. The batch then ends. */
  refusal: Refusal | null;
}
