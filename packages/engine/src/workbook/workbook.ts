import { BUDGET_EXHAUSTED, Meter } from '../calc/budget.ts';
import type { CalculationMoment } from '../calc/calculation-moment.ts';
import type { CellAreas, ChangeLog, FirstAreas } from '../calc/change-log.ts';
import type { HiddenRead } from '../calc/hidden-reads.ts';
import type { Move } from '../grid/move.ts';
import { instantToSerial } from '../locale/index.ts';
import { Draft } from '../sheet/draft.ts';
import { FormatTable } from '../sheet/formats.ts';
import { type DocumentSettings, Snapshot } from '../sheet/snapshot.ts';
import { Batch } from './batch.ts';
import { moveHiddenReads } from './cell-moves.ts';
import { createRandom } from './cell-random.ts';
import { checkBatch } from './check.ts';
import type { WorkbookData } from './data.ts';
import { FormulaGraph } from './formulas/formula-graph.ts';
import { importData } from './import.ts';
import { findNewReads } from './new-reads.ts';
import { createDefaultSheetName } from './sheet-names.ts';
import { performEdits } from './transaction.ts';
import type { ApplyContext, Edit, EditOutcome, FormulaWarning, Refusal } from './types.ts';

/** The changes of a batch. Values are read from the two snapshots. */
export interface ChangeSet {
  readonly before: Snapshot;
  readonly after: Snapshot;
  /** Moves of cells in order. All other changes are given by positions after the moves. */
  readonly moves: readonly Move[];
  /** `before` with its cells moved: the previous content of each cell of `after`. */
  readonly moved: Snapshot;
  /** Cells that the opposite moves do not restore, by their positions in `before`. */
  readonly lost: readonly CellAreas[];
  /** Cells that the edits set or cleared. */
  readonly written: readonly CellAreas[];
  /** Cells whose value or number format changed because of the written cells. */
  readonly derived: readonly CellAreas[];
  /** The first written and derived cells, see `FirstAreas`; at most `limit` areas of each kind. */
  firstAreas(limit: number): { readonly written: readonly FirstAreas[]; readonly derived: readonly FirstAreas[] };
}

/** The changes of a batch. Cells are sorted into areas on demand, because this takes as long as a small batch. */
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
    this.writtenAreas ??= this.writtenLog.areas();
    return this.writtenAreas;
  }

  firstAreas(limit: number) {
    return {
      written: this.writtenLog.firstAreas(limit),
      derived: this.derivedLog.firstAreas(limit, this.writtenLog),
    };
  }

  get derived(): readonly CellAreas[] {
    this.derivedAreas ??= this.derivedLog.areasWithout(this.writtenLog);
    return this.derivedAreas;
  }
}

/** The result of a batch. */
export interface AppliedBatch {
  readonly kind: 'applied';
  readonly change: ChangeSet;
  /** The outcome of each edit, in order. */
  readonly outcomes: readonly EditOutcome[];
  /** Formulas that are wrong according to their text. They are stored anyway. */
  readonly warnings: readonly FormulaWarning[];
}

/**
 * The only writer of a document. It holds the last applied state (`head`) and, after the first write, the dependency
 * graph of that state. Readers use snapshots and do not need it.
 */
export class Workbook {
  private current: Snapshot;
  private formulas: FormulaGraph | null = null;
  /** Numbers of chunks that the last two batches made; the next batch will probably be similar. */
  private lastChunks = 0;
  private chunksBefore = 0;

  private constructor(head: Snapshot) {
    this.current = head;
  }

  /** A document with one empty sheet, at revision 0. */
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

  /** A writer for a stored state, such as `restoreCheckpoint` returns. Calculates nothing. */
  static open(head: Snapshot): Workbook {
    return new Workbook(head);
  }

  /** A document with the contents of a file, calculated, at revision 0. Refused if the budget is too small. */
  static import(data: WorkbookData, context: ApplyContext): Workbook | Refusal {
    const formulas = new FormulaGraph();
    const snapshot = runWithinBudget(() =>
      importData(data, formulas, context, new BatchMoment(data.settings, context)),
    );
    if (!(snapshot instanceof Snapshot)) return snapshot;
    const workbook = new Workbook(snapshot);
    workbook.formulas = formulas;
    return workbook;
  }

  /** The state after the last batch applied. */
  get head(): Snapshot {
    return this.current;
  }

  /**
   * Applies a whole batch or nothing, and recalculates what depends on it. If refused, the head does not change.
   * Synchronous; takes as long as the budget allows.
   */
  apply(edits: readonly Edit[], context: ApplyContext): AppliedBatch | Refusal {
    return this.calculate(edits, context, true);
  }

  /** The result that `apply` would have. The head does not change. */
  preview(edits: readonly Edit[], context: ApplyContext): AppliedBatch | Refusal {
    return this.calculate(edits, context, false);
  }

  /** Calculates a batch. `isKept`: true if the result becomes the head. */
  private calculate(edits: readonly Edit[], context: ApplyContext, isKept: boolean): AppliedBatch | Refusal {
    const refusal = checkBatch(edits, this.current, context);
    if (refusal) return refusal;
    const meter = new Meter(context.budget);
    return runWithinBudget(() => {
      const first = this.tryBatch(edits, context, meter, isKept);
      if (first !== 'doubtful') return first;
      // The clock or random numbers may decide what INDIRECT and similar functions read. Calculates without the edits
      // first, so that only reads that come with the batch count.
      const without = this.createBatch(context, meter);
      without.recalculate();
      if (without.reached !== null) this.ensureGraph().reach.update(without.reached, hasFormulaIn(this.current));
      const again = this.tryBatch(edits, context, meter, isKept);
      return again === 'doubtful' ? HIDDEN_READ : again;
    });
  }

  private tryBatch(
    edits: readonly Edit[],
    context: ApplyContext,
    meter: Meter,
    isKept: boolean,
  ): AppliedBatch | Refusal | 'doubtful' {
    const formulas = this.ensureGraph();
    formulas.beginBatch(meter);
    let stands = false;
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
      stands = isKept;
      return applied;
    } finally {
      // Even if an error is thrown, the graph must belong to the current state of the document.
      if (stands) formulas.commit();
      else formulas.rollBack();
    }
  }

  private createBatch(context: ApplyContext, meter: Meter): Batch {
    const moment = new BatchMoment(this.current.settings, context);
    const expectedChunks = Math.min(this.lastChunks, this.chunksBefore);
    return new Batch(this.current, this.ensureGraph(), context, moment, meter, expectedChunks);
  }

  private publishBatch({ draft, reached }: Batch, formulas: FormulaGraph, after: Snapshot): void {
    this.chunksBefore = this.lastChunks;
    this.lastChunks = draft.chunksTaken;
    this.current = after;
    if (draft.moves.length > 0) formulas.reach = moveHiddenReads(formulas.reach, draft.moves);
    if (reached !== null) formulas.reach.update(reached, hasFormulaIn(after));
  }

  /**
   * Switches to another state of the document: one that another process made from this one, or an earlier one if later
   * changes failed. This is much cheaper than opening that state, which builds the dependency graph. Returns false and
   * does nothing if the state does not come from one of this document's states in memory.
   */
  follow(state: Snapshot): boolean {
    if (state.formats !== this.current.formats) return false;
    if (state !== this.current) this.formulas?.switchToState(this.current, state);
    this.current = state;
    return true;
  }

  /** Builds the dependency graph now instead of with the first batch. */
  prepare(): void {
    this.ensureGraph();
  }

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

function createAppliedBatch(batch: Batch): AppliedBatch {
  const { draft, outcomes, warnings } = batch;
  return { kind: 'applied', change: new LoggedChanges(batch, draft.publish()), outcomes, warnings: warnings.items };
}

/** Returns a function that tells whether a cell has a formula in a state. */
function hasFormulaIn(state: Snapshot): (cell: HiddenRead) => boolean {
  return ({ sheet, row, column }) => state.sheetById(sheet)?.run(row, column) !== undefined;
}

const HIDDEN_READ: Refusal = { kind: 'refusal', reason: 'hiddenSheetRead' };

/**
 * The moment of a batch's calculation. The time in a time zone is computed on demand, because it takes longer than most
 * batches.
 */
class BatchMoment implements CalculationMoment {
  private readonly settings: DocumentSettings;
  private readonly instant: number;
  private readonly seed: number;
  private serial: number | null = null;

  constructor(settings: DocumentSettings, context: ApplyContext) {
    this.settings = settings;
    this.instant = context.now;
    this.seed = context.seed;
  }

  randomFor(sheet: number, row: number, column: number): () => number {
    return createRandom(this.seed, sheet, row, column);
  }

  get now(): number {
    this.serial ??= instantToSerial(this.instant, this.settings.timeZone, this.settings.dateSystem);
    return this.serial;
  }
}

function runWithinBudget<T>(run: () => T): T | Refusal {
  try {
    return run();
  } catch (thrown) {
    if (thrown === BUDGET_EXHAUSTED) return { kind: 'refusal', reason: 'calculationLimit' };
    throw thrown;
  }
}
