import { type CellError, NA, VALUE } from '../../value/errors.ts';
import { isError } from '../../value/scalar.ts';
import type { AllocationMeter } from '../context.ts';
import { forEachNumber, gatherNumbersByRow } from '../gather-numbers.ts';
import { readGrowingRange } from '../growing-range.ts';
import { mode, modes } from '../numeric/summary.ts';
import { reserveMap } from '../reserve-memory.ts';
import type { FunctionContext, FunctionSpec } from '../spec.ts';
import { Matrix, type Value } from '../value.ts';
import { defineAggregate } from './define-aggregate.ts';

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

/** Gathers the numbers row by row. Refuses texts as arguments, even numeric texts. */
function gatherModeNumbers(context: FunctionContext, args: readonly Value[]): readonly number[] | CellError {
  const numeric = args.filter((arg) => typeof arg !== 'string');
  const numbers = gatherNumbersByRow(context, numeric);
  return !isError(numbers) && numeric.length < args.length ? VALUE : numbers;
}

function computeMode(context: FunctionContext, args: readonly Value[]): Value {
  const running = readGrowingRange(
    context,
    RUNNING_MODES,
    args,
    () => new RunningMode(),
    (state, rows) => forEachNumber(context, [rows], (value) => state.add(context, value)),
  );
  if (running !== null) return isError(running) ? running : running.result;
  const numbers = gatherModeNumbers(context, args);
  return isError(numbers) ? numbers : mode(numbers, context);
}

function listModes(context: FunctionContext, args: readonly Value[]): Value {
  const numbers = gatherModeNumbers(context, args);
  if (isError(numbers)) return numbers;
  const values = modes(numbers, context);
  return values.length === 0 ? NA : new Matrix(values.length, 1, values);
}

export const MODE_SNGL: FunctionSpec = defineAggregate('MODE.SNGL', computeMode, {
  picks: 'equal',
  calculatesArrays: true,
  omits: 'nonNumbers',
});

export const MODE_MULT: FunctionSpec = defineAggregate('MODE.MULT', listModes, {
  manyCells: true,
  calculatesArrays: true,
});
