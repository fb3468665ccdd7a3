import type { Area } from '../../grid/area.ts';
import type { Draft } from '../../sheet/draft.ts';
import { createAnchorKey, type Spill } from '../../sheet/snapshot.ts';
import { REF } from '../../value/errors.ts';
import type { Scalar } from '../../value/scalar.ts';
import type { FormulaTask } from '../task.ts';
import type { CircularMembers } from './circular-members.ts';

export interface DemandedCell {
  readonly task: FormulaTask;
  readonly row: number;
}

export interface SpilledArea {
  readonly sheet: number;
  readonly area: Area;
}

/** The methods of the recalculation that all circles call. */
export interface CircularHost {
  readonly draft: Draft;
  calculateCell(task: FormulaTask, row: number): void;
  /** Calculates a formula without storing its result, so that the cells that it reads are calculated. */
  visitReads(task: FormulaTask, row: number): void;
  placeScalar(task: FormulaTask, row: number, value: Scalar): void;
  /** Called for a complete circle with arrays that filled areas; see `Results.retryCircle`. */
  retryCircle(members: readonly DemandedCell[], spilled: readonly SpilledArea[]): void;
}

/**
 * Formulas that read one another in a circle. All members give `#REF!`; `Circle` then calculates members that have a
 * solution. The search for a circle follows one path and may miss members beside it. Each member is therefore calculated
 * once more, with `#REF!` as the value of all members. A cell that a member reads, and that reads a member itself, becomes
 * a member.
 */
export class CircularCells {
  readonly members: DemandedCell[] = [];
  /** Areas that array formulas among the members filled. */
  readonly spilled: SpilledArea[] = [];
  /** True if a member is an array formula with a fixed area. */
  private hasFixedArray = false;
  /** True if a member is an array formula whose area has the size of its result. */
  private hasGrowingArray = false;
  /** Members whose reads were not visited yet. */
  private readonly unvisited: DemandedCell[] = [];
  /** Cells that must be calculated again, because they read members while these had other values. */
  private readonly outdated: DemandedCell[] = [];
  private readonly host: CircularHost;
  private readonly index: CircularMembers;

  constructor(host: CircularHost, index: CircularMembers) {
    this.host = host;
    this.index = index;
  }

  /**
   * True if the elements of an array may depend on one another without a circle. A formula that reads itself, and an
   * array whose size depends on its own result, are always circular.
   */
  get isSolvable(): boolean {
    return this.members.length > 1 && this.hasFixedArray && !this.hasGrowingArray;
  }

  /** Adds members; each reads the cell after it. `circle`: the number of the circle in the index. */
  addMembers(cells: readonly DemandedCell[], circle: number): void {
    const { draft } = this.host;
    const spilled: SpilledArea[] = [];
    for (const cell of cells) {
      const { run } = cell.task;
      this.members.push(cell);
      this.unvisited.push(cell);
      this.index.addCell(run.sheet, cell.row, run.column, circle);
      const spill = findSpill(draft, cell);
      if (spill === undefined) continue;
      this.hasFixedArray ||= spill.fixed;
      this.hasGrowingArray ||= !spill.fixed;
      if (!spill.blocked) this.index.addArea(run.sheet, spill.area, circle);
      if (!spill.blocked && !spill.fixed) spilled.push({ sheet: run.sheet, area: spill.area });
    }
    for (const { task, row } of cells) this.host.placeScalar(task, row, REF);
    // The areas are empty now, but formulas that read them remain in the circle until the anchors change.
    for (const each of spilled) {
      draft.spills.set(each.sheet, { area: each.area, fixed: false, blocked: true, circular: true });
      this.spilled.push(each);
    }
  }

  /** Adds the members of another circle, which are in the index. */
  absorb(other: CircularCells): void {
    for (const cell of other.members) this.members.push(cell);
    for (const cell of other.unvisited) this.unvisited.push(cell);
    for (const cell of other.outdated) this.outdated.push(cell);
    for (const each of other.spilled) this.spilled.push(each);
    this.hasFixedArray ||= other.hasFixedArray;
    this.hasGrowingArray ||= other.hasGrowingArray;
  }

  /** Adds a cell that read members before they were errors. */
  addOutdated(cell: DemandedCell): void {
    this.outdated.push(cell);
  }

  /**
   * Visits the reads of all members, and calculates outdated cells. If a read of waiting cells throws, the caller calls
   * this method again later.
   */
  calculateCells(): void {
    for (let next = this.unvisited.at(-1); next; next = this.unvisited.at(-1)) {
      this.host.visitReads(next.task, next.row);
      this.unvisited.pop();
    }
    for (let next = this.outdated.at(-1); next; next = this.outdated.at(-1)) {
      this.host.calculateCell(next.task, next.row);
      this.outdated.pop();
    }
  }

  /** Ends the circle after `calculateCells`. `circle`: its least number in the index. */
  finish(circle: number): void {
    this.removeFromIndex(circle);
    if (this.spilled.length > 0) this.host.retryCircle(this.members, this.spilled);
  }

  /** Removes the members from the index. `circle`: the least number of the circle in the index. */
  removeFromIndex(circle: number): void {
    for (const { task, row } of this.members) this.index.removeCell(task.run.sheet, row, task.run.column);
    this.index.removeAreasFrom(circle);
  }
}

export function findSpill(draft: Draft, { task: { run }, row }: DemandedCell): Spill | undefined {
  return draft.sheet(run.sheet)?.spills.get(createAnchorKey(row, run.column));
}
