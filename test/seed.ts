import fc from 'fast-check';

/**
 * Loaded before the tests: properties draw from one seed, so that a commit passes or fails every time. Hunt for what
 * that seed misses with others, as in `PROPERTY_SEED=7 npm run test:unit`.
 */
const FIXED_SEED = 20_261_120;

fc.configureGlobal({ seed: Number(process.env['PROPERTY_SEED'] ?? FIXED_SEED) });
