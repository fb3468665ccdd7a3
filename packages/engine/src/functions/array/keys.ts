import type { LocaleId } from '../../locale/locales.ts';
import { foldCase } from '../../value/fold.ts';
import { isError, type Scalar } from '../../value/scalar.ts';
import { TextMap } from '../../value/text-map.ts';
import type { Conventions } from '../coerce.ts';
import type { WorkMeter } from '../context.ts';
import { compareScalars } from '../order.ts';
import type { Matrix } from '../value.ts';

/** A scalar's key for grouping. Ignores letter case and distinguishes types. */
export function createScalarKey(value: Scalar): string | number | boolean | null {
  if (typeof value === 'string') return `s${foldCase(value)}`;
  return isError(value) ? `e${value.code}` : value;
}

/**
 * Returns the key of a row for some columns. The parts contain their length, so that different rows never have the same
 * key.
 */
export function createRowKey(
  matrix: Matrix,
  row: number,
  columns: readonly number[],
): string | number | boolean | null {
  if (columns.length === 1) return createScalarKey(matrix.get(row, columns[0]!));
  let key = '';
  for (const column of columns) {
    const part = createScalarKey(matrix.get(row, column));
    const text = `${typeof part === 'number' ? 'n' : ''}${part}`;
    key += `${text.length}:${text}`;
  }
  return key;
}

/** A map for keys of this file. Keys that were chosen to collide do not slow it down. */
export class KeyMap<V extends object | number | boolean | null> {
  private readonly texts = new TextMap<V>();
  private readonly others = new Map<number | boolean | null, V>();

  get size(): number {
    return this.texts.size + this.others.size;
  }

  get(key: string | number | boolean | null): V | undefined {
    return typeof key === 'string' ? this.texts.get(key) : this.others.get(key);
  }

  set(key: string | number | boolean | null, value: V): void {
    if (typeof key === 'string') this.texts.set(key, value);
    else this.others.set(key, value);
  }
}

export interface ArraySortKey {
  readonly values: readonly Scalar[];
  /** 1 ascending, -1 descending. Blanks come last in both. */
  readonly order: 1 | -1;
}

/** Compares two sort keys: negative, 0 or positive. Blanks come last in both directions. */
function compareKeys(a: Scalar, b: Scalar, order: 1 | -1, locale: LocaleId): number {
  if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1;
  if (isError(a) && isError(b)) return (a.index - b.index) * order;
  return compareScalars(a, b, locale) * order;
}

/** Parts of the calculation that sorting uses: the work counter and the locale. */
export type SortContext = WorkMeter & Pick<Conventions, 'locale'>;

/** Number of characters, as a power of two, whose comparison takes as long as evaluating a cell. */
const TEXT_WORK_LOG2 = 4;

/** The work of comparing two scalars, in units of evaluating one cell; 0 unless both are long texts. */
function estimateTextWork(a: Scalar, b: Scalar): number {
  return typeof a === 'string' && typeof b === 'string' ? Math.min(a.length, b.length) >> TEXT_WORK_LOG2 : 0;
}

/** Returns the indexes 0 … n-1, sorted by the first key, then by the next one. The sort is stable. */
export function sortIndexes(context: SortContext, keys: readonly ArraySortKey[], count: number): number[] {
  const places = Array.from({ length: count }, (_, i) => i);
  const [only] = keys;
  if (only && keys.length === 1 && only.values.every((value) => typeof value === 'number')) {
    const numbers = Float64Array.from(only.values as number[]);
    return places.sort((a, b) => {
      context.reportWork(1);
      return (numbers[a]! - numbers[b]!) * only.order;
    });
  }
  return places.sort((a, b) => {
    for (const { values, order } of keys) {
      const [x, y] = [values[a] ?? null, values[b] ?? null];
      context.reportWork(1 + estimateTextWork(x, y));
      const difference = compareKeys(x, y, order, context.locale);
      if (difference !== 0) return difference;
    }
    return 0;
  });
}

/** Every column number of a matrix. */
export function listColumnNumbers(matrix: Matrix): number[] {
  return Array.from({ length: matrix.columns }, (_, c) => c);
}
