import type { CallNode } from '../../formula/ast.ts';
import { countGrowingDistinct } from '../../functions/array/distinct-counts.ts';
import { FUNCTIONS } from '../../functions/catalogue.ts';
import type { FunctionSpec } from '../../functions/spec.ts';
import { Reference } from '../../functions/value.ts';
import type { Evaluation } from '../evaluation.ts';
import { compileArea } from '../references.ts';
import { countRows } from './range-conditions.ts';

/**
 * Compiles `ROWS(UNIQUE(A$1:A9))` and `COUNTA(UNIQUE(A$1:A9))` to a count that continues the count of the previous
 * row without an array. Returns null for other calls. The count is null if the array must be calculated.
 */
export function compileDistinctCount(
  { args: [counted] }: CallNode,
  { distinct }: FunctionSpec,
): ((e: Evaluation) => number | null) | null {
  if (distinct !== 'counted' && distinct !== 'countedFilled') return null;
  if (counted?.k !== 'call' || FUNCTIONS.get(counted.name)?.distinct !== 'listed') return null;
  const [range, ...options] = counted.args;
  if (range?.k !== 'area' || options.length > 0) return null;
  const code = compileArea(range);
  return (e) => {
    const value = code(e, null);
    if (!(value instanceof Reference)) return null;
    const count = countGrowingDistinct(e, [value]);
    if (count === null) return null;
    if (e.formats !== null) e.formats.last = 0;
    // UNIQUE lists all blank cells as one value, which COUNTA does not count.
    const hasBlanks = distinct === 'counted' && e.computeTotals(value).filled < countRows(value);
    return hasBlanks ? count + 1 : count;
  };
}
