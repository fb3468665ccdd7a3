import type { AreaNode, CallNode, Node } from '../../formula/ast.ts';
import type { Compiler } from '../../functions/forms/compiler.ts';
import type { Environment, VariableScope } from '../../functions/forms/environment.ts';
import type { FunctionSpec } from '../../functions/spec.ts';
import type { Value } from '../../functions/value.ts';
import { NA } from '../../value/errors.ts';
import type { Code, Evaluation } from '../evaluation.ts';
import { isBareComparison, unwrapWholeArray } from './range-conditions.ts';

/**
 * A call that searches for the first or the last element at which all comparisons of a product are true, such as
 * `MATCH(1;(A1:A9=E1)*(B1:B9=F1);0)` and `LOOKUP(2;1/(A1:A9=E1);B1:B9)`.
 */
export interface ComparisonSearch {
  /** The searched product. */
  readonly comparisons: Node;
  /** True if the search needs the last element. */
  readonly backwards: boolean;
  /** The range that contains the result; null if the result is the position of the element. */
  readonly result: AreaNode | null;
  /** The value if nothing is found; null for `#N/A`. */
  readonly otherwise: Code | null;
}

/** Returns the search that a call may be; null for other calls. The caller checks the searched product. */
export function readSearch(
  { args }: CallNode,
  { comparisons }: FunctionSpec,
  names: VariableScope | null,
  compiler: Compiler<Evaluation>,
): ComparisonSearch | null {
  const [wanted, second, third] = args;
  if (comparisons === undefined || wanted === undefined || second === undefined) return null;
  const searched = unwrapWholeArray(second);
  if (comparisons === 'lastResult') {
    const divisor = findDivisor(wanted, searched);
    if (divisor === null || third?.k !== 'area') return null;
    return { comparisons: divisor, backwards: true, result: third, otherwise: null };
  }
  if (!isFoundInComparisons(wanted, searched)) return null;
  if (comparisons === 'result') {
    const backwards = readDirection(args);
    if (backwards === null || third?.k !== 'area') return null;
    return { comparisons: searched, backwards, result: third, otherwise: compileOtherwise(args, names, compiler) };
  }
  if (!isExactPositionSearch(args, comparisons)) return null;
  return { comparisons: searched, backwards: false, result: null, otherwise: null };
}

/** True if a search for the wanted value finds the elements at which all comparisons are true. */
function isFoundInComparisons(wanted: Node, searched: Node): boolean {
  // The elements of a bare comparison are truth values, which are not equal to 1.
  return isBareComparison(searched)
    ? wanted.k === 'boolean' && wanted.value
    : wanted.k === 'number' && wanted.value === 1;
}

/** The comparisons by which a number is divided in a search for the last number; null for other searches. */
function findDivisor(wanted: Node, searched: Node): Node | null {
  if (wanted.k !== 'number' || wanted.value <= 1) return null;
  if (searched.k !== 'binary' || searched.op !== '/' || searched.left.k !== 'number') return null;
  return searched.left.value < wanted.value ? searched.right : null;
}

/** True for a call of MATCH with type 0, or of XMATCH without a third argument. */
function isExactPositionSearch(args: readonly Node[], comparisons: FunctionSpec['comparisons']): boolean {
  if (comparisons === 'exactPosition') return args.length === 2;
  const [, , type] = args;
  return comparisons === 'position' && type?.k === 'number' && type.value === 0;
}

/** True if XLOOKUP searches backwards. Null if it does not search for an exact match, or if its modes are no constants. */
function readDirection([, , , , matchMode, searchMode]: readonly Node[]): boolean | null {
  const mode = readMode(searchMode, 1);
  if (readMode(matchMode, 0) !== 0 || (mode !== 1 && mode !== -1)) return null;
  return mode === -1;
}

/** The value of an optional argument that is a constant; null for others. */
function readMode(node: Node | undefined, absent: number): number | null {
  if (node === undefined || node.k === 'missing') return absent;
  if (node.k === 'number') return node.value;
  return node.k === 'unary' && node.op === '-' && node.arg.k === 'number' ? -node.arg.value : null;
}

/** Compiles the fourth argument of XLOOKUP. */
function compileOtherwise(
  [, , , otherwise]: readonly Node[],
  names: VariableScope | null,
  compiler: Compiler<Evaluation>,
): Code | null {
  return otherwise === undefined || otherwise.k === 'missing' ? null : compiler.value(otherwise, names);
}

/** The result of a search that found nothing. */
export function evaluateOtherwise({ otherwise }: ComparisonSearch, e: Evaluation, env: Environment | null): Value {
  if (e.formats !== null) e.formats.last = 0;
  return otherwise === null ? NA : otherwise(e, env);
}
