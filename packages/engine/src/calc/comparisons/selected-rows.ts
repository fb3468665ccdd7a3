import type { CallNode, Node } from '../../formula/ast.ts';
import { findSelectedRow } from '../../functions/selection/selection.ts';
import type { FunctionSpec } from '../../functions/spec.ts';
import { Reference, type Value } from '../../functions/value.ts';
import { NA } from '../../value/errors.ts';
import type { Evaluation } from '../evaluation.ts';
import { compileArea } from '../references.ts';
import {
  type CompileOperand,
  collectFactors,
  compileConditions,
  countRows,
  type ProductFactors,
  type ReadCriteria,
  readColumn,
  removeParentheses,
  unwrapWholeArray,
} from './range-conditions.ts';

/**
 * Searches for the first or last row that meets several comparisons, such as `MATCH(1;(A1:A9=E1)*(B1:B9=F1);0)` and
 * `LOOKUP(2;1/(A1:A9=E1);B1:B9)`. The index of a column finds the rows. Null if the arrays must be calculated.
 */
type SelectedRow = (e: Evaluation) => Value | null;

/** Returns the calculation that replaces a call of a lookup function; null if there is none. */
export function compileSelectedRow(
  { args }: CallNode,
  { comparisons }: FunctionSpec,
  compileOperand: CompileOperand,
): SelectedRow | null {
  const [wanted, second, third] = args;
  if (wanted?.k !== 'number' || second === undefined) return null;
  const searched = unwrapWholeArray(second);
  if (comparisons === 'lastResult' && args.length === 3 && wanted.value > 1) {
    if (searched.k !== 'binary' || searched.op !== '/' || searched.left.k !== 'number') return null;
    const criteria = compileCriteria(searched.right, compileOperand);
    return criteria && compileResult(criteria, third, true);
  }
  if (wanted.value !== 1 || !isProduct(searched)) return null;
  const criteria = compileCriteria(searched, compileOperand);
  if (criteria === null) return null;
  if (comparisons === 'result' && args.length === 3) return compileResult(criteria, third, false);
  if (!isExactPositionSearch(args, comparisons)) return null;
  return (e) => {
    const selected = criteria(e);
    const row = selected && findSelectedRow(e, selected.pairs, false);
    if (e.formats !== null) e.formats.last = 0;
    return row === null ? null : row < 0 ? NA : row + 1;
  };
}

/** True for a call of MATCH with type 0, or of XMATCH without a third argument. */
export function isExactPositionSearch(args: readonly Node[], comparisons: FunctionSpec['comparisons']): boolean {
  if (comparisons === 'exactPosition') return args.length === 2;
  const [, , type] = args;
  return comparisons === 'position' && type?.k === 'number' && type.value === 0;
}

/** True for a product, whose elements are numbers. The result of a bare comparison is not equal to 1. */
function isProduct(node: Node): boolean {
  const part = removeParentheses(node);
  return part.k === 'binary' && part.op === '*';
}

function compileCriteria(node: Node, compileOperand: CompileOperand): ReadCriteria | null {
  const factors: ProductFactors = { conditions: [], values: [] };
  if (!collectFactors(node, factors) || factors.values.length > 0 || factors.conditions.length === 0) return null;
  return compileConditions(factors.conditions, compileOperand);
}

/** Compiles a search whose result is the cell of another column in the row that was found. */
function compileResult(criteria: ReadCriteria, node: Node | undefined, backwards: boolean): SelectedRow | null {
  if (node?.k !== 'area') return null;
  const code = compileArea(node);
  return (e) => {
    const result = readColumn(e, code);
    const selected = result && criteria(e);
    if (selected === null || countRows(result!) !== selected.rows) return null;
    const row = findSelectedRow(e, selected.pairs, backwards);
    if (row === null) return null;
    if (row < 0) return NA;
    const [area] = result!.areas;
    return new Reference([{ ...area, top: area.top + row, bottom: area.top + row }]);
  };
}
