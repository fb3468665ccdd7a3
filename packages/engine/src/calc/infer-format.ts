import type { BinaryNode, CallNode, Node, UnaryNode } from '../formula/ast.ts';
import { callableNamed } from '../functions/catalogue.ts';
import { columnSpan, place, rowSpan, sheetsOfPart } from '../graph/precedents.ts';
import { defaultFormat, type FormatClass, formatClass } from '../locale/index.ts';
import type { Draft } from '../sheet/draft.ts';
import { tablePart } from '../sheet/tables.ts';

/** The cell whose format is wanted; `across` is how far right of its anchor a spilled cell stands. */
export interface FormatPlace {
  readonly sheet: number;
  readonly row: number;
  readonly column: number;
  readonly across: number;
}

const GENERAL_CODE = 'General';

/** Trees deeper than this give no format: nothing that people read depends on it. */
const MAX_DEPTH = 64;

/**
 * The number format that a formula's result takes from its functions and operands, as spreadsheets do at entry: a
 * date plus a number is a date, a date minus a date is a number, percent and currency carry over.
 */
export function inferFormat(node: Node, at: FormatPlace, draft: Draft): string {
  return infer(node, at, draft, 0);
}

function infer(node: Node, at: FormatPlace, draft: Draft, depth: number): string {
  if (depth > MAX_DEPTH) return GENERAL_CODE;
  switch (node.k) {
    case 'cell':
    case 'area':
      return ofReference(node, at, draft);
    case 'table':
      return ofTable(node, at, draft);
    case 'parentheses':
      return infer(node.arg, at, draft, depth + 1);
    case 'unary':
      return ofUnary(node, at, draft, depth);
    case 'binary':
      return ofBinary(node, at, draft, depth);
    case 'call':
      return ofCall(node, at, draft, depth);
    default:
      return GENERAL_CODE;
  }
}

function carried(code: string): string {
  const kind = formatClass(code);
  return kind === 'text' ? GENERAL_CODE : code;
}

function ofReference(node: Extract<Node, { k: 'cell' | 'area' }>, at: FormatPlace, draft: Draft): string {
  const [sheet] = sheetsOfPart(node.sheet, at.sheet, draft);
  if (sheet === undefined) return GENERAL_CODE;
  if (node.k === 'cell') return formatAt(draft, sheet, place(node.row, at.row), place(node.column, at.column));
  const precedent = { sheet, top: node.top, left: node.left, bottom: node.bottom, right: node.right };
  const columns = columnSpan(precedent, at.column);
  const rows = rowSpan(precedent, at.row, at.row);
  if (!columns || !rows) return GENERAL_CODE;
  return firstFormat(draft, sheet, rows.top, rows.bottom, Math.min(columns.left + at.across, columns.right));
}

function ofTable(node: Extract<Node, { k: 'table' }>, at: FormatPlace, draft: Draft): string {
  const part = tablePart(node, at, draft.tables);
  if (!part) return GENERAL_CODE;
  const column = Math.min(part.area.left + at.across, part.area.right);
  const top = part.thisRow ? at.row : part.area.top;
  return firstFormat(draft, part.table.sheet, top, part.area.bottom, column);
}

/** A column's format shows at its first cell, or at the second where the first is a heading. */
function firstFormat(draft: Draft, sheet: number, top: number, bottom: number, column: number): string {
  const first = formatAt(draft, sheet, top, column);
  return first !== GENERAL_CODE || top === bottom ? first : formatAt(draft, sheet, top + 1, column);
}

function formatAt(draft: Draft, sheet: number, row: number, column: number): string {
  const held = draft.sheet(sheet);
  return held && row >= 0 && column >= 0 ? carried(draft.formats.code(held.format(row, column))) : GENERAL_CODE;
}

function ofUnary(node: UnaryNode, at: FormatPlace, draft: Draft, depth: number): string {
  if (node.op === '%') return defaultFormat('percent', draft.base.settings.locale);
  const code = infer(node.arg, at, draft, depth + 1);
  return node.op === '-' && isMoment(formatClass(code)) ? GENERAL_CODE : code;
}

function isMoment(kind: FormatClass): boolean {
  return kind === 'date' || kind === 'datetime' || kind === 'time';
}

function ofBinary(node: BinaryNode, at: FormatPlace, draft: Draft, depth: number): string {
  const { op } = node;
  if (op !== '+' && op !== '-' && op !== '*' && op !== '/') return GENERAL_CODE;
  const left = infer(node.left, at, draft, depth + 1);
  const right = infer(node.right, at, draft, depth + 1);
  const a = formatClass(left);
  const b = formatClass(right);
  if (op === '+') return added(left, a, right, b, draft);
  if (op === '-') return isMoment(a) && isMoment(b) ? difference(left, a, b) : subtracted(left, a, right, b);
  return scaled(op, left, a, right, b);
}

function added(left: string, a: FormatClass, right: string, b: FormatClass, draft: Draft): string {
  if ((a === 'date' && b === 'time') || (a === 'time' && b === 'date')) {
    return defaultFormat('datetime', draft.base.settings.locale);
  }
  if (isMoment(a)) return left;
  if (isMoment(b)) return right;
  return a === 'general' || (b === 'currency' && a === 'percent') ? right : left;
}

/** Days between two dates are a number; a date less a time is still a date; times between times stay times. */
function difference(left: string, a: FormatClass, b: FormatClass): string {
  if (a === 'time' && b === 'time') return left;
  return b === 'time' ? left : GENERAL_CODE;
}

function subtracted(left: string, a: FormatClass, right: string, b: FormatClass): string {
  if (isMoment(b)) return GENERAL_CODE;
  return a === 'general' || (b === 'currency' && a === 'percent') ? right : left;
}

function scaled(op: '*' | '/', left: string, a: FormatClass, right: string, b: FormatClass): string {
  if (isMoment(a) || isMoment(b)) return GENERAL_CODE;
  if (op === '/') return a === 'currency' && b === 'currency' ? GENERAL_CODE : left;
  if (a === 'currency') return left;
  if (b === 'currency') return right;
  return a === 'general' ? right : left;
}

function ofCall(node: CallNode, at: FormatPlace, draft: Draft, depth: number): string {
  const spec = callableNamed(node.name);
  if (spec?.format) return defaultFormat(spec.format, draft.base.settings.locale);
  if (spec?.lookup === 'table') return ofVerticalLookup(node, at, draft);
  if (spec?.carries === undefined) return GENERAL_CODE;
  const arg = spec.carries < 0 ? node.args[node.args.length - 1] : node.args[spec.carries];
  return arg ? infer(arg, at, draft, depth + 1) : GENERAL_CODE;
}

function ofVerticalLookup(node: CallNode, at: FormatPlace, draft: Draft): string {
  const [, table, column] = node.args;
  if (table?.k !== 'area' || column?.k !== 'number') return GENERAL_CODE;
  return ofReference(table, { ...at, across: column.value - 1 }, draft);
}
