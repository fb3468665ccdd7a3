import type { AreaNode, CallNode, Node } from '../../formula/ast.ts';
import type { Compiler } from '../../functions/forms/compiler.ts';
import type { Environment, VariableScope } from '../../functions/forms/environment.ts';
import { findSelectedRow } from '../../functions/selection/selection.ts';
import type { FunctionSpec } from '../../functions/spec.ts';
import type { Value } from '../../functions/value.ts';
import { NA } from '../../value/errors.ts';
import type { Evaluation } from '../evaluation.ts';
import { compileArea } from '../references.ts';
import { findComparedRow } from './compared-rows.ts';
import { type ComparisonSearch, evaluateOtherwise, readSearch } from './comparison-search.ts';
import {
  type CompileOperand,
  collectFactors,
  compileComparisons,
  countRows,
  type ProductFactors,
  type RangeComparison,
  readColumn,
  referToRow,
  toCriteria,
} from './range-conditions.ts';

/**
 * Searches ranges for the first or the last row that meets comparisons, by the index of a column or by figures of blocks
 * of rows. Null if the arrays must be calculated.
 */
type SelectedRow = (e: Evaluation, env: Environment | null) => Value | null;

/** Returns the calculation that replaces a call of a lookup function; null if there is none. */
export function compileSelectedRow(
  node: CallNode,
  spec: FunctionSpec,
  names: VariableScope | null,
  compiler: Compiler<Evaluation>,
): SelectedRow | null {
  const search = readSearch(node, spec, names, compiler);
  const find = search && compileFind(search.comparisons, search.backwards, compiler.operand);
  if (search === null || find === null) return null;
  if (search.result !== null) return compileResult(find, search.result, search);
  return (e) => {
    const found = find(e);
    if (e.formats !== null) e.formats.last = 0;
    return found && (found.row < 0 ? NA : found.row + 1);
  };
}

/** Finds a row in columns with a number of rows. The row is relative to their top, and -1 for none. */
type FindRow = (e: Evaluation) => { readonly rows: number; readonly row: number } | null;

/** Compiles a search for the first row, or the last row (`backwards`), that meets a product of comparisons. */
function compileFind(node: Node, backwards: boolean, compileOperand: CompileOperand): FindRow | null {
  const factors: ProductFactors = { conditions: [], values: [] };
  if (!collectFactors(node, factors) || factors.values.length > 0 || factors.conditions.length === 0) return null;
  const read = compileComparisons(factors.conditions, compileOperand);
  return (e) => {
    const comparisons = read(e);
    return comparisons && { rows: countRows(comparisons[0]!.range), row: findRow(e, comparisons, backwards) };
  };
}

/** The first or the last row (`backwards`) that meets comparisons, relative to the top of the ranges; -1 for none. */
export function findRow(e: Evaluation, comparisons: readonly RangeComparison[], backwards: boolean): number {
  const criteria = comparisons.some(({ operator }) => operator === '=') ? toCriteria(e, comparisons) : null;
  const row = criteria?.selections.length === 1 ? findSelectedRow(e, criteria.selections[0]!, backwards) : null;
  return row ?? findComparedRow(e, comparisons, backwards);
}

/** Compiles a search whose result is the cell of another column in the row that was found. */
function compileResult(find: FindRow, range: AreaNode, search: ComparisonSearch): SelectedRow {
  const code = compileArea(range);
  return (e, env) => {
    const result = readColumn(e, code);
    const found = result && find(e);
    if (result === null || found === null || countRows(result) !== found.rows) return null;
    return found.row < 0 ? evaluateOtherwise(search, e, env) : referToRow(result.areas[0], found.row);
  };
}
