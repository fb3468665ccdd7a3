import { type CellError, VALUE } from '../value/errors.ts';
import { isError } from '../value/scalar.ts';
import { toBoolean } from './coerce.ts';
import { define, defineVariadic } from './define.ts';
import { forEachValue } from './shape.ts';
import type { FunctionContext, FunctionSpec } from './spec.ts';
import type { Value } from './value.ts';

interface TruthCounts {
  trues: number;
  falses: number;
}

/**
 * Counts the booleans of all arguments. Texts and blanks in arrays and ranges are ignored. A text argument counts if it
 * is TRUE or FALSE, and is ignored otherwise. Returns `#VALUE!` if there is no boolean.
 */
function countTruths(context: FunctionContext, values: readonly Value[]): TruthCounts | CellError {
  const counts: TruthCounts = { trues: 0, falses: 0 };
  let problem: CellError | null = null;
  for (const value of values) {
    forEachValue(context, value, (scalar, direct) => {
      if (problem || (!direct && (typeof scalar === 'string' || scalar === null))) return;
      const truth = toBoolean(scalar);
      if (isError(truth) && typeof scalar === 'string') return;
      if (isError(truth)) problem = truth;
      else if (truth) counts.trues++;
      else counts.falses++;
    });
    if (problem) return problem;
  }
  return counts.trues + counts.falses === 0 ? VALUE : counts;
}

/** Defines AND, OR or XOR. `decide` gets the numbers of true and false values. */
function defineConnective(name: string, decide: (counts: TruthCounts) => boolean): FunctionSpec {
  return defineVariadic('logical', name, ['value'], ['value'], (context, first, rest) => {
    const counts = countTruths(context, [first, ...rest]);
    return isError(counts) ? counts : decide(counts);
  });
}

export const LOGICAL: readonly FunctionSpec[] = [
  defineConnective('AND', (counts) => counts.falses === 0),
  defineConnective('OR', (counts) => counts.trues > 0),
  defineConnective('XOR', (counts) => counts.trues % 2 === 1),
  define('logical', 'NOT', ['boolean'], (_, value) => !value),
  define('logical', 'TRUE', [], () => true),
  define('logical', 'FALSE', [], () => false),
];
