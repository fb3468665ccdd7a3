import { CONDITIONAL_STATISTICS } from './conditional.ts';
import type { FunctionSpec } from './spec.ts';
import { CONTINUOUS } from './statistical/continuous.ts';
import { CORRELATION } from './statistical/correlation.ts';
import { DESCRIPTIVE } from './statistical/descriptive.ts';
import { DISCRETE } from './statistical/discrete.ts';
import { FORECASTS } from './statistical/forecast.ts';
import { HYPOTHESIS } from './statistical/hypothesis.ts';
import { RANKING } from './statistical/ranking.ts';
import { REGRESSION } from './statistical/regression.ts';
import { SAMPLING } from './statistical/sampling.ts';

/** Statistics: descriptive functions, distributions and their inverses, regression, tests. */
export const STATISTICAL: readonly FunctionSpec[] = [
  DESCRIPTIVE,
  CONDITIONAL_STATISTICS,
  RANKING,
  CORRELATION,
  REGRESSION,
  FORECASTS,
  HYPOTHESIS,
  CONTINUOUS,
  SAMPLING,
  DISCRETE,
].flat();
