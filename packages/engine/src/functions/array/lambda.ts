import { CALC, type CellError, NA, VALUE } from '../../value/errors.ts';
import { isError, type Scalar } from '../../value/scalar.ts';
import { define, defineVariadic, withTraits } from '../define.ts';
import { FormatList, pickElement } from '../formats.ts';
import { readAsScalar } from '../invoke.ts';
import { buildMatrix, createSubReference, readFullMatrix } from '../shape.ts';
import type { FunctionContext, FunctionSpec } from '../spec.ts';
import { Lambda, Matrix, Reference, type Value } from '../value.ts';

/** An array argument of MAP, REDUCE and similar functions. Elements of a range are passed as references to cells. */
interface ElementSource {
  readonly rows: number;
  readonly columns: number;
  /** Returns a part of the argument: a reference to cells, an array, or a single value. */
  part(top: number, left: number, rows: number, columns: number): Value;
  /** The format of an array element. Elements of a range have the format of their cell. */
  formatAt(row: number, column: number): number;
}

/** Reads an array argument for element-by-element access. */
function createElementSource(context: FunctionContext, value: Value): ElementSource | CellError {
  if (value instanceof Lambda) return VALUE;
  const matrix = readFullMatrix(context, value);
  if (isError(matrix)) return matrix;
  const { rows, columns } = matrix;
  if (value instanceof Reference) {
    const [area] = value.areas;
    return {
      rows,
      columns,
      part: (top, left, tall, wide) => createSubReference(area, area.top + top, area.left + left, tall, wide) ?? VALUE,
      formatAt: () => 0,
    };
  }
  return {
    rows,
    columns,
    part: (top, left, tall, wide) =>
      tall === 1 && wide === 1
        ? matrix.get(top, left)
        : buildMatrix(context, tall, wide, (r, c) => pickElement(context, matrix, top + r, left + c)),
    formatAt: (row, column) => matrix.formatAt(row * columns + column),
  };
}

/** Returns a lambda's result where it must be a scalar, because an array cannot contain arrays. */
function toScalarResult(context: FunctionContext, value: Value): Scalar {
  const scalar = readAsScalar(context, value);
  return scalar === undefined ? CALC : scalar;
}

/** MAP: calls the last value, a LAMBDA, with the elements of the other values at each position. */
function mapElementsByLambda(context: FunctionContext, values: readonly Value[]): Value {
  const lambda = values[values.length - 1];
  if (!(lambda instanceof Lambda)) return isError(lambda) ? lambda : VALUE;
  const sources: ElementSource[] = [];
  for (const value of values.slice(0, -1)) {
    const source = createElementSource(context, value);
    if (isError(source)) return source;
    sources.push(source);
  }
  const rows = Math.max(...sources.map((source) => source.rows));
  const columns = Math.max(...sources.map((source) => source.columns));
  return buildMatrix(context, rows, columns, (r, c) => {
    const args = sources.map((source) => (r < source.rows && c < source.columns ? source.part(r, c, 1, 1) : NA));
    const formats =
      context.formats === null
        ? null
        : sources.map((source) => (r < source.rows && c < source.columns ? source.formatAt(r, c) : 0));
    return toScalarResult(context, context.callLambda(lambda, args, formats));
  });
}

/** Runs an accumulator over all elements, row by row. Without an initial value it starts with the first element. */
function accumulateElements(
  context: FunctionContext,
  initial: Value,
  source: ElementSource,
  lambda: Lambda,
  visit: (accumulator: Value) => Value,
): Value {
  let accumulator: Value | undefined = initial === null ? undefined : initial;
  const trace = context.formats;
  let format = trace?.argumentFormats[0] ?? 0;
  for (let r = 0; r < source.rows; r++) {
    for (let c = 0; c < source.columns; c++) {
      const element = source.part(r, c, 1, 1);
      const formatOfElement = trace === null ? 0 : source.formatAt(r, c);
      if (trace !== null) trace.last = formatOfElement;
      const formats = trace === null ? null : [format, formatOfElement];
      accumulator = visit(
        accumulator === undefined ? element : context.callLambda(lambda, [accumulator, element], formats),
      );
      if (trace !== null) format = trace.last;
    }
  }
  return accumulator as Value;
}

const REDUCE = define('array', 'REDUCE', ['value', 'value', 'lambda'], (context, initial, array, lambda) => {
  const source = createElementSource(context, array);
  if (isError(source)) return source;
  return accumulateElements(context, initial, source, lambda, (accumulator) => accumulator);
});

const SCAN = define('array', 'SCAN', ['value', 'value', 'lambda'], (context, initial, array, lambda) => {
  const source = createElementSource(context, array);
  if (isError(source)) return source;
  context.spendElements(source.rows * source.columns);
  const data: Scalar[] = [];
  const formats = new FormatList(source.rows * source.columns);
  accumulateElements(context, initial, source, lambda, (accumulator) => {
    const scalar = toScalarResult(context, accumulator);
    formats.set(data.length, context.formats?.last ?? 0);
    data.push(scalar);
    return scalar;
  });
  return new Matrix(source.rows, source.columns, data, formats.result);
});

const BYROW = define('array', 'BYROW', ['value', 'lambda'], (context, array, lambda) => {
  const source = createElementSource(context, array);
  if (isError(source)) return source;
  return buildMatrix(context, source.rows, 1, (r) =>
    toScalarResult(context, context.callLambda(lambda, [source.part(r, 0, 1, source.columns)])),
  );
});

const BYCOL = define('array', 'BYCOL', ['value', 'lambda'], (context, array, lambda) => {
  const source = createElementSource(context, array);
  if (isError(source)) return source;
  return buildMatrix(context, 1, source.columns, (_, c) =>
    toScalarResult(context, context.callLambda(lambda, [source.part(0, c, source.rows, 1)])),
  );
});

const MAKEARRAY = define('array', 'MAKEARRAY', ['integer', 'integer', 'lambda'], (context, rows, columns, lambda) => {
  if (rows < 1 || columns < 1) return VALUE;
  return buildMatrix(context, rows, columns, (r, c) =>
    toScalarResult(context, context.callLambda(lambda, [r + 1, c + 1])),
  );
});

const MAP = defineVariadic('array', 'MAP', ['value', 'value'], ['value'], (context, first, second, rest) =>
  mapElementsByLambda(context, [first, second, ...rest]),
);

/** Functions that call a LAMBDA. The results of the LAMBDA keep their formats. */
export const LAMBDAS: readonly FunctionSpec[] = [MAP, REDUCE, SCAN, BYROW, BYCOL, MAKEARRAY].map((spec) =>
  withTraits(spec, { picks: 'element' }),
);
