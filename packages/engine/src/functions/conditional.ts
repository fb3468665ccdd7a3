import { type CellError, DIV0 } from '../value/errors.ts';
import { isError, type Scalar } from '../value/scalar.ts';
import { createScalarKey, KeyMap } from './array/keys.ts';
import { define, defineVariadic, withTraits } from './define.ts';
import { readBlock } from './gather-numbers.ts';
import { reserveMap } from './reserve-memory.ts';
import type { CriteriaStatistics } from './selection/criteria-statistics.ts';
import { computeSelectedStatistics, countSelected, type Extreme } from './selection/selected-statistics.ts';
import { readConditions, selectCells } from './selection/selection.ts';
import { measureValue } from './shape.ts';
import type { FunctionContext, FunctionSpec } from './spec.ts';
import { Reference, type Value } from './value.ts';

/** The cost of a distinct value, in cells. */
const UNIQUE_WORK = 4;
/** The argument of SUMIF and AVERAGEIF that is resized. */
const RESIZED_ARGUMENT = 2;

/** Resizes a range to the shape of another, from its own top left corner. SUMIF does this with its third argument. */
function reshapeRange(target: Value, model: Value): Value {
  if (!(target instanceof Reference) || !(model instanceof Reference)) return target;
  const [area] = target.areas;
  const [modelArea] = model.areas;
  const bottom = area.top + modelArea.bottom - modelArea.top;
  const right = area.left + modelArea.right - modelArea.left;
  return new Reference([{ ...area, bottom, right }]);
}

/** Counts the distinct values of the selected cells, without blank cells. */
function countUniqueSelected(context: FunctionContext, target: Value, pairs: readonly Value[]): Value {
  const block = readBlock(context, target);
  if (isError(block)) return block;
  const conditions = readConditions(context, pairs, block);
  if (isError(conditions)) return conditions;
  const { matrix } = block;
  const { columns, marks } = selectCells(context, conditions, matrix);
  const keys = new KeyMap<true>();
  for (const [i, value] of matrix.data.entries()) {
    context.reportWork(UNIQUE_WORK);
    reserveMap(context, keys.size);
    const at = Math.floor(i / matrix.columns) * columns + (i % matrix.columns);
    if (marks[at] === 1 && value !== null) keys.set(createScalarKey(value), true);
  }
  return keys.size;
}

/** Returns the share of a range's cells that meet a condition. */
function computeSelectedShare(context: FunctionContext, range: Value, criterion: Scalar): Value {
  const count = countSelected(context, [range, criterion]);
  const { rows, columns } = measureValue(range);
  return typeof count === 'number' ? count / (rows * columns) : count;
}

type ConditionalFold = (context: FunctionContext, target: Value, pairs: readonly Value[]) => Value;

/**
 * Creates a conditional function whose result is computed from the sum, count and extremes of the selected cells. If a
 * selected cell contains an error, the first error is the result.
 */
function createStatisticFold(result: (figures: CriteriaStatistics) => number | CellError): ConditionalFold {
  return (context, target, pairs) => {
    const figures = computeSelectedStatistics(context, target, pairs);
    return isError(figures) ? figures : (figures.error ?? result(figures));
  };
}

const sumSelected = createStatisticFold(({ total }) => total);
const averageSelected = createStatisticFold(({ total, count }) => (count === 0 ? DIV0 : total / count));

/** Creates the computation of MAXIFS or MINIFS. */
function createExtremeFold(extreme: Extreme): ConditionalFold {
  return (context, target, pairs) => {
    const figures = computeSelectedStatistics(context, target, pairs, extreme);
    if (isError(figures)) return figures;
    if (context.formats !== null) context.formats.last = figures[`${extreme}Format`];
    return figures.error ?? (figures.count === 0 ? 0 : figures[extreme]);
  };
}

/** Defines a function such as SUMIF: a range, a criterion and an optional range of values. */
function defineWithOneCondition(family: 'math' | 'statistical', name: string, fold: ConditionalFold): FunctionSpec {
  return define(family, name, ['value', 'any', 'value??'], (context, range, criterion, target) =>
    fold(context, target === undefined ? range : reshapeRange(target, range), [range, criterion]),
  );
}

/** Defines a function such as SUMIFS: a range of values, then pairs of a range and a criterion. */
function defineWithConditions(family: 'math' | 'statistical', name: string, fold: ConditionalFold): FunctionSpec {
  return defineVariadic(
    family,
    name,
    ['value', 'value', 'any'],
    ['value', 'any'],
    (context, target, range, criterion, rest) => fold(context, target, [range, criterion, ...rest]),
  );
}

export const CONDITIONAL_SUMS: readonly FunctionSpec[] = [
  withTraits(defineWithOneCondition('math', 'SUMIF', sumSelected), {
    carries: -1,
    referenceArrays: 'taken',
    resizes: RESIZED_ARGUMENT,
  }),
  withTraits(defineWithConditions('math', 'SUMIFS', sumSelected), { carries: 0, referenceArrays: 'taken' }),
];

export const CONDITIONAL_STATISTICS: readonly FunctionSpec[] = [
  define(
    'statistical',
    'COUNTIF',
    ['value', 'any'],
    (context, range, criterion) => countSelected(context, [range, criterion]),
    { referenceArrays: 'taken', distinct: 'countedEqual' },
  ),
  defineVariadic(
    'statistical',
    'COUNTIFS',
    ['value', 'any'],
    ['value', 'any'],
    (context, range, criterion, rest) => countSelected(context, [range, criterion, ...rest]),
    { referenceArrays: 'taken' },
  ),
  withTraits(defineWithOneCondition('statistical', 'AVERAGEIF', averageSelected), {
    carries: -1,
    referenceArrays: 'taken',
    resizes: RESIZED_ARGUMENT,
  }),
  withTraits(defineWithConditions('statistical', 'AVERAGEIFS', averageSelected), {
    carries: 0,
    referenceArrays: 'taken',
  }),
  withTraits(defineWithConditions('statistical', 'MAXIFS', createExtremeFold('greatest')), {
    picks: 'element',
    referenceArrays: 'taken',
  }),
  withTraits(defineWithConditions('statistical', 'MINIFS', createExtremeFold('least')), {
    picks: 'element',
    referenceArrays: 'taken',
  }),
];

/** Conditional functions of Google Sheets. */
export const GOOGLE_CONDITIONAL: readonly FunctionSpec[] = [
  defineVariadic(
    'google',
    'COUNTUNIQUEIFS',
    ['value', 'value', 'any'],
    ['value', 'any'],
    (context, target, range, criterion, rest) => countUniqueSelected(context, target, [range, criterion, ...rest]),
    { referenceArrays: 'taken' },
  ),
  define('google', 'PERCENTIF', ['value', 'any'], computeSelectedShare, {
    referenceArrays: 'taken',
    format: 'percent',
  }),
];
