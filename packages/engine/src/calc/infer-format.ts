import type { AreaNode, CellNode, Coordinate, Node } from '../formula/ast.ts';
import { FUNCTIONS } from '../functions/catalogue.ts';
import { resolveCoordinate, sheetsOfPart } from '../graph/precedents.ts';
import type { Draft } from '../sheet/draft.ts';
import { GENERAL } from '../sheet/formats.ts';
import type { CellFormats } from './cell-formats.ts';

/** The cell whose formula gets a format. */
interface FormatPlace {
  readonly sheet: number;
  readonly row: number;
  readonly column: number;
}

/** Maximum depth of the search for formats. Deeper trees give General. */
const MAX_DEPTH = 64;

/**
 * The format of plain arithmetic (`compileKernel`, `arithmeticAt`), straight from the tree: these formulas run without
 * the code that follows formats. An id as in `CellFormats`.
 */
export function inferFormat(node: Node, at: FormatPlace, draft: Draft, formats: CellFormats, depth = 0): number {
  if (depth > MAX_DEPTH) return GENERAL;
  switch (node.k) {
    case 'cell':
      return referenceFormat(node, node.row, node.column, at, draft, formats);
    case 'parentheses':
      return inferFormat(node.arg, at, draft, formats, depth + 1);
    case 'unary':
      return formats.combineFormats('-', GENERAL, inferFormat(node.arg, at, draft, formats, depth + 1));
    case 'binary': {
      const { op } = node;
      if (op !== '+' && op !== '-' && op !== '*' && op !== '/') return GENERAL;
      const left = inferFormat(node.left, at, draft, formats, depth + 1);
      return formats.combineFormats(op, left, inferFormat(node.right, at, draft, formats, depth + 1));
    }
    case 'call': {
      const [arg] = node.args;
      return arg?.k === 'area' ? totalFormat(node.name, arg, at, draft, formats) : GENERAL;
    }
    default:
      return GENERAL;
  }
}

/** The format of a total: a sum takes the format of its range; a count has none. */
function totalFormat(name: string, node: AreaNode, at: FormatPlace, draft: Draft, formats: CellFormats): number {
  if (FUNCTIONS.get(name)?.carries === undefined) return GENERAL;
  const top = resolveCoordinate(node.top, at.row) <= resolveCoordinate(node.bottom, at.row) ? node.top : node.bottom;
  const left =
    resolveCoordinate(node.left, at.column) <= resolveCoordinate(node.right, at.column) ? node.left : node.right;
  const first = referenceFormat(node, top, left, at, draft, formats);
  if (first !== GENERAL || resolveCoordinate(node.top, at.row) === resolveCoordinate(node.bottom, at.row)) return first;
  return referenceFormat(node, { ...top, at: top.at + 1 }, left, at, draft, formats);
}

function referenceFormat(
  node: CellNode | AreaNode,
  row: Coordinate,
  column: Coordinate,
  at: FormatPlace,
  draft: Draft,
  formats: CellFormats,
): number {
  const [sheet] = sheetsOfPart(node.sheet, at.sheet, draft);
  if (sheet === undefined) return GENERAL;
  return formats.formatOfCell(draft.sheet(sheet), resolveCoordinate(row, at.row), resolveCoordinate(column, at.column));
}
