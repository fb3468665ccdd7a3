import { type Edit, removeCells, type Snapshot, Workbook } from '@cellwire/engine';
import { readThreadCpuMs, startWorkClock } from '@cellwire/event-loop';
import { EDITS_PER_STEP, MAX_BATCH_STRUCTURE_MS } from '../../limits/google.ts';
import type { ServiceContext } from '../../service/context.ts';
import { toApiRefusal } from '../../service/engine-refusal.ts';
import type { PlanSteps } from '../call.ts';
import { toProblem } from '../problem.ts';

/** Edits that change cells and nothing else of a sheet. */
const CELL_EDITS: ReadonlySet<Edit['kind']> = new Set([
  'setValues',
  'putColumns',
  'append',
  'clear',
  'setFormat',
  'styleCells',
  'copy',
  'fill',
  'sort',
  'replace',
  'removeDuplicates',
  'recalculate',
]);

/**
 * The structure of a document after the edits of a batch: sheets, layouts, stored objects, names and tables, without
 * cells. It has no formulas, so edits need no calculation.
 */
export class StructureState {
  private readonly context: ServiceContext;
  private readonly base: Snapshot;
  private workbook: Workbook | null = null;
  private applied = 0;
  /** Processor time of the edits so far. Elapsed time would refuse batches when the machine is busy. */
  private milliseconds = 0;

  constructor(context: ServiceContext, base: Snapshot) {
    this.context = context;
    this.base = base;
  }

  /** Applies the edits that were not applied by earlier calls. `edits`: all edits of the batch so far. */
  *apply(edits: readonly Edit[]): PlanSteps<Snapshot> {
    while (this.applied < edits.length) {
      const next = edits.slice(this.applied, this.applied + EDITS_PER_STEP);
      this.applied += next.length;
      const structural = next.filter(({ kind }) => !CELL_EDITS.has(kind));
      if (structural.length > 0) this.applyStep(structural);
      if (this.applied < edits.length) yield;
    }
    return this.workbook?.head ?? this.base;
  }

  /**
   * Applies edits to a workbook without cells, which has the structure after all edits so far. Throws if they take too
   * long.
   */
  private applyStep(edits: readonly Edit[]): void {
    this.workbook ??= Workbook.open(removeCells(this.base));
    const { calculationCells } = this.context.config.limits;
    const start = readThreadCpuMs();
    const milliseconds = MAX_BATCH_STRUCTURE_MS - this.milliseconds;
    const budget = { cells: calculationCells, milliseconds, clock: startWorkClock(milliseconds) };
    const applied = this.workbook.apply(edits, { now: this.context.clock(), seed: 1, budget });
    this.milliseconds += readThreadCpuMs() - start;
    if (applied.kind === 'refusal') throw toProblem(toApiRefusal(applied));
  }
}
