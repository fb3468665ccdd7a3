import type { AreaNode, Node } from '../../formula/ast.ts';
import { hasMatchingNode } from '../../formula/index.ts';
import type { Environment, VariableScope } from '../../functions/forms/environment.ts';
import { Matrix } from '../../functions/value.ts';
import { isError } from '../../value/scalar.ts';
import { type CompileOperand, isBareComparison } from '../comparisons/range-conditions.ts';
import type { Code, Evaluation } from '../evaluation.ts';
import { type ElementTest, SharedArray } from './array-index.ts';
import { type ElementCondition, isOuterVariable, readOperand, selectRows, splitProduct } from './element-conditions.ts';
import { classifyExpression } from './expression-kinds.ts';
import type { SelectedValue } from './picked-elements.ts';
import { createSharedKey } from './shared-expressions.ts';

/**
 * Sums of products of a matrix with comparisons of its row and column headers, such as
 * `SUMPRODUCT((A2:A99=E1)*(B1:M1=F1)*B2:M99)`. The arrays are the same for every row, so that an index of a header finds
 * the rows and columns that are summed. The sum adds the same numbers in the same order.
 */

/** An array of any shape that formulas share. */
type ReadSharedMatrix = (e: Evaluation, env: Environment | null) => SharedArray | null;

/** Memory of a header and its index for each element, in array elements. */
const INDEX_SIZE = 6;

interface Shape {
  readonly rows: number;
  readonly columns: number;
}

interface CompiledCondition {
  readonly array: ReadSharedMatrix;
  readonly operator: ElementCondition['operator'];
  readonly operand: Code;
}

/** An argument: comparisons, and the product of everything else, which is an array or a number. */
interface CompiledProduct {
  readonly conditions: readonly CompiledCondition[];
  readonly array: ReadSharedMatrix | null;
  readonly number: Code | null;
}

/**
 * Compiles the sum of products in which a range has several columns; null for other sums. `carriesFormat`: the sum takes
 * the format of the products.
 */
export function compileMatrixSum(
  args: readonly Node[],
  carriesFormat: boolean,
  names: VariableScope | null,
  compileOperand: CompileOperand,
): SelectedValue | null {
  if (!args.some(hasWideRange) || !args.some((arg) => readsLargeRange(arg, names))) return null;
  const products: CompiledProduct[] = [];
  for (const arg of args) {
    const product = isBareComparison(arg) ? null : compileProduct(arg, names, compileOperand);
    if (product === null) return null;
    products.push(product);
  }
  if (!products.some(({ conditions }) => conditions.length > 0)) return null;
  return (e, env) => sumSelectedCells(e, env, products, carriesFormat);
}

function hasWideRange(node: Node): boolean {
  return hasMatchingNode(node, (each) => each.k === 'area' && isWide(each));
}

function isWide({ left, right }: AreaNode): boolean {
  return left.absolute !== right.absolute || left.at !== right.at;
}

function readsLargeRange(node: Node, names: VariableScope | null): boolean {
  return classifyExpression(node, names).readsFixedRange;
}

/** True for an array of any size that is the same for every row. */
function isFixedRange(node: Node, names: VariableScope | null): boolean {
  const { isFixed, isSingle, isRepeatable } = classifyExpression(node, names);
  return isFixed && !isSingle && isRepeatable;
}

function compileProduct(
  node: Node,
  names: VariableScope | null,
  compileOperand: CompileOperand,
): CompiledProduct | null {
  const product = splitProduct(node, names, { isArray: isFixedRange });
  if (product === null) return null;
  const { rest } = product;
  if (isOuterVariable(rest, names) || product.conditions.some(({ array }) => isOuterVariable(array, names)))
    return null;
  const conditions = product.conditions.map(({ array, operator, operand }) => ({
    array: compileSharedMatrix(array, names, compileOperand),
    operator,
    operand: compileOperand(operand, names),
  }));
  if (isFixedRange(rest, names))
    return { conditions, array: compileSharedMatrix(rest, names, compileOperand), number: null };
  const { isFixed, isSingle, isRepeatable } = classifyExpression(rest, names);
  const isNumber = conditions.length > 0 && isFixed && isSingle && isRepeatable;
  return isNumber ? { conditions, array: null, number: compileOperand(rest, names) } : null;
}

function compileSharedMatrix(
  node: Node,
  names: VariableScope | null,
  compileOperand: CompileOperand,
): ReadSharedMatrix {
  const code = compileOperand(node, names);
  const key = createSharedKey(node, names, 'matrix');
  return (e, env) => {
    const slot = e.openShared(key);
    if (slot === null) return null;
    if (slot.value !== null) return slot.value as SharedArray;
    const matrix = e.recordShared(slot, false, () => code(e, env));
    if (!(matrix instanceof Matrix)) {
      slot.exclude();
      return null;
    }
    const array = new SharedArray(matrix);
    const isHeader = matrix.rows === 1 || matrix.columns === 1;
    e.storeShared(slot, array, isHeader ? INDEX_SIZE * matrix.data.length : matrix.data.length);
    return array;
  };
}

/** The arrays of an argument, with the operands of its comparisons. */
interface ReadProduct {
  readonly shape: Shape;
  readonly tests: readonly ElementTest<SharedArray>[];
  readonly array: SharedArray | null;
  readonly number: number;
}

function sumSelectedCells(
  e: Evaluation,
  env: Environment | null,
  products: readonly CompiledProduct[],
  carriesFormat: boolean,
): number | null {
  const parts: ReadProduct[] = [];
  for (const product of products) {
    const part = readProduct(e, env, product);
    if (part === null) return null;
    parts.push(part);
  }
  const { shape } = parts[0]!;
  if (parts.some((part) => !isSameShape(part.shape, shape))) return null;
  const format = carriesFormat ? findFormat(e, parts[0]!) : 0;
  if (format === null) return null;
  const tests = parts.flatMap((part) => part.tests);
  const rows = findSelected(e, tests.filter(isRowTest), shape.rows);
  const columns = findSelected(e, tests.filter(isColumnTest), shape.columns);
  if (rows === null || columns === null) return null;
  e.spendElements(rows.length * columns.length, true);
  let sum = 0;
  for (const row of rows) for (const column of columns) sum += multiplyFactors(parts, row, column);
  if (!Number.isFinite(sum)) return null;
  if (e.formats !== null) e.formats.last = format;
  return sum;
}

/** Reads the arrays of an argument. Null if they must be calculated cell by cell. */
function readProduct(e: Evaluation, env: Environment | null, product: CompiledProduct): ReadProduct | null {
  const tests: ElementTest<SharedArray>[] = [];
  const matrices: Matrix[] = [];
  for (const { array, operator, operand } of product.conditions) {
    const elements = array(e, env);
    const value = elements === null ? undefined : readOperand(operand(e, env));
    if (elements === null || elements.hasErrors || value === undefined || isError(value)) return null;
    const test = { elements, operator, value };
    if (!isRowTest(test) && !isColumnTest(test)) return null;
    tests.push(test);
    matrices.push(elements.matrix);
  }
  const number = product.number === null ? 1 : product.number(e, env);
  const array = product.array === null ? null : product.array(e, env);
  if (typeof number !== 'number' || (product.array !== null && (array === null || array.hasErrors))) return null;
  if (array !== null) matrices.push(array.matrix);
  const shape = combineShapes(matrices);
  return shape && { shape, tests, array, number };
}

/** The shape of the elementwise product of arrays; null if their sizes do not fit, so that elements are missing. */
function combineShapes(matrices: readonly Matrix[]): Shape | null {
  const rows = Math.max(...matrices.map((matrix) => matrix.rows));
  const columns = Math.max(...matrices.map((matrix) => matrix.columns));
  const fits = matrices.every(
    (matrix) => (matrix.rows === rows || matrix.rows === 1) && (matrix.columns === columns || matrix.columns === 1),
  );
  return fits ? { rows, columns } : null;
}

function isSameShape(a: Shape, b: Shape): boolean {
  return a.rows === b.rows && a.columns === b.columns;
}

function isRowTest({ elements: { matrix } }: ElementTest<SharedArray>): boolean {
  return matrix.columns === 1 && matrix.rows > 1;
}

function isColumnTest({ elements: { matrix } }: ElementTest<SharedArray>): boolean {
  return matrix.rows === 1 && matrix.columns > 1;
}

/** The rows or columns that meet all tests, ascending. */
function findSelected(e: Evaluation, tests: readonly ElementTest[], size: number): readonly number[] | null {
  return tests.length === 0 ? Array.from({ length: size }, (_, i) => i) : selectRows(e, tests);
}

/** The product of all factors in a cell. As in SUMPRODUCT, a factor that is no number counts as zero. */
function multiplyFactors(parts: readonly ReadProduct[], row: number, column: number): number {
  let term = 1;
  for (const { array, number } of parts) {
    const value = array === null ? number : readElement(array.matrix, row, column);
    term *= typeof value === 'number' ? value : 0;
  }
  return term;
}

function readElement({ rows, columns, data }: Matrix, row: number, column: number) {
  return data[(rows === 1 ? 0 : row * columns) + (columns === 1 ? 0 : column)];
}

/** The number format that SUM takes from its first elements; null if it is not known. */
function findFormat(e: Evaluation, { array, shape }: ReadProduct): number | null {
  if (e.formats === null || array === null) return e.formats === null ? 0 : null;
  return isSameShape(array.matrix, shape) ? array.matrix.formatAt(0) || array.matrix.formatAt(1) : null;
}
