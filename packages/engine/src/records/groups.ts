import { foldCase } from '../functions/wildcard.ts';
import { CHUNK_MASK, CHUNK_SHIFT } from '../sheet/chunk.ts';
import type { Column, Snapshot } from '../sheet/snapshot.ts';
import { isError, type Scalar } from '../value/scalar.ts';
import { ColumnReader, type FieldValue } from './cell-values.ts';
import type { Region } from './region.ts';
import { type ColumnTypes, columnOf } from './row-search.ts';
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

/** A value to sort by, and as an answer shows it. */
export interface Cell {
  readonly scalar: Scalar;
  readonly field: FieldValue;
}

const RECORDS_A_STEP = 1_024;

interface Source {
  readonly column: Column | undefined;
  readonly reader: ColumnReader;
}

interface Gathered {
  readonly values: readonly Cell[];
  readonly totals: readonly Total[];
}

/** Gathers records into groups, in the order of their first records. Null where there are more than the limit. */
export function* groupRows(
  snapshot: Snapshot,
  region: Region,
  rows: readonly number[],
  { grouping, types }: { readonly grouping: Grouping; readonly types: ColumnTypes },
): Generator<void, readonly Group[] | null> {
  const { groupBy, measures, caseSensitive, limit } = grouping;
  const sourceOf = (at: number): Source => ({
    column: columnOf(snapshot, region, at),
    reader: new ColumnReader(snapshot, region.columns[at]?.column ?? -1, types.get(at) ?? null),
  });
  const keys = groupBy.map(sourceOf);
  const sources = measures.map(({ at }) => (at === null ? null : sourceOf(at)));
  const fold = caseSensitive ? (text: string) => text : foldCase;
  const room = { left: limit };
  const groups = new Map<string, Gathered>();
  const newGroup = (values: readonly Cell[]): Gathered => ({
    values,
    totals: measures.map(({ kind }) => new Total(kind, fold, room)),
  });
  if (groupBy.length === 0) groups.set('', newGroup([]));
  let done = 0;
  for (const row of rows) {
    const key = keys.map((source) => keyText(scalarAt(source, row), fold)).join('\u0000');
    let group = groups.get(key);
    if (group === undefined) {
      room.left--;
      group = newGroup(keys.map((source) => cellAt(source, row)));
      groups.set(key, group);
    }
    for (const [i, total] of group.totals.entries()) total.add(sources[i] ?? null, row);
    if (room.left < 0) return null;
    if (++done % RECORDS_A_STEP === 0) yield;
  }
  return [...groups.values()].map(({ values, totals }) => ({ values, figures: totals.map((total) => total.result()) }));
}

function scalarAt({ column, reader }: Source, row: number): Scalar {
  const chunk = column?.chunks[row >> CHUNK_SHIFT];
  const value = chunk === undefined ? null : reader.scalar(chunk, row & CHUNK_MASK);
  return value === '' ? null : value;
}

function cellAt(source: Source, row: number): Cell {
  const chunk = source.column?.chunks[row >> CHUNK_SHIFT];
  const scalar = scalarAt(source, row);
  return { scalar, field: source.reader.shown(scalar, chunk?.format(row & CHUNK_MASK) ?? 0) };
}

function keyText(value: Scalar, fold: (text: string) => string): string {
  if (typeof value === 'string') return `t${fold(value)}`;
  return isError(value) ? `e${value.code}` : `${typeof value}${value}`;
}

/** One figure of one group in the making. */
class Total {
  private readonly kind: Aggregation;
  private readonly fold: (text: string) => string;
  private readonly room: { left: number };
  private sum = 0;
  private count = 0;
  private best: Cell | null = null;
  private error: Scalar = null;
  private readonly distinct = new Set<string>();

  constructor(kind: Aggregation, fold: (text: string) => string, room: { left: number }) {
    this.kind = kind;
    this.fold = fold;
    this.room = room;
  }

  add(source: Source | null, row: number): void {
    if (source === null) {
      this.count++;
      return;
    }
    const value = scalarAt(source, row);
    if (value === null) return;
    switch (this.kind) {
      case 'count':
        this.count++;
        return;
      case 'countDistinct':
        return this.addDistinct(keyText(value, this.fold));
      case 'sum':
      case 'average':
        if (isError(value)) this.error ??= value;
        if (typeof value !== 'number') return;
        this.sum += value;
        this.count++;
        return;
      case 'min':
      case 'max':
        if (isError(value)) this.error ??= value;
        else this.addBest(source, row, value);
    }
  }

  private addDistinct(key: string): void {
    if (this.distinct.has(key)) return;
    this.distinct.add(key);
    this.room.left--;
  }

  /** Numbers come before texts, and these before booleans: the greatest of texts and numbers is the greatest number. */
  private addBest(source: Source, row: number, value: Scalar): void {
    const held = this.best?.scalar ?? null;
    if (held !== null && typeof held !== typeof value) {
      if (compareFilled(value, held, false) > 0) return;
    } else if (held !== null) {
      const order = compareFilled(value, held, false);
      if (this.kind === 'min' ? order >= 0 : order <= 0) return;
    }
    this.best = cellAt(source, row);
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
        return plain(this.distinct.size);
      case 'min':
      case 'max':
        return this.best ?? plain(null);
    }
  }
}

function plain(value: number | null): Cell {
  return { scalar: value, field: value };
}
