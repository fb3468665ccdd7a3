import type { CellNode, Node } from '../formula/ast.ts';
import { resolveCoordinate } from '../graph/precedents.ts';
import { MAX_COLUMNS, MAX_ROWS } from '../grid/limits.ts';
import { EMPTY, NUMBER, TYPE_MASK } from '../sheet/cell-kind.ts';
import { CHUNK_MASK, CHUNK_SHIFT } from '../sheet/chunk.ts';
import type { Draft } from '../sheet/draft.ts';
import type { Sheet } from '../sheet/snapshot.ts';
import { plainArithmetic } from './operators.ts';

/** Operators inside one another; deeper formulas are left to the compiled code, which does not recurse along chains. */
const MAX_DEPTH = 16;

/**
 * The result of plain arithmetic on numbers, straight from the tree; NaN for a formula that is more than that or meets
 * anything but numbers and blanks, which the compiled code then calculates. A document of many distinct formulas
 * compiles none of them: that costs several times what walking the tree once does, and most of their memory.
 */
export function arithmeticAt(node: Node, draft: Draft, sheet: Sheet, row: number, column: number): number {
  return resultOf(node, draft, sheet, row, column, 0);
}

function resultOf(node: Node, draft: Draft, sheet: Sheet, row: number, column: number, depth: number): number {
  if (depth > MAX_DEPTH) return Number.NaN;
  switch (node.k) {
    case 'number':
      return node.value;
    case 'cell':
      return numberIn(node, draft, sheet, row, column);
    case 'parentheses':
      return resultOf(node.arg, draft, sheet, row, column, depth + 1);
    case 'unary':
      return node.op === '-' ? 0 - resultOf(node.arg, draft, sheet, row, column, depth + 1) : Number.NaN;
    case 'binary': {
      const left = resultOf(node.left, draft, sheet, row, column, depth + 1);
      if (Number.isNaN(left)) return left;
      const right = resultOf(node.right, draft, sheet, row, column, depth + 1);
      return plainArithmetic(node.op, left, right);
    }
    default:
      return Number.NaN;
  }
}

function numberIn(node: CellNode, draft: Draft, own: Sheet, row: number, column: number): number {
  const { sheet: part } = node;
  if (part && !('id' in part)) return Number.NaN;
  const sheet = part ? draft.sheet(part.id) : own;
  const r = resolveCoordinate(node.row, row);
  const c = resolveCoordinate(node.column, column);
  if (!sheet || r < 0 || c < 0 || r >= MAX_ROWS || c >= MAX_COLUMNS) return Number.NaN;
  const chunk = sheet.columns[c]?.chunks.at(r >> CHUNK_SHIFT);
  if (chunk === undefined) return 0;
  const type = chunk.kind(r & CHUNK_MASK) & TYPE_MASK;
  if (type === EMPTY) return 0;
  return type === NUMBER ? chunk.number(r & CHUNK_MASK) : Number.NaN;
}
