import type { CallNode } from './ast.ts';

/**
 * The upper-case names that a LET or LAMBDA call binds: the first of each pair, or all arguments but the last.
 * An optional parameter `[x]` is a TableNode without a table.
 */
export function boundNames(call: CallNode): readonly string[] {
  if (call.name !== 'LET' && call.name !== 'LAMBDA') return [];
  const step = call.name === 'LET' ? 2 : 1;
  const names: string[] = [];
  for (let i = 0; i < call.args.length - 1; i += step) {
    const arg = call.args[i];
    if (arg?.k === 'name' && arg.sheet === undefined) names.push(arg.name.toUpperCase());
    else if (arg?.k === 'table' && arg.table === '' && arg.from !== undefined) names.push(arg.from.toUpperCase());
  }
  return names;
}
