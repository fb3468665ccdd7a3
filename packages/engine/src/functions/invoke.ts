import { NUM, VALUE } from '../value/errors.ts';
import { isError, type Scalar } from '../value/scalar.ts';
import { BroadcastOperand, computeCommonSize } from './broadcast.ts';
import { toBoolean, toNumber, toText } from './coerce.ts';
import { applyFormat, FormatList, pickAt } from './formats.ts';
import { computeTextCost } from './limits.ts';
import type { ArgumentKind, ArgumentSpec, Callable, FormatTrace, FunctionContext, FunctionSpec } from './spec.ts';
import { Lambda, Matrix, Reference, type Value } from './value.ts';

const NO_FORMATS: readonly number[] = [];

/** Maximum arguments of a call, as in Excel. */
const MAX_ARGUMENTS = 255;

const LIFTED: ReadonlySet<ArgumentKind> = new Set(['number', 'integer', 'text', 'boolean', 'scalar', 'any']);

/**
 * True if an array argument is passed to the function as a whole. For other kinds of parameters the function runs once
 * for each element.
 */
export function isWholeKind(kind: ArgumentKind): boolean {
  return !LIFTED.has(kind);
}

/** Returns the parameter at a position of a call; the last group of parameters repeats. */
export function findParameter(spec: Callable, index: number): ArgumentSpec | undefined {
  if (index < spec.args.length) return spec.args[index];
  if (!spec.rest) return undefined;
  return spec.rest[(index - spec.args.length) % spec.rest.length];
}

/** Returns a sentence about a wrong number of arguments; null if the number is right. */
export function findArityProblem(spec: Callable, count: number): string | null {
  const required = spec.args.filter((a) => !a.optional).length;
  const most = spec.rest ? (spec.most ?? MAX_ARGUMENTS) : spec.args.length;
  if (count < required)
    return `${spec.name} needs ${required} argument${required === 1 ? '' : 's'} or more, got ${count}`;
  if (count > most) return `${spec.name} takes at most ${most} argument${most === 1 ? '' : 's'}, got ${count}`;
  return null;
}

/**
 * Returns a value as a scalar: the cell of a one-cell reference, or the element of a 1 × 1 matrix; undefined for larger
 * ones.
 */
export function readAsScalar(context: FunctionContext, value: Value): Scalar | undefined {
  if (value instanceof Reference) {
    const [first, ...others] = value.areas;
    if (others.length > 0 || first.top !== first.bottom || first.left !== first.right) return undefined;
    return context.readCell(first.sheet, first.top, first.left);
  }
  if (value instanceof Matrix) return value.length === 1 ? pickAt(context, value, 0) : undefined;
  if (value instanceof Lambda) return undefined;
  return value;
}

/** The cost of a call, in cells. Each 2^6 characters or 2^4 elements of its arguments cost one more. */
const CALL_WORK = 4;
const TEXT_WORK_LOG2 = 6;
const ELEMENT_WORK_LOG2 = 4;

/** Converts a value to a Matrix: reads references; scalars become 1 × 1. A Lambda gives `#VALUE!`. */
export function readAsMatrix(context: FunctionContext, value: Value): Matrix {
  if (value instanceof Matrix) return value;
  if (value instanceof Reference) return context.readReference(value);
  if (value instanceof Lambda) return new Matrix(1, 1, [VALUE]);
  return new Matrix(1, 1, [value]);
}

/**
 * Calls a function with evaluated arguments. Converts them by kind. If an argument of a lifted kind is an array, runs
 * the function once for each element. `undefined` is a missing argument, `null` an argument that was left empty.
 */
export function invokeFunction(
  spec: FunctionSpec,
  context: FunctionContext,
  args: readonly (Value | undefined)[],
  formats: readonly number[] = NO_FORMATS,
): Value {
  const converted: (Value | undefined)[] = new Array(args.length);
  let lifted: (Matrix | undefined)[] | null = null;
  for (let i = 0; i < args.length; i++) {
    const value = args[i];
    if (value === undefined) continue;
    const kind = findParameter(spec, i)!.kind;
    if (isWholeKind(kind)) {
      const whole = convertWholeArgument(context, kind, value);
      if (isError(whole) && kind !== 'value') return whole;
      converted[i] = whole;
      continue;
    }
    const scalar = readAsScalar(context, value);
    if (scalar === undefined) {
      if (value instanceof Lambda) return VALUE;
      lifted ??= [];
      lifted[i] = readAsMatrix(context, value);
      continue;
    }
    const result = convertScalarArgument(context, kind, scalar);
    if (isError(result) && kind !== 'any') {
      if (!lifted) return result;
      lifted[i] = new Matrix(1, 1, [result]);
      continue;
    }
    if (typeof result === 'string') context.reportWork(result.length >> TEXT_WORK_LOG2);
    converted[i] = result;
  }
  if (lifted) return callForEachElement(spec, context, converted, lifted, formats);
  const trace = context.formats;
  if (trace === null) return runFunction(spec, context, converted);
  return runWithFormats(spec, context, trace, converted, readArgumentFormats(trace, args, formats));
}

/** Runs a function and sets the format of the result. */
function runWithFormats(
  spec: FunctionSpec,
  context: FunctionContext,
  trace: FormatTrace,
  args: readonly (Value | undefined)[],
  argumentFormats: readonly number[],
): Value {
  trace.argumentFormats = argumentFormats;
  trace.last = 0;
  return applyFormat(trace, spec, args, argumentFormats, runFunction(spec, context, args));
}

/** Returns the formats of scalar arguments: the format of the cell of a reference, or of the element of an array. */
function readArgumentFormats(
  trace: FormatTrace,
  args: readonly (Value | undefined)[],
  formats: readonly number[],
): readonly number[] {
  return args.map((arg, i) => {
    if (arg instanceof Reference) return trace.findReferenceFormat(arg);
    return arg instanceof Matrix ? arg.formatAt(0) : (formats[i] ?? 0);
  });
}

/** Runs a function. An overflow or an undefined result becomes `#NUM!`. */
function runFunction(spec: FunctionSpec, context: FunctionContext, args: readonly (Value | undefined)[]): Value {
  const result = (spec.run as (context: FunctionContext, ...args: readonly (Value | undefined)[]) => Value)(
    context,
    ...args,
  );
  // An overflow or undefined operation is #NUM! in every function, as in Excel.
  if (typeof result === 'number' && !Number.isFinite(result)) return NUM;
  return result;
}

/** Converts an argument that the function takes as a whole: a matrix, a reference, a LAMBDA or any value. */
function convertWholeArgument(context: FunctionContext, kind: ArgumentKind, value: Value): Value {
  if (kind === 'value') return value;
  if (kind === 'matrix') return isError(value) ? value : readAsMatrix(context, value);
  if (kind === 'lambda') return value instanceof Lambda || isError(value) ? value : VALUE;
  return value instanceof Reference || isError(value) ? value : VALUE;
}

/** Converts a scalar argument to the type of its parameter; returns an error if that is impossible. */
function convertScalarArgument(context: FunctionContext, kind: ArgumentKind, value: Scalar): Scalar {
  switch (kind) {
    case 'number':
      return toNumber(value, context);
    case 'integer': {
      const number = toNumber(value, context);
      return typeof number === 'number' ? Math.trunc(number) : number;
    }
    case 'text':
      return toText(value, context);
    case 'boolean':
      return toBoolean(value);
    default:
      return value;
  }
}

/** An argument that is passed element by element: its elements by position of the result, and their kind. */
interface LiftedArgument {
  readonly index: number;
  readonly kind: ArgumentKind;
  readonly elements: BroadcastOperand;
}

/** Runs a function once for each element of its array arguments. `fixed`: arguments that are the same in each call. */
function callForEachElement(
  spec: FunctionSpec,
  context: FunctionContext,
  fixed: readonly (Value | undefined)[],
  matrices: readonly (Matrix | undefined)[],
  formats: readonly number[],
): Value {
  const { rows, columns } = computeCommonSize(matrices);
  context.spendElements(
    rows * columns,
    matrices.some((matrix) => matrix?.length === rows * columns),
  );
  const lifted: LiftedArgument[] = [];
  matrices.forEach((matrix, index) => {
    if (!matrix) return;
    const { kind } = findParameter(spec, index)!;
    lifted.push({ index, kind, elements: new BroadcastOperand(matrix, rows, columns) });
  });
  const data: Scalar[] = new Array(rows * columns);
  const list = context.formats === null ? null : new FormatList(data.length);
  const work = CALL_WORK + countWholeWork(fixed);
  for (let at = 0; at < data.length; at++) {
    context.reportWork(work + countTextWork(lifted, at));
    const value = callForOneElement(spec, context, fixed, lifted, at, formats);
    if (typeof value === 'string') context.spendCells(computeTextCost(value));
    data[at] = value;
    list?.set(at, context.formats?.last ?? 0);
  }
  return new Matrix(rows, columns, data, list?.result);
}

/** The work of reading the arrays and texts that are passed to every call. */
function countWholeWork(fixed: readonly (Value | undefined)[]): number {
  let work = 0;
  for (const value of fixed) {
    if (value instanceof Matrix) work += value.length >> ELEMENT_WORK_LOG2;
    else if (typeof value === 'string') work += value.length >> TEXT_WORK_LOG2;
  }
  return work;
}

/** The work of reading all text arguments of the call for one element. */
function countTextWork(lifted: readonly LiftedArgument[], elementIndex: number): number {
  let work = 0;
  for (const { elements } of lifted) {
    const element = elements.getValue(elementIndex);
    if (typeof element === 'string') work += element.length >> TEXT_WORK_LOG2;
  }
  return work;
}

/** Runs a function for one element of the result. */
function callForOneElement(
  spec: FunctionSpec,
  context: FunctionContext,
  fixed: readonly (Value | undefined)[],
  lifted: readonly LiftedArgument[],
  elementIndex: number,
  formats: readonly number[],
): Scalar {
  // The function may store the array of its arguments, so each call gets a new one.
  const args = fixed.slice();
  for (let i = 0; i < lifted.length; i++) {
    const { index, kind, elements } = lifted[i]!;
    const value = convertScalarArgument(context, kind, elements.getValue(elementIndex));
    if (isError(value) && kind !== 'any') return value;
    args[index] = value;
  }
  const trace = context.formats;
  if (trace === null) return takeTopLeftElement(context, runFunction(spec, context, args));
  const given = fixed.map((arg, i) => (arg instanceof Reference ? trace.findReferenceFormat(arg) : (formats[i] ?? 0)));
  for (const each of lifted) given[each.index] = each.elements.getFormat(elementIndex);
  return takeTopLeftElement(context, runWithFormats(spec, context, trace, args, given));
}

/**
 * Converts the value of a call to an element of an array. An array cannot contain arrays: it is replaced by its first
 * element.
 */
export function takeTopLeftElement(context: FunctionContext, value: Value): Scalar {
  if (value instanceof Matrix) return pickAt(context, value, 0);
  if (value instanceof Lambda) return VALUE;
  if (value instanceof Reference) {
    const [first] = value.areas;
    return context.readCell(first.sheet, first.top, first.left);
  }
  return value;
}
