import type { CallNode, Node } from '../../formula/ast.ts';
import { FORMS } from '../../functions/catalogue.ts';
import type { Compiler } from '../../functions/forms/compiler.ts';
import type { Environment, VariableScope } from '../../functions/forms/environment.ts';
import { pickRows, readFullMatrix } from '../../functions/shape.ts';
import type { FunctionSpec } from '../../functions/spec.ts';
import { Reference, type Value } from '../../functions/value.ts';
import { CALC, NA } from '../../value/errors.ts';
import { isError, type Scalar } from '../../value/scalar.ts';
import {
  type CompileOperand,
  isBareComparison,
  removeParentheses,
  unwrapWholeArray,
} from '../comparisons/range-conditions.ts';
import {
  compileResultSearch,
  evaluateOtherwise,
  isExactPositionSearch,
  LAST_RESULT,
  type ResultSearch,
} from '../comparisons/selected-rows.ts';
import type { Code, Evaluation } from '../evaluation.ts';
import { compileArea } from '../references.ts';
import { isOne } from './aggregate-elements.ts';
import { compileElementFilter, type FilterElements } from './computed-elements.ts';
import {
  compileConditions,
  compileElements,
  compileSharedArray,
  type ElementCondition,
  type ElementSelection,
  hasElements,
  isErrorTest,
  isOuterVariable,
  type ReadSharedArray,
  type SelectElements,
  splitProduct,
} from './element-conditions.ts';
import { classifyExpression, isFixedArray } from './expression-kinds.ts';
import { compileMatrixSum } from './matrix-products.ts';
import {
  compileFilterOfRange,
  compilePickedElements,
  compileRepeatedNumber,
  type SelectedValue,
} from './picked-elements.ts';
import { isMovingRange } from './range-elements.ts';

/**
 * Calls that calculate an array by comparisons and use only few of its elements. The other elements are not calculated:
 * they are zeros of a sum, or values that the function omits. Sums add the same numbers in the same order.
 */

/** Returns the calculation that replaces a call; null if there is none. */
export function compileSelectedElements(
  node: CallNode,
  spec: FunctionSpec,
  names: VariableScope | null,
  compiler: Compiler<Evaluation>,
): SelectedValue | null {
  if (spec.comparisons === undefined) return null;
  const compileOperand = compiler.operand;
  const isSum = spec.comparisons === 'summed' && node.args.length === 1;
  if (isSum || spec.comparisons === 'multiplied')
    return (
      compileMatrixSum(node.args, isSum, names, compileOperand) ??
      compileSumOfProducts(node.args, isSum, names, compileOperand)
    );
  if (spec.comparisons === 'filtered') return compileFilter(node, names, compileOperand);
  return compileSearch(node, spec, names, compiler);
}

/** A factor of the summed products: a number, or an array with a number in each row. */
type Factor = { readonly number: Code } | { readonly array: ReadSharedArray };

/** Compiles the sum of products with comparisons. `carriesFormat`: the sum takes the format of the products. */
function compileSumOfProducts(
  args: readonly Node[],
  carriesFormat: boolean,
  names: VariableScope | null,
  compileOperand: CompileOperand,
): SelectedValue | null {
  const factors: Factor[] = [];
  const conditions: ElementCondition[] = [];
  const computed: Node[] = [];
  for (const arg of args) {
    const product = splitProduct(arg, names, { computed });
    if (product === null || isBareComparison(arg)) return null;
    const isProduct = product.rest !== arg;
    conditions.push(...product.conditions);
    const factor = compileFactor(product.rest, isProduct, names, compileOperand);
    if (factor === null) return null;
    factors.push(factor);
  }
  const all = conditions.length === 0 ? null : compileConditions(conditions, names, compileOperand);
  // An error in an element that is not selected is also the result of the sum.
  if (all === null || !computed.every(isErrorTest)) return null;
  const filters = computed.map((test) => compileElementFilter(test, names, compileOperand));
  if (filters.includes(null)) return null;
  const select: SelectElements = (e, env) => {
    const selection = all(e, env);
    return selection && filterElements(e, env, selection, filters);
  };
  return (e, env) => sumSelected(e, env, select, factors, carriesFormat);
}

/** Compiles a factor; null if it is not the same for every row. `isProduct`: the factor may be a number. */
function compileFactor(
  node: Node,
  isProduct: boolean,
  names: VariableScope | null,
  compileOperand: CompileOperand,
): Factor | null {
  if (isFixedArray(node, names) || isOuterVariable(node, names))
    return { array: compileSharedArray(node, names, compileOperand) };
  const { isFixed, isSingle, isRepeatable } = classifyExpression(node, names);
  return isProduct && isFixed && isSingle && isRepeatable ? { number: compileOperand(node, names) } : null;
}

function sumSelected(
  e: Evaluation,
  env: Environment | null,
  select: SelectElements,
  factors: readonly Factor[],
  carriesFormat: boolean,
): Value | null {
  const selection = select(e, env);
  if (selection === null) return null;
  const values: (readonly Scalar[] | number)[] = [];
  let format = 0;
  for (const factor of factors) {
    if ('number' in factor) {
      const number = factor.number(e, env);
      if (typeof number !== 'number') return null;
      values.push(number);
      continue;
    }
    const array = factor.array(e, env);
    if (array === null || array.hasErrors || array.length !== selection.length) return null;
    values.push(array.matrix.data);
    if (carriesFormat) format = array.matrix.formatAt(0) || array.matrix.formatAt(1);
  }
  let sum = 0;
  for (const row of selection.rows) {
    let term = 1;
    for (const each of values) {
      const value = typeof each === 'number' ? each : each[row];
      term *= typeof value === 'number' ? value : 0;
    }
    sum += term;
  }
  if (!Number.isFinite(sum)) return null;
  if (e.formats !== null) e.formats.last = format;
  return sum;
}

/** Compiles FILTER of a range by comparisons. */
function compileFilter(
  { args }: CallNode,
  names: VariableScope | null,
  compileOperand: CompileOperand,
): SelectedValue | null {
  const [array, include, ifEmpty] = args;
  if (array === undefined || include === undefined) return null;
  if (!hasElements(array, names)) return null;
  const select = compileSelection([include], names, compileOperand);
  if (select === null) return null;
  if (isMovingRange(array, names)) return compileFilterOfRange(array, select, ifEmpty);
  const code = compileOperand(array, names);
  return (e, env) => {
    const selection = select(e, env);
    if (selection === null || (selection.rows.length === 0 && ifEmpty !== undefined)) return null;
    const matrix = readFullMatrix(e, code(e, env));
    if (isError(matrix) || matrix.rows !== selection.length) return null;
    if (e.formats !== null) e.formats.last = 0;
    return selection.rows.length === 0 ? CALC : pickRows(e, matrix, selection.rows);
  };
}

/**
 * Compiles a search for the first element at which comparisons are true (`MATCH(1;(A1:A9=E1)*(B1:B9=F1);0)`), or for the
 * last one (`LOOKUP(2;1/(A1:A9=E1);B1:B9)`).
 */
function compileSearch(
  { args }: CallNode,
  { comparisons }: FunctionSpec,
  names: VariableScope | null,
  compiler: Compiler<Evaluation>,
) {
  const compileOperand = compiler.operand;
  const [wanted, second, third] = args;
  if (wanted === undefined || second === undefined) return null;
  const searched = unwrapWholeArray(second);
  if (comparisons === 'lastResult') {
    const isLast = wanted.k === 'number' && wanted.value > 1 && searched.k === 'binary' && searched.op === '/';
    if (!isLast || searched.left.k !== 'number' || searched.left.value !== 1) return null;
    const select = compileComparisons(searched.right, true, names, compileOperand);
    return select && compileFound(select, third, LAST_RESULT, names);
  }
  const isSame = isBareComparison(searched)
    ? wanted.k === 'boolean' && wanted.value
    : wanted.k === 'number' && wanted.value === 1;
  if (!isSame) return null;
  if (comparisons === 'result') {
    const search = compileResultSearch(args, names, compiler);
    const select = search && compileComparisons(searched, search.backwards, names, compileOperand);
    return select && compileFound(select, third, search!, names);
  }
  const select = compileComparisons(searched, false, names, compileOperand);
  if (select === null || !isExactPositionSearch(args, comparisons)) return null;
  return (e: Evaluation, env: Environment | null) => {
    const selection = select(e, env);
    if (selection === null) return null;
    if (e.formats !== null) e.formats.last = 0;
    return selection.rows.length === 0 ? NA : selection.rows[0]! + 1;
  };
}

/**
 * Compiles a selection by comparisons for a search; null if the product has other factors. A search omits errors, so that
 * comparisons without an index are calculated only for elements that the others select. `isLast`: the search needs the
 * last element, else the first one.
 */
function compileComparisons(
  node: Node,
  isLast: boolean,
  names: VariableScope | null,
  compileOperand: CompileOperand,
): SelectElements | null {
  const computed: Node[] = [];
  const product = splitProduct(node, names, { computed });
  if (product === null || isOuterVariable(product.rest, names)) return null;
  const { isFixed, readsFixedRange } = classifyExpression(product.rest, names);
  if (!isFixed || readsFixedRange) return null;
  if (computed.length === 0) return compileSelection([node], names, compileOperand);
  const filters = computed.map((test) => compileElementFilter(test, names, compileOperand));
  const select = isOne(product.rest) ? compileConditions(product.conditions, names, compileOperand) : null;
  if (select === null || filters.includes(null)) return null;
  return (e, env) => {
    const selection = select(e, env);
    return selection && findFiltered(selection, isLast, (part) => filterElements(e, env, part, filters));
  };
}

/** The elements for which all computed comparisons are true; null if whole arrays must be calculated. */
function filterElements(
  e: Evaluation,
  env: Environment | null,
  { length, rows }: ElementSelection,
  filters: readonly (FilterElements | null)[],
): ElementSelection | null {
  let filtered: readonly number[] | null = rows;
  for (const filter of filters) filtered = filtered && filter!(e, env, { length, rows: filtered });
  return filtered && { length, rows: filtered };
}

/** Number of elements that a search filters first. It doubles the number until an element is found. */
const FIRST_FILTERED = 32;

/** Filters some of the first elements, or of the last ones, until at least one is found. */
function findFiltered(
  { length, rows }: ElementSelection,
  isLast: boolean,
  filterPart: (part: ElementSelection) => ElementSelection | null,
): ElementSelection | null {
  for (let at = 0, size = FIRST_FILTERED; at < rows.length; at += size, size *= 2) {
    const part = isLast
      ? rows.slice(Math.max(0, rows.length - at - size), rows.length - at)
      : rows.slice(at, at + size);
    const found = filterPart({ length, rows: part });
    if (found === null || found.rows.length > 0) return found;
  }
  return { length, rows: NO_ROWS };
}

const NO_ROWS: readonly number[] = [];

/** Compiles the cell of a range in the first or the last row that was found. */
function compileFound(
  select: SelectElements,
  result: Node | undefined,
  search: ResultSearch,
  names: VariableScope | null,
): SelectedValue | null {
  if (result?.k !== 'area' || !isFixedArray(result, names)) return null;
  const code = compileArea(result);
  return (e, env) => {
    const selection = select(e, env);
    const reference = selection && code(e, env);
    if (selection === null || !(reference instanceof Reference)) return null;
    const [area, ...others] = reference.areas;
    const isColumn = others.length === 0 && area.left === area.right;
    if (!isColumn || area.bottom - area.top + 1 !== selection.length) return null;
    const row = selection.rows.at(search.backwards ? -1 : 0);
    if (row === undefined) return evaluateOtherwise(search, e, env);
    return new Reference([{ ...area, top: area.top + row, bottom: area.top + row }]);
  };
}

/**
 * Compiles a selection of the elements for which all nodes are true or not zero. A node is a comparison, or a product of
 * comparisons and arrays.
 */
function compileSelection(
  nodes: readonly Node[],
  names: VariableScope | null,
  compileOperand: CompileOperand,
): SelectElements | null {
  const conditions: ElementCondition[] = [];
  const factors: Factor[] = [];
  for (const node of nodes) {
    const product = splitProduct(node, names);
    const factor = product && compileFactor(product.rest, true, names, compileOperand);
    if (product === null || factor === null || product.conditions.length === 0) return null;
    conditions.push(...product.conditions);
    factors.push(factor);
  }
  const select = compileConditions(conditions, names, compileOperand);
  if (select === null) return null;
  return (e, env) => {
    let selection = select(e, env);
    for (const factor of factors) selection = selection && applyFactor(e, env, selection, factor);
    return selection;
  };
}

/** Removes the elements at which a factor is zero. */
function applyFactor(
  e: Evaluation,
  env: Environment | null,
  { length, rows }: ElementSelection,
  factor: Factor,
): ElementSelection | null {
  if ('number' in factor) return factor.number(e, env) === 1 ? { length, rows } : null;
  const array = factor.array(e, env);
  if (array === null || array.hasErrors || array.length !== length) return null;
  return { length, rows: rows.filter((row) => array.at(row) !== 0) };
}

/**
 * Compiles an argument such as `IF(A1:A9=E1;B1:B9)`, if the function omits all elements except numbers (TEXTJOIN: empty
 * texts); null for other arguments.
 */
export function compileSelectedArgument(
  call: CallNode,
  index: number,
  spec: FunctionSpec,
  names: VariableScope | null,
  compileOperand: CompileOperand,
): SelectedValue | null {
  const filler = findOmittedValue(call, index, spec);
  if (filler === null) return null;
  const conditions: Node[] = [];
  let value: Node = removeParentheses(call.args[index]!);
  while (value.k === 'call' && choosesElements(value) && !classifyExpression(value, names).isFixed) {
    const [condition, yes, no] = value.args;
    if (condition === undefined || yes === undefined || !isOmitted(no, filler, spec)) return null;
    conditions.push(condition);
    value = removeParentheses(yes);
  }
  const number = value.k === 'number' && filler === false ? value.value : null;
  if (conditions.length === 0 || (number === null && !hasElements(value, names))) return null;
  const select = compileSelection(conditions, names, compileOperand);
  if (select === null) return null;
  if (number !== null) return compileRepeatedNumber(select, number);
  const array = compileElements(value, names, compileOperand);
  return compilePickedElements(select, array, filler === '' ? 'texts' : 'numbers');
}

function choosesElements({ name }: CallNode): boolean {
  return FORMS.get(name)?.comparisons === 'chosen';
}

/** A value that a function omits in the array of an argument; null for none. */
function findOmittedValue({ args }: CallNode, index: number, spec: FunctionSpec): false | '' | null {
  const { omits, omitsErrors } = spec;
  if (omits === 'nonNumbers' || (omits === 'firstNonNumbers' && index === 0)) return false;
  if (omitsErrors?.(args, index)) return false;
  const [, ignoresEmpty] = args;
  return omits === 'emptyTexts' && index >= 2 && ignoresEmpty?.k === 'boolean' && ignoresEmpty.value ? '' : null;
}

/** True if a function omits the third argument of IF. */
function isOmitted(node: Node | undefined, filler: false | '', { comparisons }: FunctionSpec): boolean {
  if (node?.k === 'text') return node.value === '';
  if (comparisons === 'summed' && node?.k === 'number') return node.value === 0;
  return filler === false && (node === undefined || (node.k === 'boolean' && !node.value));
}

/** Compiles an argument; its code first tries to calculate only the selected elements. */
export function withSelection(selected: SelectedValue, plain: Code): Code {
  return (e, env) => selected(e, env) ?? plain(e, env);
}
