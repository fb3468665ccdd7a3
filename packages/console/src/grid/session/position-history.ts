import type { PositionMapping } from './position-mapping.ts';

/** Maximum number of changes of a document whose undo restores positions. */
const MAX_CHANGES = 100;

/** Positions before and after a change of the document. */
interface MappedPositions<T> {
  readonly revision: number;
  readonly before: T;
  readonly after: T;
}

/**
 * Positions that follow their cells. When a change is undone, positions that the person has not changed since return to
 * what they were before the change, so that deleted cells are found again.
 */
export class PositionHistory<T extends object> {
  private changes: readonly MappedPositions<T>[] = [];
  private readonly mapPositions: (positions: T, mapping: PositionMapping) => T;
  private readonly mergeRestored: (restored: T, change: MappedPositions<T>, current: T) => T;

  /**
   * `mapPositions`: maps positions through the moves of a change. `mergeRestored`: adds to restored positions what the
   * person has changed since.
   */
  constructor(
    mapPositions: (positions: T, mapping: PositionMapping) => T,
    mergeRestored: (restored: T, change: MappedPositions<T>, current: T) => T = (restored) => restored,
  ) {
    this.mapPositions = mapPositions;
    this.mergeRestored = mergeRestored;
  }

  /** Returns the positions after a change of the document. */
  map(current: T, mapping: PositionMapping): T {
    const mapped = this.mapPositions(current, mapping);
    const { restores, revision } = mapping;
    if (restores === null) {
      this.changes = [...this.changes, { revision, before: current, after: mapped }].slice(-MAX_CHANGES);
      return mapped;
    }
    const undone = this.changes.filter((change) => change.revision > restores);
    this.changes = this.changes.filter((change) => change.revision <= restores);
    if (undone.length === 0) return mapped;
    const former = undone.reduceRight((positions, change) => this.revert(positions, change), current);
    const restored = Object.entries(former).filter(([key, value]) => value !== current[key as keyof T]);
    return { ...mapped, ...(Object.fromEntries(restored) as Partial<T>) };
  }

  /** Replaces each position that is still as the change left it by the position before the change. */
  private revert(current: T, change: MappedPositions<T>): T {
    const { before, after } = change;
    const isSame = (key: string) => current[key as keyof T] === after[key as keyof T];
    const reverted = Object.entries(before).filter(([key]) => isSame(key));
    return this.mergeRestored({ ...current, ...(Object.fromEntries(reverted) as Partial<T>) }, change, current);
  }
}
