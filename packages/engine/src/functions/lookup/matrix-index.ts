import { foldCase } from '../../value/fold.ts';
import type { Scalar } from '../../value/scalar.ts';
import { KeyMap } from '../array/keys.ts';
import type { Matrix } from '../value.ts';

/** One row or column that is read element by element. */
interface ElementList {
  readonly length: number;
  at(index: number): Scalar;
}

/** Minimum number of lookups in one vector that justifies building an index of it. */
export const LOOKUPS_WORTH_AN_INDEX = 4;

export type SearchKey = number | string | boolean | null;

/** The key of a value in an exact search; undefined for an error. */
export function toSearchKey(value: Scalar): SearchKey | undefined {
  if (typeof value === 'string') return foldCase(value);
  return typeof value === 'object' && value !== null ? undefined : value;
}

/** A map from each key to the index of its first (`backwards`: last) element. */
export function buildKeyIndex(vector: ElementList, backwards: boolean): KeyMap<number> {
  const index = new KeyMap<number>();
  for (let i = 0; i < vector.length; i++) {
    const key = toSearchKey(vector.at(i));
    if (key !== undefined && (backwards || index.get(key) === undefined)) index.set(key, i);
  }
  return index;
}

/** Minimum length of a vector of a matrix that gets an index. */
export const MIN_INDEXED_LENGTH = 64;

/** The index of a vector that formulas search. */
interface MatrixIndex {
  requests: number;
  /** Positions by key; null while there were too few requests to justify the index. */
  positions: KeyMap<number> | null;
}

/** Four indexes for each matrix: of its first row and its first column, forwards and backwards. */
const matrixIndexes = new WeakMap<Matrix, MatrixIndex[]>();

/** Finds the position of a key by the index of a matrix; -1 for none. Null while there is no index yet. */
export function findByKey(
  matrix: Matrix,
  byRow: boolean,
  vector: ElementList,
  key: SearchKey,
  backwards: boolean,
): number | null {
  const indexes = matrixIndexes.get(matrix) ?? Array.from({ length: 4 }, () => ({ requests: 0, positions: null }));
  matrixIndexes.set(matrix, indexes);
  const index = indexes[2 * Number(byRow) + Number(backwards)]!;
  index.requests++;
  if (index.requests <= LOOKUPS_WORTH_AN_INDEX) return null;
  index.positions ??= buildKeyIndex(vector, backwards);
  return index.positions.get(key) ?? -1;
}
