import type { CallNode, Node } from '../formula/ast.ts';
import { nameKey } from '../formula/index.ts';
import { FORMS } from './catalogue.ts';

/** The names, by `nameKey`, that a call of LET or LAMBDA binds within its arguments. */
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

/** The name that an argument declares, by `nameKey`. An optional parameter `[x]` is a TableNode without a table. */
export function readDeclaredName(arg: Node): string | null {
  if (arg.k === 'name' && arg.sheet === undefined) return nameKey(arg.name);
  return arg.k === 'table' && arg.table === '' && arg.from !== undefined ? nameKey(arg.from) : null;
}
