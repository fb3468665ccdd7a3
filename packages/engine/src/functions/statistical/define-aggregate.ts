import { type DefineOptions, defineVariadic } from '../define.ts';
import type { FunctionContext, FunctionSpec } from '../spec.ts';
import type { Value } from '../value.ts';

/** Defines a statistical function that aggregates one or more values. */
export function defineAggregate(
  name: string,
  run: (context: FunctionContext, args: readonly Value[]) => Value,
  options?: DefineOptions,
): FunctionSpec {
  return defineVariadic(
    'statistical',
    name,
    ['value'],
    ['value'],
    (context, first, rest) => run(context, [first, ...rest]),
    options,
  );
}
