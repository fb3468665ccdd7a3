import { nameKey, type Snapshot } from '@cellwire/engine';
import { type DefinedRange, listNamedRanges } from '../sheets/properties.ts';

/** The names of a batch. Requests that change names keep it up to date. */
export class NameIndex {
  private readonly ranges: Map<string, DefinedRange>;
  /** The number of names and tables by key: several sheets can have names of one key. */
  private readonly counts = new Map<string, number>();

  constructor(snapshot: Snapshot) {
    this.ranges = new Map(listNamedRanges(snapshot).map((definedRange) => [definedRange.id, definedRange]));
    for (const { name } of [...snapshot.names, ...snapshot.tables]) this.countName(name, 1);
  }

  findRange(id: string): DefinedRange | undefined {
    return this.ranges.get(id);
  }

  isTaken(name: string): boolean {
    return (this.counts.get(nameKey(name)) ?? 0) > 0;
  }

  /** Adds a range, or replaces that of the same id. */
  setRange(definedRange: DefinedRange): void {
    this.deleteRange(definedRange.id);
    this.ranges.set(definedRange.id, definedRange);
    this.countName(definedRange.name, 1);
  }

  deleteRange(id: string): void {
    const old = this.ranges.get(id);
    if (old === undefined) return;
    this.ranges.delete(id);
    this.countName(old.name, -1);
  }

  /** Changes how many ranges use a name, without regard to case. */
  private countName(name: string, difference: 1 | -1): void {
    const key = nameKey(name);
    this.counts.set(key, (this.counts.get(key) ?? 0) + difference);
  }
}
