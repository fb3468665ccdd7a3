import { type Area, intersects } from '../grid/area.ts';
import { type Interval, IntervalIndex } from '../grid/interval-index.ts';
import { createAnchorKey, type Spill } from './snapshot.ts';

interface IndexedSpill extends Interval {
  readonly spill: Spill;
}

/** Finds the spills of one sheet by the cells of their areas. */
export class SpillIndex {
  private readonly byRows = new IntervalIndex<IndexedSpill>();
  private readonly byAnchor = new Map<number, IndexedSpill>();

  constructor(spills: Iterable<Spill>) {
    for (const spill of spills) this.set(spill);
  }

  get size(): number {
    return this.byAnchor.size;
  }

  /** Sets the spill of an anchor, and replaces an earlier one. */
  set(spill: Spill): void {
    const { top, left, bottom } = spill.area;
    const key = createAnchorKey(top, left);
    this.delete(key);
    const indexedSpill = { spill, first: top, last: bottom, dead: false };
    this.byAnchor.set(key, indexedSpill);
    this.byRows.add(indexedSpill);
  }

  delete(anchor: number): void {
    const indexedSpill = this.byAnchor.get(anchor);
    if (!indexedSpill) return;
    this.byAnchor.delete(anchor);
    this.byRows.remove(indexedSpill);
  }

  /** Returns the spills whose areas intersect another area. */
  findIntersecting(area: Area): Spill[] {
    const spills: IndexedSpill[] = [];
    this.byRows.collectIntersecting(area.top, area.bottom, spills);
    return spills.filter(({ spill }) => intersects(spill.area, area)).map(({ spill }) => spill);
  }
}
