import { parseNumberText } from '../../locale/index.ts';
import { createScalarKey, KeyMap } from '../array/keys.ts';
import type { Conventions } from '../coerce.ts';
import { type Criterion, findEquality } from '../criteria.ts';
import type { FunctionContext } from '../spec.ts';
import type { Matrix } from '../value.ts';

/** Minimum number of elements of a matrix with an index. */
const MIN_INDEXED_ELEMENTS = 64;
/** Number of requests before a matrix gets an index. */
const REQUESTS_BEFORE_INDEX = 4;
/** The work of adding an element to an index, in units of evaluating one cell. */
const INDEX_WORK = 2;

const NO_POSITIONS: readonly number[] = [];

/** The positions of the elements of a matrix by value, and the conventions by which its texts were read as numbers. */
interface MatrixPositions {
  requests: number;
  conventions: string;
  byKey: KeyMap<number[]> | null;
}

/** Formulas of a column share the matrix of a range that all of them read, such as a row of many columns. */
const positionsByMatrix = new WeakMap<Matrix, MatrixPositions>();

/**
 * Returns the positions of the elements that meet a criterion, ascending, from an index of the matrix. Null if the
 * criterion does not test equality, or while there were too few requests to justify an index.
 */
export function findMatrixCandidates(
  context: FunctionContext,
  matrix: Matrix,
  criterion: Criterion,
): readonly number[] | null {
  const wanted = matrix.length < MIN_INDEXED_ELEMENTS ? null : findEquality(criterion, context);
  if (wanted === null) return null;
  const conventions = context.locale + context.dateSystem;
  const known = positionsByMatrix.get(matrix);
  const positions = known?.conventions === conventions ? known : { requests: 0, conventions, byKey: null };
  positionsByMatrix.set(matrix, positions);
  if (positions.requests++ < REQUESTS_BEFORE_INDEX) return null;
  positions.byKey ??= indexElements(context, matrix);
  return positions.byKey.get(createScalarKey(wanted)) ?? NO_POSITIONS;
}

function indexElements(context: FunctionContext, { data }: Matrix): KeyMap<number[]> {
  context.checkMemory(data.length * INDEX_WORK);
  const byKey = new KeyMap<number[]>();
  const add = (key: string | number | boolean | null, position: number) => {
    const list = byKey.get(key);
    if (list === undefined) byKey.set(key, [position]);
    else list.push(position);
  };
  for (let position = 0; position < data.length; position++) {
    context.reportWork(INDEX_WORK);
    const value = data[position] ?? null;
    if (value === null) continue;
    add(createScalarKey(value), position);
    const number = typeof value === 'string' ? readNumber(value, context) : null;
    if (number !== null) add(number, position);
  }
  return byKey;
}

/** The number that a text shows; null for other texts. Criteria treat such texts as equal to the number. */
function readNumber(text: string, { locale, dateSystem }: Conventions): number | null {
  return /[0-9]/.test(text) ? (parseNumberText(text, locale, dateSystem) ?? null) : null;
}
