import { type CellError, NA, VALUE } from '../../value/errors.ts';
import { isError } from '../../value/scalar.ts';
import type { AllocationMeter } from '../context.ts';
import { type DefineOptions, defineVariadic } from '../define.ts';
import { forEachNumber, gatherNumbersByRow } from '../gather-numbers.ts';
import { readGrowingRange } from '../growing-range.ts';
import { mode, modes } from '../numeric/summary.ts';
import { reserveMap } from '../reserve-memory.ts';
import type { FunctionContext, FunctionSpec } from '../spec.ts';
import { Matrix, type Value } from '../value.ts';

/** The number of times that a value occurs, and its place among the distinct values in order of appearance. */
interface Occurrences {
  readonly value: number;
  readonly place: number;
  count: number;
}

/** The mode of the numbers of a range that grows row by row. */
class RunningMode {
  private readonly occurrences = new Map<number, Occurrences>();
  /** The most frequent value. If several values are equally frequent, the earliest of them. */
  private best: Occurrences | null = null;

  add(context: AllocationMeter, value: number): void {
    let found = this.occurrences.get(value);
    if (found === undefined) {
      reserveMap(context, this.occurrences.size);
      found = { value, place: this.occurrences.size, count: 0 };
      this.occurrences.set(value, found);
    }
    found.count++;
    const { best } = this;
    const isBest =
      best === null || found.count > best.count || (found.count === best.count && found.place < best.place);
    if (isBest) this.best = found;
  }

  /** The mode; `#N/A` if no value occurs twice. */
  get result(): number | CellError {
    return this.best === null || this.best.count < 2 ? NA : this.best.value;
  }
}

/** Owner of the values of growing ranges; see `FunctionContext.getRangeState`. */
const RUNNING_MODES = {};

/** The mode of a long range of one column; null for other arguments. */
function computeGrowingMode(context: FunctionContext, args: readonly Value[]): Value {
  const running = readGrowingRange(
    context,
    RUNNING_MODES,
    args,
    () => new RunningMode(),
    (state, rows) => forEachNumber(context, [rows], (value) => state.add(context, value)),
  );
  return running instanceof RunningMode ? running.result : running;
}

/**
 * Defines a function of modes. It refuses texts as arguments, even numeric ones. `computeGrowing`: calculates it for a long
 * range; null for other arguments.
 */
function defineModes(
  name: string,
  run: (values: readonly number[], context: AllocationMeter) => Value,
  computeGrowing: ((context: FunctionContext, args: readonly Value[]) => Value) | null,
  options: DefineOptions,
): FunctionSpec {
  const compute = (context: FunctionContext, args: readonly Value[]) => {
    const growing = computeGrowing?.(context, args) ?? null;
    if (growing !== null) return growing;
    const numeric = args.filter((arg) => typeof arg !== 'string');
    const numbers = gatherNumbersByRow(context, numeric);
    if (isError(numbers)) return numbers;
    return numeric.length < args.length ? VALUE : run(numbers, context);
  };
  return defineVariadic(
    'statistical',
    name,
    ['value'],
    ['value'],
    (context, first, rest) => compute(context, [first, ...rest]),
    options,
  );
}

function listModes(values: readonly number[], context: AllocationMeter): Value {
  const modeValues = modes(values, context);
  return modeValues.length === 0 ? NA : new Matrix(modeValues.length, 1, modeValues);
}

export const MODE_SNGL: FunctionSpec = defineModes('MODE.SNGL', mode, computeGrowingMode, {
  picks: 'equal',
  calculatesArrays: true,
  omits: 'nonNumbers',
});

export const MODE_MULT: FunctionSpec = defineModes('MODE.MULT', listModes, null, {
  manyCells: true,
  calculatesArrays: true,
});
