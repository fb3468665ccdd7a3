import type { AreaNode, BinaryNode, CallNode, CellNode, Coordinate, Node, TableNode } from '../../formula/ast.ts';
import { FORMS, FUNCTIONS } from '../../functions/catalogue.ts';
import { isInLambda, lookUp, type VariableScope } from '../../functions/forms/environment.ts';
import type { Callable } from '../../functions/spec.ts';

/** Minimum number of cells of a range for which shared values are worth their cost. */
export const MIN_SHARED_CELLS = 64;

/** What the value of an expression depends on. */
interface ExpressionKind {
  /**
   * True if all formulas of a column have the same value: the expression reads no cell of the formula's row. In the body
   * of a LAMBDA: if all calls in one formula have the same value, because the expression uses no parameters.
   */
  readonly isFixed: boolean;
  /** True if the expression reads no range, so that its value is a scalar. */
  readonly isSingle: boolean;
  /** True if the value is always the same in one calculation: no random numbers and no reads that depend on values. */
  readonly isRepeatable: boolean;
  /** True if the expression reads a table, or a range of `MIN_SHARED_CELLS` or more cells, that is the same for every row. */
  readonly readsFixedRange: boolean;
  /** True if references of the expression depend on the formula's column. */
  readonly usesColumn: boolean;
  /** True if references of the expression depend on the formula's sheet. */
  readonly usesSheet: boolean;
  /** True if references of the expression depend on the formula's row. */
  readonly usesRow: boolean;
}

const FIXED = 1;
const SINGLE = 2;
const REPEATABLE = 4;
const READS_FIXED_RANGE = 8;
const USES_COLUMN = 16;
const USES_SHEET = 32;
const USES_ROW = 64;
/** Properties that an expression has if all its parts have them; the other properties need only one part. */
const OF_ALL_PARTS = FIXED | SINGLE | REPEATABLE;

const CONSTANT = OF_ALL_PARTS;
/** An expression whose properties are not known. */
const OTHER = 0;

/** All kinds, by their bits. */
const KINDS: readonly ExpressionKind[] = Array.from({ length: 2 * USES_ROW }, (_, bits) => ({
  isFixed: (bits & FIXED) !== 0,
  isSingle: (bits & SINGLE) !== 0,
  isRepeatable: (bits & REPEATABLE) !== 0,
  readsFixedRange: (bits & READS_FIXED_RANGE) !== 0,
  usesColumn: (bits & USES_COLUMN) !== 0,
  usesSheet: (bits & USES_SHEET) !== 0,
  usesRow: (bits & USES_ROW) !== 0,
}));

/** Maximum number of nodes whose kinds are cached. The nodes of one formula are requested one after another. */
const MAX_CACHED = 4096;
const bitsOutsideLambdas = new Map<Node, number>();
const bitsInLambdas = new Map<Node, number>();

/** Where an expression is: the names that LET and LAMBDA bind there. */
interface ExpressionPlace {
  readonly names: VariableScope | null;
  readonly inLambda: boolean;
  readonly cache: Map<Node, number>;
}

const TOP_LEVEL: ExpressionPlace = { names: null, inLambda: false, cache: bitsOutsideLambdas };

/** Returns the kind of an expression. `names`: the names that are bound around it. */
export function classifyExpression(node: Node, names: VariableScope | null): ExpressionKind {
  return KINDS[computeBits(node, names === null ? TOP_LEVEL : createPlace(names))]!;
}

function createPlace(names: VariableScope): ExpressionPlace {
  const inLambda = isInLambda(names);
  return { names, inLambda, cache: inLambda ? bitsInLambdas : bitsOutsideLambdas };
}

/** True if an expression is an array that is calculated from a large range and is the same for every row. */
export function isFixedArray(node: Node, names: VariableScope | null): boolean {
  return isFixedRange(node, names) && classifyExpression(node, names).readsFixedRange;
}

/** True if an expression is an array that is the same for every row. Its size does not matter. */
export function isFixedRange(node: Node, names: VariableScope | null): boolean {
  const { isFixed, isSingle, isRepeatable } = classifyExpression(node, names);
  return isFixed && !isSingle && isRepeatable;
}

/** True if an expression is a scalar that is the same for every row. */
export function isFixedScalar(node: Node, names: VariableScope | null): boolean {
  const { isFixed, isSingle, isRepeatable } = classifyExpression(node, names);
  return isFixed && isSingle && isRepeatable;
}

function computeBits(node: Node, place: ExpressionPlace): number {
  switch (node.k) {
    case 'number':
    case 'text':
    case 'boolean':
    case 'error':
    case 'missing':
    case 'array':
      return CONSTANT;
    case 'name':
      return node.sheet === undefined && lookUp(place.names, node.name) !== null ? SINGLE | REPEATABLE : OTHER;
    case 'cell':
      return computeCellBits(node, place);
    case 'area':
      return computeAreaBits(node, place);
    case 'table':
      return computeTableBits(node);
    case 'parentheses':
      return computeBits(node.arg, place);
    case 'unary':
      if (node.op === '#') return OTHER;
      if (node.op === '@') return (computeBits(node.arg, place) | SINGLE) & ~(FIXED | READS_FIXED_RANGE);
      return computeBits(node.arg, place);
    case 'binary':
    case 'call': {
      const cached = place.cache.get(node);
      if (cached !== undefined) return cached;
      if (node.k === 'binary') return computeChainBits(node, place);
      return cacheBits(node, computeCallBits(node, place), place);
    }
    default:
      return OTHER;
  }
}

function cacheBits(node: Node, bits: number, { cache }: ExpressionPlace): number {
  if (cache.size >= MAX_CACHED) cache.clear();
  cache.set(node, bits);
  return bits;
}

function combineBits(a: number, b: number): number {
  return (a & b & OF_ALL_PARTS) | ((a | b) & ~OF_ALL_PARTS);
}

/** The bits of a chain of operators (`1+2+3`), from its first operand on. Does not recurse: chains may be very long. */
function computeChainBits(node: BinaryNode, place: ExpressionPlace): number {
  const chain: BinaryNode[] = [];
  let at: Node = node;
  for (; at.k === 'binary'; at = at.left) chain.push(at);
  let bits = computeBits(at, place);
  for (const link of chain.reverse()) {
    const isReference = link.op === ':' || link.op === 'union' || link.op === 'intersect';
    bits = cacheBits(link, isReference ? OTHER : combineBits(bits, computeBits(link.right, place)), place);
  }
  return bits;
}

function computeCellBits({ sheet, row, column }: CellNode, { inLambda }: ExpressionPlace): number {
  if (sheet !== undefined && !('id' in sheet)) return OTHER;
  let bits = SINGLE | REPEATABLE;
  if (row.absolute || inLambda) bits |= FIXED;
  if (!row.absolute) bits |= USES_ROW;
  if (!column.absolute) bits |= USES_COLUMN;
  return sheet === undefined ? bits | USES_SHEET : bits;
}

function computeAreaBits({ sheet, top, bottom, left, right }: AreaNode, { inLambda }: ExpressionPlace): number {
  if (sheet !== undefined && !('id' in sheet)) return OTHER;
  let bits = REPEATABLE;
  if (!top.absolute || !bottom.absolute) bits |= USES_ROW;
  if (inLambda || (top.absolute && bottom.absolute)) {
    const isLarge = top.absolute !== bottom.absolute || countCells(top, bottom, left, right) >= MIN_SHARED_CELLS;
    bits |= isLarge ? FIXED | READS_FIXED_RANGE : FIXED;
  }
  if (!left.absolute || !right.absolute) bits |= USES_COLUMN;
  return sheet === undefined ? bits | USES_SHEET : bits;
}

/** The bits of a structured reference. One column of the formula's own row (`[@Qty]`) is a single cell. */
function computeTableBits({ table, items, from, to }: TableNode): number {
  if (items.includes('thisRow')) return from === undefined || to !== undefined ? OTHER : SINGLE | REPEATABLE;
  return table === '' ? OTHER : FIXED | REPEATABLE | READS_FIXED_RANGE;
}

function countCells(top: Coordinate, bottom: Coordinate, left: Coordinate, right: Coordinate): number {
  return (Math.abs(bottom.at - top.at) + 1) * (Math.abs(right.at - left.at) + 1);
}

function computeCallBits({ name, args }: CallNode, place: ExpressionPlace): number {
  const form = FORMS.get(name);
  const spec: Callable | undefined = form ?? FUNCTIONS.get(name);
  if (spec === undefined || (form !== undefined && !form.branches)) return OTHER;
  if (spec.measures !== undefined) return computeMeasureBits(args[0], spec.measures, place);
  if (!isRepeatable(spec)) return OTHER;
  let bits = CONSTANT;
  for (const arg of args) bits = combineBits(bits, computeBits(arg, place));
  return spec.manyCells ? bits & ~SINGLE : bits;
}

/** True if a function depends only on the values of its arguments, and on the time of the calculation. */
function isRepeatable(spec: Callable): boolean {
  if (spec.volatile && !spec.clock) return false;
  if (spec.indirect || spec.structural || spec.positional || spec.subtotal || spec.unavailable) return false;
  return !spec.readsFormats;
}

/** The bits of a call of ROW, ROWS and similar functions, which do not read the cells of a plain reference. */
function computeMeasureBits(
  arg: Node | undefined,
  measures: 'row' | 'column' | 'size',
  place: ExpressionPlace,
): number {
  if (arg === undefined) return measures === 'column' ? CONSTANT | USES_COLUMN : SINGLE | REPEATABLE;
  const bits = computeBits(arg, place);
  return arg.k === 'area' && measures === 'size' ? (bits | SINGLE) & ~READS_FIXED_RANGE : bits;
}
