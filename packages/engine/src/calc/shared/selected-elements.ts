import type { AreaNode, CallNode, Node } from '../../formula/ast.ts';
import { FORMS } from '../../functions/catalogue.ts';
import type { Compiler } from '../../functions/forms/compiler.ts';
import type { Environment, VariableScope } from '../../functions/forms/environment.ts';
import { pickRows, readFullMatrix } from '../../functions/shape.ts';
import type { FunctionSpec } from '../../functions/spec.ts';
import type { Value } from '../../functions/value.ts';
import { CALC, NA } from '../../value/errors.ts';
import { isError, type Scalar } from '../../value/scalar.ts';
import { type ComparisonSearch, evaluateOtherwise, readSearch } from '../comparisons/comparison-search.ts';
import {
  type CompileOperand,
  isBareComparison,
  referToRow,
  removeParentheses,
} from '../comparisons/range-conditions.ts';
import type { Code, Evaluation } from '../evaluation.ts';
import { isOne } from './aggregate-elements.ts';
import { compileElementFilters } from './computed-elements.ts';
import {
  compileConditions,
  compileElements,
  type ElementCondition,
  type ElementSelection,
  hasElements,
  isOuterVariable,
  type SelectElements,
  splitProduct,
} from './element-conditions.ts';
import { compileErrorFree } from './error-free.ts';
import { classifyExpression, isFixedArray } from './expression-kinds.ts';
import { compileMatrixSum } from './matrix-products.ts';
import {
  compileFilterOfRange,
  compilePickedElements,
  compileRepeatedNumber,
  compileSelectedRows,
  type SelectedValue,
} from './picked-elements.ts';
import { compileFactor, type Factor, readFactor } from './product-factors.ts';
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
  if (all === null) return null;
  const filter = compileElementFilters(computed, names, compileOperand);
  // An error in an element that is not selected is also the result of the sum.
  const errorFree = computed.map((node) => compileErrorFree(node, names, compileOperand));
  if (filter === null || !errorFree.every((test) => test !== null)) return null;
  const select: SelectElements = (e, env) => {
    const selection = all(e, env);
    return selection && errorFree.every((isErrorFree) => isErrorFree(e, env)) ? filter(e, env, selection) : null;
  };
  return (e, env) => sumSelected(e, env, select, factors, carriesFormat);
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
  for (const each of factors) {
    const factor = readFactor(e, env, each);
    if (factor === null) return null;
    if (typeof factor === 'number') {
      values.push(factor);
      continue;
    }
    if (factor.length !== selection.length) return null;
    values.push(factor.matrix.data);
    if (carriesFormat) format = factor.matrix.formatAt(0) || factor.matrix.formatAt(1);
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
  node: CallNode,
  spec: FunctionSpec,
  names: VariableScope | null,
  compiler: Compiler<Evaluation>,
): SelectedValue | null {
  const search = readSearch(node, spec, names, compiler);
  const select = search && compileComparisons(search.comparisons, search.backwards, names, compiler.operand);
  if (search === null || select === null) return null;
  if (search.result !== null) return compileFound(select, search.result, search, names);
  return (e, env) => {
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
  const filter = compileElementFilters(computed, names, compileOperand);
  const select = isOne(product.rest) ? compileConditions(product.conditions, names, compileOperand) : null;
  if (select === null || filter === null) return null;
  return (e, env) => {
    const selection = select(e, env);
    return selection && findFiltered(selection, isLast, (part) => filter(e, env, part));
  };
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
  result: AreaNode,
  search: ComparisonSearch,
  names: VariableScope | null,
): SelectedValue | null {
  if (!isFixedArray(result, names)) return null;
  const selectRows = compileSelectedRows(result, select);
  return (e, env) => {
    const selected = selectRows(e, env);
    if (selected === null || selected.area.left !== selected.area.right) return null;
    const row = selected.rows.at(search.backwards ? -1 : 0);
    return row === undefined ? evaluateOtherwise(search, e, env) : referToRow(selected.area, row);
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
  const value = readFactor(e, env, factor);
  if (value === null || typeof value === 'number') return value === 1 ? { length, rows } : null;
  return value.length === length ? { length, rows: rows.filter((row) => value.at(row) !== 0) } : null;
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
