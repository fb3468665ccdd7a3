import type { Node } from '../../formula/ast.ts';
import { nameKey, transformScoped } from '../../formula/index.ts';
import { listNamesBoundInArguments } from '../../functions/bound-names.ts';
import { FORMS } from '../../functions/catalogue.ts';
import { compileConstant } from '../../functions/forms/compiler.ts';
import { findNameInScope } from '../../graph/names-in-scope.ts';
import type { Code, Evaluation } from '../evaluation.ts';

/**
 * Compiles a formula with names; see `inlineReferences`. The code compiles the formula again if the defined names or the
 * formula's sheet, which can have its own names, are not the same as at the last call.
 */
export function compileWithNames(node: Node, compile: (node: Node) => Code): Code {
  let code: Code = compileConstant(null);
  let names: Evaluation['names'] | null = null;
  let sheet = -1;
  return (e, env) => {
    if (e.names !== names || (e.names.length > 0 && e.sheet !== sheet)) {
      names = e.names;
      sheet = e.sheet;
      const inlined = inlineReferences(node, (name) => findNamedReference(e, name));
      code = compile(inlined);
    }
    return code(e, env);
  };
}

/** The reference that a defined name stands for; null if its formula is not a plain reference. */
function findNamedReference(e: Evaluation, name: string): Node | null {
  let defined = findNameInScope(name, e.sheet, e.names)?.node;
  while (defined?.k === 'parentheses') defined = defined.arg;
  return defined !== undefined && isPlainReference(defined) ? defined : null;
}

/**
 * Names by `nameKey` that LET and LAMBDA bind: the reference that LET binds to the name, or null for another value.
 */
type BoundReferences = ReadonlyMap<string, Node | null>;

const NO_NAMES: BoundReferences = new Map();

/**
 * Replaces names that stand for plain references (`LET(a;A1:A9;SUM(a))`, a defined name of a range) by these
 * references, so that formulas with names are calculated as fast as formulas with ranges. `findReference` returns the
 * reference of a name that no LET or LAMBDA binds; null for none.
 */
function inlineReferences(node: Node, findReference: (name: string) => Node | null): Node {
  return transformScoped(node, NO_NAMES, listInnerNames, (next, bound) => {
    if (next.k !== 'name' || next.sheet !== undefined) return next;
    const key = nameKey(next.name);
    return (bound.has(key) ? bound.get(key) : findReference(next.name)) ?? next;
  });
}

/** The names that are bound in each argument of a call; null for an argument that declares a name. */
function listInnerNames(node: Node, bound: BoundReferences): readonly (BoundReferences | null)[] | null {
  if (node.k !== 'call') return null;
  const form = FORMS.get(node.name);
  // The argument of ISOMITTED is a parameter, not a value.
  if (form !== undefined && !form.branches && form.binds === undefined) return node.args.map(() => null);
  const names = listNamesBoundInArguments(node, [...bound.keys()]);
  if (names === null) return null;
  const values = new Map<string, Node | null>();
  for (let i = 0; form?.binds === 'pairs' && i + 2 < node.args.length; i += 2) {
    const [declared, value] = [node.args[i]!, node.args[i + 1]!];
    if (declared.k === 'name') values.set(nameKey(declared.name), findPlainReference(value, bound));
  }
  return names.map((inArgument) => {
    if (inArgument === null) return null;
    const inner = new Map(bound);
    for (const name of inArgument.slice(bound.size)) inner.set(name, values.get(name) ?? null);
    return inner;
  });
}

function findPlainReference(value: Node, bound: BoundReferences): Node | null {
  if (value.k === 'parentheses') return findPlainReference(value.arg, bound);
  if (value.k === 'name' && value.sheet === undefined) return bound.get(nameKey(value.name)) ?? null;
  return isPlainReference(value) ? value : null;
}

/** True for a cell, a range of one sheet, or columns of a table. */
function isPlainReference(node: Node): boolean {
  if (node.k === 'table') return node.table !== '';
  return (node.k === 'cell' || node.k === 'area') && (node.sheet === undefined || 'id' in node.sheet);
}
