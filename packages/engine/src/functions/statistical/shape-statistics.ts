import { type CellError, DIV0 } from '../../value/errors.ts';
import { isError } from '../../value/scalar.ts';
import { populationDeviation, sampleDeviation, sum } from '../numeric/summary.ts';
import type { CentralMoments } from '../row-figures/moments.ts';

/** The sum of the powers of standardised values. */
function sumStandardisedPowers(values: readonly number[], deviation: number, power: number): number {
  const centre = sum(values) / values.length;
  return values.reduce((total, value) => total + ((value - centre) / deviation) ** power, 0);
}

export function computeSkewness(values: readonly number[]): number | CellError {
  const n = values.length;
  const deviation = sampleDeviation(values);
  if (n < 3 || isError(deviation) || deviation === 0) return DIV0;
  return (n / ((n - 1) * (n - 2))) * sumStandardisedPowers(values, deviation, 3);
}

export function computePopulationSkewness(values: readonly number[]): number | CellError {
  const deviation = populationDeviation(values);
  if (values.length < 3 || isError(deviation) || deviation === 0) return DIV0;
  return sumStandardisedPowers(values, deviation, 3) / values.length;
}

export function computeKurtosis(values: readonly number[]): number | CellError {
  const n = values.length;
  const deviation = sampleDeviation(values);
  if (n < 4 || isError(deviation) || deviation === 0) return DIV0;
  return scaleKurtosis(sumStandardisedPowers(values, deviation, 4), n);
}

/** `sum`: the sum of the fourth powers of standardised values. */
function scaleKurtosis(sum: number, n: number): number {
  const scaled = ((n * (n + 1)) / ((n - 1) * (n - 2) * (n - 3))) * sum;
  return scaled - (3 * (n - 1) ** 2) / ((n - 2) * (n - 3));
}

/** Limits of squared deviations whose squares neither overflow nor underflow. */
const MIN_SQUARES = 1e-130;
const MAX_SQUARES = 1e130;

/**
 * Creates a function that calculates a figure from moments. The function returns null if the values must be standardised
 * first, because powers of their deviations are too large or too small.
 */
function computeFromMoments(minCount: number, compute: (moments: CentralMoments) => number) {
  return (moments: CentralMoments): number | CellError | null => {
    const { count, squaredDeviations } = moments;
    if (count < minCount || squaredDeviations === 0) return DIV0;
    return squaredDeviations >= MIN_SQUARES && squaredDeviations <= MAX_SQUARES ? compute(moments) : null;
  };
}

export const computeMomentsSkewness = computeFromMoments(3, ({ count: n, squaredDeviations, cubedDeviations }) => {
  const variance = squaredDeviations / (n - 1);
  return ((n / ((n - 1) * (n - 2))) * cubedDeviations) / (variance * Math.sqrt(variance));
});

export const computeMomentsPopulationSkewness = computeFromMoments(
  3,
  ({ count: n, squaredDeviations, cubedDeviations }) => {
    const variance = squaredDeviations / n;
    return cubedDeviations / n / (variance * Math.sqrt(variance));
  },
);

export const computeMomentsKurtosis = computeFromMoments(4, ({ count: n, squaredDeviations, fourthDeviations }) => {
  const variance = squaredDeviations / (n - 1);
  return scaleKurtosis(fourthDeviations / (variance * variance), n);
});
