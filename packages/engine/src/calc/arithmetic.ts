import type { CellNode, Node } from '../formula/ast.ts';
import { resolveCoordinate } from '../graph/precedent.ts';
import { MAX_COLUMNS, MAX_ROWS } from '../grid/limits.ts';
import { CHUNK_MASK, CHUNK_SHIFT } from '../sheet/chunk.ts';
import type { Draft } from '../sheet/draft.ts';
import type { Sheet } from '../sheet/snapshot.ts';
import type { Template } from '../sheet/template.ts';
import { computePlainArithmetic, roundNoise } from './operators.ts';

/** Maximum nesting of operators. Deeper formulas use compiled code, which does not recurse along chains. */
const MAX_DEPTH = 16;

// The steps of a formula are a list of numbers in postfix order: each operation is followed by its operands. The list
// takes two or three cache lines. The tree of a formula takes about ten.
/** Reads a cell: row and column, as offsets from the formula unless the flags below are added. */
const READ = 0;
const ABSOLUTE_ROW = 1;
const ABSOLUTE_COLUMN = 2;
/** The cell is on another sheet, whose id is a third operand. */
const OTHER_SHEET = 4;
/** A number: its value. */
const CONSTANT = 8;
const NEGATE = 9;
const ADD = 10;
const SUBTRACT = 11;
const MULTIPLY = 12;
const DIVIDE = 13;
const OPERATIONS: Readonly<Record<string, number>> = { '+': ADD, '-': SUBTRACT, '*': MULTIPLY, '/': DIVIDE };

/** A stack of operands for the running formula. Its top is not in the array. */
const operands = new Float64Array(MAX_DEPTH + 1);

/**
 * Calculates a formula of plain arithmetic on numbers by walking its tree, without compiling it. Returns NaN if the
 * formula contains anything else, or if it reads anything but numbers and blanks; the caller then uses compiled code.
 * In a document with many distinct formulas, compiling each would take several times as long as one walk of its tree,
 * and would need most of the memory of a formula.
 */
export function computeArithmetic(node: Node, draft: Draft, sheet: Sheet, row: number, column: number): number {
  return computeArithmeticNode(node, draft, sheet, row, column, 0);
}

/** Calculates one node as `computeArithmetic` does. `depth`: number of operators above the node. */
function computeArithmeticNode(
  node: Node,
  draft: Draft,
  sheet: Sheet,
  row: number,
  column: number,
  depth: number,
): number {
  if (depth > MAX_DEPTH) return Number.NaN;
  switch (node.k) {
    case 'number':
      return node.value;
    case 'cell':
      return readCellNumber(node, draft, sheet, row, column);
    case 'parentheses':
      return computeArithmeticNode(node.arg, draft, sheet, row, column, depth + 1);
    case 'unary':
      return node.op === '-' ? 0 - computeArithmeticNode(node.arg, draft, sheet, row, column, depth + 1) : Number.NaN;
    case 'binary': {
      const left = computeArithmeticNode(node.left, draft, sheet, row, column, depth + 1);
      if (Number.isNaN(left)) return left;
      const right = computeArithmeticNode(node.right, draft, sheet, row, column, depth + 1);
      return computePlainArithmetic(node.op, left, right);
    }
    default:
      return Number.NaN;
  }
}

/**
 * Calculates a formula as `computeArithmetic` does, from the steps of its template. The first call creates the steps,
 * which take about 150 bytes. Later calls are faster than `computeArithmetic`.
 */
export function runArithmetic(template: Template, draft: Draft, sheet: Sheet, row: number, column: number): number {
  template.arithmetic ??= compileArithmetic(template.node);
  const steps = template.arithmetic;
  let result = Number.NaN;
  let depth = -1;
  for (let at = 0; at < steps.length; ) {
    const step = steps[at++]!;
    if (step >= ADD) {
      depth--;
      result = combineNumbers(step, operands[depth]!, result);
    } else if (step === NEGATE) result = 0 - result;
    else {
      if (depth >= 0) operands[depth] = result;
      depth++;
      if (step === CONSTANT) {
        result = steps[at++]!;
        continue;
      }
      const r = steps[at++]! + ((step & ABSOLUTE_ROW) === 0 ? row : 0);
      const c = steps[at++]! + ((step & ABSOLUTE_COLUMN) === 0 ? column : 0);
      result = readNumber((step & OTHER_SHEET) === 0 ? sheet : draft.sheet(steps[at++]!), r, c);
    }
    if (Number.isNaN(result)) return result;
  }
  return result;
}

/** Applies an operation to two numbers. Returns NaN if the result is an error. */
function combineNumbers(operation: number, a: number, b: number): number {
  const result =
    operation === ADD
      ? roundNoise(a + b, a)
      : operation === SUBTRACT
        ? roundNoise(a - b, a)
        : operation === MULTIPLY
          ? a * b + 0
          : a / b + 0;
  return Number.isFinite(result) ? result : Number.NaN;
}

/** The steps of a tree of plain arithmetic; empty for another tree. */
function compileArithmetic(node: Node): readonly number[] {
  const steps: number[] = [];
  // There may be very many formulas. The copy has no spare capacity.
  return addSteps(node, 0, steps) ? steps.slice() : NO_STEPS;
}

const NO_STEPS: readonly number[] = [];

/** Adds the steps of a node; false if it is not plain arithmetic. `depth`: number of operators above it. */
function addSteps(node: Node, depth: number, steps: number[]): boolean {
  if (depth > MAX_DEPTH) return false;
  switch (node.k) {
    case 'number':
      steps.push(CONSTANT, node.value);
      return true;
    case 'cell':
      return addRead(node, steps);
    case 'parentheses':
      return addSteps(node.arg, depth + 1, steps);
    case 'unary':
      if (node.op !== '-' || !addSteps(node.arg, depth + 1, steps)) return false;
      steps.push(NEGATE);
      return true;
    case 'binary': {
      const operation = OPERATIONS[node.op];
      if (operation === undefined || !addSteps(node.left, depth + 1, steps)) return false;
      if (!addSteps(node.right, depth + 1, steps)) return false;
      steps.push(operation);
      return true;
    }
    default:
      return false;
  }
}

/** Adds the step that reads a cell; false if the reference names several sheets or a sheet that does not exist. */
function addRead({ sheet, row, column }: CellNode, steps: number[]): boolean {
  if (sheet && !('id' in sheet)) return false;
  const flags = (row.absolute ? ABSOLUTE_ROW : 0) | (column.absolute ? ABSOLUTE_COLUMN : 0);
  if (sheet) steps.push(READ | flags | OTHER_SHEET, row.at, column.at, sheet.id);
  else steps.push(READ | flags, row.at, column.at);
  return true;
}

/** The number of a cell that a node refers to, 0 for a blank; NaN for other contents. */
function readCellNumber(node: CellNode, draft: Draft, formulaSheet: Sheet, row: number, column: number): number {
  const { sheet: part } = node;
  if (part && !('id' in part)) return Number.NaN;
  const sheet = part ? draft.sheet(part.id) : formulaSheet;
  return readNumber(sheet, resolveCoordinate(node.row, row), resolveCoordinate(node.column, column));
}

/** The number of a cell, 0 for a blank; NaN for other contents and for a cell that does not exist. */
function readNumber(sheet: Sheet | undefined, row: number, column: number): number {
  if (!sheet || row < 0 || column < 0 || row >= MAX_ROWS || column >= MAX_COLUMNS) return Number.NaN;
  return sheet.columns[column]?.chunks.at(row >> CHUNK_SHIFT)?.numberOrBlank(row & CHUNK_MASK) ?? 0;
}
