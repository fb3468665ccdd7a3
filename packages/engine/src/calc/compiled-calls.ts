import type { CallNode } from '../formula/ast.ts';
import type { VariableScope } from '../functions/forms/environment.ts';
import type { Code } from './evaluation.ts';

/** The code of a call in the body of the LET or LAMBDA that binds `names`. */
interface CompiledCall {
  readonly names: VariableScope | null;
  readonly code: Code;
}

/** The calls of the formula that is being compiled. */
const compiledCalls = new Map<CallNode, CompiledCall>();

/**
 * Returns the code of a call, which `compile` creates once. Several ways to calculate a call compile the same arguments,
 * so that each level of nesting would otherwise multiply the time of compiling a formula.
 */
export function compileCallOnce(
  node: CallNode,
  names: VariableScope | null,
  compile: (node: CallNode, names: VariableScope | null) => Code,
): Code {
  const known = compiledCalls.get(node);
  if (known !== undefined && known.names === names) return known.code;
  const code = compile(node, names);
  compiledCalls.set(node, { names, code });
  return code;
}

/** Forgets the calls of a formula that is compiled. */
export function forgetCompiledCalls(): void {
  compiledCalls.clear();
}
