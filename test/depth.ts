/**
 * `TEST_RUNS=deep` (`npm run test:deep`) runs every combination of actions and changes, and each property with four
 * times as many values. By default tests run a selection, so that `npm test` takes a few minutes.
 */
export const IS_DEEP = process.env['TEST_RUNS'] === 'deep';

const DEFAULT_SHARE = 1 / 4;

/** The number of runs of a property test that has `deep` runs with `TEST_RUNS=deep`. */
export function scaleRunCount(deepRunCount: number): number {
  return IS_DEEP ? deepRunCount : Math.ceil(deepRunCount * DEFAULT_SHARE);
}
