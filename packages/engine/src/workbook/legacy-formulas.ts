import type { Node } from '../formula/ast.ts';
import { isNestedDeeper, MAX_COMPILED_NESTING, nameKey, transformTree } from '../formula/index.ts';
import { FUNCTIONS, findCallable } from '../functions/catalogue.ts';
import { findParameter, isWholeKind } from '../functions/invoke.ts';
import type { ArgumentKind } from '../functions/spec.ts';
import { findNameInScope } from '../graph/names-in-scope.ts';
import type { NameScope } from '../graph/precedents.ts';
import { areSameNode } from '../sheet/template.ts';

/** Kinds of parameters that take arrays. An argument of such a parameter is calculated as an array. */
const ARRAY_KINDS: ReadonlySet<ArgumentKind> = new Set(['matrix', 'lambda']);

/**
 * Converts a formula from before dynamic arrays. As Excel does when it opens such a file, it adds `@` to each range
 * that meant its cell in the formula's own row or column. Source: Microsoft, “Implicit intersection operator: @”.
 */
export function addImplicitIntersections(node: Node, sheet: number, scope: NameScope): Node {
  const converted = addImplicitIntersection(toExcelCalls(node), true, { sheet, scope });
  return canReturnMany(converted) ? { k: 'unary', op: '@', arg: converted } : converted;
}

/** Replaces calls with more arguments than Excel allows, which OpenFormula has, by the corresponding Excel function. */
function toExcelCalls(node: Node): Node {
  return transformTree(node, (next) => {
    const spec = next.k === 'call' ? FUNCTIONS.get(next.name) : undefined;
    if (next.k !== 'call' || spec?.longer === undefined || next.args.length <= spec.args.length) return next;
    return { ...next, name: spec.longer };
  });
}

/**
 * Returns the form of a formula in files from before dynamic arrays; null if there is none, because only a dynamic
 * array formula has this meaning.
 */
export function toLegacyFormula(node: Node, sheet: number, scope: NameScope): Node | null {
  if (isNestedDeeper(node, MAX_COMPILED_NESTING)) return null;
  const plain = transformTree(node, (next) => (next.k === 'unary' && next.op === '@' ? next.arg : next));
  return areSameNode(addImplicitIntersections(plain, sheet, scope), node) ? plain : null;
}

interface LegacyContext {
  readonly sheet: number;
  readonly scope: NameScope;
}

/** True if a converted tree may still return several values. */
function canReturnMany(node: Node): boolean {
  switch (node.k) {
    case 'array':
    case 'apply':
      return true;
    case 'parentheses':
      return canReturnMany(node.arg);
    case 'unary':
      return node.op === '#' || (node.op !== '@' && canReturnMany(node.arg));
    case 'binary':
      return canChainReturnMany(node);
    case 'call':
      return canCallReturnMany(node);
    default:
      return false;
  }
}

/** True if a chain of operators may return several values. */
function canChainReturnMany(chain: Node): boolean {
  let node = chain;
  while (node.k === 'binary') {
    if (node.op === ':' || canReturnMany(node.right)) return true;
    node = node.left;
  }
  return canReturnMany(node);
}

/** True if a call may return several values. */
function canCallReturnMany(node: Extract<Node, { k: 'call' }>): boolean {
  const spec = findCallable(node.name);
  if (!spec || spec.manyCells) return true;
  if (spec.branches) return node.args.some((arg) => isRange(arg) || canReturnMany(arg));
  if (spec.family === 'array' || spec.family === 'google') return true;
  return node.args.some((arg, i) => !isWholeKind(findParameter(spec, i)?.kind ?? 'value') && canReturnMany(arg));
}

/** True for a range, a table or a name, which may mean several cells. */
function isRange(node: Node): boolean {
  if (node.k === 'parentheses') return isRange(node.arg);
  return node.k === 'area' || node.k === 'table' || node.k === 'name';
}

/**
 * Adds `@` to the parts of a tree that had implicit intersection. `isSingle`: true if one value is needed in this
 * position.
 */
function addImplicitIntersection(node: Node, isSingle: boolean, context: LegacyContext): Node {
  switch (node.k) {
    case 'area':
    case 'table':
      return isSingle ? { k: 'unary', op: '@', arg: node } : node;
    case 'name':
      return isSingle && isRangeName(node.name, context) ? { k: 'unary', op: '@', arg: node } : node;
    case 'parentheses':
      return { k: 'parentheses', arg: addImplicitIntersection(node.arg, isSingle, context) };
    case 'unary':
      if (node.op === '@' || node.op === '#') return node;
      return { k: 'unary', op: node.op, arg: addImplicitIntersection(node.arg, isSingle, context) };
    case 'binary':
      return convertBinary(node, isSingle, context);
    case 'call':
      return convertCall(node, isSingle, context);
    default:
      return node;
  }
}

/** True if a name may mean several values. */
function isRangeName(name: string, context: LegacyContext, visited: ReadonlySet<string> = new Set()): boolean {
  const defined = findNameInScope(name, context.sheet, context.scope.names);
  if (defined === undefined || visited.has(nameKey(name))) return false;
  return canDefinitionReturnMany(defined.node, context, new Set([...visited, nameKey(name)]));
}

/**
 * True if the formula of a name may return several values. `visited`: keys of the names that were followed to get here.
 */
function canDefinitionReturnMany(node: Node, context: LegacyContext, visited: ReadonlySet<string>): boolean {
  let at = node;
  // A loop instead of recursion: a chain may have thousands of terms.
  for (; at.k === 'binary'; at = at.left) {
    if (
      at.op === ':' ||
      at.op === 'union' ||
      at.op === 'intersect' ||
      canDefinitionReturnMany(at.right, context, visited)
    )
      return true;
  }
  switch (at.k) {
    case 'area':
    case 'table':
    case 'array':
    case 'call':
    case 'apply':
      return true;
    case 'name':
      return isRangeName(at.name, context, visited);
    case 'parentheses':
      return canDefinitionReturnMany(at.arg, context, visited);
    case 'unary':
      return at.op === '#' || (at.op !== '@' && canDefinitionReturnMany(at.arg, context, visited));
    default:
      return false;
  }
}

/** Adds `@` to the operands of an operator that need one value. */
function convertBinary(node: Extract<Node, { k: 'binary' }>, single: boolean, context: LegacyContext): Node {
  if (node.op === ':' || node.op === 'union' || node.op === 'intersect') {
    return single && node.op !== ':' ? { k: 'unary', op: '@', arg: node } : node;
  }
  // A loop instead of recursion: a chain may have thousands of terms.
  const spine: Extract<Node, { k: 'binary' }>[] = [];
  let at: Node = node;
  while (at.k === 'binary' && at.op !== ':' && at.op !== 'union' && at.op !== 'intersect') {
    spine.push(at);
    at = at.left;
  }
  let result = addImplicitIntersection(at, single, context);
  for (const step of spine.reverse()) {
    result = { k: 'binary', op: step.op, left: result, right: addImplicitIntersection(step.right, single, context) };
  }
  return result;
}

/** Adds `@` to the arguments of a call that need one value. */
function convertCall(node: Extract<Node, { k: 'call' }>, single: boolean, context: LegacyContext): Node {
  const spec = findCallable(node.name);
  const args = node.args.map((arg, i) => {
    const kind = spec && findParameter(spec, i)?.kind;
    if (kind === undefined) return convertReferenceArgument(arg, single, context);
    if (spec?.singles?.includes(i)) return addImplicitIntersection(arg, single, context);
    // As in Excel, INDEX calculates its first argument as an array even without Ctrl+Shift+Enter.
    if (spec?.arrays?.includes(i) || ARRAY_KINDS.has(kind)) return addImplicitIntersection(arg, false, context);
    if (spec?.calculatesArrays) return addImplicitIntersection(arg, single && !isWholeKind(kind), context);
    return kind === 'value' || kind === 'reference'
      ? convertReferenceArgument(arg, single, context)
      : addImplicitIntersection(arg, single, context);
  });
  return { k: 'call', name: node.name, args };
}

/**
 * Converts an argument that the function takes as a reference. The reference itself stays unchanged; only calculations
 * in the argument may need single values.
 */
function convertReferenceArgument(arg: Node, single: boolean, context: LegacyContext): Node {
  if (arg.k === 'area' || arg.k === 'table' || arg.k === 'name') return arg;
  if (arg.k === 'binary' && (arg.op === 'union' || arg.op === 'intersect' || arg.op === ':')) return arg;
  if (arg.k === 'parentheses') return { k: 'parentheses', arg: convertReferenceArgument(arg.arg, single, context) };
  return addImplicitIntersection(arg, single, context);
}
