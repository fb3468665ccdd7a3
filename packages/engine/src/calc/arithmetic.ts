import type { CellNode, Node } from '../formula/ast.ts';
import { resolveCoordinate } from '../graph/precedents.ts';
import { MAX_COLUMNS, MAX_ROWS } from '../grid/limits.ts';
import { EMPTY, NUMBER, TYPE_MASK } from '../sheet/cell-kind.ts';
import { CHUNK_MASK, CHUNK_SHIFT } from '../sheet/chunk.ts';
import type { Draft } from '../sheet/draft.ts';
import type { Sheet } from '../sheet/snapshot.ts';
import { computePlainArithmetic } from './operators.ts';

/** Maximum nesting of operators. Deeper formulas use compiled code, which does not recurse along chains. */
const MAX_DEPTH = 16;

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

/** The number of a cell, 0 for a blank; NaN for other contents. */
function readCellNumber(node: CellNode, draft: Draft, formulaSheet: Sheet, row: number, column: number): number {
  const { sheet: part } = node;
  if (part && !('id' in part)) return Number.NaN;
  const sheet = part ? draft.sheet(part.id) : formulaSheet;
  const r = resolveCoordinate(node.row, row);
  const c = resolveCoordinate(node.column, column);
  if (!sheet || r < 0 || c < 0 || r >= MAX_ROWS || c >= MAX_COLUMNS) return Number.NaN;
  const chunk = sheet.columns[c]?.chunks.at(r >> CHUNK_SHIFT);
  if (chunk === undefined) return 0;
  const type = chunk.kind(r & CHUNK_MASK) & TYPE_MASK;
  if (type === EMPTY) return 0;
  return type === NUMBER ? chunk.number(r & CHUNK_MASK) : Number.NaN;
}
