import { CHUNK_MASK, CHUNK_SHIFT } from '../sheet/chunk.ts';
import type { Snapshot } from '../sheet/snapshot.ts';
import { isError, type Scalar } from '../value/scalar.ts';
import { BlockReader, type Cell, ValueNumbers } from './block-reader.ts';
import type { Region } from './region.ts';
import type { ColumnTypes } from './row-search.ts';
import { compareFilled } from './sort-rows.ts';

export type Aggregation = 'sum' | 'count' | 'average' | 'min' | 'max' | 'countDistinct';

/** A figure of each group; `at` the column's place among the region's, null for the records themselves (`count` alone). */
export interface Measure {
  readonly kind: Aggregation;
  readonly at: number | null;
}

export interface Grouping {
  readonly groupBy: readonly number[];
  readonly measures: readonly Measure[];
  readonly caseSensitive: boolean;
  /** Groups, and different values that `countDistinct` keeps, at most. */
  readonly limit: number;
}

/** A group's values, in the order of `groupBy`, and its figures, in the order of `measures`. */
export interface Group {
  readonly values: readonly Cell[];
  readonly figures: readonly Cell[];
}

const RECORDS_A_STEP = 4_096;
/** More than any count of different values that a column's rows can have. */
const PAIRS = 2 ** 26;

interface Gathered {
  readonly values: readonly Cell[];
  readonly totals: readonly Total[];
}

/** Gathers records into groups, in the order of their first records. Null where there are more than the limit. */
export function* groupRows(
  snapshot: Snapshot,
  region: Region,
  rows: ArrayLike<number>,
  { grouping, types }: { readonly grouping: Grouping; readonly types: ColumnTypes },
): Generator<void, readonly Group[] | null> {
  const { groupBy, measures, caseSensitive, limit } = grouping;
  const how = { types, caseSensitive };
  const keys = groupBy.map((at) => new ValueNumbers(snapshot, region, how, at));
  const sources = measures.map(({ kind, at }) => {
    if (at === null) return null;
    return kind === 'countDistinct'
      ? new ValueNumbers(snapshot, region, how, at)
      : new BlockReader(snapshot, region, types, at);
  });
  const room = { left: limit };
  const groups = new Groups(keys.length, (at) => {
    if (groupBy.length > 0) room.left--;
    return { values: keys.map((key) => key.cell(at)), totals: measures.map(({ kind }) => new Total(kind, room)) };
  });
  if (groupBy.length === 0) groups.of(keys, 0);
  let block = -1;
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i] as number;
    if (row >> CHUNK_SHIFT !== block) {
      block = row >> CHUNK_SHIFT;
      for (const source of keys) source.enter(block);
      for (const source of sources) source?.enter(block);
    }
    const at = row & CHUNK_MASK;
    const { totals } = groups.of(keys, at);
    for (let m = 0; m < totals.length; m++) (totals[m] as Total).add(sources[m] ?? null, at);
    if (room.left < 0) return null;
    if (i % RECORDS_A_STEP === 0) yield;
  }
  return groups.all.map(({ values, totals }) => ({ values, figures: totals.map((total) => total.result()) }));
}

/** Groups by the numbers of their values: those of two columns make one by their pairs, and so on. */
class Groups {
  readonly all: Gathered[] = [];
  private readonly make: (at: number) => Gathered;
  /** For each column but the first: the numbers of pairs. */
  private readonly pairs: readonly Map<number, number>[];
  private readonly byId: (Gathered | undefined)[] = [];

  constructor(columns: number, make: (at: number) => Gathered) {
    this.make = make;
    this.pairs = Array.from({ length: Math.max(0, columns - 1) }, () => new Map<number, number>());
  }

  of(keys: readonly ValueNumbers[], at: number): Gathered {
    let id = keys[0]?.id(at) ?? 0;
    for (let i = 0; i < this.pairs.length; i++) {
      const pairs = this.pairs[i] as Map<number, number>;
      const pair = id * PAIRS + (keys[i + 1] as ValueNumbers).id(at);
      id = pairs.get(pair) ?? pairs.size;
      if (id === pairs.size) pairs.set(pair, id);
    }
    const known = this.byId[id];
    if (known !== undefined) return known;
    const made = this.make(at);
    this.byId[id] = made;
    this.all.push(made);
    return made;
  }
}

/** One figure of one group in the making. */
class Total {
  private readonly kind: Aggregation;
  private readonly room: { left: number };
  private sum = 0;
  private count = 0;
  private best: Cell | null = null;
  private error: Scalar = null;
  private readonly distinct: Set<number> | null;

  constructor(kind: Aggregation, room: { left: number }) {
    this.kind = kind;
    this.room = room;
    this.distinct = kind === 'countDistinct' ? new Set() : null;
  }

  add(source: BlockReader | null, at: number): void {
    if (source === null) {
      this.count++;
      return;
    }
    switch (this.kind) {
      case 'count':
        if (source.isPlainNumber(at) || source.scalar(at) !== null) this.count++;
        return;
      case 'countDistinct':
        if (source.scalar(at) !== null) this.addDistinct((source as ValueNumbers).id(at));
        return;
      case 'sum':
      case 'average':
        return this.addNumber(source.isPlainNumber(at) ? (source.numbers[at] as number) : source.scalar(at));
      case 'min':
      case 'max':
        this.addBest(source, at);
    }
  }

  private addNumber(value: Scalar): void {
    if (isError(value)) this.error ??= value;
    if (typeof value !== 'number') return;
    this.sum += value;
    this.count++;
  }

  private addDistinct(id: number): void {
    if (this.distinct === null || this.distinct.has(id)) return;
    this.distinct.add(id);
    this.room.left--;
  }

  /** Numbers come before texts, and these before booleans: the greatest of texts and numbers is the greatest number. */
  private addBest(source: BlockReader, at: number): void {
    const value = source.scalar(at);
    if (value === null) return;
    if (isError(value)) {
      this.error ??= value;
      return;
    }
    const held = this.best?.scalar ?? null;
    if (held !== null && typeof held !== typeof value) {
      if (compareFilled(value, held, false) > 0) return;
    } else if (held !== null) {
      const order = compareFilled(value, held, false);
      if (this.kind === 'min' ? order >= 0 : order <= 0) return;
    }
    this.best = source.cell(at);
  }

  result(): Cell {
    if (isError(this.error)) return { scalar: this.error, field: { error: this.error.code } };
    switch (this.kind) {
      case 'sum':
        return plain(this.sum);
      case 'average':
        return plain(this.count === 0 ? null : this.sum / this.count);
      case 'count':
        return plain(this.count);
      case 'countDistinct':
        return plain(this.distinct?.size ?? 0);
      case 'min':
      case 'max':
        return this.best ?? plain(null);
    }
  }
}

function plain(value: number | null): Cell {
  return { scalar: value, field: value };
}
