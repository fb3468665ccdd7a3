import type { CallNode, Node } from '../formula/ast.ts';
import { FUNCTIONS } from '../functions/catalogue.ts';
import { FormatList } from '../functions/formats.ts';
import type { Environment, VariableScope } from '../functions/forms/environment.ts';
import {
  findArityProblem,
  findParameter,
  invokeFunction,
  isWholeKind,
  takeTopLeftElement,
} from '../functions/invoke.ts';
import type { FunctionSpec } from '../functions/spec.ts';
import { Matrix, type Value } from '../functions/value.ts';
import { NA } from '../value/errors.ts';
import type { Scalar } from '../value/scalar.ts';
import type { Code, Evaluation } from './evaluation.ts';

/** References in rows and columns, created on demand. No cell can contain such an array. */
interface ReferenceArray {
  readonly rows: number;
  readonly columns: number;
  at(row: number, column: number): Value;
}

type CompiledArgument = (e: Evaluation, env: Environment | null) => Value | ReferenceArray | undefined;

/** Compiles an argument for the function's parameter; null if it counts as omitted. */
type CompileArgument = (spec: FunctionSpec, index: number, arg: Node, names: VariableScope | null) => Code | null;

/** True if an argument of a call may be an array of references. */
export function canTakeReferenceArrays(node: CallNode, spec: FunctionSpec): boolean {
  return spec.referenceArrays === 'taken' && node.args.some((arg) => findProducer(arg) !== null);
}

/**
 * Compiles a call with an array of references, such as `SUMIF(INDIRECT(sheets&"!A:A");x)` or
 * `SUBTOTAL(103;OFFSET(A1;ROW(…)-1;0))`: one result per reference.
 */
export function compileReferenceArrays(
  node: CallNode,
  spec: FunctionSpec,
  names: VariableScope | null,
  argumentCode: CompileArgument,
): Code {
  const args = node.args.map((arg, i): CompiledArgument => {
    const producer = findProducer(arg);
    if (producer) return compileReferences(producer, names, argumentCode);
    const code = argumentCode(spec, i, arg, names);
    return (e, env) => code?.(e, env);
  });
  return (e, env) => {
    const values = args.map((arg) => arg(e, env));
    return values.some(isReferenceArray)
      ? callForEachElement(e, spec, values)
      : invokeFunction(spec, e, values as Value[]);
  };
}

/**
 * Finds the call in an expression that returns an array of references if an argument is an array; null if there is
 * none.
 */
function findProducer(node: Node): CallNode | null {
  if (node.k === 'parentheses') return findProducer(node.arg);
  return node.k === 'call' && FUNCTIONS.get(node.name)?.referenceArrays === 'given' ? node : null;
}

function isReferenceArray(value: Value | ReferenceArray | undefined): value is ReferenceArray {
  return typeof value === 'object' && value !== null && 'at' in value;
}

/** The value of a call of OFFSET or INDIRECT: a reference, or an array of references if an argument is an array. */
function compileReferences(
  node: CallNode,
  names: VariableScope | null,
  argumentCode: CompileArgument,
): CompiledArgument {
  const spec = FUNCTIONS.get(node.name)!;
  if (findArityProblem(spec, node.args.length) !== null) return () => NA;
  const codes = node.args.map((arg, i) => argumentCode(spec, i, arg, names));
  return (e, env) => {
    const values = codes.map((code) => code?.(e, env));
    const size = computeCommonSize(spec, values);
    if (size.rows * size.columns === 1) return invokeFunction(spec, e, values);
    return { ...size, at: (row, column) => invokeFunction(spec, e, pickArguments(spec, values, row, column)) };
  };
}

/** Calls a function once for each element of its arrays and arrays of references. */
function callForEachElement(
  e: Evaluation,
  spec: FunctionSpec,
  values: readonly (Value | ReferenceArray | undefined)[],
): Matrix {
  const { rows, columns } = computeCommonSize(spec, values);
  e.spendElements(rows * columns);
  const data: Scalar[] = [];
  const formats = new FormatList(rows * columns);
  for (let r = 0; r < rows; r++) {
    for (let c = 0; c < columns; c++) {
      const result = takeTopLeftElement(e, invokeFunction(spec, e, pickArguments(spec, values, r, c)));
      formats.set(data.length, e.formats?.last ?? 0);
      data.push(result);
    }
  }
  return new Matrix(rows, columns, data, formats.result);
}

/** The common size of the arrays among the arguments. */
function computeCommonSize(spec: FunctionSpec, values: readonly (Value | ReferenceArray | undefined)[]) {
  let rows = 1;
  let columns = 1;
  for (const [i, value] of values.entries()) {
    if (!isSpreadArgument(spec, value, i)) continue;
    rows = Math.max(rows, value.rows);
    columns = Math.max(columns, value.columns);
  }
  return { rows, columns };
}

/** True for an argument that differs per element: an array of references, or an array for a single-value parameter. */
function isSpreadArgument(
  spec: FunctionSpec,
  value: Value | ReferenceArray | undefined,
  index: number,
): value is ReferenceArray | Matrix {
  if (isReferenceArray(value)) return true;
  return value instanceof Matrix && !isWholeKind(findParameter(spec, index)?.kind ?? 'value');
}

/** The arguments of the call for one element: arrays are replaced by their element. */
function pickArguments(
  spec: FunctionSpec,
  values: readonly (Value | ReferenceArray | undefined)[],
  row: number,
  column: number,
): (Value | undefined)[] {
  return values.map((value, i) => {
    if (!isSpreadArgument(spec, value, i)) return value as Value | undefined;
    const r = value.rows === 1 ? 0 : row;
    const c = value.columns === 1 ? 0 : column;
    if (r >= value.rows || c >= value.columns) return NA;
    return value instanceof Matrix ? value.get(r, c) : value.at(r, c);
  });
}
