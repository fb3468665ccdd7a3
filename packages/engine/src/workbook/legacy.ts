import type { Node } from '../formula/ast.ts';
import { MAX_COMPILED_NESTING, nestsDeeper, transform } from '../formula/index.ts';
import { FUNCTIONS } from '../functions/catalogue.ts';
import { argumentAt, isWhole } from '../functions/invoke.ts';
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
  ...['INDEX', 'OFFSET', 'INDIRECT', 'TRANSPOSE', 'MMULT', 'MINVERSE', 'MUNIT', 'FREQUENCY', 'LINEST'],
  ...['LOGEST', 'TREND', 'GROWTH', 'ROW', 'COLUMN', 'MODE.MULT', 'XLOOKUP', 'N', 'T', 'CELL'],
]);

/** Functions that calculate their arguments as arrays, from long before dynamic arrays. */
const ARRAY_FUNCTIONS: ReadonlySet<string> = new Set([
  ...['SUMPRODUCT', 'MMULT', 'MINVERSE', 'MDETERM', 'TRANSPOSE', 'FREQUENCY', 'LINEST', 'LOGEST', 'TREND', 'GROWTH'],
  ...['LOOKUP', 'SUMX2MY2', 'SUMX2PY2', 'SUMXMY2', 'MODE', 'MODE.MULT', 'PROB', 'CORREL', 'COVAR', 'PEARSON', 'RSQ'],
  ...['SLOPE', 'INTERCEPT', 'STEYX', 'FORECAST', 'TTEST', 'FTEST', 'CHITEST', 'AGGREGATE', 'ARRAYFORMULA'],
]);

/**
 * Arguments by position that want one value although our functions take them whole, to run over arrays: in Excel's
 * terms parameters of class “value” (Apache POI, functionMetadata.txt).
 */
const SINGLES: ReadonlyMap<string, readonly number[]> = new Map<string, readonly number[]>([
  ...['VLOOKUP', 'HLOOKUP'].map((name) => [name, [0, 2, 3]] as const),
  ...['MATCH', 'RANK', 'RANK.EQ', 'RANK.AVG'].map((name) => [name, [0, 2]] as const),
  ...['LARGE', 'SMALL', 'PERCENTILE', 'PERCENTILE.INC', 'PERCENTILE.EXC', 'QUARTILE', 'QUARTILE.INC'].map(
    (name) => [name, [1]] as const,
  ),
  ...['QUARTILE.EXC', 'PERCENTRANK', 'PERCENTRANK.INC', 'PERCENTRANK.EXC', 'TRIMMEAN'].map(
    (name) => [name, [1, 2]] as const,
  ),
  ['LOOKUP', [0]],
  ['XLOOKUP', [0, 3, 4, 5]],
  ['XMATCH', [0, 2, 3]],
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
  if (nestsDeeper(node, MAX_COMPILED_NESTING)) return null;
  const plain = transform(node, (next) => (next.k === 'unary' && next.op === '@' ? next.arg : next));
  return sameNode(withImplicitIntersection(plain, sheet, scope), node) ? plain : null;
}

interface Context {
  readonly sheet: number;
  readonly scope: Scope;
}

/** Whether a converted tree could still give more than one value. */
function mayBeMany(node: Node): boolean {
  switch (node.k) {
    case 'array':
    case 'apply':
      return true;
    case 'parentheses':
      return mayBeMany(node.arg);
    case 'unary':
      return node.op === '#' || (node.op !== '@' && mayBeMany(node.arg));
    case 'binary':
      return chainMayBeMany(node);
    case 'call':
      return callMayBeMany(node);
    default:
      return false;
  }
}

function chainMayBeMany(chain: Node): boolean {
  let node = chain;
  while (node.k === 'binary') {
    if (node.op === ':' || mayBeMany(node.right)) return true;
    node = node.left;
  }
  return mayBeMany(node);
}

function callMayBeMany(node: Extract<Node, { k: 'call' }>): boolean {
  if (MANY_CELLS.has(node.name)) return true;
  const passesFrom = FORMS.get(node.name);
  if (passesFrom !== undefined) return node.args.some((arg) => isRange(arg) || mayBeMany(arg));
  const spec = FUNCTIONS.get(node.name);
  if (!spec) return true;
  if (spec.family === 'array' || spec.family === 'google') return true;
  return node.args.some((arg, i) => !isWhole(argumentAt(spec, i)?.kind ?? 'value') && mayBeMany(arg));
}

function isRange(node: Node): boolean {
  if (node.k === 'parentheses') return isRange(node.arg);
  return node.k === 'area' || node.k === 'table' || node.k === 'name';
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
    if (SINGLES.get(node.name)?.includes(i)) return convert(arg, single, context);
    // As people know who write INDEX(…;0) around a calculation to spare themselves Ctrl+Shift+Enter.
    if (node.name === 'INDEX' && i === 0) return convert(arg, false, context);
    if (ARRAY_KINDS.has(kind)) return convert(arg, false, context);
    if (ARRAY_FUNCTIONS.has(node.name)) return convert(arg, single && !isWhole(kind), context);
    return kind === 'value' || kind === 'reference' ? pass(arg, single, context) : convert(arg, single, context);
  });
  return { k: 'call', name: node.name, args };
}

/** An argument that takes a reference whole: only what is calculated inside it wants single values. */
function pass(arg: Node, single: boolean, context: Context): Node {
  if (arg.k === 'area' || arg.k === 'table' || arg.k === 'name') return arg;
  if (arg.k === 'binary' && (arg.op === 'union' || arg.op === 'intersect' || arg.op === ':')) return arg;
  if (arg.k === 'parentheses') return { k: 'parentheses', arg: pass(arg.arg, single, context) };
  return convert(arg, single, context);
}
