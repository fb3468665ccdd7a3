import type { CallNode, Node } from '../../formula/ast.ts';
import { FORMS, FUNCTIONS } from '../../functions/catalogue.ts';
import { type Environment, isInLambda, lookUp, type VariableScope } from '../../functions/forms/environment.ts';
import { findParameter, isWholeKind } from '../../functions/invoke.ts';
import { Lambda, Matrix, Reference, type Value } from '../../functions/value.ts';
import { TextMap } from '../../value/text-map.ts';
import type { CompileOperand } from '../comparisons/range-conditions.ts';
import type { Code, Evaluation } from '../evaluation.ts';
import { compileBoundName } from '../names/bound-names.ts';
import { createScalarText } from './array-index.ts';
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
export function createSharedKey(node: Node, names: VariableScope | null, purpose: string): SharedKey {
  const { usesRow, usesColumn, usesSheet, isFixed } = classifyExpression(node, names);
  // Outside of LAMBDA, values of the formula's row are inputs of a result.
  return {
    text: purpose + JSON.stringify(node),
    usesColumn,
    usesSheet,
    usesRow: usesRow && (isFixed || isInLambda(names)),
  };
}

/** True if the formulas of a column can share the value of an expression, and if sharing is worth its cost. */
export function isShared(node: Node, names: VariableScope | null): boolean {
  if (node.k !== 'call' && node.k !== 'binary' && node.k !== 'unary') return false;
  const { isFixed, isRepeatable, readsFixedRange } = classifyExpression(node, names);
  if (!isFixed || !isRepeatable || !readsFixedRange) return false;
  return (node.k !== 'call' || !isPlainCall(node, names)) && !bindsFunctionName(names);
}

/** True for a call with plain ranges such as `SUM(A$1:A$9)`. The functions themselves cache results of such ranges. */
function isPlainCall(node: CallNode, names: VariableScope | null): boolean {
  if (FUNCTIONS.get(node.name)?.family === 'array' || liftsArray(node, names)) return false;
  return node.args.every(
    (arg) => arg.k === 'area' || arg.k === 'table' || !classifyExpression(arg, names).readsFixedRange,
  );
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
export function compileShared(node: Node, names: VariableScope | null, plain: Code): Code {
  const key = createSharedKey(node, names, 'value');
  return (e, env) => {
    const slot = e.openShared(key);
    if (slot === null) return plain(e, env);
    let shared = slot.value as SharedResult | null;
    if (shared === null) {
      const value = e.recordShared(slot, true, () => plain(e, env));
      shared = { value, format: e.formats?.last ?? 0 };
      if (value instanceof Lambda) slot.exclude();
      else e.storeShared(slot, shared, value instanceof Matrix ? value.length : 1);
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
    const elements = result.value instanceof Matrix ? result.value.length : 1;
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
  const inputs = bindsFunctionName(names) ? null : findInputs(node, names);
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
      codes = inputs.map((input) => compileInput(input, names, compileOperand));
      key = createSharedKey(node, names, 'results');
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

/** Compiles an input. A parameter of a LAMBDA can be a reference, which functions treat otherwise than its value. */
function compileInput(input: Node, names: VariableScope | null, compileOperand: CompileOperand): Code {
  const bound = input.k === 'name' ? lookUp(names, input.name) : null;
  return bound === null ? compileOperand(input, names) : compileBoundName(bound);
}

/** Returns the key of a result; null if a value of the row is not a scalar. */
function createInputKey(e: Evaluation, env: Environment | null, codes: readonly Code[]): string | null {
  let key = '';
  for (const code of codes) {
    const input = code(e, env);
    if (input instanceof Reference) key += 'r';
    const value = e.dereference(input);
    if (value instanceof Matrix || value instanceof Lambda) return null;
    key += createScalarText(value);
    if (e.formats !== null) key += `f${e.formats.last};`;
  }
  return key;
}

/**
 * Returns the parts of a call whose values come from the formula's row. Null if other parts are not the same for all
 * rows, or if the call calculates no array from both.
 */
function findInputs(node: CallNode, names: VariableScope | null): readonly Node[] | null {
  const { isFixed, isSingle, isRepeatable, readsFixedRange } = classifyExpression(node, names);
  if (isFixed || isSingle || !isRepeatable || !readsFixedRange) return null;
  const inputs: Node[] = [];
  let calculatesArray = false;
  const pending: Node[] = [node];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const kind = classifyExpression(next, names);
    if (kind.isFixed) continue;
    if (kind.isSingle) inputs.push(next);
    else if (next.k === 'parentheses' || next.k === 'unary') pending.push(next.arg);
    else if (next.k === 'binary') {
      pending.push(next.left, next.right);
      calculatesArray ||= isFixedArray(next.left, names) || isFixedArray(next.right, names);
    } else if (next.k === 'call') {
      pending.push(...next.args);
      calculatesArray ||= liftsArray(next, names);
    } else return null;
  }
  return calculatesArray && inputs.length <= MAX_INPUTS ? inputs : null;
}

/** True if a function runs once for each element of a fixed array. */
function liftsArray({ name, args }: CallNode, names: VariableScope | null): boolean {
  const spec = FUNCTIONS.get(name);
  if (spec === undefined) return false;
  return args.some((arg, i) => {
    const kind = findParameter(spec, i)?.kind;
    return kind !== undefined && !isWholeKind(kind) && isFixedArray(arg, names);
  });
}
