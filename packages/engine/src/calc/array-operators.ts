import { commonSize, spreadOver } from '../functions/broadcast.ts';
import type { Conventions } from '../functions/coerce.ts';
import { compareNumbers } from '../functions/order.ts';
import { Matrix } from '../functions/value.ts';
import type { Scalar } from '../value/scalar.ts';
import { TextMap } from '../value/text-map.ts';
import { plainArithmetic, type ScalarOperator, scalarBinary } from './operators.ts';

/** Texts of one array whose comparison is remembered. */
const MOST_TEXTS_SEEN = 64;

type Elements = readonly Scalar[];

/** Applies an operator to arrays and scalars, element by element. One operand at least is an array. */
export function arrayBinary(
  op: ScalarOperator,
  a: Scalar | Matrix,
  b: Scalar | Matrix,
  conventions: Conventions,
): Matrix {
  const { rows, columns } = commonSize([a, b]);
  const x = a instanceof Matrix ? spreadOver(a, rows, columns) : [a];
  const y = b instanceof Matrix ? spreadOver(b, rows, columns) : [b];
  return new Matrix(rows, columns, elementwise(op, x, y, rows * columns, conventions));
}

/** Two lists of elements, or one list and a single element. */
function elementwise(op: ScalarOperator, x: Elements, y: Elements, count: number, conventions: Conventions): Scalar[] {
  switch (op) {
    case '&':
    case '^':
      return others(op, x, y, count, conventions);
    case '+':
    case '-':
    case '*':
    case '/':
      return calculated(op, x, y, count, conventions);
    default:
      return compared(op, x, y, count, conventions);
  }
}

function others(op: ScalarOperator, x: Elements, y: Elements, count: number, conventions: Conventions): Scalar[] {
  const data: Scalar[] = new Array(count);
  const dx = x.length === 1 ? 0 : 1;
  const dy = y.length === 1 ? 0 : 1;
  for (let at = 0; at < count; at++) {
    data[at] = scalarBinary(op, x[at * dx] as Scalar, y[at * dy] as Scalar, conventions);
  }
  return data;
}

function compared(op: ScalarOperator, x: Elements, y: Elements, count: number, conventions: Conventions): Scalar[] {
  const less = op === '<' || op === '<=' || op === '<>';
  const same = op === '=' || op === '<=' || op === '>=';
  const more = op === '>' || op === '>=' || op === '<>';
  const data: Scalar[] = new Array(count);
  const dx = x.length === 1 ? 0 : 1;
  const dy = y.length === 1 ? 0 : 1;
  // Columns of texts mostly hold a few of them again and again.
  const seen = dy === 0 && typeof y[0] === 'string' ? new TextMap<Scalar>() : null;
  for (let at = 0; at < count; at++) {
    const p = x[at * dx] as Scalar;
    const q = y[at * dy] as Scalar;
    if (typeof p === 'number' && typeof q === 'number') {
      const order = compareNumbers(p, q);
      data[at] = order < 0 ? less : order > 0 ? more : same;
    } else if (seen !== null && typeof p === 'string') {
      const known = seen.get(p);
      const result = known ?? scalarBinary(op, p, q, conventions);
      if (known === undefined && seen.size < MOST_TEXTS_SEEN) seen.set(p, result);
      data[at] = result;
    } else data[at] = scalarBinary(op, p, q, conventions);
  }
  return data;
}

function calculated(op: ScalarOperator, x: Elements, y: Elements, count: number, conventions: Conventions): Scalar[] {
  const data: Scalar[] = new Array(count);
  const dx = x.length === 1 ? 0 : 1;
  const dy = y.length === 1 ? 0 : 1;
  for (let at = 0; at < count; at++) {
    const p = x[at * dx] as Scalar;
    const q = y[at * dy] as Scalar;
    const result = plainArithmetic(op, plainNumber(p), plainNumber(q));
    data[at] = Number.isNaN(result) ? scalarBinary(op, p, q, conventions) : result;
  }
  return data;
}

/** What needs no conversion by locale as a number; texts and errors are none. */
function plainNumber(value: Scalar): number {
  if (typeof value === 'number') return value;
  if (value === null || value === false) return 0;
  return value === true ? 1 : Number.NaN;
}
