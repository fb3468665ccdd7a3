import { REF } from '../../value/errors.ts';
import type { Scalar } from '../../value/scalar.ts';
import { findLargestChange, type Iteration, MAX_IMPORT_ROUNDS } from '../iteration.ts';
import { CircularCells, type CircularHost, type DemandedCell, findSpill } from './circular-cells.ts';
import type { CircularMembers } from './circular-members.ts';

/** The methods of the recalculation that a circle calls. */
interface CircleHost extends CircularHost {
  /** Settings of iterative calculation; null if circles are errors. */
  readonly iteration: Iteration | null;
  /** True for the first calculation of an import. */
  readonly isImport: boolean;
  /** True if the cell's value is its result in the imported file. */
  hasFileResult(cell: DemandedCell): boolean;
}

/**
 * Initial values of the cells of a circle. If a result depends on the initial value, the reference is really circular.
 */
const GUESSES: readonly Scalar[] = [REF, true];

/** Maximum rounds for an array whose elements depend on one another. */
const MAX_ROUNDS = 64;

/**
 * Formulas that read one another in a circle, if they are calculated iteratively, or if an array formula with a fixed
 * area is among them: its elements may depend on one another without a circle of cells (B1:B2 `=A1:A2+1` and A2
 * `=B1`). The latter are calculated in rounds until nothing changes, twice, with two initial values. A value is a result
 * only if it is the same for both initial values; else all formulas give `#REF!`. With iterative calculation the
 * formulas are calculated in rounds that start from their previous values. An import keeps the results in the file if
 * they are a solution, or if the rounds find none. Importing an export again therefore gives the same document.
 */
export class Circle {
  private readonly host: CircleHost;
  private readonly cells: DemandedCell[];
  readonly members: ReadonlySet<DemandedCell>;
  /** Index in `cells` of the next cell of this round. */
  private nextIndex = 0;
  private round = 0;
  /**
   * Index into `GUESSES`. After the last guess, members become `#REF!`, and only the cells that depend on them are
   * calculated.
   */
  private guess = 0;
  private values: readonly Scalar[] | null = null;
  private results: readonly Scalar[] | null = null;
  /** Set if the circle is calculated iteratively. */
  private readonly iteration: Iteration | null;
  /** The largest change of the last round. */
  private change = Number.POSITIVE_INFINITY;
  /**
   * The results of the members in the imported file. Null unless an import calculates iteratively and every member has
   * a result there.
   */
  private readonly fileResults: ReadonlyMap<DemandedCell, Scalar> | null;
  /** True if the members have the results of the file again. Only the cells that depend on them are then calculated. */
  private isRestored = false;

  /** `cells`: the cells of the circle; each reads the cell before it. `joined`: circles that these cells depend on. */
  constructor(host: CircleHost, cells: readonly DemandedCell[], joined: readonly Circle[]) {
    this.host = host;
    this.members = new Set([...joined.flatMap((circle) => [...circle.members]), ...cells]);
    this.cells = [...joined.flatMap((circle) => circle.cells), ...cells];
    this.iteration = host.iteration;
    this.fileResults = this.iteration === null ? null : this.readFileResults(cells, joined);
    if (this.iteration === null) this.beginGuess(0);
  }

  /** The circle's members and the cells that were calculated for them, in a valid order of calculation. */
  get calculatedCells(): readonly DemandedCell[] {
    return this.cells;
  }

  /** Adds a cell that was calculated because the next member reads it. The cell may have read members of the circle. */
  insertCell(cell: DemandedCell): void {
    this.cells.splice(this.nextIndex++, 0, cell);
  }

  /**
   * Calculates until every cell has its result. If a read of waiting cells throws, the exception passes through; the
   * caller calls this method again later.
   */
  calculateCells(): void {
    if (this.iteration !== null) return this.iterate(this.iteration);
    for (;;) {
      for (; this.nextIndex < this.cells.length; this.nextIndex++) this.calculateNext();
      if (this.guess === GUESSES.length) return;
      const values = this.cells.flatMap((cell) => this.readValues(cell));
      if (!haveSameValues(values, this.values)) this.startRound(values);
      else if (this.guess < GUESSES.length - 1) {
        this.results = values;
        this.beginGuess(this.guess + 1);
      } else if (haveSameValues(values, this.results)) return;
      else this.beginGuess(GUESSES.length);
    }
  }

  /**
   * Runs rounds until every number changes by less than the threshold, or until the document's maximum number of rounds
   * is reached.
   */
  private iterate({ count, delta }: Iteration): void {
    for (;;) {
      for (; this.nextIndex < this.cells.length; this.nextIndex++) this.calculateNext();
      if (this.isRestored) return;
      const values = this.cells.flatMap((cell) => this.readValues(cell));
      const change = findLargestChange(this.values, values);
      const isConverging = this.host.isImport && change < this.change && this.round < MAX_IMPORT_ROUNDS;
      const isFirst = this.round++ === 0;
      this.change = change;
      this.values = values;
      if (isFirst && this.measureResultChange() < delta) this.restoreFileResults();
      else if (change < delta) return;
      else if (this.round < count || isConverging) this.nextIndex = 0;
      else if (this.fileResults === null) return;
      else this.restoreFileResults();
    }
  }

  /** The results of the circle's members in the imported file; null if one of them has none. */
  private readFileResults(
    cells: readonly DemandedCell[],
    joined: readonly Circle[],
  ): ReadonlyMap<DemandedCell, Scalar> | null {
    const results = new Map<DemandedCell, Scalar>();
    for (const circle of joined) {
      if (circle.fileResults === null) return null;
      for (const [cell, value] of circle.fileResults) results.set(cell, value);
    }
    for (const cell of cells) results.set(cell, this.readValue(cell));
    return cells.every((cell) => this.host.hasFileResult(cell)) ? results : null;
  }

  /** The largest difference between the members' values and their results in the file; infinite without results. */
  private measureResultChange(): number {
    const { fileResults } = this;
    if (fileResults === null) return Number.POSITIVE_INFINITY;
    return findLargestChange(
      [...fileResults.values()],
      [...fileResults.keys()].map((cell) => this.readValue(cell)),
    );
  }

  /** Writes the results of the imported file into the members, and starts a round from them. */
  private restoreFileResults(): void {
    this.isRestored = true;
    this.nextIndex = 0;
    for (const [{ task, row }, value] of this.fileResults ?? []) this.host.placeScalar(task, row, value);
  }

  /**
   * Starts a round. `values`: the members' values before it. After the maximum number of rounds, members become
   * `#REF!`.
   */
  private startRound(values: readonly Scalar[]): void {
    this.nextIndex = 0;
    this.values = values;
    if (++this.round > MAX_ROUNDS) this.beginGuess(GUESSES.length);
  }

  /**
   * Starts a round in which all members begin with a guess, by its index in `GUESSES`. After the last one, they become
   * `#REF!`.
   */
  private beginGuess(guess: number): void {
    this.guess = guess;
    this.nextIndex = 0;
    this.round = 0;
    this.values = null;
    for (const { task, row } of this.members) this.host.placeScalar(task, row, GUESSES[guess] ?? REF);
  }

  /** Calculates the cell at `nextIndex`, unless its value is fixed. */
  private calculateNext(): void {
    const cell = this.cells[this.nextIndex]!;
    const isFixed = this.iteration === null ? this.guess === GUESSES.length : this.isRestored;
    if (isFixed && this.members.has(cell)) return;
    this.host.calculateCell(cell.task, cell.row);
  }

  private readValue({ task: { run }, row }: DemandedCell): Scalar {
    return this.host.draft.sheet(run.sheet)?.value(row, run.column) ?? null;
  }

  private readValues(cell: DemandedCell): Scalar[] {
    const { run } = cell.task;
    const sheet = this.host.draft.sheet(run.sheet);
    if (!sheet) return [];
    const spill = findSpill(this.host.draft, cell);
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

/**
 * Makes a circle of cells and of circles that they depend on. `cells`: each reads the cell after it. `number`: the number
 * of the circle in `index`.
 */
export function createCircle(
  host: CircleHost,
  index: CircularMembers,
  number: number,
  cells: readonly DemandedCell[],
  joined: readonly (Circle | CircularCells)[],
): Circle | CircularCells {
  const circular = joined.filter((circle) => circle instanceof CircularCells);
  const calculated = joined.filter((circle) => circle instanceof Circle);
  const isIterative = host.iteration !== null && circular.length === 0 && !cells.some((cell) => isSpilled(host, cell));
  if (isIterative) return new Circle(host, cells.toReversed(), calculated);
  // The largest circle takes the others, so that a circle which grows cell by cell is not copied each time.
  circular.sort((a, b) => b.members.length - a.members.length);
  const [largest = new CircularCells(host, index), ...others] = circular;
  for (const other of others) largest.absorb(other);
  for (const circle of calculated) {
    largest.addMembers([...circle.members].reverse(), number);
    for (const cell of circle.calculatedCells) if (!circle.members.has(cell)) largest.addOutdated(cell);
  }
  largest.addMembers(cells, number);
  return largest;
}

/** True if a cell contains an array that fills an area of the size of its result. */
function isSpilled({ draft }: CircleHost, cell: DemandedCell): boolean {
  const spill = findSpill(draft, cell);
  return spill !== undefined && !spill.fixed && !spill.blocked;
}
