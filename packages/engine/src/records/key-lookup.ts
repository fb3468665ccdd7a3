import { CHUNK_MASK, CHUNK_SHIFT } from '../sheet/chunk.ts';
import type { Column, Snapshot } from '../sheet/snapshot.ts';
import { composed, foldName } from '../value/fold.ts';
import { isError, type Scalar } from '../value/scalar.ts';
import { ColumnReader } from './cell-values.ts';
import type { Sought } from './column-hashes.ts';
import { nearestMoment } from './dates.ts';
import { type Equality, equalRows } from './equal-rows.ts';
import type { DocumentIndexes } from './record-indexes.ts';
import { columnOf, type Region } from './region.ts';
import type { ColumnTypes } from './row-search.ts';

/** How keys are told apart: the columns they are made of, by their places, and how texts are compared. */
export interface KeyColumns {
  readonly at: readonly number[];
  readonly types: ColumnTypes;
  readonly caseSensitive: boolean;
}

const ROWS_A_STEP = 2_048;

interface KeyColumn {
  readonly at: number;
  readonly column: Column | undefined;
  readonly reader: ColumnReader;
}

/** What equal keys share, and no others: each text tells how long it is, so that nothing in it can pass for a next part. */
export function keyText(values: readonly Scalar[], caseSensitive: boolean): string {
  return values.map((value) => partText(value, caseSensitive)).join(',');
}

function partText(value: Scalar, caseSensitive: boolean): string {
  if (typeof value === 'string') return textPart(caseSensitive ? composed(value) : foldName(value));
  if (typeof value === 'number') return `n${Number.isInteger(value) ? value : nearestMoment(value)}`;
  return isError(value) ? `e${value.code}` : `${typeof value}${value}`;
}

function textPart(text: string): string {
  return `t${text.length}:${text}`;
}

/**
 * The rows that hold each of some keys, in order, by `keyText`; of keys that no row holds there is no entry. Large
 * regions are looked up in an index, which is made where there is none. Pauses now and then.
 */
export function* rowsOfKeys(
  snapshot: Snapshot,
  region: Region,
  keys: readonly (readonly Scalar[])[],
  columns: KeyColumns,
  indexes: DocumentIndexes,
): Generator<void, ReadonlyMap<string, readonly number[]>> {
  const read = columns.at.map(
    (at): KeyColumn => ({
      at,
      column: columnOf(snapshot, region, at),
      reader: new ColumnReader(snapshot, region.columns[at]?.column ?? -1, columns.types.get(at) ?? null),
    }),
  );
  const wanted = new Map<string, number[]>();
  for (const [i, key] of keys.entries()) {
    wanted.set(keyText(key, columns.caseSensitive), []);
    if (i % ROWS_A_STEP === 0) yield;
  }
  const candidates = yield* candidateRows(snapshot, region, keys, { columns, indexes });
  let done = 0;
  for (const row of candidates) {
    const values = read.map((one) => scalarAt(one, row));
    wanted.get(keyText(values, columns.caseSensitive))?.push(row);
    if (++done % ROWS_A_STEP === 0) yield;
  }
  return wanted;
}

function scalarAt({ column, reader }: KeyColumn, row: number): Scalar {
  const chunk = column?.chunks.at(row >> CHUNK_SHIFT);
  return chunk === undefined ? null : reader.scalar(chunk, row & CHUNK_MASK);
}

/** Rows that may hold one of the keys, in order. */
function* candidateRows(
  snapshot: Snapshot,
  region: Region,
  keys: readonly (readonly Scalar[])[],
  { columns, indexes }: { readonly columns: KeyColumns; readonly indexes: DocumentIndexes },
): Generator<void, Iterable<number>> {
  const equalities = columns.at.flatMap((at, i): readonly Equality[] => {
    const values = keys.map((key) => key[i] ?? null);
    return values.every(isSought) ? [{ at, type: columns.types.get(at) ?? null, values }] : [];
  });
  const found = yield* equalRows(snapshot, region, equalities, { indexes, requests: Number.POSITIVE_INFINITY });
  return found ?? allRows(region.header + 1, region.end);
}

function isSought(value: Scalar): value is Sought {
  return value !== null && !isError(value);
}

function* allRows(first: number, end: number): Iterable<number> {
  for (let row = first; row < end; row++) yield row;
}
