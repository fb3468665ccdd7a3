import type { CallNode, Node } from '../formula/ast.ts';
import { nameKey } from '../formula/index.ts';
import { FORMS } from './catalogue.ts';

/** The names, by `nameKey`, that a call of LET or LAMBDA binds for its arguments. */
export function collectBoundNames(call: CallNode): readonly string[] {
  const binds = FORMS.get(call.name)?.binds;
  if (binds === undefined) return [];
  const names: string[] = [];
  for (let i = 0; i < call.args.length - 1; i += binds === 'pairs' ? 2 : 1) {
    const name = readDeclaredName(call.args[i]!);
    if (name !== null) names.push(name);
  }
  return names;
}

/**
 * For each argument of a call, the names that are bound in it; null for an argument that declares a name. `bound`: the
 * names that are bound around the call. Returns null if the call binds no names.
 */
export function listNamesBoundInArguments(
  call: CallNode,
  bound: readonly string[],
): readonly (readonly string[] | null)[] | null {
  const binds = FORMS.get(call.name)?.binds;
  if (binds === undefined) return null;
  const last = call.args.length - 1;
  let inner = bound;
  // A LET name is not yet bound in its own value.
  let waiting: string | null = null;
  return call.args.map((arg, i) => {
    const declares = i < last && (binds === 'parameters' || i % 2 === 0);
    const name = declares ? readDeclaredName(arg) : null;
    if (name === null) {
      const visible = inner;
      if (waiting !== null) inner = [...inner, waiting];
      waiting = null;
      return visible;
    }
    if (binds === 'parameters') inner = [...inner, name];
    else waiting = name;
    return null;
  });
}

/** The name that an argument declares, by `nameKey`. An optional parameter `[x]` is a TableNode without a table. */
function readDeclaredName(arg: Node): string | null {
  if (arg.k === 'name' && arg.sheet === undefined) return nameKey(arg.name);
  return arg.k === 'table' && arg.table === '' && arg.from !== undefined ? nameKey(arg.from) : null;
}
