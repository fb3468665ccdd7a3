import { ARRAY } from './array.ts';
import { DATABASE } from './database.ts';
import { DATE } from './date.ts';
import { ENGINEERING } from './engineering.ts';
import { FINANCIAL } from './financial.ts';
import { GOOGLE } from './google.ts';
import { INFORMATION } from './information.ts';
import { LOGICAL } from './logical.ts';
import { LOOKUP } from './lookup.ts';
import { MATH } from './math.ts';
import type { FunctionSpec } from './spec.ts';
import { STATISTICAL } from './statistical.ts';
import { TEXT } from './text.ts';

/** Every function that formulas can call, by upper-case English name; the lazy ones (IF, LET, …) live in `calc`. */
export const FUNCTIONS: ReadonlyMap<string, FunctionSpec> = new Map(
  [MATH, STATISTICAL, LOOKUP, TEXT, DATE, FINANCIAL, LOGICAL, INFORMATION, ENGINEERING, DATABASE, ARRAY, GOOGLE]
    .flat()
    .map((spec) => [spec.name, spec]),
);
