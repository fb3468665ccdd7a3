import { findBoundFormat, findVariable } from '../../functions/forms/environment.ts';
import type { Code } from '../evaluation.ts';

/** The value of a name that a surrounding LET or LAMBDA binds. */
export function compileBoundName({ depth, index }: { readonly depth: number; readonly index: number }): Code {
  return (e, env) => {
    if (e.formats !== null) e.formats.last = findBoundFormat(env, depth, index);
    return findVariable(env, depth, index) ?? null;
  };
}
