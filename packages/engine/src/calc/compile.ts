import type { ArrayNode, BinaryNode, BinaryOperator, CallNode, Node, SheetPart, UnaryNode } from '../formula/ast.ts';
import { hasMatchingNode, isNestedDeeper, MAX_COMPILED_NESTING } from '../formula/index.ts';
import { FORMS, FUNCTIONS } from '../functions/catalogue.ts';
import type { FormatTrace } from '../functions/context.ts';
import { type Compiler, compileConstant } from '../functions/forms/compiler.ts';
import { type Environment, lookUp, type VariableScope } from '../functions/forms/environment.ts';
import { findArityProblem, findParameter, invokeFunction, isWholeKind } from '../functions/invoke.ts';
import { compareNumbers } from '../functions/order.ts';
import type { FunctionSpec } from '../functions/spec.ts';
import { Lambda, type LambdaBody, Matrix, Reference, type Value } from '../functions/value.ts';
import { findNameInScope } from '../graph/names-in-scope.ts';
import { resolveSheetPart } from '../graph/sheet-parts.ts';
import { errorByCode, NA, NAME, REF, SYNTAX, VALUE } from '../value/errors.ts';
import { isError, type Scalar } from '../value/scalar.ts';
import { applyToArrays } from './arrays/array-operators.ts';
import { compileIndexedCall } from './comparisons/indexed-calls.ts';
import { compileCallOnce, forgetCompiledCalls } from './compiled-calls.ts';
import type { Code, Evaluation } from './evaluation.ts';
import { type CompiledLookup, compileLookupCode } from './lookup-code.ts';
import { compileBoundName } from './names/bound-names.ts';
import { compileWithNames } from './names/named-references.ts';
import { applyToScalars, applyUnary, type ScalarOperator } from './operators.ts';
import { canTakeReferenceArrays, compileReferenceArrays } from './reference-arrays.ts';
import {
  compileArea,
  compileCell,
  compileCellReference,
  compileTable,
  intersectImplicitly,
  intersectReferences,
  resolveSpill,
  resolveTableName,
  spanReferences,
  unionReferences,
} from './references.ts';
import { compileQuotientArgument } from './shared/aggregate-elements.ts';
import { compileSelectedArgument, compileSelectedElements, withSelection } from './shared/selected-elements.ts';
import { bindsFunctionName, compileRepeatedCall, compileShared, isShared } from './shared/shared-expressions.ts';
import { combineWithFormats, signWithFormat } from './traced-operators.ts';

/** Compiles a formula. A formula that is nested too deeply gives `#ERROR!`. The limit is the same on every machine. */
export function compileFormula(node: Node): Code {
  if (isNestedDeeper(node, MAX_COMPILED_NESTING)) return compileConstant(SYNTAX);
  return hasMatchingNode(node, ({ k }) => k === 'name') ? compileWithNames(node, compileTree) : compileTree(node);
}

function compileTree(node: Node): Code {
  const code = compile(node, null);
  forgetCompiledCalls();
  return code;
}

/** Compiles a tree to closures. The value may be a Reference, an array or a Lambda. */
export function compile(node: Node, names: VariableScope | null): Code {
  const code = compileNode(node, names);
  return isShared(node, names) ? compileShared(node, names, code) : code;
}

/** Compiles a tree whose value is calculated for each formula. */
function compileNode(node: Node, names: VariableScope | null): Code {
  switch (node.k) {
    case 'number':
    case 'text':
    case 'boolean':
      return compileConstant(node.value);
    case 'error':
      return compileConstant(errorByCode(node.code) ?? VALUE);
    case 'missing':
      return compileConstant(null);
    case 'invalid':
      return compileConstant(SYNTAX);
    case 'array':
      return compileConstant(compileArrayConstant(node));
    case 'cell':
      return compileCellReference(node);
    case 'area':
      return compileArea(node);
    case 'table':
      return compileTable(node);
    case 'name':
      return compileName(node.name, node.sheet, names);
    case 'parentheses':
      return compile(node.arg, names);
    case 'cached':
      return compile(node.value, names);
    case 'unary':
      return compileUnary(node, names);
    case 'binary':
      return compileBinary(node, names);
    case 'call':
      return compileCallOnce(node, names, compileCall);
    case 'apply':
      return compileApply(compile(node.callee, names), node.args, names);
  }
}

const COMPILER: Compiler<Evaluation> = { value: compile, operand: compileOperand };

/** Compiles an expression whose references are replaced by their cells: the value is a scalar, an array or a Lambda. */
function compileOperand(node: Node, names: VariableScope | null): Code {
  if (node.k === 'cell') return compileCell(node);
  if (node.k === 'parentheses') return compileOperand(node.arg, names);
  const code = compile(node, names);
  if (node.k === 'number' || node.k === 'text' || node.k === 'boolean') return code;
  return (e, env) => e.dereference(code(e, env));
}

function compileArrayConstant(node: ArrayNode): Matrix {
  const columns = node.rows[0]?.length ?? 1;
  const data = node.rows.flatMap((row) => row.map(toConstantScalar));
  return new Matrix(node.rows.length, columns, data);
}

/** The value of an element of an array constant. */
function toConstantScalar(node: Node): Scalar {
  if (node.k === 'number' || node.k === 'text' || node.k === 'boolean') return node.value;
  if (node.k === 'error') return errorByCode(node.code) ?? VALUE;
  if (node.k === 'unary' && node.arg.k === 'number') return node.op === '-' ? -node.arg.value : node.arg.value;
  return null;
}

/** Compiles a name: a parameter of LET or LAMBDA, a defined name, a table, or a function used as a value. */
function compileName(name: string, part: SheetPart | undefined, names: VariableScope | null): Code {
  const bound = part === undefined ? lookUp(names, name) : null;
  if (bound) return compileBoundName(bound);
  const spec = part === undefined ? FUNCTIONS.get(name.toUpperCase()) : undefined;
  return (e) => {
    const [sheet] = resolveSheetPart(part, e.sheet, e);
    if (sheet === undefined) return REF;
    const defined = findNameInScope(name, sheet, e.names);
    if (defined) return e.evaluateName(defined);
    return resolveTableName(e, name) ?? (spec ? createFunctionLambda(e, spec) : NAME);
  };
}

/** A built-in function as a value, as in `BYROW(A1:B2; SUM)`. */
function createFunctionLambda(e: Evaluation, spec: FunctionSpec): Lambda {
  const fixed = spec.args.length;
  const optional = spec.args.filter((a) => a.optional).length;
  const count = spec.rest ? fixed + spec.rest.length : fixed;
  const body: LambdaBody = (args, formats) =>
    findArityProblem(spec, args.length) === null ? invokeFunction(spec, e, args, formats ?? undefined) : VALUE;
  return new Lambda(count, spec.rest ? optional + spec.rest.length : optional, body, spec.name);
}

function compileUnary(node: UnaryNode, names: VariableScope | null): Code {
  if (node.op === '@') {
    const code = compile(node.arg, names);
    return (e, env) => intersectImplicitly(e, code(e, env));
  }
  if (node.op === '#') {
    const code = compile(node.arg, names);
    return (e, env) => resolveSpill(e, code(e, env));
  }
  const { op } = node;
  const code = compileOperand(node.arg, names);
  return (e, env) => {
    const value = code(e, env);
    const format = e.formats?.last ?? 0;
    const result = applySign(e, op, value);
    return e.formats === null ? result : signWithFormat(e, e.formats, op, value, format, result);
  };
}

/** Applies a unary operator to a scalar, or to each element of an array. */
function applySign(e: Evaluation, op: '-' | '+' | '%', value: Value): Value {
  if (value instanceof Matrix) {
    if (op === '+') return value;
    return op === '-' ? applyToArrays('-', 0, value, e) : applyToArrays('/', value, 100, e);
  }
  return value instanceof Lambda ? VALUE : applyUnary(op, value as Scalar, e);
}

type JoinOperator = ':' | 'union' | 'intersect';

const JOINS: Readonly<Record<JoinOperator, (a: Reference, b: Reference) => Value>> = {
  ':': spanReferences,
  union: unionReferences,
  intersect: intersectReferences,
};

function isReferenceOperator(op: BinaryOperator): op is JoinOperator {
  return op === ':' || op === 'union' || op === 'intersect';
}

function compileBinary(node: BinaryNode, names: VariableScope | null): Code {
  return isReferenceOperator(node.op) ? compileJoins(node, names) : compileChain(node, names);
}

/** Compiles a chain of reference operators (`A1:B2:C3`) to a loop. */
function compileJoins(node: BinaryNode, names: VariableScope | null): Code {
  const steps: { readonly op: JoinOperator; readonly right: Code }[] = [];
  let at: Node = node;
  while (at.k === 'binary' && isReferenceOperator(at.op)) {
    steps.push({ op: at.op, right: compile(at.right, names) });
    at = at.left;
  }
  steps.reverse();
  const first = compile(at, names);
  return (e, env) => {
    let value = first(e, env);
    for (const { op, right } of steps) {
      const other = right(e, env);
      if (isError(value)) return value;
      if (isError(other)) return other;
      if (!(value instanceof Reference && other instanceof Reference)) return VALUE;
      e.spendCells(value.areas.length + other.areas.length);
      value = JOINS[op](value, other);
    }
    return value;
  };
}

interface ChainStep {
  readonly op: ScalarOperator;
  readonly right: Code;
}

/** Compiles a chain of left-associative operators to a loop: `1+1+…` with thousands of terms must not recurse. */
function compileChain(node: BinaryNode, names: VariableScope | null): Code {
  const steps: ChainStep[] = [];
  let at: Node = node;
  while (at.k === 'binary' && !isReferenceOperator(at.op) && (at === node || !isShared(at, names))) {
    steps.push({ op: at.op, right: compileOperand(at.right, names) });
    at = at.left;
  }
  steps.reverse();
  const first = compileOperand(at, names);
  if (steps.length === 1) return compileStep(first, steps[0]!);
  return (e, env) => {
    let value = first(e, env);
    for (const step of steps) value = evaluateStep(e, env, step, value);
    return value;
  };
}

/** Compiles one operator of a chain, whose left operand is `left`. */
function compileStep(left: Code, step: ChainStep): Code {
  return (e, env) => evaluateStep(e, env, step, left(e, env));
}

/** Applies one operator of a chain to the value of the operands before it. */
function evaluateStep(e: Evaluation, env: Environment | null, { op, right }: ChainStep, value: Value): Value {
  if (e.formats === null) return applyStepOperator(e, op, value, right(e, env));
  const format = e.formats.last;
  const other = right(e, env);
  const formatOfOther = e.formats.last;
  return combineWithFormats(
    e,
    e.formats,
    op,
    value,
    format,
    other,
    formatOfOther,
    applyStepOperator(e, op, value, other),
  );
}

/** Applies an operator to two values; scalars and arrays, other values give `#VALUE!`. */
function applyStepOperator(e: Evaluation, op: ScalarOperator, a: Value, b: Value): Value {
  if (typeof a === 'number' && typeof b === 'number') {
    if (op === '*') {
      const product = a * b + 0;
      if (Number.isFinite(product)) return product;
    } else if (op === '<') return compareNumbers(a, b) < 0;
    else if (op === '>') return compareNumbers(a, b) > 0;
  }
  if (a instanceof Lambda || b instanceof Lambda || a instanceof Reference || b instanceof Reference) return VALUE;
  if (a instanceof Matrix || b instanceof Matrix) return applyToArrays(op, a, b, e);
  return applyToScalars(op, a, b, e);
}

function compileCall(node: CallNode, names: VariableScope | null): Code {
  const bound = lookUp(names, node.name);
  if (bound) return compileApply(compileBoundName(bound), node.args, names);
  const form = FORMS.get(node.name);
  if (form)
    return findArityProblem(form, node.args.length) === null
      ? form.compile(node.args, names, COMPILER)
      : compileConstant(NA);
  const spec = FUNCTIONS.get(node.name);
  if (!spec) return compileApply(compileName(node.name, undefined, names), node.args, names);
  if (findArityProblem(spec, node.args.length) !== null) return compileWrongArity(node.args, names);
  if (canTakeReferenceArrays(node, spec)) return compileReferenceArrays(node, spec, names, compileArgument);
  const selected = compileIndexedCall(node, spec, names, COMPILER);
  const lookup = selected === null ? compileLookupCode(node, spec) : null;
  if (lookup) return compileLookup(spec, lookup, node.args, names);
  const whole = compileFunction(spec, node, names);
  const elements = bindsFunctionName(names) ? null : compileSelectedElements(node, spec, names, COMPILER);
  const plain: Code = elements === null ? whole : (e, env) => elements(e, env) ?? whole(e, env);
  const code = compileRepeatedCall(node, names, plain, compileOperand) ?? plain;
  return selected === null ? code : (e, env) => selected(e, env) ?? code(e, env);
}

/** Compiles a call with too few or too many arguments. Its value is the first error among the arguments, else `#N/A`. */
function compileWrongArity(args: readonly Node[], names: VariableScope | null): Code {
  const codes = args.map((arg) => compileOperand(arg, names));
  return (e, env) => {
    for (const code of codes) {
      const value = code(e, env);
      if (isError(value)) return value;
    }
    return NA;
  };
}

/** Compiles an argument for the function's parameter; null if it counts as omitted. */
function compileArgument(spec: FunctionSpec, index: number, arg: Node, names: VariableScope | null): Code | null {
  const expected = findParameter(spec, index);
  if (arg.k === 'missing') return expected?.missingIsAbsent ? null : compileConstant(null);
  return expected && isWholeKind(expected.kind) ? compile(arg, names) : compileOperand(arg, names);
}

function compileFunction(spec: FunctionSpec, node: CallNode, names: VariableScope | null): Code {
  const canSelect = (spec.omits ?? spec.omitsErrors) !== undefined && !bindsFunctionName(names);
  const codes = node.args.map((arg, i) => {
    const code = compileArgument(spec, i, arg, names);
    const selected = canSelect
      ? (compileSelectedArgument(node, i, spec, names, compileOperand) ??
        compileQuotientArgument(node, i, spec, names, compileOperand))
      : null;
    return selected === null || code === null ? code : withSelection(selected, code);
  });
  return (e, env) => {
    const values: (Value | undefined)[] = new Array(codes.length);
    if (e.formats !== null) {
      const traced = compileTracedArguments(e, e.formats, env, codes);
      return invokeFunction(spec, e, traced.values, traced.formats);
    }
    for (let i = 0; i < codes.length; i++) values[i] = codes[i]?.(e, env);
    return invokeFunction(spec, e, values);
  };
}

/** Calculates arguments together with the formats of scalars. */
function compileTracedArguments(
  e: Evaluation,
  trace: FormatTrace,
  env: Environment | null,
  codes: readonly (Code | null)[],
): { readonly values: (Value | undefined)[]; readonly formats: readonly number[] } {
  const formats: number[] = [];
  const values = codes.map((code) => {
    trace.last = 0;
    const value = code?.(e, env);
    formats.push(trace.last);
    return value;
  });
  return { values, formats };
}

/**
 * Compiles a call that searches an index if there is one, and calls the function otherwise. The first argument is
 * calculated once for both ways, because nested lookups would otherwise double the work at each level. The exception is
 * a cell, which the function needs as a reference.
 */
function compileLookup(
  spec: FunctionSpec,
  lookup: CompiledLookup,
  args: readonly Node[],
  names: VariableScope | null,
): Code {
  const codes = args.map((arg, i) => compileArgument(spec, i, arg, names));
  const [first] = args;
  const cell = first?.k === 'cell' ? compileCell(first) : null;
  return (e, env) => {
    const wanted = (cell ?? codes[0])?.(e, env);
    const result = typeof wanted === 'number' || typeof wanted === 'string' ? lookup(e, wanted) : null;
    if (e.formats !== null && (result === null || spec.picks === undefined)) e.formats.last = 0;
    if (result !== null) return result;
    const values = codes.map((code, i) => (i === 0 && cell === null ? wanted : code?.(e, env)));
    return invokeFunction(spec, e, values);
  };
}

/** Compiles a call of a value: a LAMBDA that LET or a defined name binds, or that is called directly. */
function compileApply(callee: Code, args: readonly Node[], names: VariableScope | null): Code {
  const codes = args.map((arg) => (arg.k === 'missing' ? null : compile(arg, names)));
  return (e, env) => {
    const lambda = callee(e, env);
    if (isError(lambda)) return lambda;
    if (!(lambda instanceof Lambda)) return lambda === null ? NAME : REF;
    const trace = e.formats;
    if (trace === null) {
      return e.callLambda(
        lambda,
        codes.map((code) => code?.(e, env)),
      );
    }
    const { values, formats } = compileTracedArguments(e, trace, env, codes);
    return e.callLambda(lambda, values, formats);
  };
}
