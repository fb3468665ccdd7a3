/**
 * `TEST_RUNS=deep` (`npm run test:deep`) runs all combinations of the tests that `npm test` runs with a selection, and
 * property tests with more values. It takes about three times as long.
 */
export const IS_DEEP = process.env['TEST_RUNS'] === 'deep';
