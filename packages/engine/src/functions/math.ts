import { CONDITIONAL_SUMS } from './conditional.ts';
import { AGGREGATES } from './math/aggregates.ts';
import { COMBINATORICS } from './math/combinatorics.ts';
import { ELEMENTARY } from './math/elementary.ts';
import { MATRICES } from './math/matrices.ts';
import { NUMERALS } from './math/numerals.ts';
import { RANDOM } from './math/random.ts';
import { ROUNDING } from './math/rounding.ts';
import { SERIES } from './math/series.ts';
import { SUBTOTALS } from './math/subtotal.ts';
import type { FunctionSpec } from './spec.ts';

/** Mathematics and trigonometry. */
export const MATH: readonly FunctionSpec[] = [
  ELEMENTARY,
  ROUNDING,
  COMBINATORICS,
  NUMERALS,
  AGGREGATES,
  CONDITIONAL_SUMS,
  SUBTOTALS,
  MATRICES,
  SERIES,
  RANDOM,
].flat();
