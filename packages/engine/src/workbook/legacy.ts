import type { Node } from '../formula/ast.ts';
import { transform } from '../formula/index.ts';
import { FUNCTIONS } from '../functions/catalogue.ts';
import { argumentAt } from '../functions/invoke.ts';
import type { ArgumentKind } from '../functions/spec.ts';
import { nameInScope, type Scope } from '../graph/precedents.ts';
import { sameNode } from '../sheet/template.ts';

/** Forms whose arguments from this position on pass a reference through; those before it want one value. */
const FORMS: ReadonlyMap<string, number> = new Map([
  ['IF', 1],
  ['CHOOSE', 1],
  ['IFERROR', 2],
  ['IFNA', 2],
  ['IFS', 254],
  ['SWITCH', 254],
]);

/** Functions whose result may be more than one cell: before dynamic arrays a formula showed the cell it meant. */
const MANY_CELLS: ReadonlySet<string> = new Set([
  ...['INDEX', 'OFFSET', 'INDIRECT', 'CHOOSE', 'IF', 'TRANSPOSE', 'MMULT', 'MINVERSE', 'MUNIT', 'FREQUENCY', 'LINEST'],
  ...['LOGEST', 'TREND', 'GROWTH', 'ROW', 'COLUMN', 'MODE.MULT', 'XLOOKUP', 'LOOKUP', 'VLOOKUP', 'HLOOKUP', 'MATCH'],
  ...['SUMIF', 'COUNTIF', 'AVERAGEIF', 'SUMIFS', 'COUNTIFS', 'IFERROR', 'N', 'T', 'CELL', 'RANK', 'LARGE', 'SMALL'],
]);

/** Kinds of argument that take arrays as they are: a formula inside them is calculated as an array. */
const ARRAY_KINDS: ReadonlySet<ArgumentKind> = new Set(['matrix', 'lambda']);

/**
 * A formula from before dynamic arrays in today's terms: `@` is put where a range stood for the one cell of it in the
 * formula's own row or column, as Excel does when it opens such a file. Source: Microsoft, “Implicit intersection
 * operator: @”.
 */
export function withImplicitIntersection(node: Node, sheet: number, scope: Scope): Node {
  const converted = convert(node, true, { sheet, scope });
  return mayBeMany(converted) ? { k: 'unary', op: '@', arg: converted } : converted;
}

/** A formula as files from before dynamic arrays hold it; null where only a dynamic array formula means the same. */
export function asLegacyFormula(node: Node, sheet: number, scope: Scope): Node | null {
  const plain = transform(node, (next) => (next.k === 'unary' && next.op === '@' ? next.arg : next));
  return sameNode(withImplicitIntersection(plain, sheet, scope), node) ? plain : null;
}

interface Context {
  readonly sheet: number;
  readonly scope: Scope;
}

function mayBeMany(node: Node): boolean {
  if (node.k === 'parentheses') return mayBeMany(node.arg);
  if (node.k === 'binary' && node.op === ':') return true;
  return node.k === 'call' && MANY_CELLS.has(node.name);
}

/** `single`: one value is wanted here. */
function convert(node: Node, single: boolean, context: Context): Node {
  switch (node.k) {
    case 'area':
    case 'table':
      return single ? { k: 'unary', op: '@', arg: node } : node;
    case 'name':
      return single && isRangeName(node.name, context) ? { k: 'unary', op: '@', arg: node } : node;
    case 'parentheses':
      return { k: 'parentheses', arg: convert(node.arg, single, context) };
    case 'unary':
      if (node.op === '@' || node.op === '#') return node;
      return { k: 'unary', op: node.op, arg: convert(node.arg, single, context) };
    case 'binary':
      return convertBinary(node, single, context);
    case 'call':
      return convertCall(node, single, context);
    default:
      return node;
  }
}

function isRangeName(name: string, { sheet, scope }: Context): boolean {
  const defined = nameInScope(name, sheet, scope.names);
  return (
    defined !== undefined && (defined.node.k === 'area' || defined.node.k === 'table' || defined.node.k === 'call')
  );
}

function convertBinary(node: Extract<Node, { k: 'binary' }>, single: boolean, context: Context): Node {
  if (node.op === ':' || node.op === 'union' || node.op === 'intersect') {
    return single && node.op !== ':' ? { k: 'unary', op: '@', arg: node } : node;
  }
  // The left spine may be thousands of terms long.
  const spine: Extract<Node, { k: 'binary' }>[] = [];
  let at: Node = node;
  while (at.k === 'binary' && at.op !== ':' && at.op !== 'union' && at.op !== 'intersect') {
    spine.push(at);
    at = at.left;
  }
  let result = convert(at, single, context);
  for (const step of spine.reverse()) {
    result = { k: 'binary', op: step.op, left: result, right: convert(step.right, single, context) };
  }
  return result;
}

function convertCall(node: Extract<Node, { k: 'call' }>, single: boolean, context: Context): Node {
  const passesFrom = FORMS.get(node.name);
  const spec = FUNCTIONS.get(node.name);
  const args = node.args.map((arg, i) => {
    if (passesFrom !== undefined) return i < passesFrom ? convert(arg, single, context) : pass(arg, single, context);
    const kind = spec && argumentAt(spec, i)?.kind;
    if (kind === undefined) return pass(arg, single, context);
    if (ARRAY_KINDS.has(kind)) return convert(arg, false, context);
    return kind === 'value' || kind === 'reference' ? pass(arg, single, context) : convert(arg, single, context);
  });
  return { k: 'call', name: node.name, args };
}

/** An argument that takes a reference whole: only what is calculated inside it wants single values. */
function pass(arg: Node, single: boolean, context: Context): Node {
  if (arg.k === 'area' || arg.k === 'table' || arg.k === 'name') return arg;
  if (arg.k === 'parentheses') return { k: 'parentheses', arg: pass(arg.arg, single, context) };
  return convert(arg, single, context);
}
