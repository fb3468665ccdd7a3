import type { Node } from '../../formula/ast.ts';
import { type CellError, NA, VALUE } from '../../value/errors.ts';
import { isError, type Scalar } from '../../value/scalar.ts';
import { BroadcastOperand, computeCommonSize } from '../broadcast.ts';
import { toBoolean, toNumber } from '../coerce.ts';
import { defineForm } from '../define.ts';
import { chooseTypedElements } from '../elements/typed-arrays.ts';
import { FormatList } from '../formats.ts';
import { areOperandsEqual } from '../order.ts';
import { runInSteps } from '../run-in-steps.ts';
import type { FormSpec } from '../spec.ts';
import { Lambda, Matrix, type Value } from '../value.ts';
import { type Code, type CompileForm, type Compiler, compileConstant, type FormContext } from './compiler.ts';
import type { Environment, VariableScope } from './environment.ts';

/** The cost of choosing an element, in additions of numbers. */
const BRANCH_WEIGHT = 4;

/** Compiles an argument of a form. An argument that is left empty is the number 0, as in `IF(A1;;1)`. */
function compileBranch<E extends FormContext>(
  node: Node | undefined,
  names: VariableScope | null,
  compiler: Compiler<E>,
  absent: Scalar,
): Code<E> {
  if (node === undefined) return compileConstant(absent);
  return node.k === 'missing' ? compileConstant(0) : compiler.value(node, names);
}

/** IF: calculates only the branch that the condition selects, but both for an array of conditions. */
function compileIf<E extends FormContext>(
  args: readonly Node[],
  names: VariableScope | null,
  compiler: Compiler<E>,
): Code<E> {
  const condition = compiler.operand(args[0]!, names);
  const yes = compileBranch(args[1], names, compiler, true);
  const no = compileBranch(args[2], names, compiler, false);
  return (e, env) => {
    const value = condition(e, env);
    if (value instanceof Matrix)
      return chooseByElement(e, value, [evaluateOperand(e, env, yes), evaluateOperand(e, env, no)]);
    const truth = toCondition(value);
    return isError(truth) ? truth : (truth ? yes : no)(e, env);
  };
}

/** Converts a value to a condition. */
function toCondition(value: Value): boolean | CellError {
  return value instanceof Lambda ? VALUE : toBoolean(value as Scalar);
}

/** Replaces a reference by the content of its cells, and a function by `#VALUE!`. */
function toContent(e: FormContext, value: Value): Scalar | Matrix {
  const content = e.dereference(value);
  return content instanceof Lambda ? VALUE : content;
}

/** Evaluates an expression whose elements will be selected one by one. A scalar with a format becomes a 1 × 1 array. */
function evaluateOperand<E extends FormContext>(e: E, env: Environment | null, code: Code<E>): Scalar | Matrix {
  return withElementFormats(e, toContent(e, code(e, env)));
}

/** Converts a scalar with a number format to a 1 × 1 array, which can store the format. */
function withElementFormats(e: FormContext, value: Scalar | Matrix): Scalar | Matrix {
  const format = e.formats?.last ?? 0;
  return format === 0 || value instanceof Matrix ? value : new Matrix(1, 1, [value], format);
}

/** IF for arrays: each element of `conditions` selects an element of `yes` or `no`. */
function chooseByElement(e: FormContext, conditions: Matrix, [yes, no]: [Scalar | Matrix, Scalar | Matrix]): Matrix {
  const { rows, columns } = computeCommonSize([conditions, yes, no]);
  e.spendElements(rows * columns, conditions.length === rows * columns);
  const typed = hasNoFormat(yes) && hasNoFormat(no) ? chooseTypedElements(e, conditions, yes, no) : null;
  if (typed !== null) return new Matrix(rows, columns, typed);
  const tests = new BroadcastOperand(conditions, rows, columns);
  const [a, b] = [new BroadcastOperand(yes, rows, columns), new BroadcastOperand(no, rows, columns)];
  const data: Scalar[] = new Array(rows * columns);
  runInSteps(
    e,
    data.length,
    (from, to) => {
      for (let at = from; at < to; at++) {
        const truth = toBoolean(tests.getValue(at));
        data[at] = isError(truth) ? truth : (truth ? a : b).getValue(at);
      }
    },
    BRANCH_WEIGHT,
  );
  if (a.format === 0 && b.format === 0) return new Matrix(rows, columns, data);
  const chosen = new FormatList(data.length);
  for (let at = 0; at < data.length; at++) {
    e.reportWork(1);
    chosen.set(at, (toBoolean(tests.getValue(at)) === true ? a : b).getFormat(at));
  }
  return new Matrix(rows, columns, data, chosen.result);
}

function hasNoFormat(operand: Scalar | Matrix): boolean {
  return !(operand instanceof Matrix) || operand.formats === 0;
}

/** Creates an array. For each position, it takes the element of one of the operands, or an error. */
function selectByElement(
  e: FormContext,
  operands: readonly (Scalar | Matrix)[],
  choose: (elementOf: (operand: number) => Scalar) => number | CellError,
): Matrix {
  const { rows, columns } = computeCommonSize(operands);
  e.spendElements(rows * columns);
  const spread = operands.map((operand) => new BroadcastOperand(operand, rows, columns));
  const data: Scalar[] = new Array(rows * columns);
  const chosen = new FormatList(data.length);
  let at = 0;
  const elementOf = (operand: number) => spread[operand]!.getValue(at);
  for (; at < data.length; at++) {
    e.reportWork(spread.length);
    const index = choose(elementOf);
    data[at] = typeof index === 'number' ? elementOf(index) : index;
    if (typeof index === 'number') chosen.set(at, spread[index]!.getFormat(at));
  }
  return new Matrix(rows, columns, data, chosen.result);
}

/**
 * IFERROR and IFNA: return the first argument, or the second if `caught` is true for the first; arrays element by
 * element.
 */
function compileIfCaught(caught: (value: Value) => boolean): CompileForm {
  return (args, names, compiler) => {
    const tried = compiler.value(args[0]!, names);
    const otherwise = args[1] === undefined ? compileConstant('') : compileBranch(args[1], names, compiler, 0);
    return (e, env) => {
      const value = tried(e, env);
      const content = e.dereference(value);
      if (content instanceof Matrix) {
        if (!content.data.some(caught)) return value;
        return replaceCaught(e, content, evaluateOperand(e, env, otherwise), caught);
      }
      return caught(content) ? otherwise(e, env) : value;
    };
  };
}

/** Returns the elements of an array. Elements for which `caught` is true are replaced. */
function replaceCaught(
  e: FormContext,
  matrix: Matrix,
  otherwise: Scalar | Matrix,
  caught: (value: Value) => boolean,
): Matrix {
  const { rows, columns } = computeCommonSize([matrix, otherwise]);
  e.spendElements(rows * columns);
  const elements = new BroadcastOperand(matrix, rows, columns);
  const others = new BroadcastOperand(otherwise, rows, columns);
  const data: Scalar[] = new Array(rows * columns);
  const chosen = new FormatList(data.length);
  for (let at = 0; at < data.length; at++) {
    e.reportWork(1);
    const element = elements.getValue(at);
    const isCaught = typeof element !== 'number' && caught(element);
    data[at] = isCaught ? others.getValue(at) : element;
    chosen.set(at, (isCaught ? others : elements).getFormat(at));
  }
  return new Matrix(rows, columns, data, chosen.result);
}

/** IFS: calculates only the result of the first true condition. */
function compileIfs<E extends FormContext>(
  args: readonly Node[],
  names: VariableScope | null,
  compiler: Compiler<E>,
): Code<E> {
  if (args.length % 2 !== 0) return compileConstant(NA);
  const conditions: Code<E>[] = [];
  const results: Code<E>[] = [];
  for (let i = 0; i < args.length; i += 2) {
    conditions.push(compiler.operand(args[i]!, names));
    results.push(compileBranch(args[i + 1], names, compiler, 0));
  }
  return (e, env) => evaluateFirstTrue(e, env, conditions, results, 0);
}

/**
 * Returns the result of the first true condition. If a condition is an array, this condition and the later ones are
 * evaluated element by element.
 */
function evaluateFirstTrue<E extends FormContext>(
  e: E,
  env: Environment | null,
  conditions: readonly Code<E>[],
  results: readonly Code<E>[],
  from: number,
): Value {
  for (let i = from; i < conditions.length; i++) {
    const condition = conditions[i]!(e, env);
    if (condition instanceof Matrix) {
      const rest = withElementFormats(e, toContent(e, evaluateFirstTrue(e, env, conditions, results, i + 1)));
      return chooseByElement(e, condition, [evaluateOperand(e, env, results[i]!), rest]);
    }
    const truth = toCondition(condition);
    if (isError(truth)) return truth;
    if (truth) return results[i]!(e, env);
  }
  return NA;
}

/** SWITCH: calculates only the result of the first equal case. */
function compileSwitch<E extends FormContext>(
  args: readonly Node[],
  names: VariableScope | null,
  compiler: Compiler<E>,
): Code<E> {
  const subject = compiler.operand(args[0]!, names);
  const pairs = Math.floor((args.length - 1) / 2);
  const cases = Array.from({ length: pairs }, (_, i) => compiler.operand(args[1 + 2 * i]!, names));
  const results = Array.from({ length: pairs }, (_, i) => compileBranch(args[2 + 2 * i], names, compiler, 0));
  const otherwise =
    args.length % 2 === 0 ? compileBranch(args[args.length - 1], names, compiler, 0) : compileConstant(NA);
  return (e, env) => {
    const value = subject(e, env);
    if (value instanceof Matrix) return switchByElement(e, env, value, cases, results, otherwise);
    if (isError(value)) return value;
    for (let i = 0; i < cases.length; i++) {
      const candidate = toContent(e, cases[i]!(e, env));
      if (isError(candidate)) return candidate;
      if (!(candidate instanceof Matrix) && areEqualScalars(value as Scalar, candidate)) return results[i]!(e, env);
    }
    return otherwise(e, env);
  };
}

function areEqualScalars(a: Scalar, b: Scalar): boolean {
  return !isError(a) && !isError(b) && areOperandsEqual(a, b);
}

/** SWITCH for an array: compares each element separately with the cases. */
function switchByElement<E extends FormContext>(
  e: E,
  env: Environment | null,
  subject: Matrix,
  cases: readonly Code<E>[],
  results: readonly Code<E>[],
  otherwise: Code<E>,
): Matrix {
  const operands = [subject, ...[...cases, ...results, otherwise].map((code) => evaluateOperand(e, env, code))];
  return selectByElement(e, operands, (elementOf) => {
    const value = elementOf(0);
    if (isError(value)) return value;
    for (let i = 0; i < cases.length; i++) {
      if (areEqualScalars(value, elementOf(1 + i))) return 1 + cases.length + i;
    }
    return operands.length - 1;
  });
}

/** CHOOSE: calculates only the argument with the index, but all arguments for an array of indexes. */
function compileChoose<E extends FormContext>(
  args: readonly Node[],
  names: VariableScope | null,
  compiler: Compiler<E>,
): Code<E> {
  const index = compiler.operand(args[0]!, names);
  const choices = args.slice(1).map((arg) => compileBranch(arg, names, compiler, 0));
  return (e, env) => {
    const value = index(e, env);
    if (value instanceof Matrix) {
      const all = choices.map((choice) => evaluateOperand(e, env, choice));
      return selectByElement(e, [value, ...all], (elementOf) => readChoice(e, elementOf(0), choices.length));
    }
    const at = value instanceof Lambda ? VALUE : readChoice(e, value as Scalar, choices.length);
    return typeof at === 'number' ? choices[at - 1]!(e, env) : at;
  };
}

/** Converts the first argument of CHOOSE to a number from 1 to `count`. */
function readChoice(e: FormContext, value: Scalar, count: number): number | CellError {
  const number = toNumber(value, e);
  if (typeof number !== 'number') return number;
  const index = Math.trunc(number);
  return index >= 1 && index <= count ? index : VALUE;
}

/** Forms that return one of their arguments. */
export const BRANCHES: readonly FormSpec[] = [
  defineForm('IF', ['any', 'value?', 'value?'], [], compileIf, { branches: true, comparisons: 'chosen' }),
  defineForm('IFS', ['any', 'any'], ['any', 'any'], compileIfs, { most: 254, branches: true }),
  defineForm('SWITCH', ['any', 'any', 'any'], ['any'], compileSwitch, { most: 254, branches: true }),
  defineForm('CHOOSE', ['any', 'value'], ['value'], compileChoose, { branches: true }),
  defineForm('IFERROR', ['any', 'any?'], [], compileIfCaught(isError), { branches: true }),
  defineForm(
    'IFNA',
    ['any', 'any'],
    [],
    compileIfCaught((value) => value === NA),
    { branches: true },
  ),
];
