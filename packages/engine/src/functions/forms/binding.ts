import type { Node } from '../../formula/ast.ts';
import { nameKey } from '../../formula/index.ts';
import { NA, NAME, VALUE } from '../../value/errors.ts';
import { defineForm } from '../define.ts';
import type { FormSpec } from '../spec.ts';
import { Lambda, type Value } from '../value.ts';
import { type Code, type Compiler, compileConstant, type FormContext } from './compiler.ts';
import { type Environment, findVariable, lookUp, type VariableScope } from './environment.ts';

/**
 * Returns the name that a parameter declares, by `nameKey`, and whether it is optional (`[x]`); null if the node is not
 * a name.
 */
function readParameter(node: Node): { readonly name: string; readonly optional: boolean } | null {
  if (node.k === 'name' && !node.sheet) return { name: nameKey(node.name), optional: false };
  if (node.k === 'table' && node.table === '' && node.from !== undefined && node.items.length === 0) {
    return { name: nameKey(node.from), optional: true };
  }
  return null;
}

/** LET: evaluates an expression with names that are bound to values. */
function compileLet<E extends FormContext>(
  args: readonly Node[],
  names: VariableScope | null,
  compiler: Compiler<E>,
): Code<E> {
  if (args.length % 2 === 0) return compileConstant(NA);
  const bound: string[] = [];
  const codes: Code<E>[] = [];
  for (let i = 0; i + 1 < args.length; i += 2) {
    const parameter = readParameter(args[i]!);
    if (!parameter || parameter.optional) return compileConstant(NAME);
    // A value can use the names before it: all names of one LET share an environment that is filled from left to right.
    codes.push(compiler.value(args[i + 1]!, { names: bound.slice(), outer: names }));
    bound.push(parameter.name);
  }
  const body = compiler.value(args[args.length - 1]!, { names: bound, outer: names });
  return (e, env) => {
    const formats: number[] | null = e.formats === null ? null : [];
    const inner: Environment = { values: [], formats, outer: env };
    for (const code of codes) {
      inner.values.push(code(e, inner));
      if (e.formats !== null) formats?.push(e.formats.last);
    }
    return body(e, inner);
  };
}

/** LAMBDA: creates a function with parameters. */
function compileLambda<E extends FormContext>(
  args: readonly Node[],
  names: VariableScope | null,
  compiler: Compiler<E>,
): Code<E> {
  const parameters = args.slice(0, -1).map(readParameter);
  if (parameters.some((p) => p === null)) return compileConstant(VALUE);
  const declared = parameters as { name: string; optional: boolean }[];
  const scope: VariableScope = { names: declared.map((p) => p.name), outer: names, isLambda: true };
  const body = compiler.value(args[args.length - 1]!, scope);
  const optional = declared.filter((p) => p.optional).length;
  return (e, env) =>
    new Lambda(declared.length, optional, (values, formats) => {
      const inner: (Value | undefined)[] = new Array(declared.length);
      for (let i = 0; i < values.length; i++) inner[i] = values[i];
      return body(e, { values: inner, formats, outer: env });
    });
}

/** ISOMITTED: true if an optional parameter got no argument. */
function compileIsOmitted<E extends FormContext>(args: readonly Node[], names: VariableScope | null): Code<E> {
  const node = args[0]!;
  const bound = node.k === 'name' ? lookUp(names, node.name) : null;
  if (!bound) return compileConstant(VALUE);
  return (_, env) => findVariable(env, bound.depth, bound.index) === undefined;
}

/** Forms that bind names, and ISOMITTED. */
export const BINDING: readonly FormSpec[] = [
  defineForm('LET', ['value', 'value', 'value'], ['value'], compileLet, {
    binds: 'pairs',

    manyCells: true,
  }),
  defineForm('LAMBDA', ['value'], ['value'], compileLambda, { most: 254, binds: 'parameters', manyCells: true }),
  defineForm('ISOMITTED', ['value'], [], compileIsOmitted, { manyCells: true }),
];
