import type { CallNode, Node } from '../../formula/ast.ts';
import { FORMS, FUNCTIONS } from '../../functions/catalogue.ts';
import type { Environment, VariableScope } from '../../functions/forms/environment.ts';
import { findParameter, isWholeKind } from '../../functions/invoke.ts';
import { Lambda, Matrix, Reference, type Value } from '../../functions/value.ts';
import { isError, type Scalar } from '../../value/scalar.ts';
import { TextMap } from '../../value/text-map.ts';
import type { CompileOperand } from '../comparisons/range-conditions.ts';
import type { Code, Evaluation } from '../evaluation.ts';
import { classifyExpression, isFixedArray } from './expression-kinds.ts';
import type { SharedKey } from './shared-values.ts';

/**
 * Formulas of a column often contain the same array (`MONTH(C$1:C$9)`), or the same call with few different values from
 * their rows (`MAX(IF(A$1:A$9=A1;B$1:B$9))`). Each is calculated once in a recalculation.
 */

/** Maximum number of results that are kept for one call. */
const MAX_RESULTS = 65_536;
/** Maximum number of array elements in the results of one call. */
const MAX_RESULT_ELEMENTS = 1_000_000;
/** After this number of requests, results are kept only if at least one in `MIN_HIT_SHARE` was found. */
const TRIAL_REQUESTS = 256;
const MIN_HIT_SHARE = 16;
/** Maximum number of values of the formula's row on which a result may depend. */
const MAX_INPUTS = 8;

/** Creates the key of an expression. `purpose` distinguishes values of different types. */
export function createSharedKey(node: Node, purpose: string): SharedKey {
  const { usesColumn, usesSheet } = classifyExpression(node);
  return { text: purpose + JSON.stringify(node), usesColumn, usesSheet };
}

/** True if the formulas of a column can share the value of an expression, and if sharing is worth its cost. */
export function isShared(node: Node, names: VariableScope | null): boolean {
  if (node.k !== 'call' && node.k !== 'binary' && node.k !== 'unary') return false;
  const { isFixed, isRepeatable, readsFixedRange } = classifyExpression(node);
  if (!isFixed || !isRepeatable || !readsFixedRange) return false;
  return (node.k !== 'call' || !isPlainCall(node)) && !bindsFunctionName(names);
}

/** True for a call with plain ranges such as `SUM(A$1:A$9)`. The functions themselves cache results of such ranges. */
function isPlainCall(node: CallNode): boolean {
  if (FUNCTIONS.get(node.name)?.family === 'array' || liftsArray(node)) return false;
  return node.args.every((arg) => arg.k === 'area' || arg.k === 'table' || !classifyExpression(arg).readsFixedRange);
}

/** True if a surrounding LET or LAMBDA gives the name of a function another meaning. */
export function bindsFunctionName(names: VariableScope | null): boolean {
  for (let scope = names; scope !== null; scope = scope.outer) {
    if (scope.names.some((name) => FUNCTIONS.has(name.toUpperCase()) || FORMS.has(name.toUpperCase()))) return true;
  }
  return false;
}

/** A result, and its number format. */
interface SharedResult {
  readonly value: Value;
  readonly format: number;
}

/** Compiles an expression whose value formulas share. `plain`: calculates the value. */
export function compileShared(node: Node, plain: Code): Code {
  const key = createSharedKey(node, 'value');
  return (e, env) => {
    const slot = e.openShared(key);
    if (slot === null) return plain(e, env);
    let shared = slot.value as SharedResult | null;
    if (shared === null) {
      const value = e.recordShared(slot, true, () => plain(e, env));
      shared = { value, format: e.formats?.last ?? 0 };
      if (value instanceof Lambda) slot.exclude();
      else e.storeShared(slot, shared, value instanceof Matrix ? value.data.length : 1);
    }
    if (e.formats !== null) e.formats.last = shared.format;
    return shared.value;
  };
}

/** Results of a call. The key is made from the values of the formula's row on which a result depends. */
class CallResults {
  private results = new TextMap<SharedResult>();
  private elements = 0;
  private requests = 0;
  private hits = 0;
  /** False if keeping results is not worth its cost. */
  isUseful = true;

  get(key: string): SharedResult | undefined {
    const result = this.results.get(key);
    this.requests++;
    if (result !== undefined) this.hits++;
    else if (this.requests >= TRIAL_REQUESTS && this.hits * MIN_HIT_SHARE < this.requests) this.stop();
    return result;
  }

  set(key: string, result: SharedResult): void {
    // A reference may be to the formula's own row.
    if (result.value instanceof Reference || result.value instanceof Lambda) return this.stop();
    const elements = result.value instanceof Matrix ? result.value.data.length : 1;
    if (this.results.size >= MAX_RESULTS || this.elements + elements > MAX_RESULT_ELEMENTS) {
      this.results = new TextMap();
      this.elements = 0;
    }
    this.elements += elements;
    this.results.set(key, result);
  }

  private stop(): void {
    this.isUseful = false;
    this.results = new TextMap();
  }
}

/**
 * Compiles a call whose result depends only on fixed ranges and on a few values of the formula's row; null for other
 * calls.
 */
export function compileRepeatedCall(
  node: CallNode,
  names: VariableScope | null,
  plain: Code,
  compileOperand: CompileOperand,
): Code | null {
  const inputs = bindsFunctionName(names) ? null : findInputs(node);
  if (inputs === null) return null;
  let codes: readonly Code[] = [];
  let key: SharedKey | null = null;
  let isFirst = true;
  return (e, env) => {
    // Many formulas are calculated only once. They need no key.
    if (isFirst) {
      isFirst = false;
      return plain(e, env);
    }
    if (key === null) {
      codes = inputs.map((input) => compileOperand(input, names));
      key = createSharedKey(node, 'results');
    }
    const slot = e.openShared(key);
    if (slot === null) return plain(e, env);
    const results = (slot.value ?? new CallResults()) as CallResults;
    const inputKey = results.isUseful ? createInputKey(e, env, codes) : null;
    if (inputKey === null) return plain(e, env);
    const known = results.get(inputKey);
    if (known !== undefined) {
      if (e.formats !== null) e.formats.last = known.format;
      return known.value;
    }
    const value = e.recordShared(slot, false, () => plain(e, env));
    results.set(inputKey, { value, format: e.formats?.last ?? 0 });
    e.storeShared(slot, results, 0);
    return value;
  };
}

/** Returns the key of a result; null if a value of the row is not a scalar. */
function createInputKey(e: Evaluation, env: Environment | null, codes: readonly Code[]): string | null {
  let key = '';
  for (const code of codes) {
    const value = code(e, env);
    if (value instanceof Matrix || value instanceof Reference || value instanceof Lambda) return null;
    key += createScalarText(value);
    if (e.formats !== null) key += `f${e.formats.last};`;
  }
  return key;
}

function createScalarText(value: Scalar): string {
  if (typeof value === 'string') return `s${value.length}:${value}`;
  if (isError(value)) return `e${value.index};`;
  return `${Object.is(value, -0) ? '-0' : String(value)};`;
}

/**
 * Returns the parts of a call whose values come from the formula's row. Null if other parts are not the same for all
 * rows, or if the call calculates no array from both.
 */
function findInputs(node: CallNode): readonly Node[] | null {
  const { isFixed, isSingle, isRepeatable, readsFixedRange } = classifyExpression(node);
  if (isFixed || isSingle || !isRepeatable || !readsFixedRange) return null;
  const inputs: Node[] = [];
  let calculatesArray = false;
  const pending: Node[] = [node];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const kind = classifyExpression(next);
    if (kind.isFixed) continue;
    if (kind.isSingle) inputs.push(next);
    else if (next.k === 'parentheses' || next.k === 'unary') pending.push(next.arg);
    else if (next.k === 'binary') {
      pending.push(next.left, next.right);
      calculatesArray ||= isFixedArray(next.left) || isFixedArray(next.right);
    } else if (next.k === 'call') {
      pending.push(...next.args);
      calculatesArray ||= liftsArray(next);
    } else return null;
  }
  return calculatesArray && inputs.length <= MAX_INPUTS ? inputs : null;
}

/** True if a function runs once for each element of a fixed array. */
function liftsArray({ name, args }: CallNode): boolean {
  const spec = FUNCTIONS.get(name);
  if (spec === undefined) return false;
  return args.some((arg, i) => {
    const kind = findParameter(spec, i)?.kind;
    return kind !== undefined && !isWholeKind(kind) && isFixedArray(arg);
  });
}
