import type { Node } from '../formula/ast.ts';
import { commonSize, spreadOver } from '../functions/broadcast.ts';
import { toBoolean, toNumber } from '../functions/coerce.ts';
import { compareOperands } from '../functions/order.ts';
import { Lambda, Matrix, type Value } from '../functions/value.ts';
import { type CellError, NA, NAME, VALUE } from '../value/errors.ts';
import { isError, type Scalar } from '../value/scalar.ts';
import { type Code, compile, compileOperand, constant } from './compile.ts';
import { type Environment, lookUp, type Names, valueAt } from './environment.ts';
import type { Evaluation } from './evaluation.ts';

/** A function that decides itself which of its arguments are evaluated. */
export type SpecialForm = (args: readonly Node[], names: Names | null) => Code;

/** How many arguments each form takes. */
const ARITY: Readonly<Record<string, readonly [least: number, most: number]>> = {
  IF: [1, 3],
  IFS: [2, 254],
  SWITCH: [3, 254],
  CHOOSE: [2, 255],
  IFERROR: [1, 2],
  IFNA: [2, 2],
  LET: [3, 255],
  LAMBDA: [1, 254],
  ISOMITTED: [1, 1],
};

/** What is wrong with the number of arguments of a form, as a sentence; null when it is right or no form. */
export function formArityProblem(name: string, count: number): string | null {
  const arity = ARITY[name];
  if (!arity) return null;
  if (count < arity[0]) return `${name} needs ${arity[0]} arguments or more, got ${count}`;
  return count > arity[1] ? `${name} takes at most ${arity[1]} arguments, got ${count}` : null;
}

export const SPECIAL_FORMS: ReadonlyMap<string, SpecialForm> = new Map(
  Object.entries({
    IF: compileIf,
    IFS: compileIfs,
    SWITCH: compileSwitch,
    CHOOSE: compileChoose,
    IFERROR: (args: readonly Node[], names: Names | null) => compileIfError(args, names, isError),
    IFNA: (args: readonly Node[], names: Names | null) => compileIfError(args, names, (value) => value === NA),
    LET: compileLet,
    LAMBDA: compileLambda,
    ISOMITTED: compileIsOmitted,
  }).map(([name, form]) => [name, checked(name, form)]),
);

function checked(name: string, form: SpecialForm): SpecialForm {
  return (args, names) => (formArityProblem(name, args.length) === null ? form(args, names) : constant(NA));
}

/** An argument of a form: left out in place it is the number 0, as in `IF(A1;;1)`. */
function branch(node: Node | undefined, names: Names | null, absent: Scalar): Code {
  if (node === undefined) return constant(absent);
  return node.k === 'missing' ? constant(0) : compile(node, names);
}

function compileIf(args: readonly Node[], names: Names | null): Code {
  const condition = compileOperand(args[0] as Node, names);
  const yes = branch(args[1], names, true);
  const no = branch(args[2], names, false);
  return (e, env) => {
    const value = condition(e, env);
    if (value instanceof Matrix) return chooseByElement(e, value, [plain(e, yes(e, env)), plain(e, no(e, env))]);
    const truth = truthOf(value);
    return isError(truth) ? truth : (truth ? yes : no)(e, env);
  };
}

function truthOf(value: Value): boolean | CellError {
  return value instanceof Lambda ? VALUE : toBoolean(value as Scalar);
}

function plain(e: Evaluation, value: Value): Scalar | Matrix {
  const held = e.dereference(value);
  return held instanceof Lambda ? VALUE : held;
}

function chooseByElement(e: Evaluation, conditions: Matrix, [yes, no]: [Scalar | Matrix, Scalar | Matrix]): Matrix {
  const { rows, columns } = commonSize([conditions, yes, no]);
  e.spend(rows * columns);
  const [tests, a, b] = [conditions, yes, no].map((operand) => spreadOver(operand, rows, columns));
  const data: Scalar[] = new Array(rows * columns);
  for (let at = 0; at < data.length; at++) {
    const truth = toBoolean(tests?.[at] as Scalar);
    data[at] = isError(truth) ? truth : ((truth ? a : b)?.[at] as Scalar);
  }
  return new Matrix(rows, columns, data);
}

/** Runs a function over the elements of broadcast operands. */
function elementwise(
  e: Evaluation,
  operands: readonly (Scalar | Matrix)[],
  compute: (elements: Scalar[]) => Scalar,
): Matrix {
  const { rows, columns } = commonSize(operands);
  e.spend(rows * columns);
  const spread = operands.map((operand) => spreadOver(operand, rows, columns));
  const data: Scalar[] = new Array(rows * columns);
  for (let at = 0; at < data.length; at++) data[at] = compute(spread.map((elements) => elements[at] as Scalar));
  return new Matrix(rows, columns, data);
}

function compileIfError(args: readonly Node[], names: Names | null, caught: (value: Value) => boolean): Code {
  const tried = compile(args[0] as Node, names);
  const otherwise = args[1] === undefined ? constant('') : branch(args[1], names, 0);
  return (e, env) => {
    const value = tried(e, env);
    const held = plainOrLambda(e, value);
    if (held instanceof Matrix) {
      if (!held.data.some(caught)) return value;
      return replaceCaught(e, held, plain(e, otherwise(e, env)), caught);
    }
    return caught(held) ? otherwise(e, env) : value;
  };
}

/** The elements of an array, those of another in place of the caught ones. */
function replaceCaught(
  e: Evaluation,
  held: Matrix,
  otherwise: Scalar | Matrix,
  caught: (value: Value) => boolean,
): Matrix {
  const { rows, columns } = commonSize([held, otherwise]);
  e.spend(rows * columns);
  const elements = spreadOver(held, rows, columns);
  const others = spreadOver(otherwise, rows, columns);
  const data: Scalar[] = new Array(rows * columns);
  for (let at = 0; at < data.length; at++) {
    const element = elements[at] as Scalar;
    data[at] = typeof element !== 'number' && caught(element) ? (others[at] as Scalar) : element;
  }
  return new Matrix(rows, columns, data);
}

function plainOrLambda(e: Evaluation, value: Value): Value {
  return e.dereference(value);
}

function compileIfs(args: readonly Node[], names: Names | null): Code {
  if (args.length % 2 !== 0) return constant(NA);
  const conditions: Code[] = [];
  const results: Code[] = [];
  for (let i = 0; i < args.length; i += 2) {
    conditions.push(compileOperand(args[i] as Node, names));
    results.push(branch(args[i + 1], names, 0));
  }
  return (e, env) => firstTrue(e, env, conditions, results, 0);
}

/** The result of the first condition that holds; from the first array on, element by element. */
function firstTrue(e: Evaluation, env: Environment | null, conditions: Code[], results: Code[], from: number): Value {
  for (let i = from; i < conditions.length; i++) {
    const condition = (conditions[i] as Code)(e, env);
    if (condition instanceof Matrix) {
      const rest = plain(e, firstTrue(e, env, conditions, results, i + 1));
      return chooseByElement(e, condition, [plain(e, (results[i] as Code)(e, env)), rest]);
    }
    const truth = truthOf(condition);
    if (isError(truth)) return truth;
    if (truth) return (results[i] as Code)(e, env);
  }
  return NA;
}

function compileSwitch(args: readonly Node[], names: Names | null): Code {
  const subject = compileOperand(args[0] as Node, names);
  const pairs = Math.floor((args.length - 1) / 2);
  const cases = Array.from({ length: pairs }, (_, i) => compileOperand(args[1 + 2 * i] as Node, names));
  const results = Array.from({ length: pairs }, (_, i) => branch(args[2 + 2 * i], names, 0));
  const otherwise = args.length % 2 === 0 ? branch(args[args.length - 1], names, 0) : constant(NA);
  return (e, env) => {
    const value = subject(e, env);
    if (value instanceof Matrix) return switchByElement(e, env, value, cases, results, otherwise);
    if (isError(value)) return value;
    for (let i = 0; i < cases.length; i++) {
      const candidate = plain(e, (cases[i] as Code)(e, env));
      if (isError(candidate)) return candidate;
      if (!(candidate instanceof Matrix) && equal(value as Scalar, candidate)) return (results[i] as Code)(e, env);
    }
    return otherwise(e, env);
  };
}

function equal(a: Scalar, b: Scalar): boolean {
  return !isError(a) && !isError(b) && compareOperands(a, b) === 0;
}

function switchByElement(
  e: Evaluation,
  env: Environment | null,
  subject: Matrix,
  cases: Code[],
  results: Code[],
  otherwise: Code,
): Matrix {
  const operands = [subject, ...cases, ...results].map((code) =>
    code instanceof Matrix ? code : plain(e, code(e, env)),
  );
  operands.push(plain(e, otherwise(e, env)));
  return elementwise(e, operands, (elements) => {
    const value = elements[0] as Scalar;
    if (isError(value)) return value;
    for (let i = 0; i < cases.length; i++) {
      if (equal(value, elements[1 + i] as Scalar)) return elements[1 + cases.length + i] as Scalar;
    }
    return elements[elements.length - 1] as Scalar;
  });
}

function compileChoose(args: readonly Node[], names: Names | null): Code {
  const index = compileOperand(args[0] as Node, names);
  const choices = args.slice(1).map((arg) => branch(arg, names, 0));
  return (e, env) => {
    const value = index(e, env);
    if (value instanceof Matrix) {
      const all = choices.map((choice) => plain(e, choice(e, env)));
      return elementwise(e, [value, ...all], (elements) => {
        const at = indexOf(e, elements[0] as Scalar, choices.length);
        return typeof at === 'number' ? (elements[at] as Scalar) : at;
      });
    }
    const at = value instanceof Lambda ? VALUE : indexOf(e, value as Scalar, choices.length);
    return typeof at === 'number' ? (choices[at - 1] as Code)(e, env) : at;
  };
}

function indexOf(e: Evaluation, value: Scalar, count: number): number | CellError {
  const number = toNumber(value, e);
  if (typeof number !== 'number') return number;
  const index = Math.trunc(number);
  return index >= 1 && index <= count ? index : VALUE;
}

/** The name that a parameter node declares, and whether it is optional (`[x]`); null where it is no name. */
function parameterOf(node: Node): { readonly name: string; readonly optional: boolean } | null {
  if (node.k === 'name' && !node.sheet) return { name: node.name.toUpperCase(), optional: false };
  if (node.k === 'table' && node.table === '' && node.from !== undefined && node.items.length === 0) {
    return { name: node.from.toUpperCase(), optional: true };
  }
  return null;
}

function compileLet(args: readonly Node[], names: Names | null): Code {
  if (args.length % 2 === 0) return constant(NA);
  const bound: string[] = [];
  const codes: Code[] = [];
  for (let i = 0; i + 1 < args.length; i += 2) {
    const parameter = parameterOf(args[i] as Node);
    if (!parameter || parameter.optional) return constant(NAME);
    // A binding sees those before it: the names of one LET share an environment that fills from left to right.
    codes.push(compile(args[i + 1] as Node, { names: bound.slice(), outer: names }));
    bound.push(parameter.name);
  }
  const body = compile(args[args.length - 1] as Node, { names: bound, outer: names });
  return (e, env) => {
    const inner: Environment = { values: [], outer: env };
    for (const code of codes) inner.values.push(code(e, inner));
    return body(e, inner);
  };
}

function compileLambda(args: readonly Node[], names: Names | null): Code {
  const parameters = args.slice(0, -1).map(parameterOf);
  if (parameters.some((p) => p === null)) return constant(VALUE);
  const declared = parameters as { name: string; optional: boolean }[];
  const body = compile(args[args.length - 1] as Node, { names: declared.map((p) => p.name), outer: names });
  const optional = declared.filter((p) => p.optional).length;
  return (e, env) =>
    new Lambda(declared.length, optional, (values) => {
      const inner: (Value | undefined)[] = new Array(declared.length);
      for (let i = 0; i < values.length; i++) inner[i] = values[i];
      return body(e, { values: inner, outer: env });
    });
}

function compileIsOmitted(args: readonly Node[], names: Names | null): Code {
  const node = args[0] as Node;
  const bound = node.k === 'name' ? lookUp(names, node.name) : null;
  if (!bound) return constant(VALUE);
  return (_, env) => valueAt(env, bound.depth, bound.index) === undefined;
}
