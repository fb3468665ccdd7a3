import type { AreaNode, BinaryNode, CallNode, Coordinate, Node, TableNode } from '../../formula/ast.ts';
import { FORMS, FUNCTIONS } from '../../functions/catalogue.ts';
import type { Callable } from '../../functions/spec.ts';

/** Minimum number of cells of a range for which shared values are worth their cost. */
export const MIN_SHARED_CELLS = 64;

/** What the value of an expression depends on. */
interface ExpressionKind {
  /** True if all formulas of a column have the same value: the expression reads no cell of the formula's row. */
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
}

const FIXED = 1;
const SINGLE = 2;
const REPEATABLE = 4;
const READS_FIXED_RANGE = 8;
const USES_COLUMN = 16;
const USES_SHEET = 32;
/** Properties that an expression has if all its parts have them; the other properties need only one part. */
const OF_ALL_PARTS = FIXED | SINGLE | REPEATABLE;

const CONSTANT = OF_ALL_PARTS;
/** An expression whose properties are not known. */
const OTHER = 0;

/** All kinds, by their bits. */
const KINDS: readonly ExpressionKind[] = Array.from({ length: 2 * USES_SHEET }, (_, bits) => ({
  isFixed: (bits & FIXED) !== 0,
  isSingle: (bits & SINGLE) !== 0,
  isRepeatable: (bits & REPEATABLE) !== 0,
  readsFixedRange: (bits & READS_FIXED_RANGE) !== 0,
  usesColumn: (bits & USES_COLUMN) !== 0,
  usesSheet: (bits & USES_SHEET) !== 0,
}));

/** Maximum number of nodes whose kinds are cached. The nodes of one formula are requested one after another. */
const MAX_CACHED = 4096;
const cachedBits = new Map<Node, number>();

/** Returns the kind of an expression. */
export function classifyExpression(node: Node): ExpressionKind {
  return KINDS[computeBits(node)]!;
}

/** True if an expression is an array that is calculated from a range and is the same for every row. */
export function isFixedArray(node: Node): boolean {
  const { isFixed, isSingle, isRepeatable, readsFixedRange } = classifyExpression(node);
  return isFixed && !isSingle && isRepeatable && readsFixedRange;
}

function computeBits(node: Node): number {
  switch (node.k) {
    case 'number':
    case 'text':
    case 'boolean':
    case 'error':
    case 'missing':
    case 'array':
      return CONSTANT;
    case 'cell': {
      if (node.sheet !== undefined && !('id' in node.sheet)) return OTHER;
      const bits = SINGLE | REPEATABLE | (node.row.absolute ? FIXED : 0) | (node.column.absolute ? 0 : USES_COLUMN);
      return node.sheet === undefined ? bits | USES_SHEET : bits;
    }
    case 'area':
      return computeAreaBits(node);
    case 'table':
      return computeTableBits(node);
    case 'parentheses':
      return computeBits(node.arg);
    case 'unary':
      if (node.op === '#') return OTHER;
      if (node.op === '@') return (computeBits(node.arg) | SINGLE) & ~(FIXED | READS_FIXED_RANGE);
      return computeBits(node.arg);
    case 'binary':
    case 'call': {
      const cached = cachedBits.get(node);
      if (cached !== undefined) return cached;
      if (node.k === 'binary') return computeChainBits(node);
      return cacheBits(node, computeCallBits(node));
    }
    default:
      return OTHER;
  }
}

function cacheBits(node: Node, bits: number): number {
  if (cachedBits.size >= MAX_CACHED) cachedBits.clear();
  cachedBits.set(node, bits);
  return bits;
}

function combineBits(a: number, b: number): number {
  return (a & b & OF_ALL_PARTS) | ((a | b) & ~OF_ALL_PARTS);
}

/** The bits of a chain of operators (`1+2+3`), from its first operand on. Does not recurse: chains may be very long. */
function computeChainBits(node: BinaryNode): number {
  const chain: BinaryNode[] = [];
  let at: Node = node;
  for (; at.k === 'binary'; at = at.left) chain.push(at);
  let bits = computeBits(at);
  for (const link of chain.reverse()) {
    const isReference = link.op === ':' || link.op === 'union' || link.op === 'intersect';
    bits = cacheBits(link, isReference ? OTHER : combineBits(bits, computeBits(link.right)));
  }
  return bits;
}

function computeAreaBits({ sheet, top, bottom, left, right }: AreaNode): number {
  if (sheet !== undefined && !('id' in sheet)) return OTHER;
  let bits = REPEATABLE;
  if (top.absolute && bottom.absolute) {
    const cells = countLines(top, bottom) * countLines(left, right);
    bits |= cells >= MIN_SHARED_CELLS ? FIXED | READS_FIXED_RANGE : FIXED;
  }
  if (!left.absolute || !right.absolute) bits |= USES_COLUMN;
  return sheet === undefined ? bits | USES_SHEET : bits;
}

/** The bits of a structured reference. One column of the formula's own row (`[@Qty]`) is a single cell. */
function computeTableBits({ table, items, from, to }: TableNode): number {
  if (items.includes('thisRow')) return from === undefined || to !== undefined ? OTHER : SINGLE | REPEATABLE;
  return table === '' ? OTHER : FIXED | REPEATABLE | READS_FIXED_RANGE;
}

function countLines(first: Coordinate, last: Coordinate): number {
  return Math.abs(last.at - first.at) + 1;
}

function computeCallBits({ name, args }: CallNode): number {
  const form = FORMS.get(name);
  const spec: Callable | undefined = form ?? FUNCTIONS.get(name);
  if (spec === undefined || (form !== undefined && !form.branches)) return OTHER;
  if (spec.measures !== undefined) return computeMeasureBits(args[0], spec.measures);
  if (!isRepeatable(spec)) return OTHER;
  let bits = CONSTANT;
  for (const arg of args) bits = combineBits(bits, computeBits(arg));
  return spec.manyCells ? bits & ~SINGLE : bits;
}

/** True if a function depends only on the values of its arguments, and on the time of the calculation. */
function isRepeatable(spec: Callable): boolean {
  if (spec.volatile && !spec.clock) return false;
  if (spec.indirect || spec.structural || spec.positional || spec.subtotal || spec.unavailable) return false;
  return !spec.readsFormats;
}

/** The bits of a call of ROW, ROWS and similar functions, which do not read the cells of a plain reference. */
function computeMeasureBits(arg: Node | undefined, measures: 'row' | 'column' | 'size'): number {
  if (arg === undefined) return measures === 'column' ? CONSTANT | USES_COLUMN : SINGLE | REPEATABLE;
  const bits = computeBits(arg);
  return arg.k === 'area' && measures === 'size' ? (bits | SINGLE) & ~READS_FIXED_RANGE : bits;
}
