import type { AreaNode, Node } from '../../formula/ast.ts';
import { hasMatchingNode } from '../../formula/index.ts';
import type { Environment, VariableScope } from '../../functions/forms/environment.ts';
import type { Matrix } from '../../functions/value.ts';
import { type CompileOperand, isBareComparison } from '../comparisons/range-conditions.ts';
import type { Evaluation } from '../evaluation.ts';
import type { ElementTest, SharedArray } from './array-index.ts';
import {
  compileSharedMatrix,
  compileTest,
  isOuterVariable,
  type ReadTest,
  selectRows,
  splitProduct,
} from './element-conditions.ts';
import { classifyExpression, isFixedRange, isFixedScalar } from './expression-kinds.ts';
import type { SelectedValue } from './picked-elements.ts';
import { type Factor, readFactor } from './product-factors.ts';

/**
 * Sums of products of a matrix with comparisons of its row and column headers, such as
 * `SUMPRODUCT((A2:A99=E1)*(B1:M1=F1)*B2:M99)`. The arrays are the same for every row, so that an index of a header finds
 * the rows and columns that are summed. The sum adds the same numbers in the same order.
 */

interface Shape {
  readonly rows: number;
  readonly columns: number;
}

/** An argument: comparisons, and the product of everything else. */
interface CompiledProduct {
  readonly tests: readonly ReadTest<SharedArray>[];
  readonly factor: Factor;
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
  if (!products.some(({ tests }) => tests.length > 0)) return null;
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

function compileProduct(
  node: Node,
  names: VariableScope | null,
  compileOperand: CompileOperand,
): CompiledProduct | null {
  const product = splitProduct(node, names, { isArray: isFixedRange });
  if (product === null) return null;
  const { conditions, rest } = product;
  if (isOuterVariable(rest, names) || conditions.some(({ array }) => isOuterVariable(array, names))) return null;
  const tests = conditions.map((condition) => {
    const readArray = compileSharedMatrix(condition.array, names, compileOperand);
    return compileTest(condition, readArray, names, compileOperand);
  });
  if (isFixedRange(rest, names)) return { tests, factor: { array: compileSharedMatrix(rest, names, compileOperand) } };
  const isNumber = tests.length > 0 && isFixedScalar(rest, names);
  return isNumber ? { tests, factor: { number: compileOperand(rest, names) } } : null;
}

/** The tests and the factor of an argument. */
interface ReadProduct {
  readonly shape: Shape;
  readonly tests: readonly ElementTest<SharedArray>[];
  readonly factor: SharedArray | number;
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
  const rows = selectRows(e, tests.filter(isRowTest), shape.rows);
  const columns = selectRows(e, tests.filter(isColumnTest), shape.columns);
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
  for (const readTest of product.tests) {
    const test = readTest(e, env);
    if (test === null || (!isRowTest(test) && !isColumnTest(test))) return null;
    tests.push(test);
  }
  const factor = readFactor(e, env, product.factor);
  if (factor === null) return null;
  const matrices = tests.map(({ elements }) => elements.matrix);
  if (typeof factor !== 'number') matrices.push(factor.matrix);
  const shape = combineShapes(matrices);
  return shape && { shape, tests, factor };
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

/** The product of all factors in a cell. As in SUMPRODUCT, a factor that is no number counts as zero. */
function multiplyFactors(products: readonly ReadProduct[], row: number, column: number): number {
  let term = 1;
  for (const { factor } of products) {
    const value = typeof factor === 'number' ? factor : readElement(factor.matrix, row, column);
    term *= typeof value === 'number' ? value : 0;
  }
  return term;
}

function readElement({ rows, columns, data }: Matrix, row: number, column: number) {
  return data[(rows === 1 ? 0 : row * columns) + (columns === 1 ? 0 : column)];
}

/** The number format that SUM takes from its first elements; null if it is not known. */
function findFormat(e: Evaluation, { factor, shape }: ReadProduct): number | null {
  if (e.formats === null) return 0;
  if (typeof factor === 'number' || !isSameShape(factor.matrix, shape)) return null;
  return factor.matrix.formatAt(0) || factor.matrix.formatAt(1);
}
