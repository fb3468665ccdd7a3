import type { AreaNode, CallNode, Node } from '../../formula/ast.ts';
import { FORMS } from '../../functions/catalogue.ts';
import { computeSelectedStatistics, type Extreme } from '../../functions/selection/selected-statistics.ts';
import type { FunctionSpec } from '../../functions/spec.ts';
import type { Reference, Value } from '../../functions/value.ts';
import { isError } from '../../value/scalar.ts';
import type { Evaluation } from '../evaluation.ts';
import { compileArea } from '../references.ts';
import {
  type CompileOperand,
  collectFactors,
  compileCriteria,
  countRows,
  type ProductFactors,
  type RangeCondition,
  readColumn,
  removeParentheses,
} from './range-conditions.ts';

/**
 * `MAX((A1:A9=E1)*(B1:B9>F1)*C1:C9)` and `MAX(IF((A1:A9=E1)*(B1:B9>F1);C1:C9))` are calculated like
 * `MAXIFS(C1:C9;A1:A9;E1;B1:B9;">"&F1)`, with its indexes, if all cells of the last range are numbers.
 */

/** An array of the numbers of a range. */
interface SelectedNumbers {
  readonly conditions: readonly RangeCondition[];
  readonly area: AreaNode;
  /** True if the array contains zeros for rows that do not meet the conditions. */
  readonly hasZeros: boolean;
}

/** Returns the calculation that replaces a call of MAX or MIN; null if there is none. Its value is null for arrays. */
export function compileSelectedExtreme(
  { args }: CallNode,
  { comparisons }: FunctionSpec,
  compileOperand: CompileOperand,
): ((e: Evaluation) => Value | null) | null {
  const [arg, ...others] = args;
  if ((comparisons !== 'greatest' && comparisons !== 'least') || arg === undefined || others.length > 0) return null;
  const selected = readProduct(arg) ?? readChosenNumbers(arg);
  // Equalities alone use the indexes of shared arrays.
  if (selected === null || selected.conditions.every(({ operator }) => operator === '=')) return null;
  const readCriteria = compileCriteria(selected.conditions, compileOperand);
  const code = compileArea(selected.area);
  return (e) => {
    const numbers = readColumn(e, code);
    if (numbers === null || !hasOnlyNumbers(e, numbers)) return null;
    const criteria = readCriteria(e);
    if (criteria === null || criteria.selections.length !== 1 || criteria.rows !== countRows(numbers)) return null;
    const figures = computeSelectedStatistics(e, numbers, criteria.selections[0]!, comparisons);
    if (isError(figures) || figures.error !== null) return null;
    if (!selected.hasZeros) {
      if (e.formats !== null) e.formats.last = figures[`${comparisons}Format`];
      return figures.count === 0 ? 0 : figures[comparisons];
    }
    if (figures.count < criteria.rows && !isBeyondZero(comparisons, figures[comparisons])) {
      return e.formats === null ? 0 : null;
    }
    if (e.formats !== null) e.formats.last = e.formats.combineFormats('*', 0, figures[`${comparisons}Format`]);
    return figures[comparisons];
  };
}

function isBeyondZero(extreme: Extreme, number: number): boolean {
  return extreme === 'greatest' ? number > 0 : number < 0;
}

/** Reads a product of comparisons and one range. */
function readProduct(node: Node): SelectedNumbers | null {
  const part = removeParentheses(node);
  const factors: ProductFactors = { conditions: [], values: [] };
  if (part.k !== 'binary' || part.op !== '*' || !collectFactors(part, factors)) return null;
  const [area, ...others] = factors.values;
  return area && others.length === 0 ? { conditions: factors.conditions, area, hasZeros: true } : null;
}

/** Reads a range in calls of IF whose conditions are comparisons or products of comparisons. */
function readChosenNumbers(node: Node): SelectedNumbers | null {
  const factors: ProductFactors = { conditions: [], values: [] };
  let at = removeParentheses(node);
  while (at.k === 'call' && FORMS.get(at.name)?.comparisons === 'chosen') {
    const [condition, yes, no] = at.args;
    if (condition === undefined || yes === undefined || !isOmitted(no) || !collectFactors(condition, factors))
      return null;
    at = removeParentheses(yes);
  }
  return at.k === 'area' && factors.values.length === 0
    ? { conditions: factors.conditions, area: at, hasZeros: false }
    : null;
}

/** True if MAX and MIN omit the third argument of IF in an array. */
function isOmitted(node: Node | undefined): boolean {
  return node === undefined || (node.k === 'boolean' && !node.value) || (node.k === 'text' && node.value === '');
}

function hasOnlyNumbers(e: Evaluation, range: Reference): boolean {
  const { error, count } = e.computeTotals(range);
  return error === null && count === countRows(range);
}
