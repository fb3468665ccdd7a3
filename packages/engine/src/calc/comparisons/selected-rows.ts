import type { CallNode, Node } from '../../formula/ast.ts';
import type { Compiler } from '../../functions/forms/compiler.ts';
import type { Environment, VariableScope } from '../../functions/forms/environment.ts';
import { findSelectedRow } from '../../functions/selection/selection.ts';
import type { FunctionSpec } from '../../functions/spec.ts';
import { Reference, type Value } from '../../functions/value.ts';
import { NA } from '../../value/errors.ts';
import type { Code, Evaluation } from '../evaluation.ts';
import { compileArea } from '../references.ts';
import { findComparedRow } from './compared-rows.ts';
import {
  type CompileOperand,
  collectFactors,
  compileComparisons,
  countRows,
  findNegatedTwice,
  isComparison,
  type ProductFactors,
  type RangeComparison,
  readColumn,
  removeParentheses,
  toCriteria,
  unwrapWholeArray,
} from './range-conditions.ts';

/**
 * Searches for the first or last row that meets several comparisons, such as `MATCH(1;(A1:A9=E1)*(B1:B9=F1);0)` and
 * `LOOKUP(2;1/(A1:A9=E1);B1:B9)`. The index of a column or the figures of blocks of rows find the row. Null if the
 * arrays must be calculated.
 */
type SelectedRow = (e: Evaluation, env: Environment | null) => Value | null;

/** Returns the calculation that replaces a call of a lookup function; null if there is none. */
export function compileSelectedRow(
  { args }: CallNode,
  { comparisons }: FunctionSpec,
  names: VariableScope | null,
  compiler: Compiler<Evaluation>,
): SelectedRow | null {
  const [wanted, second, third] = args;
  if (wanted === undefined || second === undefined) return null;
  const searched = unwrapWholeArray(second);
  if (comparisons === 'lastResult') {
    const divisor = args.length === 3 ? findDivisor(wanted, searched) : null;
    const find = divisor && compileSearch(divisor, compiler.operand);
    return find && compileResult(find, third, LAST_RESULT);
  }
  if (!isFoundInComparisons(wanted, searched)) return null;
  const find = compileSearch(searched, compiler.operand);
  if (find === null) return null;
  if (comparisons === 'result') {
    const search = compileResultSearch(args, names, compiler);
    return search && compileResult(find, third, search);
  }
  if (!isExactPositionSearch(args, comparisons)) return null;
  return (e) => {
    const found = find(e, false);
    if (e.formats !== null) e.formats.last = 0;
    return found && (found.row < 0 ? NA : found.row + 1);
  };
}

/** True if a search for the wanted value finds the elements at which all comparisons are true. */
function isFoundInComparisons(wanted: Node, searched: Node): boolean {
  const part = removeParentheses(searched);
  const isOne = wanted.k === 'number' && wanted.value === 1;
  if (part.k !== 'binary') return isOne && findNegatedTwice(part) !== null;
  // The elements of a bare comparison are truth values, which are not equal to 1.
  if (isComparison(part.op)) return wanted.k === 'boolean' && wanted.value;
  return isOne && part.op === '*';
}

/** The comparisons by which 1 is divided in a search for the last number (`LOOKUP(2;1/(…))`); null for other searches. */
function findDivisor(wanted: Node, searched: Node): Node | null {
  if (wanted.k !== 'number' || wanted.value <= 1) return null;
  if (searched.k !== 'binary' || searched.op !== '/' || searched.left.k !== 'number') return null;
  return searched.left.value < wanted.value ? searched.right : null;
}

/** True for a call of MATCH with type 0, or of XMATCH without a third argument. */
export function isExactPositionSearch(args: readonly Node[], comparisons: FunctionSpec['comparisons']): boolean {
  if (comparisons === 'exactPosition') return args.length === 2;
  const [, , type] = args;
  return comparisons === 'position' && type?.k === 'number' && type.value === 0;
}

/** How a lookup function searches for its result. */
export interface ResultSearch {
  readonly backwards: boolean;
  /** The value if nothing is found; null for `#N/A`. */
  readonly otherwise: Code | null;
}

export const LAST_RESULT: ResultSearch = { backwards: true, otherwise: null };

/** Compiles the arguments of XLOOKUP after the third. Null if they are no exact search, or no constants. */
export function compileResultSearch(
  [, , , otherwise, matchMode, searchMode]: readonly Node[],
  names: VariableScope | null,
  compiler: Compiler<Evaluation>,
): ResultSearch | null {
  const mode = readMode(searchMode, 1);
  if (readMode(matchMode, 0) !== 0 || (mode !== 1 && mode !== -1)) return null;
  const hasOther = otherwise !== undefined && otherwise.k !== 'missing';
  return { backwards: mode === -1, otherwise: hasOther ? compiler.value(otherwise, names) : null };
}

/** The value of an optional argument that is a constant; null for others. */
function readMode(node: Node | undefined, absent: number): number | null {
  if (node === undefined || node.k === 'missing') return absent;
  if (node.k === 'number') return node.value;
  return node.k === 'unary' && node.op === '-' && node.arg.k === 'number' ? -node.arg.value : null;
}

/** The result of a search that found nothing. */
export function evaluateOtherwise({ otherwise }: ResultSearch, e: Evaluation, env: Environment | null): Value {
  if (e.formats !== null) e.formats.last = 0;
  return otherwise === null ? NA : otherwise(e, env);
}

/** Finds a row in columns with a number of rows. The row is relative to their top, and -1 for none. */
type FindRow = (e: Evaluation, backwards: boolean) => { readonly rows: number; readonly row: number } | null;

/** Compiles a search for a row that meets a product of comparisons. */
function compileSearch(node: Node, compileOperand: CompileOperand): FindRow | null {
  const factors: ProductFactors = { conditions: [], values: [] };
  if (!collectFactors(node, factors) || factors.values.length > 0 || factors.conditions.length === 0) return null;
  const read = compileComparisons(factors.conditions, compileOperand);
  return (e, backwards) => {
    const comparisons = read(e);
    return comparisons && { rows: countRows(comparisons[0]!.range), row: findRow(e, comparisons, backwards) };
  };
}

function findRow(e: Evaluation, comparisons: readonly RangeComparison[], backwards: boolean): number {
  const criteria = comparisons.some(({ operator }) => operator === '=') ? toCriteria(e, comparisons) : null;
  const row = criteria && findSelectedRow(e, criteria.pairs, backwards);
  if (row !== null) return row;
  const columns = comparisons.map(({ range, ...rest }) => ({ area: range.areas[0], ...rest }));
  return findComparedRow(e, columns, backwards);
}

/** Compiles a search whose result is the cell of another column in the row that was found. */
function compileResult(find: FindRow, node: Node | undefined, search: ResultSearch): SelectedRow | null {
  if (node?.k !== 'area') return null;
  const code = compileArea(node);
  return (e, env) => {
    const result = readColumn(e, code);
    const found = result && find(e, search.backwards);
    if (result === null || found === null || countRows(result) !== found.rows) return null;
    if (found.row < 0) return evaluateOtherwise(search, e, env);
    const [area] = result.areas;
    return new Reference([{ ...area, top: area.top + found.row, bottom: area.top + found.row }]);
  };
}
