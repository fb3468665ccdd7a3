import type { Scalar } from '../value/scalar.ts';
import type { FormatTrace, FunctionContext } from './context.ts';
import type { FunctionTraits } from './spec.ts';
import { type ElementFormats, Matrix, Reference, type Value } from './value.ts';

/** Collects the formats of an array's elements while the array is filled. */
export class FormatList {
  private readonly length: number;
  private formats: Uint16Array | null = null;

  constructor(length: number) {
    this.length = length;
  }

  /** Sets the format of the element with an index. */
  set(index: number, format: number): void {
    if (format === 0 && this.formats === null) return;
    this.formats ??= new Uint16Array(this.length);
    this.formats[index] = format;
  }

  get result(): ElementFormats {
    return this.formats ?? 0;
  }
}

/** Returns an element of an array, and sets its format as the format of the last result. */
export function pickElement(context: FunctionContext, matrix: Matrix, row: number, column: number): Scalar {
  return pickAt(context, matrix, row * matrix.columns + column);
}

/**
 * Returns an element of an array by its index in the array's data, and sets its format as the format of the last
 * result.
 */
export function pickAt(context: FunctionContext, matrix: Matrix, index: number): Scalar {
  if (context.formats !== null) context.formats.last = matrix.formatAt(index);
  return matrix.data[index] ?? null;
}

/** Returns an argument unchanged, and sets its format as the format of the last result. */
export function passArgument(context: FunctionContext, value: Value, argument: number): Value {
  if (context.formats !== null) context.formats.last = context.formats.argumentFormats[argument] ?? 0;
  return value;
}

/** Converts a scalar argument to a 1 × 1 array with its format. */
export function toFormattedMatrix(context: FunctionContext, value: Scalar, argument: number): Matrix {
  return new Matrix(1, 1, [value], context.formats?.argumentFormats[argument] ?? 0);
}

/** Sets the format of a call's result according to its function's traits. */
export function applyFormat(
  trace: FormatTrace,
  spec: FunctionTraits,
  args: readonly (Value | undefined)[],
  argumentFormats: readonly number[],
  result: Value,
): Value {
  if (spec.picks === 'element') return result;
  trace.last = chooseResultFormat(trace, spec, args, argumentFormats, result);
  return result instanceof Matrix && trace.last !== 0 ? result.withFormats(trace.last) : result;
}

/** The format that a call's result takes according to its function's traits; 0 for none. */
function chooseResultFormat(
  trace: FormatTrace,
  spec: FunctionTraits,
  args: readonly (Value | undefined)[],
  argumentFormats: readonly number[],
  result: Value,
): number {
  if (spec.format !== undefined) return trace.getHintFormat(spec.format);
  if (spec.picks === 'equal')
    return typeof result === 'number' ? findEqualFormat(trace, args, argumentFormats, result) : 0;
  if (spec.carries === undefined) return 0;
  const index = spec.carries < 0 ? args.length - 1 : spec.carries;
  const value = args[index];
  if (value instanceof Reference) return trace.findReferenceFormat(value);
  return value instanceof Matrix ? chooseLeadingFormat(value) : (argumentFormats[index] ?? 0);
}

/**
 * The format that a result takes from an array: the format of its first element if it has one, else the format of the
 * element below. The same rule applies to the sum of a range.
 */
function chooseLeadingFormat(matrix: Matrix): number {
  return matrix.formatAt(0) || (matrix.rows > 1 ? matrix.formatAt(matrix.columns) : 0);
}

/** The format of the first argument that contains a number equal to the result; 0 for none. */
function findEqualFormat(
  trace: FormatTrace,
  args: readonly (Value | undefined)[],
  argumentFormats: readonly number[],
  value: number,
): number {
  for (const [i, arg] of args.entries()) {
    if (arg instanceof Reference) {
      const format = trace.findNumberFormat(arg, value);
      if (format >= 0) return format;
    } else if (arg instanceof Matrix) {
      const at = arg.elements?.findNumber(value) ?? arg.data.indexOf(value);
      if (at >= 0) return arg.formatAt(at);
    } else if (arg === value) return argumentFormats[i] ?? 0;
  }
  return 0;
}
