import type { AreaNode, CallNode, Node } from '../../formula/ast.ts';
import { FUNCTIONS } from '../../functions/catalogue.ts';
import type { FunctionSpec } from '../../functions/spec.ts';
import type { Value } from '../../functions/value.ts';
import type { Code, Evaluation } from '../evaluation.ts';
import { applyToScalars } from '../operators.ts';
import { compileArea } from '../references.ts';
import {
  type CompileOperand,
  compileComparisons,
  countRows,
  isSingleValue,
  readColumn,
  removeParentheses,
} from './range-conditions.ts';
import { readChosenElements } from './selected-numbers.ts';
import { findRow } from './selected-rows.ts';

/**
 * `MAX(IF(A1:A9=E1;ROW(A1:A9)))` and `MIN(IF(A1:A9=E1;ROW(A1:A9)-ROW(A1)+1))` search the last or the first row that meets
 * comparisons, because the numbers of rows ascend.
 */

/** The numbers of the rows of a range, to which values are added or from which values are subtracted, in this order. */
interface RowNumbers {
  readonly area: AreaNode;
  readonly steps: readonly { readonly op: '+' | '-'; readonly operand: Node }[];
}

/** Returns the calculation that replaces a call of MAX or MIN; null if there is none. Its value is null for arrays. */
export function compileSelectedRowNumber(
  { args }: CallNode,
  { comparisons: extreme }: FunctionSpec,
  compileOperand: CompileOperand,
): ((e: Evaluation) => Value | null) | null {
  const [arg, ...others] = args;
  if ((extreme !== 'greatest' && extreme !== 'least') || arg === undefined || others.length > 0) return null;
  const chosen = readChosenElements(arg, extreme);
  const numbers = chosen && readRowNumbers(chosen.value);
  if (chosen === null || numbers === null || chosen.computed.length > 0) return null;
  const readComparisons = compileComparisons(chosen.conditions, compileOperand);
  const code = compileArea(numbers.area);
  const steps = numbers.steps.map(({ op, operand }) => ({ op, code: compileOperand(operand, null) }));
  return (e) => {
    const range = readColumn(e, code);
    const comparisons = range && readComparisons(e);
    if (range === null || comparisons === null || countRows(comparisons[0]!.range) !== countRows(range)) return null;
    // A search treats an error in a comparison as false. Here it is the result.
    if (comparisons.some((comparison) => e.computeTotals(comparison.range).error !== null)) return null;
    const row = findRow(e, comparisons, extreme === 'greatest');
    const result = row < 0 ? 0 : shiftRow(e, range.areas[0].top + row + 1, steps);
    if (e.formats !== null && result !== null) e.formats.last = 0;
    return result;
  };
}

/** Adds values to the number of a row; null if one of them is no number or has a format. */
function shiftRow(
  e: Evaluation,
  row: number,
  steps: readonly { readonly op: '+' | '-'; readonly code: Code }[],
): number | null {
  let number = row;
  for (const { op, code } of steps) {
    if (e.formats !== null) e.formats.last = 0;
    const operand = code(e, null);
    if (typeof operand !== 'number' || (e.formats !== null && e.formats.last !== 0)) return null;
    const next = applyToScalars(op, number, operand, e);
    if (typeof next !== 'number') return null;
    number = next;
  }
  return number;
}

/** Reads the numbers of rows, with values that are added or subtracted; null for other expressions. */
function readRowNumbers(node: Node): RowNumbers | null {
  const part = removeParentheses(node);
  if (part.k === 'call') {
    const [area] = part.args;
    return FUNCTIONS.get(part.name)?.measures === 'row' && area?.k === 'area' ? { area, steps: [] } : null;
  }
  if (part.k !== 'binary' || (part.op !== '+' && part.op !== '-')) return null;
  const left = readRowNumbers(part.left);
  if (left === null || !isSingleValue(part.right)) return null;
  return { area: left.area, steps: [...left.steps, { op: part.op, operand: removeParentheses(part.right) }] };
}
