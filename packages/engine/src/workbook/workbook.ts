import { BUDGET_EXHAUSTED, Meter } from '../calc/budget.ts';
import type { CellAreas, ChangeLog, FirstAreas } from '../calc/change-log.ts';
import type { HiddenRead } from '../calc/hidden-reads.ts';
import type { Move } from '../grid/move.ts';
import { Draft } from '../sheet/draft.ts';
import { FormatTable } from '../sheet/formats.ts';
import { type DocumentSettings, Snapshot } from '../sheet/snapshot.ts';
import { Batch } from './batch.ts';
import { moveHiddenReads } from './cell-moves.ts';
import { checkBatch } from './check-edits.ts';
import { FormulaGraph } from './formulas/formula-graph.ts';
import { importData } from './import.ts';
import { findNewReads } from './new-reads.ts';
import { createDefaultSheetName } from './sheet-names.ts';
import { performEdits } from './transaction.ts';
import type { ApplyContext, Edit, EditOutcome, FormulaWarning, Refusal } from './types.ts';
import type { WorkbookData } from './workbook-data.ts';

/** The changes of a batch. Values are read from the two snapshots. */
export interface ChangeSet {
  readonly before: Snapshot;
  readonly after: Snapshot;
  /** Moves of cells in order. All other changes have the positions after the moves. */
  readonly moves: readonly Move[];
  /** `before` with the moves applied. It contains the previous content of each cell of `after`. */
  readonly moved: Snapshot;
  /** Cells that the reverse moves do not restore, by their positions in `before`. */
  readonly lost: readonly CellAreas[];
  /** Cells that the edits wrote or cleared. */
  readonly written: readonly CellAreas[];
  /** Cells whose value or number format changed as a consequence of the written cells. */
  readonly derived: readonly CellAreas[];
  /** Returns the first written and derived cells as at most `limit` areas of each kind; see `FirstAreas`. */
  firstAreas(limit: number): { readonly written: readonly FirstAreas[]; readonly derived: readonly FirstAreas[] };
}

/** The changes of a batch. The areas are computed on demand, because this takes as long as a small batch. */
class LoggedChanges implements ChangeSet {
  readonly before: Snapshot;
  readonly after: Snapshot;
  readonly moves: readonly Move[];
  readonly moved: Snapshot;
  readonly lost: readonly CellAreas[];
  private readonly writtenLog: ChangeLog;
  private readonly derivedLog: ChangeLog;
  private writtenAreas: readonly CellAreas[] | null = null;
  private derivedAreas: readonly CellAreas[] | null = null;

  constructor({ draft, written, derived, lostCells }: Batch, after: Snapshot) {
    const { base, moves, moved } = draft;
    this.lost = lostCells;
    this.before = base;
    this.after = after;
    this.moves = moves;
    this.moved = moved;
    this.writtenLog = written;
    this.derivedLog = derived;
  }

  get written(): readonly CellAreas[] {
    this.writtenAreas ??= this.writtenLog.listAreas();
    return this.writtenAreas;
  }

  firstAreas(limit: number) {
    return {
      written: this.writtenLog.listFirstAreas(limit),
      derived: this.derivedLog.listFirstAreas(limit, this.writtenLog),
    };
  }

  get derived(): readonly CellAreas[] {
    this.derivedAreas ??= this.derivedLog.listAreasWithout(this.writtenLog);
    return this.derivedAreas;
  }
}

/** The result of a batch. */
export interface AppliedBatch {
  readonly kind: 'applied';
  readonly change: ChangeSet;
  /** The outcome of each edit, in order. */
  readonly outcomes: readonly EditOutcome[];
  /** Formulas with a problem in their text. They are stored nevertheless. */
  readonly warnings: readonly FormulaWarning[];
}

/**
 * The only object that changes a document. It holds the last applied state (`head`) and, after the first write, the
 * dependency graph of that state. Readers use snapshots and need no `Workbook`.
 */
export class Workbook {
  private current: Snapshot;
  private formulas: FormulaGraph | null = null;
  /** Numbers of chunks that the last two batches created. The next batch will probably create a similar number. */
  private lastChunks = 0;
  private chunksBefore = 0;

  private constructor(head: Snapshot) {
    this.current = head;
  }

  /** Creates a document with one empty sheet, at revision 0. */
  static create(settings: DocumentSettings, firstSheet?: string): Workbook {
    const empty = new Snapshot({
      revision: -1,
      settings,
      sheets: [],
      names: [],
      tables: [],
      formats: new FormatTable(),
      carried: {},
      nextSheetId: 1,
      hasClock: false,
    });
    const draft = new Draft(empty);
    draft.addSheet(firstSheet ?? createDefaultSheetName(settings.locale, draft));
    return new Workbook(draft.publish());
  }

  /** Opens a stored state, such as `restoreCheckpoint` returns. Calculates nothing. */
  static open(head: Snapshot): Workbook {
    return new Workbook(head);
  }

  /**
   * Creates a document with the contents of a file and calculates it, at revision 0. Refused if the budget is too
   * small.
   */
  static import(data: WorkbookData, context: ApplyContext): Workbook | Refusal {
    const formulas = new FormulaGraph();
    try {
      const workbook = new Workbook(importData(data, formulas, context));
      workbook.formulas = formulas;
      formulas.commit();
      return workbook;
    } catch (thrown) {
      return createBudgetRefusal(thrown);
    }
  }

  /** The state after the last applied batch. */
  get head(): Snapshot {
    return this.current;
  }

  /**
   * Applies all edits of a batch or none, and recalculates formulas that depend on them. If the batch is refused, the
   * head does not change. Synchronous; takes as long as the budget allows.
   */
  apply(edits: readonly Edit[], context: ApplyContext): AppliedBatch | Refusal {
    return this.calculate(edits, context, true);
  }

  /** Returns the result that `apply` would have. The head does not change. */
  preview(edits: readonly Edit[], context: ApplyContext): AppliedBatch | Refusal {
    return this.calculate(edits, context, false);
  }

  /** Calculates a batch. `isKept`: true if the result becomes the head. */
  private calculate(edits: readonly Edit[], context: ApplyContext, isKept: boolean): AppliedBatch | Refusal {
    const refusal = checkBatch(edits, this.current, context);
    if (refusal) return refusal;
    const meter = new Meter(context.budget);
    try {
      const first = this.tryBatch(edits, context, meter, isKept);
      if (first !== 'doubtful') return first;
      // The clock or random numbers may also have changed the cells that INDIRECT and similar functions read. First
      // calculates without the edits, so that only new reads of the batch count.
      const without = this.createBatch(context, meter);
      without.recalculate();
      if (without.hiddenReadLog !== null)
        this.ensureGraph().hiddenReads.update(without.hiddenReadLog, createFormulaTest(this.current));
      const again = this.tryBatch(edits, context, meter, isKept);
      return again === 'doubtful' ? HIDDEN_READ : again;
    } catch (thrown) {
      return createBudgetRefusal(thrown);
    }
  }

  /**
   * Calculates a batch. `doubtful`: a read of a hidden sheet may be new; the caller must compare with the state before.
   */
  private tryBatch(
    edits: readonly Edit[],
    context: ApplyContext,
    meter: Meter,
    isKept: boolean,
  ): AppliedBatch | Refusal | 'doubtful' {
    const formulas = this.ensureGraph();
    formulas.beginBatch(meter);
    let isCommitted = false;
    try {
      const batch = this.createBatch(context, meter);
      const refusal = performEdits(batch, edits, context);
      if (refusal) return refusal;
      batch.recalculate();
      const reads = findNewReads(batch, formulas, edits, context);
      if (reads === 'some') return HIDDEN_READ;
      if (reads === 'doubtful') return reads;
      const applied = createAppliedBatch(batch);
      if (isKept) this.publishBatch(batch, formulas, applied.change.after);
      isCommitted = isKept;
      return applied;
    } finally {
      // Even if an error was thrown, the graph must belong to the current state of the document.
      if (isCommitted) formulas.commit();
      else formulas.rollBack();
    }
  }

  /** Creates a batch on the head. */
  private createBatch(context: ApplyContext, meter: Meter): Batch {
    const expectedChunks = Math.min(this.lastChunks, this.chunksBefore);
    return new Batch(this.current, this.ensureGraph(), context, meter, expectedChunks);
  }

  /** Makes the state after a batch the head. */
  private publishBatch({ draft, hiddenReadLog }: Batch, formulas: FormulaGraph, after: Snapshot): void {
    this.chunksBefore = this.lastChunks;
    this.lastChunks = draft.chunksTaken;
    this.current = after;
    if (draft.moves.length > 0) formulas.hiddenReads = moveHiddenReads(formulas.hiddenReads, draft.moves);
    if (hiddenReadLog !== null) formulas.hiddenReads.update(hiddenReadLog, createFormulaTest(after));
  }

  /**
   * Switches to another state of the document: a state that another process created from the current one, or an earlier
   * one if later changes failed. This is much cheaper than opening that state, which builds the dependency graph.
   * Returns false and does nothing if the state was not created from a state of this document in memory.
   */
  follow(state: Snapshot): boolean {
    if (state.formats !== this.current.formats) return false;
    if (state !== this.current) this.formulas?.switchToState(this.current, state);
    this.current = state;
    return true;
  }

  /** Builds the dependency graph now instead of during the first batch. */
  prepare(): void {
    this.ensureGraph();
  }

  /** The dependency graph of the head; builds it if there is none. */
  private ensureGraph(): FormulaGraph {
    if (this.formulas) return this.formulas;
    const formulas = new FormulaGraph();
    for (const sheet of this.current.sheets) {
      for (const column of sheet.columns) for (const run of column?.runs ?? []) formulas.addRun(run, this.current);
    }
    this.formulas = formulas;
    return formulas;
  }
}

/** The result of a batch for the caller. */
function createAppliedBatch(batch: Batch): AppliedBatch {
  const { draft, outcomes, warningItems } = batch;
  return { kind: 'applied', change: new LoggedChanges(batch, draft.publish()), outcomes, warnings: warningItems };
}

/** Creates a function that tells whether a cell has a formula in a state. */
function createFormulaTest(state: Snapshot): (cell: HiddenRead) => boolean {
  return ({ sheet, row, column }) => state.sheetById(sheet)?.run(row, column) !== undefined;
}

const HIDDEN_READ: Refusal = { kind: 'refusal', reason: 'hiddenSheetRead' };

/** The refusal of a calculation whose budget is exhausted. Throws any other exception again. */
function createBudgetRefusal(thrown: unknown): Refusal {
  if (thrown === BUDGET_EXHAUSTED) return { kind: 'refusal', reason: 'calculationLimit' };
  throw thrown;
}
