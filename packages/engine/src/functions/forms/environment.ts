import { nameKey } from '../../formula/index.ts';
import type { Value } from '../value.ts';

/** Values of the surrounding LET names and LAMBDA parameters; `undefined` for an omitted parameter. */
export interface Environment {
  readonly values: (Value | undefined)[];
  /** Formats of the scalars among them; null if formats are not followed. */
  readonly formats: readonly (number | undefined)[] | null;
  readonly outer: Environment | null;
}

/** Names that are visible in a formula, innermost last. Mirrors the chain of environments at run time. */
export interface VariableScope {
  /** The bound names, as `nameKey` gives them. */
  readonly names: readonly string[];
  readonly outer: VariableScope | null;
}

/** The number of environments outwards, and the index in it; null if no surrounding LET or LAMBDA binds the name. */
export function lookUp(names: VariableScope | null, name: string): { depth: number; index: number } | null {
  if (names === null) return null;
  const key = nameKey(name);
  let depth = 0;
  for (let at: VariableScope | null = names; at !== null; at = at.outer, depth++) {
    const index = at.names.lastIndexOf(key);
    if (index >= 0) return { depth, index };
  }
  return null;
}

/** The format of a bound value, if formats are followed. */
export function findBoundFormat(environment: Environment | null, depth: number, index: number): number {
  let at = environment;
  for (let i = 0; i < depth && at !== null; i++) at = at.outer;
  return at?.formats?.[index] ?? 0;
}

export function findVariable(environment: Environment | null, depth: number, index: number): Value | undefined {
  let at = environment;
  for (let i = 0; i < depth && at !== null; i++) at = at.outer;
  return at?.values[index];
}
