import { nameKey } from '../../formula/index.ts';
import type { Value } from '../value.ts';

/** Values of the surrounding LET names and LAMBDA parameters; `undefined` for an omitted parameter. */
export interface Environment {
  readonly values: (Value | undefined)[];
  /** Formats of the scalars among the values; null if formats are not tracked. */
  readonly formats: readonly (number | undefined)[] | null;
  readonly outer: Environment | null;
}

/**
 * Names that are visible in a formula, the innermost last. It has the same structure as the chain of environments at
 * run time.
 */
export interface VariableScope {
  /** The bound names, in the form that `nameKey` returns. */
  readonly names: readonly string[];
  readonly outer: VariableScope | null;
  /** True for the parameters of a LAMBDA, which has other values in each call. */
  readonly isLambda?: true;
}

/** True inside the body of a LAMBDA. */
export function isInLambda(names: VariableScope | null): boolean {
  for (let scope = names; scope !== null; scope = scope.outer) if (scope.isLambda) return true;
  return false;
}

/** True for a name that is bound outside the innermost LAMBDA around it: it has the same value in many calls. */
export function isBoundOutsideLambda(names: VariableScope | null, name: string): boolean {
  const bound = lookUp(names, name);
  let scope = names;
  for (let depth = 0; bound !== null && scope !== null && depth < bound.depth; depth++, scope = scope.outer)
    if (scope.isLambda) return true;
  return false;
}

/**
 * Finds a name: the number of environments to go outwards, and the index there; null if no surrounding LET or LAMBDA
 * binds the name.
 */
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

/** The format of a bound value; `GENERAL` if formats are not tracked. */
export function findBoundFormat(environment: Environment | null, depth: number, index: number): number {
  let at = environment;
  for (let i = 0; i < depth && at !== null; i++) at = at.outer;
  return at?.formats?.[index] ?? 0;
}

/** The value of a bound name, by the place that `lookUp` returns; undefined for an omitted parameter. */
export function findVariable(environment: Environment | null, depth: number, index: number): Value | undefined {
  let at = environment;
  for (let i = 0; i < depth && at !== null; i++) at = at.outer;
  return at?.values[index];
}
