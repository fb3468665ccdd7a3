import type { Area } from '../grid/area.ts';
import type { Draft } from '../sheet/draft.ts';
import { anchorKey, type Spill } from '../sheet/snapshot.ts';
import { REF } from '../value/errors.ts';
import type { Scalar } from '../value/scalar.ts';
import { type Iteration, largestChange, MAX_IMPORT_ROUNDS } from './iteration.ts';
import type { Task } from './task.ts';

export interface DemandedCell {
  readonly task: Task;
  readonly row: number;
}

interface SpilledArea {
  readonly sheet: number;
  readonly area: Area;
}

/** What a circle needs of the recalculation. */
export interface CircleHost {
  readonly draft: Draft;
  /** How circles are calculated iteratively; null: they are errors. */
  readonly iteration: Iteration | null;
  /** An import calculates for the first time. */
  readonly isImport: boolean;
  calculateCell(task: Task, row: number): void;
  placeScalar(task: Task, row: number, value: Scalar): void;
}

/** The values that a circle's cells are taken to hold at first: what depends on them is in a circle indeed. */
const GUESSES: readonly Scalar[] = [REF, true];

/** Elements of an array that lead to one another are followed in so many rounds. */
const MAX_ROUNDS = 64;

/**
 * Formulas that read one another in a circle. That is `#REF!` in each, but where an array formula of a fixed area is
 * one of them: its elements may lead to one another without a circle of cells (B1:B2 `=A1:A2+1` and A2 `=B1`). Then
 * they are calculated in rounds until nothing changes, from two guesses; only what follows from neither is a result.
 * In a document with iterative calculation they are calculated in rounds from the values that they had.
 */
export class Circle {
  private readonly host: CircleHost;
  private readonly cells: DemandedCell[];
  private readonly members: ReadonlySet<DemandedCell>;
  /** Areas that members filled. */
  private readonly spilled: readonly SpilledArea[];
  /** The place in `cells` of the next to calculate in this round. */
  private at = 0;
  private round = 0;
  /** Index into `GUESSES`; past them the members hold `#REF!`, and only their followers are calculated. */
  private guess: number;
  private values: readonly Scalar[] | null = null;
  private results: readonly Scalar[] | null = null;
  /** Set if the circle is calculated iteratively. */
  private readonly iteration: Iteration | null;
  /** The largest change of the last round. */
  private change = Number.POSITIVE_INFINITY;

  /** `cells`: each reads those before it. `joined`: circles that these cells lead through. */
  constructor(host: CircleHost, cells: readonly DemandedCell[], joined: readonly Circle[]) {
    this.host = host;
    this.members = new Set([...joined.flatMap((circle) => [...circle.members]), ...cells]);
    this.cells = [...joined.flatMap((circle) => circle.cells), ...cells];
    this.spilled = [...joined.flatMap((circle) => circle.spilled), ...cells.flatMap((cell) => this.filledBy(cell))];
    this.iteration = this.spilled.length > 0 ? null : host.iteration;
    this.guess = this.maySettle() ? 0 : GUESSES.length;
    if (this.iteration === null) this.begin(this.guess);
  }

  /** Its members and what was calculated for them, in an order in which they may be calculated. */
  get all(): readonly DemandedCell[] {
    return this.cells;
  }

  /** A cell outside was calculated for the next one: it may have read members. */
  follow(cell: DemandedCell): void {
    this.cells.splice(this.at++, 0, cell);
  }

  /** Calculates until every cell has its result. Throws what a read of waiting cells throws, to be called again. */
  settle(): void {
    if (this.iteration !== null) return this.iterate(this.iteration);
    for (;;) {
      for (; this.at < this.cells.length; this.at++) this.calculateNext();
      if (this.guess === GUESSES.length) return;
      const values = this.cells.flatMap((cell) => this.valuesOf(cell));
      if (!haveSameValues(values, this.values)) this.next(values);
      else if (this.guess < GUESSES.length - 1) {
        this.results = values;
        this.begin(this.guess + 1);
      } else if (haveSameValues(values, this.results)) return;
      else this.begin(GUESSES.length);
    }
  }

  /** Rounds until no number changes by the threshold, at most as many as the document allows. */
  private iterate({ count, delta }: Iteration): void {
    for (;;) {
      for (; this.at < this.cells.length; this.at++) this.calculateNext();
      const values = this.cells.flatMap((cell) => this.valuesOf(cell));
      const change = largestChange(this.values, values);
      const isConverging = this.host.isImport && change < this.change && this.round < MAX_IMPORT_ROUNDS;
      this.change = change;
      this.values = values;
      if (change < delta || (++this.round >= count && !isConverging)) return;
      this.at = 0;
    }
  }

  private next(values: readonly Scalar[]): void {
    this.at = 0;
    this.values = values;
    if (++this.round > MAX_ROUNDS) this.begin(GUESSES.length);
  }

  private begin(guess: number): void {
    this.guess = guess;
    this.at = 0;
    this.round = 0;
    this.values = null;
    for (const { task, row } of this.members) this.host.placeScalar(task, row, GUESSES[guess] ?? REF);
    if (guess < GUESSES.length) return;
    // Nothing is filled any more, and yet whoever reads these cells is in the circle until their anchors change.
    for (const { sheet, area } of this.spilled) {
      this.host.draft.spills.set(sheet, { area, fixed: false, blocked: true, circular: true });
    }
  }

  private filledBy(cell: DemandedCell): readonly SpilledArea[] {
    const spill = this.spillOf(cell);
    return spill && !spill.fixed && !spill.blocked ? [{ sheet: cell.task.run.sheet, area: spill.area }] : [];
  }

  private calculateNext(): void {
    const cell = this.cells[this.at]!;
    if (this.iteration === null && this.guess === GUESSES.length && this.members.has(cell)) return;
    this.host.calculateCell(cell.task, cell.row);
  }

  /** A formula that reads itself is a circle, and so is an array of a size that follows its result. */
  private maySettle(): boolean {
    if (this.members.size < 2) return false;
    let hasArray = false;
    for (const cell of this.members) {
      const spill = this.spillOf(cell);
      if (spill && !spill.fixed) return false;
      hasArray ||= spill !== undefined;
    }
    return hasArray;
  }

  private spillOf({ task: { run }, row }: DemandedCell): Spill | undefined {
    return this.host.draft.sheet(run.sheet)?.spills.get(anchorKey(row, run.column));
  }

  private valuesOf(cell: DemandedCell): Scalar[] {
    const { run } = cell.task;
    const sheet = this.host.draft.sheet(run.sheet);
    if (!sheet) return [];
    const spill = this.spillOf(cell);
    if (!spill || spill.blocked) return [sheet.value(cell.row, run.column)];
    const { top, left, bottom, right } = spill.area;
    const values: Scalar[] = [];
    for (let row = top; row <= bottom; row++) {
      for (let column = left; column <= right; column++) values.push(sheet.value(row, column));
    }
    return values;
  }
}

function haveSameValues(a: readonly Scalar[], b: readonly Scalar[] | null): boolean {
  return a.length === b?.length && a.every((value, i) => Object.is(value, b[i]));
}
