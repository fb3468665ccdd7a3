import type { AreaNode, CellNode, Coordinate, Node } from '../formula/ast.ts';
import { FUNCTIONS } from '../functions/catalogue.ts';
import { resolveCoordinate } from '../graph/precedent.ts';
import { resolveSheetPart } from '../graph/sheet-parts.ts';
import type { Draft } from '../sheet/draft.ts';
import { GENERAL } from '../sheet/formats.ts';
import type { CellFormats } from './cell-formats.ts';

/** The cell whose formula gets a format. */
interface FormatTarget {
  readonly sheet: number;
  readonly row: number;
  readonly column: number;
}

/** Maximum depth of the search for formats. Deeper trees give General. */
const MAX_DEPTH = 64;

/**
 * Infers the number format of plain arithmetic (`compileKernel`, `computeArithmetic`) from the syntax tree, because
 * these calculations do not track formats. Returns an id as in `CellFormats`.
 */
export function inferFormat(node: Node, target: FormatTarget, draft: Draft, formats: CellFormats, depth = 0): number {
  if (depth > MAX_DEPTH) return GENERAL;
  switch (node.k) {
    case 'cell':
      return inferReferenceFormat(node, node.row, node.column, target, draft, formats);
    case 'parentheses':
      return inferFormat(node.arg, target, draft, formats, depth + 1);
    case 'unary':
      return formats.combineFormats('-', GENERAL, inferFormat(node.arg, target, draft, formats, depth + 1));
    case 'binary': {
      const { op } = node;
      if (op !== '+' && op !== '-' && op !== '*' && op !== '/') return GENERAL;
      const left = inferFormat(node.left, target, draft, formats, depth + 1);
      return formats.combineFormats(op, left, inferFormat(node.right, target, draft, formats, depth + 1));
    }
    case 'call': {
      const [arg] = node.args;
      return arg?.k === 'area' ? inferTotalFormat(node.name, arg, target, draft, formats) : GENERAL;
    }
    default:
      return GENERAL;
  }
}

/** The format of a total: a sum takes the format of its range; a count has none. */
function inferTotalFormat(
  name: string,
  node: AreaNode,
  target: FormatTarget,
  draft: Draft,
  formats: CellFormats,
): number {
  if (FUNCTIONS.get(name)?.carries === undefined) return GENERAL;
  const top =
    resolveCoordinate(node.top, target.row) <= resolveCoordinate(node.bottom, target.row) ? node.top : node.bottom;
  const left =
    resolveCoordinate(node.left, target.column) <= resolveCoordinate(node.right, target.column)
      ? node.left
      : node.right;
  const first = inferReferenceFormat(node, top, left, target, draft, formats);
  if (first !== GENERAL || resolveCoordinate(node.top, target.row) === resolveCoordinate(node.bottom, target.row))
    return first;
  return inferReferenceFormat(node, { ...top, at: top.at + 1 }, left, target, draft, formats);
}

/** The format of the cell at (`row`, `column`) of a reference, for the formula in `target`. */
function inferReferenceFormat(
  node: CellNode | AreaNode,
  row: Coordinate,
  column: Coordinate,
  target: FormatTarget,
  draft: Draft,
  formats: CellFormats,
): number {
  const [sheet] = resolveSheetPart(node.sheet, target.sheet, draft);
  if (sheet === undefined) return GENERAL;
  return formats.readCellFormat(
    draft.sheet(sheet),
    resolveCoordinate(row, target.row),
    resolveCoordinate(column, target.column),
  );
}
