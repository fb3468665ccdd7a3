import type { ApplyNode, AreaNode, ArrayNode, BinaryNode, BinaryOperator, CallNode, Node, UnaryNode } from './ast.ts';
import type { Grammar } from './grammar.ts';
import { canBeReference, TRIM_MARKS } from './nodes.ts';
import {
  PERCENT_PRECEDENCE,
  POSTFIX_PRECEDENCE,
  PRECEDENCE,
  PREFIX_PRECEDENCE,
  PRIMARY_PRECEDENCE,
} from './operators.ts';
import { PARAMETER_PREFIX } from './prefixes.ts';
import { formatAreaReference, formatCellReference, formatName, hasMixedRows, isBound } from './print-references.ts';
import { type Printer, type PrintNames, type PrintOptions, ROW_MARK } from './printer.ts';
import { looksLikeColumn } from './references.ts';
import type { FormulaCell } from './scan.ts';
import { formatTableReference } from './table-text.ts';
import { hasMatchingNode } from './walk.ts';

const NO_NAMES: ReadonlySet<string> = new Set();

/**
 * Returns the canonical text of a formula with its leading `=`: functions in upper case, no blanks, brackets as entered
 * and where the tree needs them. References outside the grid or to a deleted sheet are `#REF!`. Parsing the text gives
 * the same tree.
 */
export function print(
  node: Node,
  grammar: Grammar,
  cell: FormulaCell,
  names: PrintNames,
  options: PrintOptions = {},
): string {
  const text = node.k === 'cached' ? node.arg : node;
  if (text.k === 'invalid') return text.text;
  const file = options.file ?? null;
  const rowMarks = options.rowMarks === true;
  return `=${printNode({ grammar, place: cell, names, file, rowMarks, bound: NO_NAMES, bracketUnions: false, grouped: false }, node)}`;
}

/** The text of a formula for every row of a column: the parts of the text between its row numbers. */
interface RowText {
  /** The parts of the text between the row numbers: one more part than `offsets`. */
  readonly pieces: readonly string[];
  /** For each gap between two pieces: its row number minus the formula's own row. */
  readonly offsets: readonly number[];
}

/** Returns the text of `print` for all rows in which no reference leaves the grid; null if the text cannot be split. */
export function printByRow(node: Node, grammar: Grammar, column: number, names: PrintNames): RowText | null {
  const place = { row: 0, column };
  if (hasMatchingNode(node, hasMixedRows)) return null;
  if (print(node, grammar, place, names).includes(ROW_MARK)) return null;
  const parts = print(node, grammar, place, names, { rowMarks: true }).split(ROW_MARK);
  return {
    pieces: parts.filter((_, i) => i % 2 === 0),
    offsets: parts.filter((_, i) => i % 2 === 1).map(Number),
  };
}

function printNode(p: Printer, node: Node): string {
  switch (node.k) {
    case 'cell':
      return formatCellReference(p, node);
    case 'number':
      return formatNumber(p.grammar, node.value);
    case 'binary':
      return formatBinary(p, node);
    case 'call':
      return formatCall(p, node);
    case 'area':
      return formatAreaReference(p, node);
    case 'text':
      return `"${node.value.replaceAll('"', '""')}"`;
    case 'boolean':
      return node.value ? 'TRUE' : 'FALSE';
    case 'error':
      return node.code;
    case 'missing':
      return '';
    case 'name':
      return formatName(p, node);
    case 'table':
      return formatTableReference(node, p.grammar, p.file !== null, node.table === '' && isBound(p, node.from));
    case 'unary':
      return formatUnary(p, node);
    case 'apply':
      return formatApply(p, node);
    case 'array':
      return formatArray(p.grammar, node);
    case 'parentheses':
      return printBracketed(p, node.arg);
    case 'cached':
      return printNode(p, node.arg);
    case 'invalid':
      return node.text;
  }
}

/** Prints a node in brackets. */
function printBracketed(p: Printer, node: Node): string {
  const { bracketUnions, grouped } = p;
  p.bracketUnions = false;
  p.grouped = true;
  const text = `(${printNode(p, node)})`;
  p.bracketUnions = bracketUnions;
  p.grouped = grouped;
  return text;
}

/** Prints an operand, in brackets unless `bare`. */
function printOperand(p: Printer, node: Node, bare: boolean): string {
  return bare ? printNode(p, node) : printBracketed(p, node);
}

/** The precedence of a node's text. An operand of lower precedence needs brackets. */
function getNodePrecedence(p: Printer, node: Node): number {
  if (node.k === 'binary') return PRECEDENCE[node.op];
  if (findTrimMark(p, node) !== undefined) return PRECEDENCE[':'];
  if (node.k === 'number') return node.value < 0 ? PREFIX_PRECEDENCE : PRIMARY_PRECEDENCE;
  if (node.k === 'apply') return POSTFIX_PRECEDENCE;
  if (node.k !== 'unary') return PRIMARY_PRECEDENCE;
  if (node.op === '%') return PERCENT_PRECEDENCE;
  if (p.file !== null && (node.op === '@' || node.op === '#')) return PRIMARY_PRECEDENCE;
  return node.op === '#' ? POSTFIX_PRECEDENCE : PREFIX_PRECEDENCE;
}

/** A number in the fewest digits that read back as the same double: `0,1`, `1E+21`, `1,5E-7`. */
function formatNumber(grammar: Grammar, value: number): string {
  if (!Number.isFinite(value)) return '#NUM!';
  const text = String(value);
  if (Number.isInteger(value) && !text.includes('e')) return text;
  return text.replace('e', 'E').replace('.', grammar.decimal);
}

interface OperatorLink {
  readonly op: BinaryOperator;
  readonly right: string;
}

/**
 * Prints a binary operator. The trees of long chains are deep on the left side; they are printed from the innermost
 * operand outwards, without recursion.
 */
function formatBinary(p: Printer, node: BinaryNode): string {
  const links: OperatorLink[] = [];
  let left: Node = node;
  let bare = true;
  while (left.k === 'binary' && bare && (left === node || left.op !== 'union' || !p.bracketUnions)) {
    const above: BinaryNode = left;
    const right = printOperand(p, above.right, needsNoBracketsOnRight(p, above, above.right));
    links.push({ op: above.op, right });
    left = above.left;
    bare = needsNoBracketsOnLeft(p, above, left, right);
  }
  let text = printOperand(p, left, bare);
  for (let i = links.length - 1; i >= 0; i--) {
    const { op, right } = links[i]!;
    text = `${text}${formatOperator(p, op)}${right}`;
  }
  return p.bracketUnions && node.op === 'union' ? `(${text})` : text;
}

/** The operator's text in the grammar. The union operator has another text directly within brackets. */
function formatOperator({ grammar, grouped }: Printer, op: BinaryOperator): string {
  if (op === 'union') return grouped ? grammar.argument : grammar.union;
  return op === 'intersect' ? ' ' : op;
}

function isReferenceOperator(op: BinaryOperator): boolean {
  return op === ':' || op === 'union' || op === 'intersect';
}

function needsNoBracketsOnLeft(p: Printer, above: BinaryNode, left: Node, right: string): boolean {
  if (getNodePrecedence(p, left) < PRECEDENCE[above.op]) return false;
  if (!isReferenceOperator(above.op)) return true;
  if (!canBeReference(left)) return false;
  // Without brackets `x (A1)` would be a call, `x:Sheet1!A1` a 3-D reference and `x:C3` an open area.
  if (above.op === 'intersect') return !right.startsWith('(') || !endsInWord(left);
  if (above.op === 'union' || left.k !== 'name' || left.sheet !== undefined) return true;
  return !looksLikeColumn(left.name) && !right.includes('!');
}

/** True if the text of a node ends in a name without a sheet, to which the next characters could be added. */
function endsInWord(node: Node): boolean {
  const last = findLastOperand(node);
  return last.k === 'name' && last.sheet === undefined;
}

/** The rightmost operand of a chain of operators. */
function findLastOperand(node: Node): Node {
  let last = node;
  while (last.k === 'binary') last = last.right;
  return last;
}

function needsNoBracketsOnRight(p: Printer, above: BinaryNode, right: Node): boolean {
  if (!isReferenceOperator(above.op)) return getNodePrecedence(p, right) > PRECEDENCE[above.op];
  if (right.k === 'unary' && right.op === '@' && p.file === null) {
    return needsNoBracketsAfterColon(p, right.arg);
  }
  if (!canBeReference(right) || getNodePrecedence(p, right) <= PRECEDENCE[above.op]) return false;
  return above.op !== ':' || needsNoBracketsAfterColon(p, right);
}

/**
 * True if a node needs no brackets after `:`. After a colon the parser reads only one corner, so that `F():A1:B2` is
 * left-associative.
 */
function needsNoBracketsAfterColon(p: Printer, node: Node): boolean {
  if (!canBeReference(node) || getNodePrecedence(p, node) < POSTFIX_PRECEDENCE) return false;
  if (node.k === 'name') return node.sheet !== undefined || !looksLikeColumn(node.name);
  return node.k !== 'area' || node.sheet !== undefined;
}

/**
 * The text of unary operators and their operand. Does not recurse, because old documents may contain thousands of signs
 * in a row.
 */
function formatUnary(p: Printer, node: UnaryNode): string {
  const chain: UnaryNode[] = [];
  let innermost: Node = node;
  for (; innermost.k === 'unary'; innermost = innermost.arg) chain.push(innermost);
  const outer = p.bracketUnions;
  if (chain.some((each) => isStoredCall(p, each))) p.bracketUnions = p.grammar.union === p.grammar.argument;
  const last = chain[chain.length - 1]!;
  let text = printOperand(p, innermost, isStoredCall(p, last) || needsNoBracketsAsOperand(p, last, innermost));
  p.bracketUnions = outer;
  for (let i = chain.length - 1; i >= 0; i--) {
    const above = chain[i]!;
    if (isStoredCall(p, above)) text = `${getStoredFunctionName(above)}(${text})`;
    else
      text = addMark(
        above,
        above.arg === innermost || needsNoBracketsAsOperand(p, above, above.arg) ? text : `(${text})`,
      );
  }
  return text;
}

/** True if the operator is written as a call: files write `@` and `#` as functions. */
function isStoredCall(p: Printer, { op }: UnaryNode): boolean {
  return p.file !== null && (op === '@' || op === '#');
}

function getStoredFunctionName({ op }: UnaryNode): string {
  return `_xlfn.${op === '@' ? 'SINGLE' : 'ANCHORARRAY'}`;
}

/** The operand with its unary operator before or after it. */
function addMark({ op }: UnaryNode, arg: string): string {
  return op === '%' || op === '#' ? arg + op : op + arg;
}

function needsNoBracketsAsOperand(p: Printer, { op }: UnaryNode, arg: Node): boolean {
  if (op === '#') return needsNoBracketsAsAnchor(arg);
  return getNodePrecedence(p, arg) >= (op === '%' ? PERCENT_PRECEDENCE : PREFIX_PRECEDENCE);
}

/** Prints chained calls `F()()()`, from the innermost call outwards. */
function formatApply(p: Printer, node: ApplyNode): string {
  const calls: string[] = [];
  let callee: Node = node;
  for (; callee.k === 'apply'; callee = callee.callee) calls.push(formatArguments(p, callee.args));
  return printOperand(p, callee, needsNoBracketsAsCallee(callee)) + calls.reverse().join('');
}

function needsNoBracketsAsAnchor(node: Node): boolean {
  return (
    node.k === 'cell' ||
    node.k === 'name' ||
    node.k === 'table' ||
    node.k === 'error' ||
    node.k === 'parentheses' ||
    (node.k === 'call' && !TRIM_MARKS.has(node.name)) ||
    node.k === 'apply' ||
    (node.k === 'unary' && node.op === '#')
  );
}

function needsNoBracketsAsCallee(node: Node): boolean {
  return (
    node.k === 'call' ||
    node.k === 'parentheses' ||
    node.k === 'error' ||
    (node.k === 'name' && node.sheet !== undefined)
  );
}

/** Returns `.:`, `:.` or `.:.` if a call prints as a range with dots; undefined if it prints as a call. */
function findTrimMark(p: Printer, node: Node): string | undefined {
  if (p.file !== null || node.k !== 'call') return undefined;
  const mark = TRIM_MARKS.get(node.name);
  if (mark === undefined || node.args.length !== 1) return undefined;
  const [range] = node.args as [Node];
  return range.k === 'area' || (range.k === 'binary' && range.op === ':') ? mark : undefined;
}

/** Prints a range with dots (`A1:.A9`). In a computed range the dots are at the colon between the last two operands. */
function formatTrimmedRange(p: Printer, range: Node, mark: string): string {
  if (range.k !== 'binary') return formatAreaReference(p, range as AreaNode, mark);
  const right = printOperand(p, range.right, needsNoBracketsOnRight(p, range, range.right));
  // Without a blank the dot would become part of the preceding name.
  const isBare =
    needsNoBracketsOnLeft(p, range, range.left, right) &&
    !(mark.startsWith('.') && findLastOperand(range.left).k === 'name');
  return printOperand(p, range.left, isBare) + mark + right;
}

function formatCall(p: Printer, node: CallNode): string {
  const mark = findTrimMark(p, node);
  if (mark !== undefined) return formatTrimmedRange(p, node.args[0]!, mark);
  if (p.file === null) return node.name + formatArguments(p, node.args);
  if (isBound(p, node.name)) return PARAMETER_PREFIX + node.name + formatArguments(p, node.args);
  const outer = p.bound;
  const boundByCall = p.file.listBoundNames(node);
  if (boundByCall.length > 0) p.bound = new Set([...outer, ...boundByCall]);
  const text = p.file.getStoredName(node.name) + formatArguments(p, node.args);
  p.bound = outer;
  return text;
}

function formatArguments(p: Printer, args: readonly Node[]): string {
  const { bracketUnions, grouped } = p;
  p.bracketUnions = p.grammar.union === p.grammar.argument;
  p.grouped = false;
  const text = args.map((arg) => printNode(p, arg)).join(p.grammar.argument);
  p.bracketUnions = bracketUnions;
  p.grouped = grouped;
  return `(${text})`;
}

function formatArray(grammar: Grammar, node: ArrayNode): string {
  const rows = node.rows.map((row) => row.map((cell) => formatConstant(grammar, cell)).join(grammar.arrayColumn));
  return `{${rows.join(grammar.arrayRow)}}`;
}

function formatConstant(grammar: Grammar, node: Node): string {
  if (node.k === 'number') return formatNumber(grammar, node.value);
  if (node.k === 'text') return `"${node.value.replaceAll('"', '""')}"`;
  if (node.k === 'boolean') return node.value ? 'TRUE' : 'FALSE';
  return node.k === 'error' ? node.code : '#VALUE!';
}
